/* A run of the machine as tables and as JSON. */
#include "cli/execute.h"
#include "cli/report/members.h"

const char *cli_show_sizes(hd_arena *arena, uint32_t dims, const uint64_t *groups,
                           const uint64_t *local) {
    return hd_format(arena, "%s x %s", hd_show_sizes(arena, dims, groups),
                     hd_show_sizes(arena, dims, local));
}

static const cli_run_devices *context_of(const hd_view *view) { return view->context; }

/* ---- what is counted for a device: hd_launch_counts of a cli_run_row ------------------------- */

HD_GETTER(
    device_of, hd_launch_counts,
    hd_text(context_of(view)->devices[row - ((const cli_run_row *)view->parent)->counted]->name))

static const hd_member device_members[] = {
    {"device", .get = device_of}, {HD_SELF, .of = hd_launch_count_members}, {0}};

/* ---- rows: the runs of a kernel with the same sizes, or all ---------------------------------- */

HD_GETTER(kernel_of, cli_run_row, hd_text(row->launch ? row->launch->kernel_name : "in all"))
static hd_value sizes_of(const hd_view *view, const void *at) {
    const hd_launch *l = ((const cli_run_row *)at)->launch;
    hd_grid grid = l ? hd_grid_of(l->dims, l->global, l->local) : (hd_grid){0};
    return hd_text(l ? cli_show_sizes(view->arena, l->dims, grid.groups, grid.local) : NULL);
}
HD_GETTER(devices_of, cli_run_row, hd_rows(row->counted, context_of(view)->count))
HD_GETTER(counted_of, cli_run_row, hd_row(&row->counted[context_of(view)->shown]))
HD_GETTER(place_of, hd_launch, hd_row(&row->kernel->place))

static const hd_member launch_members[] = {{"kernel", HD_AT(hd_launch, kernel_name)},
                                           {"place", .get = place_of, .of = hd_place_members},
                                           {"global", HD_NUMBERS(hd_launch, global, dims)},
                                           {"local", HD_NUMBERS(hd_launch, local, dims)},
                                           {"offset", HD_NUMBERS(hd_launch, offset, dims)},
                                           {0}};
static const hd_member row_members[] = {{NULL, "kernel", .get = kernel_of},
                                        {"runs", "runs", HD_COUNT, HD_AT(cli_run_row, runs)},
                                        {NULL, "blocks x threads", HD_PLAIN_WORD, .get = sizes_of},
                                        {HD_IN(cli_run_row, counts), .of = hd_counts_members},
                                        {"devices", .get = devices_of, .of = device_members},
                                        {HD_BEHIND(cli_run_row, launch), .of = launch_members},
                                        {0}};
void cli_show_run(cli *c, const cli_run *run, const cli_run_devices *on, hd_str *out) {
    size_t count = run->rows.count;
    cli_run_row *rows = hd_new_array(c->arena, cli_run_row, count + 1);
    memcpy(rows, run->rows.data, count * sizeof *rows);
    if (count > 1)
        rows[count++] = run->total;
    const char *workers = hd_show_counted(c->arena, run->total.counts.workers, "worker", "s");
    cli_run_devices shown = *on;
    const hd_value all = hd_with(hd_rows(rows, count), &shown);
    cli_show_rows(c, hd_format(c->arena, "Executed by %s", workers), row_members, all, out);
    for (; shown.shown < on->count; shown.shown++)
        for (uint32_t i = 0; i < HD_ANALYSIS_COUNT; i++) {
            const hd_device *device = on->devices[shown.shown];
            const hd_member group[] = {hd_launch_count_members[i], {0}};
            const hd_member columns[] = {{NULL, "kernel", .get = kernel_of},
                                         {NULL, "blocks x threads", HD_PLAIN_WORD, .get = sizes_of},
                                         {.get = counted_of, .of = group},
                                         {0}};
            if (i && !hd_analysis_counted(i, &run->total.counted[shown.shown]))
                continue;
            const char *title = hd_analyses[i]->title(c->arena, device);
            cli_show_rows(c, hd_format(c->arena, "\n%s", title), columns, all, out);
        }
}

/* ---- the whole as JSON ----------------------------------------------------------------------- */

static const hd_member race_members[] = {
    {"kernel", HD_AT(hd_vm_race, kernel)},
    {"place", HD_IN(hd_vm_race, place), .of = hd_place_members},
    {"other", HD_IN(hd_vm_race, before), .of = hd_place_members},
    HD_SAME(hd_vm_race, buffer, byte),
    {"fault", HD_AT(hd_vm_race, is_fault)},
    {"text", HD_AT(hd_vm_race, text)},
    {0}};

/* null where races were not looked for. */
static hd_value races_of(const hd_view *view, const void *at) {
    const cli_run *run = at;
    uint32_t count;
    const hd_vm_race *races = hd_vm_races(run->vm, &count);
    (void)view;
    return run->watches_races ? hd_rows(races, count) : hd_null();
}

HD_GETTER(printed_of, cli_run, hd_text(hd_str_text(&row->printed)))

const hd_member cli_stopped_members[] = {
    {"stopped", HD_AT(cli_run, total.counts.stopped)}, {"printed", .get = printed_of}, {0}};
const hd_member cli_ended_members[] = {{"seconds", HD_AT(cli_run, total.counts.seconds)},
                                       {"workers", HD_AT(cli_run, total.counts.workers)},
                                       {HD_SELF, .of = cli_stopped_members},
                                       {0}};
const hd_member cli_run_members[] = {
    {"launches", HD_MANY(cli_run, rows.data, rows.count), .of = row_members},
    {"total", HD_IN(cli_run, total), .of = row_members},
    {"workers", HD_AT(cli_run, total.counts.workers)},
    {HD_SELF, .of = cli_stopped_members},
    {"races", .get = races_of, .of = race_members},
    {0}};
