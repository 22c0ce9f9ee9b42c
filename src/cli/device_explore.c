/* heddle device explore: generated kernels on a device, in layouts and placements. */
#include "cli/buffer_contents.h"
#include "cli/show_advice.h"
#include "cli/commands.h"
#include "cli/stop.h"
#include "advise/explore/explore.h"
#include "cli/gpu/gpu.h"
#include "cli/report/report_explore.h"
#include "cli/report/members.h"

/* What is printed. */
typedef struct result {
    const hd_profiled_device *device;
    const hd_exploration *exploration; /* NULL: nothing was measured */
    const hd_study *kernels, *runs;    /* runs: NULL where there is one placement */
    const char *date;                  /* of the newest variant */
} result;

/* ---- printing ----------------------------------------------------------------------------------- */

HD_GETTER(kernels_of, result, hd_with(hd_row(row->kernels), row->kernels))
HD_GETTER(runs_of, result, hd_with(hd_row(row->runs), row->runs))

static const hd_member device_members[] = {
    HD_SAME(hd_profiled_device, backend, platform, name, driver), {0}};
/* "12.3 GB/s, by 262144 objects in soa". */
HD_GETTER(bandwidth_shown, hd_explore_range,
          hd_text(row->bandwidth > 0
                      ? hd_format(view->arena, "%.3g GB/s, by %llu objects in soa",
                                  row->bandwidth / 1e9, (unsigned long long)row->bandwidth_objects)
                      : "not measured"))

static const hd_member range_members[] = {
    {"memory", "memory", HD_BYTES, HD_AT(hd_explore_range, memory)},
    {"problem", "largest problem", HD_BYTES, HD_AT(hd_explore_range, problem)},
    {"allocation", "largest buffer", HD_BYTES, HD_AT(hd_explore_range, allocation)},
    {"most_threads", "threads of a block", HD_COUNT, HD_AT(hd_explore_range, most_threads)},
    {"cache", "last cache", HD_BYTES, HD_AT(hd_explore_range, cache)},
    {"units", "compute units", HD_COUNT, HD_AT(hd_explore_range, units)},
    {NULL, "bandwidth", .get = bandwidth_shown},
    {"bandwidth", HD_AT(hd_explore_range, bandwidth), HD_IF(hd_explore_range, bandwidth)},
    HD_SAME(hd_explore_range, bandwidth_objects),
    {0}};
static const hd_member refused_members[] = {HD_SAME(hd_unexplored, point, layout, placement, why),
                                            {0}};
static const hd_member exploration_members[] = {
    {"planned", "planned", HD_AT(hd_exploration, planned)},
    {"kept", "known before", HD_AT(hd_exploration, kept)},
    {"measured", "measured now", HD_AT(hd_exploration, measured)},
    {"skipped", "skipped", HD_AT(hd_exploration, skipped)},
    {"refused", HD_MANY(hd_exploration, refused, refused_count), .of = refused_members},
    {"range", HD_IN(hd_exploration, range), .of = range_members},
    HD_SAME(hd_exploration, counters, no_counters),
    {"profile", HD_VIA(hd_exploration, profile, HD_AT, name)},
    {"seconds", HD_AT(hd_exploration, seconds)},
    {0}};
static const hd_member result_members[] = {
    {"device", HD_BEHIND(result, device), .of = device_members},
    {"exploration", HD_BEHIND(result, exploration), .of = exploration_members},
    {"kernels", .get = kernels_of, .of = hd_study_members},
    {"runs", .get = runs_of, .of = hd_study_members},
    {0}};

/* Why, and how to get at those of Nsight Compute. */
static const char *no_counters(cli *c, const hd_exploration *e) {
    if (strcmp(e->device.backend, hd_compute_cuda.name))
        return e->no_counters;
    const char *profiler = hd_gpu_find_profiler(c->arena);
    if (!profiler)
        return hd_format(c->arena, "%s: Nsight Compute (ncu), which is not installed",
                         e->no_counters);
    hd_str line = {.arena = c->arena};
    size_t count;
    const char **words = hd_gpu_profiler_words(c->arena, profiler, "counters.csv", &count);
    for (size_t w = 0; w < count; w++)
        hd_str_printf(&line, "%s ", words[w]);
    return hd_format(c->arena, "%s; with --keep DIR: %sheddle measure --layout soa DIR/%s.yaml",
                     e->no_counters, hd_str_text(&line),
                     hd_micro_file(c->arena, &e->variants[0].point));
}

static void show_exploration(cli *c, const hd_exploration *e, hd_str *out) {
    hd_str_printf(out, "  %llu variants planned: %llu known before, %llu measured now in %s",
                  (unsigned long long)e->planned, (unsigned long long)e->kept,
                  (unsigned long long)e->measured, hd_show_seconds(c->arena, e->seconds));
    hd_str_printf(out, ", %llu skipped, since their neighbours do not differ\n",
                  (unsigned long long)e->skipped);
    if (!e->range.units) /* no device */
        return;
    hd_show_row(&(hd_view){c->arena}, range_members, &e->range, out);
    if (e->counters)
        hd_str_printf(out, "  counters: %s\n", e->counters);
    else
        hd_str_printf(out, "  no counters: %s\n", no_counters(c, e));
}

