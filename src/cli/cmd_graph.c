/*
 * heddle graph: how many bytes lie between the uses of fields, and which fields are near
 * (docs/layout-graph.md).
 *
 *     struct T: 4 fields of 24 bytes, in 1 launch
 *       field  bytes    a    b    c  d
 *       a          4    .    4  256  -
 *       ...
 *     Nearer than 32 bytes (a line of h200): {a,b}{c}{d}
 */
#include <stdlib.h>

#include "cli/analysis.h"
#include "cli/contents.h"
#include "cost/layout_graph.h"
#include "report/layout_graph.h"

typedef struct request {
    const char *device, *svg;
    uint64_t epsilon; /* 0: not given */
    bool dot;
} request;

/* ---- text ------------------------------------------------------------------------------ */

enum { MOST_COLUMNS = HD_TABLE_COLUMNS - 2 };

/* A row and a column for each field. */
static void show_matrix(cli *c, const hd_layout_graph *graph, hd_str *out) {
    const hd_record *record = graph->record;
    hd_column columns[HD_TABLE_COLUMNS] = {{"field", HD_LEFT, false}, {"bytes", HD_RIGHT, false}};
    for (uint32_t f = 0; f < record->field_count; f++)
        columns[f + 2] = (hd_column){record->fields[f].name, HD_RIGHT, false};
    hd_table *table = hd_table_new(c->arena, columns, record->field_count + 2);
    for (uint32_t a = 0; a < record->field_count; a++) {
        const char *cells[HD_TABLE_COLUMNS] = {record->fields[a].name,
                                               hd_show_exact(c->arena, record->fields[a].size)};
        for (uint32_t b = 0; b < record->field_count; b++)
            cells[b + 2] =
                a == b ? "." : hd_show_distance(c->arena, hd_layout_distance(graph, a, b));
        hd_table_row(table, cells);
    }
    hd_table_print(table, out, c->colour);
}

typedef struct neighbour {
    uint64_t distance;
    uint32_t field;
} neighbour;

static int by_distance(const void *a, const void *b) {
    const neighbour *x = a, *y = b;
    if (x->distance != y->distance)
        return x->distance < y->distance ? -1 : 1;
    return (x->field > y->field) - (x->field < y->field);
}

/* Fields that can be reached, the nearest first: "b 4, c 256". */
static const char *neighbours_text(cli *c, const hd_layout_graph *graph, uint32_t field) {
    neighbour all[HD_MAX_FIELDS];
    hd_str text = {.arena = c->arena};
    uint32_t count = 0;
    for (uint32_t f = 0; f < graph->record->field_count; f++)
        if (f != field && hd_layout_distance(graph, field, f) != HD_UNREACHABLE)
            all[count++] = (neighbour){hd_layout_distance(graph, field, f), f};
    qsort(all, count, sizeof *all, by_distance);
    for (uint32_t i = 0; i < count; i++)
        hd_str_printf(&text, "%s%s %s", i ? ", " : "", graph->record->fields[all[i].field].name,
                      hd_show_distance(c->arena, all[i].distance));
    return count ? hd_str_text(&text) : "-";
}

/* Of many fields each has a row with its neighbours. */
static void show_neighbours(cli *c, const hd_layout_graph *graph, hd_str *out) {
    static const hd_column columns[] = {
        {"field", HD_LEFT, false}, {"bytes", HD_RIGHT, false}, {"bytes to", HD_LEFT, true}};
    const hd_record *record = graph->record;
    hd_table *table = hd_table_new(c->arena, columns, sizeof columns / sizeof *columns);
    for (uint32_t f = 0; f < record->field_count; f++)
        hd_table_row(table, (const char *[]){record->fields[f].name,
                                             hd_show_exact(c->arena, record->fields[f].size),
                                             neighbours_text(c, graph, f)});
    hd_table_print(table, out, c->colour);
}

