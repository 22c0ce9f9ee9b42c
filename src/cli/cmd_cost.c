/* heddle cost: what layouts cost on devices, and which accesses make it. */
#include "cli/analysis.h"

typedef struct pricing {
    const hd_layout *layout;
    hd_cost_vector cost;
    double ratio;
    hd_cost_line *lines;
    size_t line_count;
} pricing;

static json_t *pricing_json(cli *c, const hd_job *job, const pricing *p) {
    json_t *accesses = json_array();
    for (size_t i = 0; i < p->line_count; i++)
        json_array_append_new(accesses, cli_cost_line_json(c, &p->lines[i], &p->cost));
    return json_pack(
        "{s:o, s:o, s:o, s:o}", "layout", hd_json_layout(c->arena, job->record, p->layout), "cost",
        cli_cost_json(&p->cost), "ratio", hd_json_number(p->ratio), "accesses", accesses);
}

static void price_all(cli *c, hd_cost_model *model, hd_layout *const *layouts, size_t count,
                      pricing *prices) {
    const hd_record *record = hd_cost_record(model);
    hd_cost_vector aos =
        hd_cost_of_layout(c->arena, model, hd_layout_aos(c->arena, record), NULL, NULL);
    for (size_t i = 0; i < count; i++) {
        prices[i].layout = layouts[i];
        prices[i].cost =
            hd_cost_of_layout(c->arena, model, layouts[i], &prices[i].lines, &prices[i].line_count);
        prices[i].ratio = hd_cost_ratio(&prices[i].cost, &aos);
    }
}

static void show_layouts(cli *c, const hd_record *record, const pricing *prices, size_t count,
                         hd_str *out) {
    static const hd_column columns[] = {
        {"layout", HD_LEFT, true}, {"cost", HD_RIGHT, true}, {"to AoS", HD_RIGHT, false}};
    hd_table *table = hd_table_new(c->arena, columns, sizeof columns / sizeof *columns);
    for (size_t i = 0; i < count; i++)
        hd_table_row(table, (const char *[]){hd_layout_print(c->arena, record, prices[i].layout),
                                             cli_show_cost(c->arena, &prices[i].cost),
                                             hd_format(c->arena, "%.3f", prices[i].ratio)});
    hd_table_print(table, out, c->colour);
}

static void show_accesses(cli *c, const hd_record *record, const pricing *p, hd_str *out) {
    static const hd_column columns[] = {
        {"line", HD_RIGHT, false},       {"access", HD_LEFT, true},
        {"executions", HD_RIGHT, false}, {"transactions", HD_RIGHT, false},
        {"L1", HD_RIGHT, false},         {"L2", HD_RIGHT, false},
        {"share", HD_RIGHT, false}};
    hd_table *table = hd_table_new(c->arena, columns, sizeof columns / sizeof *columns);
    for (size_t i = 0; i < p->line_count; i++) {
        const hd_cost_line *l = &p->lines[i];
        hd_table_row(table, (const char *[]){hd_format(c->arena, "%u", l->access->line),
                                             cli_access_name(c->arena, l),
                                             hd_show_count(c->arena, l->executions),
                                             hd_format(c->arena, "%.3g", l->transactions),
                                             hd_show_share(c->arena, l->l1),
                                             hd_show_share(c->arena, l->l2),
                                             hd_show_share(c->arena, cli_share(l, &p->cost))});
    }
    hd_str_printf(out, "\n%s\n", hd_layout_print(c->arena, record, p->layout));
    hd_table_print(table, out, c->colour);
}

static hd_status price_device(cli *c, const hd_job *job, const hd_device *device,
                              const hd_cost_options *options, hd_layout *const *layouts,
                              size_t count, hd_str *out, json_t *results) {
    hd_cost_model *model;
    hd_status status = hd_cost_model_make(c->arena, &c->diag, job, device, options, &model);
    if (status != HD_OK)
        return status;
    pricing *prices = hd_new_array(c->arena, pricing, count);
    price_all(c, model, layouts, count, prices);
    json_t *list = json_array();
    hd_str_printf(out, "%s%s on %s (%s)\n", out->length ? "\n" : "", job->record->spelling,
                  device->name, device->title ? device->title : "synthetic");
    show_layouts(c, job->record, prices, count, out);
    for (size_t i = 0; i < count; i++) {
        show_accesses(c, job->record, &prices[i], out);
        json_array_append_new(list, pricing_json(c, job, &prices[i]));
    }
    json_array_append_new(results, json_pack("{s:o, s:o}", "device",
                                             hd_json_device(c->arena, device), "layouts", list));
    return HD_OK;
}

static int cost(cli *c, const char *path, const cli_source *source, const cli_texts *notations,
                const cli_model_options *choice) {
    hd_job *job;
    const hd_device **devices;
    hd_cost_options options;
    if (cli_load(c, path, source, &job) || cli_require_record(c, job) ||
        cli_model_options_read(c, choice, &options, &devices))
        return CLI_WRONG;
    static const char *const usual[] = {"aos", "soa"};
    size_t count = notations->count ? notations->count : 2;
    hd_layout **layouts = hd_new_array(c->arena, hd_layout *, count);
    for (size_t i = 0; i < count; i++)
        if (hd_layout_parse(c->arena, &c->diag, job->record,
                            notations->count ? notations->data[i] : usual[i], &layouts[i]))
            return CLI_WRONG;
    hd_str out = {.arena = c->arena};
    json_t *results = json_array();
    for (size_t d = 0; d < cli_device_count(choice); d++)
        if (price_device(c, job, devices[d], &options, layouts, count, &out, results)) {
            json_decref(results);
            return CLI_WRONG;
        }
    if (c->json)
        return cli_print_json(
            c, json_pack("{s:o, s:o}", "record", hd_json_record(job->record), "results", results));
    json_decref(results);
    return cli_print(c, &out);
}

int cmd_cost(cli *c, int argc, char **argv) {
    cli_texts layouts = {0};
    cli_model_options choice = {0};
    cli_source source = {0};
    cli_option job_options[CLI_JOB_OPTION_COUNT];
    const cli_option options[] = {
        {"layout", 'l', "L",
         "a layout to price (may be repeated); 'heddle help layout' has the notation; default: "
         "aos and soa",
         CLI_TEXTS, &layouts, "aos soa da"},
        CLI_MODEL_OPTIONS(choice),
        {0}};
    const cli_page page = {
        "[--layout L]... [--device D]... [OPTIONS] JOB|FILE",
        "Prints the static cost of each layout on each device, its ratio to AoS, and the share "
        "of every access in it. The unit is one transaction served by L1. With loops of unknown "
        "length the cost is a vector: the entry of most such loops counts first.",
        options,
        cli_job_options(&source, job_options),
        1,
        1};
    char **words;
    uint32_t word_count;
    int status;
    if (!cli_parse(c, &page, argc, argv, &words, &word_count, &status))
        return status;
    return cost(c, words[0], &source, &layouts, &choice);
}