static void show_study(cli *c, const char *title, const hd_study *study, hd_str *out) {
    hd_value handovers = hd_study_handovers(c->arena, study);
    hd_str_printf(out, "\n%s\n", title);
    hd_show_row(&(hd_view){c->arena, study}, hd_study_members, study, out);
    cli_show_rows(c, "\nFindings", hd_finding_members,
                  hd_with(hd_rows(study->findings, (size_t)HD_FINDINGS), study), out);
    hd_say(out, "  %s", hd_findings_from);
    if (handovers.count)
        cli_show_rows(c, "\nWhere the lead changes hands", hd_line_handover_members, handovers,
                      out);
    for (uint32_t l = 0; l < study->line_count; l++) {
        const hd_line *line = &study->lines[l];
        cli_show_rows(c, hd_format(c->arena, "\n%s", hd_line_title(c->arena, line)),
                      hd_line_stop_members, hd_line_stops(c->arena, study, line), out);
    }
}

static result read_off(cli *c, const hd_profiled_device *device, const hd_explored *variants,
                       size_t count) {
    size_t kept;
    const hd_explored *kernels = hd_explored_kernels(c->arena, variants, count, &kept);
    result r = {.device = device, .kernels = hd_study_new(c->arena, kernels, (uint32_t)kept)};
    if (kept < count)
        r.runs =
            hd_study_new(c->arena, hd_explored_runs(c->arena, variants, count), (uint32_t)count);
    for (size_t v = 0; v < count; v++)
        if (!r.date || strcmp(variants[v].date, r.date) > 0)
            r.date = variants[v].date;
    return r;
}

/* ---- files -------------------------------------------------------------------------------------- */

typedef struct picture_folder {
    cli *c;
    const char *path;
} picture_folder;

static hd_status write_picture(const picture_folder *folder, const char *name, hd_quantity quantity,
                               const hd_str *picture) {
    const char *path = hd_format(folder->c->arena, "%s/%s-%s.svg", folder->path, name,
                                 hd_quantities[quantity].name);
    return hd_write_file(&folder->c->diag, path, hd_str_text(picture), picture->length);
}

/* "sparsity", or of a line whose other dimensions are not as usual "sparsity,objects=2048". */
static const char *name_of_line(hd_arena *arena, const hd_line *line) {
    const hd_micro_point usual = hd_micro_usual();
    const char *dimension = hd_dimensions[line->dimension].name;
    if (hd_micro_equal(&line->base, &usual))
        return dimension;
    return hd_format(arena, "%s,%s", dimension, hd_micro_file(arena, &line->base));
}

/* The lines of kernels, and placements of whole runs, by time, energy and power. */
static hd_status write_pictures(cli *c, const result *r, const char *path) {
    static const hd_quantity quantities[] = {HD_QUANTITY_TIME, HD_QUANTITY_ENERGY,
                                             HD_QUANTITY_POWER};
    const picture_folder folder = {c, path};
    hd_status status = HD_OK;
    for (int q = 0; q < 3; q++) {
        for (uint32_t l = 0; l < r->kernels->line_count && status == HD_OK; l++) {
            const hd_line *line = &r->kernels->lines[l];
            hd_str out = {.arena = c->arena};
            if (hd_line_svg(c->arena, r->kernels, line, quantities[q], &out))
                status = write_picture(&folder, name_of_line(c->arena, line), quantities[q], &out);
        }
        hd_str bars = {.arena = c->arena};
        if (status == HD_OK && r->runs &&
            hd_placements_svg(c->arena, r->runs, quantities[q], &bars))
            status = write_picture(&folder, "placement", quantities[q], &bars);
    }
    return status;
}

/* The page to write; NULL: none. */
static const char *page_of(const cli *c) {
    const char *out = c->given->input.out;
    return out || c->json || c->given->show ? out : "explore.html";
}

static int show(cli *c, const cli_options *o, const result *shown) {
    const char *page = page_of(c);
    const hd_explore_head head = {
        shown->device->name,
        hd_format(c->arena, "%s, driver %s", shown->device->platform, shown->device->driver),
        shown->date};
    const hd_explore_part parts[] = {{"Kernels alone", shown->kernels},
                                     {"Whole runs, with transfers", shown->runs}};
    const char *text = page ? hd_explore_page(c->arena, &head, parts, shown->runs ? 2 : 1) : NULL;
    if ((page && hd_write_file(&c->diag, page, text, strlen(text))) ||
        (o->pictures && write_pictures(c, shown, o->pictures)))
        return CLI_WRONG;
    if (c->json)
        return cli_print_row(c, result_members, hd_row(shown));
    hd_str out = {.arena = c->arena};
    hd_str_printf(&out, "%s (%s)\n", shown->device->name, shown->device->platform);
    if (shown->exploration)
        show_exploration(c, shown->exploration, &out);
    show_study(c, "Kernels alone", shown->kernels, &out);
    if (shown->runs)
        show_study(c, "Whole runs, with transfers", shown->runs, &out);
    if (page && !o->input.out)
        hd_str_printf(&out, "\nwrote %s\n", page);
    return cli_print(c, &out);
}