static bool matrix_fits(const hd_record *record) {
    enum { BESIDES = 20, OF_NUMBER = 9 };
    size_t width = BESIDES;
    for (uint32_t f = 0; f < record->field_count; f++) {
        size_t letters = strlen(record->fields[f].name) + 2;
        width += letters > OF_NUMBER ? letters : OF_NUMBER;
    }
    return record->field_count <= MOST_COLUMNS && width <= HD_TABLE_WIDTH;
}

/* "{a,b}{c}{d}" */
static const char *clusters_text(cli *c, const hd_layout_graph *graph, uint64_t epsilon) {
    uint64_t masks[HD_MAX_FIELDS];
    uint32_t count = hd_layout_graph_clusters(graph, epsilon, masks);
    hd_str text = {.arena = c->arena};
    for (uint32_t i = 0; i < count; i++) {
        const char *before = "{";
        for (uint64_t left = masks[i]; left; left &= left - 1, before = ",")
            hd_str_printf(&text, "%s%s", before, graph->record->fields[__builtin_ctzll(left)].name);
        hd_str_add(&text, "}");
    }
    return hd_str_text(&text);
}

static int show_text(cli *c, const hd_job *job, const hd_layout_graph *graph, uint64_t epsilon,
                     const char *why) {
    hd_str out = {.arena = c->arena};
    hd_str_printf(&out, "%s: %s of %u bytes, in %s\n", job->record->spelling,
                  hd_show_counted(c->arena, job->record->field_count, "field", "s"),
                  job->record->size, hd_show_counted(c->arena, job->launch_count, "launch", "es"));
    if (matrix_fits(job->record))
        show_matrix(c, graph, &out);
    else
        show_neighbours(c, graph, &out);
    hd_wrap(&out,
            hd_format(c->arena, "Nearer than %llu bytes%s: %s", (unsigned long long)epsilon, why,
                      clusters_text(c, graph, epsilon)),
            0, HD_TABLE_WIDTH);
    return cli_print(c, &out);
}

/* ---- JSON -------------------------------------------------------------------------------- */

static json_t *name_of(const hd_layout_graph *graph, uint32_t field) {
    return hd_json_text(graph->record->fields[field].name);
}

static json_t *fields_json(const hd_layout_graph *graph) {
    json_t *fields = json_array();
    for (uint32_t f = 0; f < graph->record->field_count; f++)
        json_array_append_new(fields,
                              json_pack("{s:o, s:o, s:b}", "name", name_of(graph, f), "size",
                                        hd_json_integer(graph->record->fields[f].size), "reached",
                                        (int)(graph->reached >> f & 1)));
    return fields;
}

static json_t *edges_json(const hd_layout_graph *graph) {
    json_t *edges = json_array();
    for (uint32_t a = 0; a < graph->record->field_count; a++)
        for (uint32_t b = a + 1; b < graph->record->field_count; b++) {
            uint64_t distance = hd_layout_distance(graph, a, b);
            json_array_append_new(
                edges,
                json_pack("{s:[o, o], s:o}", "fields", name_of(graph, a), name_of(graph, b),
                          "distance", hd_json_integer_if(distance != HD_UNREACHABLE, distance)));
        }
    return edges;
}

static json_t *clusters_json(const hd_layout_graph *graph, uint64_t epsilon) {
    uint64_t masks[HD_MAX_FIELDS];
    uint32_t count = hd_layout_graph_clusters(graph, epsilon, masks);
    json_t *clusters = json_array();
    for (uint32_t i = 0; i < count; i++) {
        json_t *cluster = json_array();
        for (uint64_t left = masks[i]; left; left &= left - 1)
            json_array_append_new(cluster, name_of(graph, (uint32_t)__builtin_ctzll(left)));
        json_array_append_new(clusters, cluster);
    }
    return clusters;
}

