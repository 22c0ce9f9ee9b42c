/*
 * heddle advise --graph: how many bytes lie between the uses of fields, which fields are near
 * (docs/layout-graph.md), and the layout that Kofler et al. select by these clusters and the tiles
 * of a device's profile.
 *
 *     struct T: 4 fields of 24 bytes, in 1 launch
 *       field  bytes    a    b    c  d
 *       a          4    .    4  256  -
 *       ...
 *     Nearer than 64 bytes: {a,b}{c}{d}
 *       64 on firepro-s9000: what its profile says, with the source
 *     Graph and tree select {a,b}:1024{c,d}:soa
 *       ...
 */
#include <stdlib.h>

#include "cli/show_advice.h"
#include "cli/commands.h"
#include "cli/buffer_contents.h"
#include "model/propose.h"
#include "cli/report/report_layout_graph.h"

/* The whole result; the context of its tables. */
typedef struct result {
    const hd_job *job;
    const hd_layout_graph *graph;
    const hd_device *device; /* that epsilon and tiles come from; NULL: epsilon was given */
    uint64_t epsilon;
    const char *why; /* it is this epsilon of the device; NULL: it was given */
} result;

static const hd_layout_graph *graph_of(const hd_view *view) {
    return ((const result *)view->context)->graph;
}

/* ---- distances of fields ----------------------------------------------------------------- */

