/*
 * Counts of accesses for `show` and `diff` (counted.h). A job is run into a temporary trace, so
 * that what is counted, and simulated, is the same for jobs and traces.
 */
#include "cli/counted.h"

#include "cli/buffer_contents.h"
#include "cli/stop.h"

/* ---- from events --------------------------------------------------------------------------- */

static hd_status count_one(cli *c, cli_counted *k, const hd_device *device, hd_origin *origin,
                           const hd_caches *caches, hd_trace *trace,
                           const hd_trace_choice *choice) {
    hd_arena *arena = hd_arena_new();
    hd_tally *counters = hd_counters_new(arena, device);
    const hd_cache_launch *cached = NULL;
    for (uint32_t l = 0; caches && l < caches->launch_count; l++)
        if (caches->launches[l].launch->number == choice->launch)
            cached = &caches->launches[l];
    hd_sink sinks[3] = {hd_tally_sink(counters)};
    uint32_t count = 1;
    if (origin)
        sinks[count++] = hd_origin_sink(origin);
    sinks[count++] =
        cli_rows_sink(arena, &k->table, counters, origin, cached ? cached->accesses : NULL);
    const hd_sink all = hd_sink_tee(arena, sinks, count);
    hd_status status = hd_trace_replay(trace, &c->diag, choice, &all);
    hd_tally_free(counters);
    hd_arena_free(arena);
    return status;
}

static hd_status count_trace(cli *c, cli_counted *k, const hd_device *device, hd_trace *trace) {
    cli_stop stop;
    const volatile sig_atomic_t *wanted = cli_catch_stop(&stop);
    const hd_trace_contents *contents = hd_trace_get(trace);
    cli_reading r = {.meter = {.c = c}, .all = hd_trace_sum(contents).lane_accesses + 1};
    const hd_trace_watch watch = {cli_show_reading, &r, wanted};
    hd_origin *origin = k->placed.placed ? hd_origin_new(&k->placed.view, k->placed.placed) : NULL;
    r.launch = r.all; /* caches are simulated for all at once */
    const hd_caches_options options = {.watch = &watch};
    const hd_caches *caches = NULL; /* also where the device's profile does not tell enough */
    hd_status status = k->no_caches || hd_caches_check(&hd_silent, device) != HD_OK
                           ? HD_OK
                           : hd_caches_run(c->arena, &c->diag, trace, device, k->placed.job, NULL,
                                           &options, &caches);
    k->has_caches = status == HD_OK && caches != NULL;
    for (uint32_t l = 0; l < contents->launch_count && status == HD_OK && !*wanted; l++) {
        const hd_trace_choice choice = {contents->launches[l].launch.number, 0, UINT64_MAX, 0,
                                        &watch};
        r.launch = contents->launches[l].lane_accesses;
        status = count_one(c, k, device, origin, caches, trace, &choice);
        r.done += r.launch;
    }
    if (origin)
        hd_origin_free(origin);
    cli_progress(c, NULL);
    cli_release_stop(&stop);
    if (status == HD_OK && *wanted && !k->run.total.counts.stopped)
        hd_warn(&c->diag, &(hd_place){.file = k->input.path},
                "stopped by a signal: only what was read until then counts");
    k->complete = contents->complete && !*wanted;
    k->run.total.counts.stopped |= *wanted != 0;
    return status;
}

/* ---- what is counted ------------------------------------------------------------------------ */

/* Runs the job into a trace. */
static hd_status run_job(cli *c, cli_counted *k, hd_trace **trace) {
    cli_placed *p = &k->placed;
    hd_status status = cli_load_placed(c, k->input.path, &k->input.source, &k->layouts, p);
    const hd_job *job = p->original;
    if (status == HD_OK && k->input.out)
        status = cli_check_output(c, k->input.out_name, k->input.out,
                                  (const char *const[]){job->path, job->kernel_path}, 2);
    if (status != HD_OK)
        return status;
    k->input.machine.inputs = p->inputs;
    k->input.machine.spaces = 1u << KIR_GLOBAL | 1u << KIR_LOCAL | 1u << KIR_CONSTANT;
    cli_placed_begin(c, p);
    status = cli_open_job_accesses(c, &k->input, p->job, &k->run, trace);
    cli_placed_end(c, p);
    return status;
}

hd_status cli_count(cli *c, cli_counted *k, const hd_device *device) {
    hd_trace *trace;
    k->table = (hd_access_table){.arena = c->arena};
    hd_status status = cli_read_input(c, &k->input);
    if (status == HD_OK && k->input.is_trace && k->layouts.count)
        return cli_fail_at(
            c, k->input.path,
            "--layout: a trace has the addresses of one layout, and is not run again; "
            "give the job");
    if (status == HD_OK)
        status = k->input.is_trace ? cli_open_trace(c, &k->input, &trace) : run_job(c, k, &trace);
    if (status != HD_OK)
        return status;
    status = count_trace(c, k, device, trace);
    hd_trace_close(trace);
    if (status != HD_OK)
        return status;
    hd_annotated *annotated = hd_annotate(c->arena, device, &k->table, k->has_caches);
    for (size_t f = 0; f < annotated->files.count; f++)
        annotated->files.data[f].path = cli_shown(c, annotated->files.data[f].path);
    for (size_t i = 0; i < k->table.count; i++)
        k->table.data[i].file = cli_shown(c, k->table.data[i].file);
    k->annotated = annotated;
    return HD_OK;
}

/* ---- showing --------------------------------------------------------------------------------- */

void cli_show_counted(cli *c, const cli_counted *k, hd_str *out) {
    const hd_launch_counts *total = &k->annotated->total.counts;
    hd_str_printf(out, "%s", hd_plain_text(c->arena, k->input.name, false));
    for (size_t l = 0; l < k->layouts.count; l++)
        hd_str_printf(out, "%s%s", l ? ", " : " in ", k->layouts.data[l]);
    hd_str_printf(out, " on %s\n", k->annotated->device->name);
    for (uint32_t i = 0; i < HD_ANALYSIS_COUNT; i++)
        if (hd_analyses[i]->sum && (!i || hd_analysis_counted(i, total)))
            hd_str_printf(out, "  %s\n", hd_analyses[i]->sum(c->arena, total));
}

HD_GETTER(annotated_of, cli_counted, hd_with(hd_row(row->annotated), row->annotated))
HD_GETTER(device_of, cli_counted, hd_text(row->annotated->device->name))

const hd_member cli_counted_source_members[] = {
    {"file", HD_AT(cli_counted, input.name)},
    {"layouts", HD_NUMBERS(cli_counted, layouts.data, layouts.count)},
    {"device", .get = device_of},
    {"complete", HD_AT(cli_counted, complete)},
    {HD_IN(cli_counted, run), .of = cli_stopped_members},
    {0}};
const hd_member cli_counted_members[] = {{HD_SELF, .of = cli_counted_source_members},
                                         {.get = annotated_of, .of = hd_annotated_members},
                                         {0}};
