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

/* "load bodies.x", "atomic counters". */
static const char *access_name(hd_arena *arena, const hd_cost_line *line) {
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

hd_value cli_cost_value(const hd_cost_vector *cost) {
    return hd_list(cost->v, hd_cost_degree(cost) + 1);
}

/* ---- what accesses cost ------------------------------------------------------------------- */

hd_value cli_lines_value(hd_arena *arena, cli_lines lines) {
    cli_lines *context = hd_new(arena, cli_lines);
    *context = lines;
    return hd_with(hd_rows(lines.lines, lines.count), context);
}

/* At the whole's highest degree. */
static double share_of_whole(const hd_cost_line *line, const hd_cost_vector *whole) {
    uint32_t degree = hd_cost_degree(whole);
    return whole->v[degree] > 0 ? line->cost.v[degree] / whole->v[degree] : 0;
}

static const cli_lines *lines_of(const hd_view *view) { return view->context; }

HD_GETTER(cost_of, hd_cost_line, cli_cost_value(&row->cost))
HD_GETTER(access_of, hd_cost_line, hd_with(hd_row(row->access), row->info))
HD_GETTER(line_of, hd_cost_line, hd_whole(row->access->line))
HD_GETTER(name_of, hd_cost_line, hd_text(access_name(view->arena, row)))
HD_GETTER(kernel_of, hd_cost_line, hd_text(row->info->kernel->name))
HD_GETTER(share_of, hd_cost_line, hd_real(share_of_whole(row, lines_of(view)->whole)))
HD_GETTER(why_of, hd_cost_line, hd_text(hd_cost_explain(view->arena, lines_of(view)->device, row)))

const hd_member cli_line_members[] = {
    {NULL, "line", .get = line_of},
    {"access", .get = access_of, .of = hd_access_members},
    {NULL, "access", .get = name_of},
    {"kernel", .get = kernel_of},
    {"cost", .get = cost_of},
    {"executions", "executions", HD_COUNT, HD_AT(hd_cost_line, executions)},
    {"transactions", "transactions", HD_DIGITS, HD_AT(hd_cost_line, transactions)},
    {"ideal_transactions", HD_AT(hd_cost_line, ideal)},
    {"l1_hits", "L1", HD_SHARE, HD_AT(hd_cost_line, l1)},
    {"l2_hits", "L2", HD_SHARE, HD_AT(hd_cost_line, l2)},
    {"share", "share", HD_SHARE, .get = share_of},
    {0}};
const hd_member cli_why_members[] = {
    {HD_SELF, .of = cli_line_members}, {"why", .get = why_of}, {0}};
const hd_member cli_worst_columns[] = {{NULL, "share", HD_SHARE, .get = share_of},
                                       {NULL, "line", .get = line_of},
                                       {NULL, "access", .get = name_of},
                                       {NULL, "why", .get = why_of},
                                       {0}};