static uint64_t between(const hd_view *view, const hd_field *a, const hd_field *b) {
    const hd_layout_graph *graph = graph_of(view);
    const hd_field *first = graph->record->fields;
    return hd_layout_distance(graph, (uint32_t)(a - first), (uint32_t)(b - first));
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
static hd_value neighbours_of(const hd_view *view, const void *field) {
    const hd_record *record = graph_of(view)->record;
    neighbour all[HD_MAX_FIELDS];
    hd_str text = {.arena = view->arena};
    uint32_t count = 0;
    for (uint32_t f = 0; f < record->field_count; f++) {
        uint64_t distance = between(view, field, &record->fields[f]);
        if (&record->fields[f] != field && distance != HD_UNREACHABLE)
            all[count++] = (neighbour){distance, f};
    }
    qsort(all, count, sizeof *all, by_distance);
    for (uint32_t i = 0; i < count; i++)
        hd_str_printf(&text, "%s%s %s", i ? ", " : "", record->fields[all[i].field].name,
                      hd_show_distance(view->arena, all[i].distance));
    return hd_text(count ? hd_str_text(&text) : "-");
}

/* Of a field to that of the row; "." to itself. */
HD_GETTER(cell_of, hd_field,
          hd_text(row == view->parent
                      ? "."
                      : hd_show_distance(view->arena, between(view, view->parent, row))))
HD_GETTER(others_of, hd_field,
          hd_rows(graph_of(view)->record->fields, graph_of(view)->record->field_count))
HD_GETTER(reached_of, hd_field,
          hd_bool(graph_of(view)->reached >> (row - graph_of(view)->record->fields) & 1))

static const hd_member cell_members[] = {
    {"name", HD_AT(hd_field, name)}, {NULL, "%s", HD_PLAIN_WORD, .get = cell_of}, {0}};
/* A row and a column for each field. */
static const hd_member matrix_columns[] = {{NULL, "field", HD_AT(hd_field, name)},
                                           {NULL, "bytes", HD_AT(hd_field, size)},
                                           {NULL, "to", .get = others_of, .of = cell_members},
                                           {0}};
/* Of many fields each has a row with its neighbours. */
static const hd_member field_members[] = {{"name", "field", HD_AT(hd_field, name)},
                                          {"size", "bytes", HD_AT(hd_field, size)},
                                          {NULL, "bytes to", .get = neighbours_of},
                                          {"reached", .get = reached_of},
                                          {0}};

/* ---- the rest ------------------------------------------------------------------------------ */

/* Two fields. */
typedef struct edge {
    const char *fields[2];
    uint32_t field_count;
    uint64_t distance;
} edge;

static hd_value edges_of(const hd_view *view, const void *at) {
    const hd_record *record = ((const result *)at)->graph->record;
    const hd_field *fields = record->fields;
    hd_vec(edge) edges = {0};
    for (uint32_t a = 0; a < record->field_count; a++)
        for (uint32_t b = a + 1; b < record->field_count; b++)
            hd_push(
                view->arena, &edges,
                (edge){{fields[a].name, fields[b].name}, 2, between(view, &fields[a], &fields[b])});
    return hd_rows(edges.data, edges.count);
}

static hd_value clusters_of(const hd_view *view, const void *at) {
    const result *r = at;
    uint64_t masks[HD_MAX_FIELDS];
    uint32_t count = hd_layout_graph_clusters(r->graph, r->epsilon, masks);
    json_t *array = json_array();
    (void)view;
    for (uint32_t i = 0; i < count; i++) {
        json_t *names = json_array();
        for (uint64_t left = masks[i]; left; left &= left - 1)
            json_array_append_new(
                names, hd_json_text(r->graph->record->fields[__builtin_ctzll(left)].name));
        json_array_append_new(array, names);
    }
    return hd_document(array);
}

HD_GETTER(distance_of, edge, hd_whole_if(row->distance != HD_UNREACHABLE, row->distance))
static const hd_member edge_members[] = {
    {"fields", HD_NUMBERS(edge, fields, field_count)}, {"distance", .get = distance_of}, {0}};

HD_GETTER(fields_of, result, hd_rows(row->graph->record->fields, row->graph->record->field_count))
HD_GETTER(layout_of, result,
          hd_with(hd_row(hd_layout_graph_split(view->arena, row->graph, row->epsilon)),
                  row->graph->record))

static const hd_tile_steps *tiles_of(const result *r) {
    return r->device ? r->device->tiles : NULL;
}

static const hd_layout *selected_of(hd_arena *arena, const result *r) {
    return hd_judge_graph(arena, r->graph, r->epsilon, tiles_of(r)).layouts.data[0];
}

HD_GETTER(tiles_text, result,
          hd_text(tiles_of(row) ? hd_tile_steps_print(view->arena, tiles_of(row)) : NULL))
HD_GETTER(selection_of, result,
          tiles_of(row) ? hd_with(hd_row(selected_of(view->arena, row)), row->graph->record)
                        : hd_null())

static const hd_member graph_members[] = {
    {"record", HD_VIA(result, job, HD_BEHIND, record), .of = hd_record_members},
    {"launches", HD_VIA(result, job, HD_AT, launch_count)},
    {"fields", .get = fields_of, .of = field_members},
    {"edges", .get = edges_of, .of = edge_members},
    {"epsilon", HD_AT(result, epsilon)},
    {"epsilon_is", HD_AT(result, why)},
    {"clusters", .get = clusters_of},
    {"layout", .get = layout_of, .of = hd_layout_members},
    {"tiles", .get = tiles_text},
    {"selected", .get = selection_of, .of = hd_layout_members},
    {0}};

static int show_text(cli *c, const result *r) {
    const hd_record *record = r->job->record;
    hd_str out = {.arena = c->arena}, near = {.arena = c->arena};
    hd_str_printf(&out, "%s: %s of %u bytes, in %s\n", record->spelling,
                  hd_show_counted(c->arena, record->field_count, "field", "s"), record->size,
                  hd_show_counted(c->arena, r->job->launch_count, "launch", "es"));
    enum { BESIDES = 20, OF_NUMBER = 9 };
    size_t width = BESIDES; /* of the matrix */
    for (uint32_t f = 0; f < record->field_count; f++) {
        size_t letters = strlen(record->fields[f].name) + 2;
        width += letters > OF_NUMBER ? letters : OF_NUMBER;
    }
    cli_show_rows(c, NULL, width <= c->style.width ? matrix_columns : field_members,
                  hd_with(hd_rows(record->fields, record->field_count), r), &out);
    hd_str_printf(&near, "Nearer than %llu bytes: ", (unsigned long long)r->epsilon);
    uint64_t masks[HD_MAX_FIELDS];
    uint32_t count = hd_layout_graph_clusters(r->graph, r->epsilon, masks);
    for (uint32_t i = 0; i < count; i++)
        for (uint64_t left = masks[i]; left; left &= left - 1)
            hd_str_printf(&near, "%s%s%s", left == masks[i] ? "{" : ",",
                          record->fields[__builtin_ctzll(left)].name, left & (left - 1) ? "" : "}");
    hd_wrap(&out, hd_str_text(&near), 0, HD_TABLE_WIDTH);
    if (r->why)
        hd_say(&out, "  %llu on %s: %s", (unsigned long long)r->epsilon, r->device->name, r->why);
    if (tiles_of(r)) {
        hd_say(&out, "Graph and tree select %s",
               hd_layout_print(c->arena, record, selected_of(c->arena, r)));
        hd_say(&out, "  tiles of %s: %s", r->device->name,
               hd_tile_steps_print(c->arena, tiles_of(r)));
        hd_say(&out, "  a proposal: nothing was run; 'heddle advise --budget TIME' races it");
    }
    return cli_print(c, &out);
}

/* ---- the command ---------------------------------------------------------------------------- */

int cmd_advise_graph(cli *c) {
    const cli_options *o = c->given;
    hd_job *job;
    hd_layout_graph *made;
    const hd_device *device = NULL;
    uint64_t epsilon = o->epsilon;
    const char *why = NULL;
    hd_str text = {.arena = c->arena};
    if (!epsilon) {
        if (cli_find_device(c, &device))
            return CLI_WRONG;
        epsilon = hd_device_epsilon(device, &why);
    }
    cli_source source = o->input.source;
    source.as_written = true; /* distances are those of the source's loops, not of unrolled ones */
    if (cli_load(c, o->input.path, &source, &job) || hd_job_require_record(&c->diag, job))
        return CLI_WRONG;
    const char *const inputs[] = {o->input.path, job->kernel_path};
    if ((o->svg && cli_check_output(c, "svg", o->svg, inputs, 2)) ||
        hd_layout_graph_make(c->arena, &c->diag, job, &made))
        return CLI_WRONG;
    if (o->svg) {
        hd_str picture = {.arena = c->arena};
        hd_layout_graph_svg(c->arena, made, epsilon, &picture);
        if (hd_write_file(&c->diag, o->svg, hd_str_text(&picture), picture.length))
            return CLI_WRONG;
    }
    const result all = {job, made, device, epsilon, why};
    if (c->json)
        return cli_print_row(c, graph_members, hd_with(hd_row(&all), &all));
    if (!o->dot)
        return show_text(c, &all);
    hd_layout_graph_dot(c->arena, made, epsilon, &text);
    return cli_print(c, &text);
}