/* ---- what is kept ------------------------------------------------------------------------------- */

static int show_kept(cli *c, hd_database *database, const cli_options *o) {
    size_t device_count, count;
    const hd_profiled_device *devices = hd_explored_devices(database, c->arena, &device_count);
    const hd_profiled_device *device = NULL;
    const char *name = cli_device_name(c, o->input.path);
    hd_str names = {.arena = c->arena};
    for (size_t d = 0; d < device_count && !device; d++) {
        hd_str_printf(&names, "%s%s", d ? ", " : "", devices[d].name);
        if (!name || strcasestr(devices[d].name, name) || strcasestr(devices[d].platform, name))
            device = &devices[d];
    }
    if (!device && device_count)
        return cli_wrong(c, "no device called '%s' was explored; these were: %s", o->input.path,
                         hd_str_text(&names));
    if (!device)
        return cli_wrong(c, "nothing was explored yet; 'heddle device explore%s%s' measures",
                         o->input.path ? " " : "", o->input.path ? o->input.path : "");
    const hd_explored *variants = hd_explored_known(database, c->arena, device, NULL, &count);
    const result shown = read_off(c, device, variants, count);
    return show(c, o, &shown);
}

/* ---- exploring ---------------------------------------------------------------------------------- */

static int explore(cli *c, hd_database *database, const cli_options *o) {
    hd_plan plan;
    hd_exploration explored;
    cli_stop stop;
    cli_meter meter = {.c = c, .start = hd_clock()};
    hd_explore_options options = {.device = o->input.path,
                                  .backend = cli_backend_of(o->input.path),
                                  .meter = o->meter,
                                  .folder = o->keep,
                                  .repeats = (uint32_t)o->repeats,
                                  .again = o->again,
                                  .progress = cli_show_meter,
                                  .user = &meter};
    const hd_plan_request asked = {o->vary.data, o->fix.data, (uint32_t)o->vary.count,
                                   (uint32_t)o->fix.count};
    if (hd_plan_make(c->arena, &c->diag, &asked, &plan) ||
        (o->budget && cli_read_budget(c, o->budget, &options.budget)) ||
        (o->profile && hd_device_find(c->arena, &c->diag, o->profile, &options.profile)) ||
        (o->model && hd_device_find(c->arena, &c->diag, o->model, &options.model)))
        return CLI_WRONG;
    options.stop = cli_catch_stop(&stop);
    hd_status status = hd_explore(c->arena, &c->diag, database, &plan, &options, &explored);
    cli_release_stop(&stop);
    cli_progress(c, NULL);
    uint64_t known = explored.kept + explored.measured;
    const char *end = explored.stopped                 ? "stopped by a signal"
                      : explored.out_of_time && !known ? "the budget ended too soon, give it more:"
                      : explored.out_of_time           ? "the budget ended"
                                                       : NULL;
    const char *again =
        database && known ? "; they are kept, and the same command goes on with the others" : "";
    if (end)
        hd_warn(&c->diag, NULL, "%s with %llu of %llu variants measured%s", end,
                (unsigned long long)known, (unsigned long long)explored.planned, again);
    else if (status != HD_OK && explored.planned)
        hd_note(&c->diag, NULL, "%llu of %llu variants are measured%s", (unsigned long long)known,
                (unsigned long long)explored.planned, again);
    for (size_t i = 0; i < explored.refused_count; i++)
        hd_warn(&c->diag, NULL, "%s in %s, %s: %s", explored.refused[i].point,
                explored.refused[i].layout, explored.refused[i].placement, explored.refused[i].why);
    if (status != HD_OK)
        return cli_status(status);
    if (!explored.count)
        return explored.stopped
                   ? CLI_STOPPED
                   : cli_wrong(c, "no variant could be run on %s", explored.device.name);
    result shown = read_off(c, &explored.device, explored.variants, explored.count);
    shown.exploration = &explored;
    int printed = show(c, o, &shown);
    return explored.stopped ? CLI_STOPPED : printed;
}

int cmd_device_explore(cli *c) {
    const cli_options *o = c->given;
    if (o->model && o->input.path)
        return cli_wrong(c, "--model runs nothing on a device, and goes with no DEVICE");
    const char *page = page_of(c);
    hd_folders made = {0};
    int status = CLI_WRONG;
    if ((!page || !cli_check_output(c, "out", page, NULL, 0)) &&
        (!o->keep || !hd_folders_make(c->arena, &c->diag, o->keep, &made)) &&
        (!o->pictures || !hd_folders_make(c->arena, &c->diag, o->pictures, &made))) {
        hd_database *database = hd_database_open_user(c->arena, &c->diag);
        status = o->show ? show_kept(c, database, o) : explore(c, database, o);
        hd_database_close(database);
    }
    hd_folders_remove(&made);
    return status;
}