static int show_json(cli *c, const hd_job *job, const hd_layout_graph *graph, uint64_t epsilon) {
    const hd_layout *layout = hd_layout_graph_split(c->arena, graph, epsilon);
    return cli_print_json(
        c, json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "record", hd_json_record(graph->record),
                     "launches", hd_json_integer(job->launch_count), "fields", fields_json(graph),
                     "edges", edges_json(graph), "epsilon", hd_json_integer(epsilon), "clusters",
                     clusters_json(graph, epsilon), "layout",
                     hd_json_layout(c->arena, graph->record, layout)));
}

/* ---- the command ---------------------------------------------------------------------------- */

/* *why says where epsilon comes from. */
static hd_status find_epsilon(cli *c, request *r, const char **why) {
    const hd_device *device;
    *why = "";
    if (r->epsilon && r->device)
        return hd_fail(&c->diag, HD_EINPUT, NULL,
                       "--epsilon and --device both say which fields are near: choose one of them");
    if (r->epsilon)
        return HD_OK;
    hd_status status =
        hd_device_find(c->arena, &c->diag, r->device ? r->device : CLI_DEVICE, &device);
    if (status)
        return status;
    r->epsilon = hd_device_line(device);
    *why = hd_format(c->arena, " (a line of %s)", device->name);
    return HD_OK;
}

static hd_status write_picture(cli *c, const hd_layout_graph *graph, const request *r) {
    hd_str picture = {.arena = c->arena};
    hd_layout_graph_svg(c->arena, graph, r->epsilon, &picture);
    return hd_write_file(&c->diag, r->svg, hd_str_text(&picture), picture.length);
}

static int graph(cli *c, const char *path, const cli_source *source, request *r) {
    hd_job *job;
    hd_layout_graph *made;
    const char *why;
    if (r->dot && c->json) {
        hd_fail(&c->diag, HD_EINPUT, NULL, "--dot and --json: choose one of them");
        return CLI_WRONG;
    }
    if (find_epsilon(c, r, &why) || cli_load(c, path, source, &job) || cli_require_record(c, job))
        return CLI_WRONG;
    const char *const inputs[] = {path, job->kernel_path};
    if ((r->svg && cli_check_output(c, "svg", r->svg, inputs, 2)) ||
        hd_layout_graph_make(c->arena, &c->diag, job, &made))
        return CLI_WRONG;
    if (r->svg && write_picture(c, made, r))
        return CLI_WRONG;
    if (c->json)
        return show_json(c, job, made, r->epsilon);
    if (!r->dot)
        return show_text(c, job, made, r->epsilon, why);
    hd_str text = {.arena = c->arena};
    hd_layout_graph_dot(c->arena, made, r->epsilon, &text);
    return cli_print(c, &text);
}

int cmd_graph(cli *c, int argc, char **argv) {
    request r = {0};
    cli_source source = {0};
    cli_option job_options[CLI_JOB_OPTION_COUNT];
    const cli_option options[] = {
        {"epsilon", 0, "BYTES",
         "fields nearer than this come into one cluster; default: a line of the device's L1",
         CLI_NUMBER, &r.epsilon},
        {"device", 'd', "D", "the device profile that gives epsilon; default: " CLI_DEVICE,
         CLI_TEXT, &r.device},
        {"dot", 0, NULL, "print the graph for GraphViz", CLI_FLAG, &r.dot},
        {"svg", 0, "FILE", "draw the graph into this file, too", CLI_TEXT, &r.svg},
        {0}};
    const cli_page page = {
        "[--epsilon BYTES] [OPTIONS] JOB|FILE",
        "Prints the kernel data layout graph: for each two fields of the record, how many bytes of "
        "global memory a work-item moves between its uses of the one and of the other, at most. "
        "'-' stands where no work-item uses both. Fields that are nearer than epsilon make a "
        "cluster.",
        options,
        cli_job_options(&source, job_options),
        1,
        1};
    char **words;
    uint32_t word_count;
    int status;
    if (!cli_parse(c, &page, argc, argv, &words, &word_count, &status))
        return status;
    return graph(c, words[0], &source, &r);
}
