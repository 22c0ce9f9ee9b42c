/* What `cost` and `advise` share. */
#include <stdlib.h>

#include "cli/show_advice.h"
#include "cli/commands.h"

hd_status cli_read_model(cli *c, hd_cost_options *options, const hd_device ***devices,
                         size_t *device_count) {
    const char *rule = c->given->loops ? c->given->loops : "peng";
    char *end;
    *options = (hd_cost_options){.loops = HD_LOOPS_NUMBER, .length = strtoull(rule, &end, 10)};
    if (!strcmp(rule, "peng"))
        options->loops = HD_LOOPS_PENG;
    else if (!strcmp(rule, "kofler"))
        options->loops = HD_LOOPS_KOFLER;
    else if (rule[0] < '0' || rule[0] > '9' || *end || options->length == 0 ||
             options->length > (uint64_t)1 << 40)
        return cli_refuse(c, "--loops takes peng, kofler or a number from 1, not '%s'", rule);
    options->registers = (uint32_t)c->given->registers;
    return cli_find_devices(c, devices, device_count);
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

HD_GETTER(cost_of, hd_cost_line, cli_cost_value(&row->cost))
HD_GETTER(access_of, hd_cost_line, hd_with(hd_row(row->access), row->info))
/* "load bodies.x", "atomic counters". */
HD_GETTER(name_of, hd_cost_line,
          hd_text(hd_format(view->arena, "%s %s", hd_access_kind_name(row->access->kind),
                            hd_access_target(view->arena, row->info->kernel, row->access))))
HD_GETTER(kernel_of, hd_cost_line, hd_text(row->info->kernel->name))
static hd_value share_of(const hd_view *view, const void *at) {
    double whole = hd_cost_mean(((const cli_lines *)view->context)->whole);
    double part = hd_cost_mean(&((const hd_cost_line *)at)->cost);
    return hd_real(whole > 0 ? part / whole : 0);
}
HD_GETTER(why_of, hd_cost_line,
          hd_text(hd_cost_explain(view->arena, ((const cli_lines *)view->context)->device, row)))

static const hd_member count_members[] = {
    {NULL, "line", HD_VIA(hd_cost_line, access, HD_AT, line)},
    {"access", .get = access_of, .of = hd_access_members},
    {NULL, "access", .get = name_of},
    {"kernel", .get = kernel_of},
    {"cost", .get = cost_of},
    {"executions", "executions", HD_COUNT, HD_AT(hd_cost_line, executions)},
    {"transactions", "transactions", HD_DIGITS, HD_AT(hd_cost_line, transactions)},
    {"ideal_transactions", HD_AT(hd_cost_line, ideal)},
    {0}};
static const hd_member hit_members[] = {{"l1_hits", "L1", HD_SHARE, HD_AT(hd_cost_line, l1)},
                                        {"l2_hits", "L2", HD_SHARE, HD_AT(hd_cost_line, l2)},
                                        {"share", "share", HD_SHARE, .get = share_of},
                                        {0}};
const hd_member cli_line_members[] = {{HD_SELF, .of = count_members},
                                      {"kept", "kept", HD_SHARE, HD_AT(hd_cost_line, kept)},
                                      {HD_SELF, .of = hit_members},
                                      {0}};
static const hd_member plain_columns[] = {
    {HD_SELF, .of = count_members}, {HD_SELF, .of = hit_members}, {0}};

const hd_member *cli_line_columns(const hd_cost_line *lines, size_t count) {
    for (size_t i = 0; i < count; i++)
        if (lines[i].kept > 0)
            return cli_line_members;
    return plain_columns;
}

const hd_member cli_why_members[] = {
    {HD_SELF, .of = cli_line_members}, {"why", .get = why_of}, {0}};
const hd_member cli_worst_columns[] = {{NULL, "share", HD_SHARE, .get = share_of},
                                       {NULL, "line", HD_VIA(hd_cost_line, access, HD_AT, line)},
                                       {NULL, "access", .get = name_of},
                                       {NULL, "why", .get = why_of},
                                       {0}};
