/* What `cost` and `advise` share. */
#include <stdlib.h>

#include "cli/analysis.h"

size_t cli_device_count(const cli_model_options *choice) {
    return choice->devices.count ? choice->devices.count : 1;
}

static hd_status read_loops(cli *c, const char *rule, hd_cost_options *options) {
    if (!rule || !strcmp(rule, "peng")) {
        options->loops = HD_LOOPS_PENG;
        return HD_OK;
    }
    if (!strcmp(rule, "kofler")) {
        options->loops = HD_LOOPS_KOFLER;
        return HD_OK;
    }
    char *end;
    options->loops = HD_LOOPS_NUMBER;
    options->length = strtoull(rule, &end, 10);
    if (rule[0] < '0' || rule[0] > '9' || *end || options->length == 0 ||
        options->length > (uint64_t)1 << 40)
        return hd_fail(&c->diag, HD_EINPUT, NULL,
                       "--loops takes peng, kofler or a number from 1, not '%s'", rule);
    return HD_OK;
}

hd_status cli_model_options_read(cli *c, const cli_model_options *choice, hd_cost_options *options,
                                 const hd_device ***devices) {
    *options = (hd_cost_options){.loops = HD_LOOPS_PENG};
    hd_status status = read_loops(c, choice->loops, options);
    if (status != HD_OK)
        return status;
    if (choice->registers > 1024)
        return hd_fail(&c->diag, HD_EINPUT, NULL, "--registers takes at most 1024");
    options->registers = (uint32_t)choice->registers;
    size_t count = cli_device_count(choice);
    *devices = hd_new_array(c->arena, const hd_device *, count);
    for (size_t i = 0; i < count && status == HD_OK; i++)
        status = hd_device_find(c->arena, &c->diag,
                                choice->devices.count ? choice->devices.data[i] : CLI_DEVICE,
                                &(*devices)[i]);
    return status;
}

const char *cli_show_cost(hd_arena *arena, const hd_cost_vector *cost) {
    uint32_t degree = hd_cost_degree(cost);
    hd_str s = {.arena = arena};
    for (uint32_t d = 0; d <= degree; d++)
        hd_str_printf(&s, "%s%s", d ? ", " : degree ? "(" : "", hd_show_count(arena, cost->v[d]));
    hd_str_add(&s, degree ? ")" : "");
    return hd_str_text(&s);
}

double cli_share(const hd_cost_line *line, const hd_cost_vector *whole) {
    uint32_t degree = hd_cost_degree(whole);
    return whole->v[degree] > 0 ? line->cost.v[degree] / whole->v[degree] : 0;
}

const char *cli_access_name(hd_arena *arena, const hd_cost_line *line) {
    const hd_access *a = line->access;
    const kir_kernel *kernel = line->info->kernel;
    const char *buffer = a->param >= 0          ? kernel->params[a->param].name
                         : a->static_index >= 0 ? kernel->statics[a->static_index].name
                                                : "?";
    const char *field = a->record && a->field >= 0 ? a->record->fields[a->field].name : NULL;
    if (field && a->record->of_arrays)
        buffer = a->record->name;
    return hd_format(arena, "%s %s%s%s", hd_access_kind_name(a->kind), buffer, field ? "." : "",
                     field ? field : "");
}

json_t *cli_cost_json(const hd_cost_vector *cost) {
    json_t *list = json_array();
    for (uint32_t d = 0; d <= hd_cost_degree(cost); d++)
        json_array_append_new(list, hd_json_number(cost->v[d]));
    return list;
}

json_t *cli_cost_line_json(cli *c, const hd_cost_line *line, const hd_cost_vector *whole) {
    return json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "access",
                     hd_json_access(c->arena, line->info, line->access), "kernel",
                     hd_json_text(line->info->kernel->name), "cost", cli_cost_json(&line->cost),
                     "share", hd_json_number(cli_share(line, whole)), "executions",
                     hd_json_number(line->executions), "transactions",
                     hd_json_number(line->transactions), "ideal_transactions",
                     hd_json_number(line->ideal), "l1_hits", hd_json_number(line->l1), "l2_hits",
                     hd_json_number(line->l2));
}
