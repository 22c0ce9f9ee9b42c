/* A run of the machine as tables and as JSON. */
#include "cli/execute.h"
#include "report/json.h"

static const char *sizes_text(hd_arena *arena, uint32_t dims, const uint64_t *sizes) {
    hd_str text = {.arena = arena};
    for (uint32_t d = 0; d < dims; d++)
        hd_str_printf(&text, "%s%llu", d ? "," : "", (unsigned long long)sizes[d]);
    return hd_str_text(&text);
}

const char *cli_show_sizes(hd_arena *arena, uint32_t dims, const uint64_t *groups,
                           const uint64_t *local) {
    return hd_format(arena, "%s x %s", sizes_text(arena, dims, groups),
                     sizes_text(arena, dims, local));
}

static const char *row_sizes(hd_arena *arena, const hd_launch *launch) {
    hd_grid grid = hd_grid_of(launch->dims, launch->global, launch->local);
    return cli_show_sizes(arena, launch->dims, grid.groups, grid.local);
}

static const char *show_number(hd_arena *arena, uint64_t number) {
    return hd_show_count(arena, (double)number);
}

/* ---- text ------------------------------------------------------------------------- */

static void add_executed(cli *c, hd_table *table, const cli_run_row *row) {
    const hd_vm_counts *counts = &row->counts;
    hd_table_row(table, (const char *[]){row->launch ? row->launch->kernel_name : "in all",
                                         show_number(c->arena, row->runs),
                                         row->launch ? row_sizes(c->arena, row->launch) : "",
                                         show_number(c->arena, counts->instructions),
                                         show_number(c->arena, counts->mis),
                                         show_number(c->arena, counts->lane_accesses),
                                         hd_show_seconds(c->arena, counts->seconds)});
}

static void show_executed(cli *c, const cli_run *run, hd_str *out) {
    static const hd_column columns[] = {{"kernel", HD_LEFT, true},
                                        {"runs", HD_RIGHT, false},
                                        {"blocks x threads", HD_RIGHT, true},
                                        {"instructions", HD_RIGHT, false},
                                        {"MIs", HD_RIGHT, false},
                                        {"lane accesses", HD_RIGHT, false},
                                        {"time", HD_RIGHT, false}};
    hd_table *table = hd_table_new(c->arena, columns, sizeof columns / sizeof *columns);
    for (size_t i = 0; i < run->rows.count; i++)
        add_executed(c, table, &run->rows.data[i]);
    if (run->rows.count > 1)
        add_executed(c, table, &run->total);
    hd_str_printf(out, "Executed by %u worker%s\n", run->total.counts.workers,
                  run->total.counts.workers == 1 ? "" : "s");
    hd_table_print(table, out, c->colour);
}

static void add_moved(cli *c, hd_table *table, const cli_run_row *row, size_t device) {
    const hd_coalesce_counts *moved = &row->moved[device];
    double each = moved->requests ? (double)moved->transactions / (double)moved->requests : 0;
    double used = moved->bytes_moved ? (double)moved->bytes_used / (double)moved->bytes_moved : 1;
    hd_table_row(table, (const char *[]){row->launch ? row->launch->kernel_name : "in all",
                                         row->launch ? row_sizes(c->arena, row->launch) : "",
                                         show_number(c->arena, moved->requests),
                                         show_number(c->arena, moved->transactions),
                                         hd_format(c->arena, "%.3g", each),
                                         hd_show_bytes(c->arena, moved->bytes_moved),
                                         hd_show_share(c->arena, used)});
}

static void show_moved(cli *c, const cli_run *run, const hd_device *device, size_t d, hd_str *out) {
    static const hd_column columns[] = {
        {"kernel", HD_LEFT, true},     {"blocks x threads", HD_RIGHT, true},
        {"requests", HD_RIGHT, false}, {"transactions", HD_RIGHT, false},
        {"each", HD_RIGHT, false},     {"moved", HD_RIGHT, false},
        {"used", HD_RIGHT, false}};
    hd_table *table = hd_table_new(c->arena, columns, sizeof columns / sizeof *columns);
    for (size_t i = 0; i < run->rows.count; i++)
        add_moved(c, table, &run->rows.data[i], d);
    if (run->rows.count > 1)
        add_moved(c, table, &run->total, d);
    hd_str_printf(out, "\nGlobal memory on %s, by warps of %u\n", device->name, device->warp);
    hd_table_print(table, out, c->colour);
}

void cli_show_run(cli *c, const cli_run *run, const hd_device *const *devices, size_t device_count,
                  hd_str *out) {
    show_executed(c, run, out);
    for (size_t d = 0; d < device_count; d++)
        show_moved(c, run, devices[d], d, out);
}

/* ---- JSON ------------------------------------------------------------------------- */

static json_t *row_json(const cli_run_row *row, const hd_device *const *devices,
                        size_t device_count) {
    json_t *object = hd_json_counts(&row->counts), *list = json_array();
    json_object_set_new(object, "runs", json_integer((json_int_t)row->runs));
    for (size_t d = 0; d < device_count; d++)
        json_array_append_new(list, hd_json_moved(devices[d]->name, &row->moved[d]));
    json_object_set_new(object, "devices", list);
    return object;
}

/* null where races were not looked for. */
static json_t *races_json(const cli_run *run) {
    uint32_t count;
    const hd_vm_race *races = hd_vm_races(run->vm, &count);
    if (!run->watches_races)
        return json_null();
    json_t *list = json_array();
    for (uint32_t i = 0; i < count; i++)
        json_array_append_new(
            list, json_pack("{s:o, s:o, s:o, s:o, s:I, s:b, s:o}", "kernel",
                            hd_json_text(races[i].kernel), "place", hd_json_place(&races[i].place),
                            "other", hd_json_place(&races[i].before), "buffer",
                            hd_json_text(races[i].buffer), "byte", (json_int_t)races[i].byte,
                            "fault", (int)races[i].is_fault, "text", hd_json_text(races[i].text)));
    return list;
}

void cli_run_json(const cli_run *run, const hd_device *const *devices, size_t device_count,
                  json_t *object) {
    json_t *launches = json_array();
    for (size_t i = 0; i < run->rows.count; i++) {
        const cli_run_row *row = &run->rows.data[i];
        const hd_launch *launch = row->launch;
        json_t *entry = row_json(row, devices, device_count);
        json_object_set_new(entry, "kernel", hd_json_text(launch->kernel_name));
        json_object_set_new(entry, "place", hd_json_place(&launch->kernel->place));
        json_object_set_new(entry, "global", hd_json_sizes(launch->dims, launch->global));
        json_object_set_new(entry, "local", hd_json_sizes(launch->dims, launch->local));
        json_object_set_new(entry, "offset", hd_json_sizes(launch->dims, launch->offset));
        json_array_append_new(launches, entry);
    }
    json_object_set_new(object, "launches", launches);
    json_object_set_new(object, "total", row_json(&run->total, devices, device_count));
    json_object_set_new(object, "workers", json_integer(run->total.counts.workers));
    json_object_set_new(object, "stopped", json_boolean(run->total.counts.stopped));
    json_object_set_new(object, "printed", hd_json_text(hd_str_text(&run->printed)));
    json_object_set_new(object, "races", races_json(run));
}
