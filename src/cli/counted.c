/*
 * Counts of accesses for `show` and `diff` (counted.h). A job is run into a temporary trace, so
 * that what is counted, and simulated, is the same for jobs and traces.
 */
#include "cli/counted.h"

#include <math.h>

#include "analysis/banks.h"
#include "analysis/time_work.h"
#include "cli/buffer_contents.h"
#include "cli/stop.h"

/* ---- from events --------------------------------------------------------------------------- */

/* Accesses of lanes that caches are simulated for where only a time asks for them. */
static const double FEW_ACCESSES = 1 << 18;

/* What is counted of a trace. */
typedef struct counting {
    cli *c;
    cli_counted *k;
    const hd_device *device;
    hd_trace *trace;
    hd_origin *origin;
    cli_reading reading;
    hd_trace_watch watch;
    const hd_caches *caches; /* as is asked for; NULL: they were not simulated */
    hd_time_work *works;     /* of each launch of the job; NULL: no time is asked for */
    hd_arena *arena;         /* of `few` */
    const hd_caches *few;    /* for the time, of some blocks; or `caches` */
} counting;

/* Launch `row` of the trace. */
static hd_status count_one(counting *n, uint32_t row, const hd_trace_choice *choice) {
    cli_counted *k = n->k;
    hd_arena *arena = hd_arena_new();
    hd_tally *counters = hd_counters_new(arena, n->device);
    const hd_cache_sum *cached = n->caches ? n->caches->launches[row].accesses : NULL;
    hd_sink sinks[3] = {hd_tally_sink(counters)};
    uint32_t count = 1;
    if (n->origin)
        sinks[count++] = hd_origin_sink(n->origin);
    sinks[count++] = cli_rows_sink(arena, &k->table, counters, n->origin, cached);
    const hd_sink all = hd_sink_tee(arena, sinks, count);
    hd_status status = hd_trace_replay(n->trace, &n->c->diag, choice, &all);
    if (status == HD_OK && n->works) {
        hd_time_work *w = &n->works[k->run.ran.data[row]];
        hd_launch_counts counts = {0};
        hd_counters_add(counters, (uint32_t)choice->launch, &counts);
        hd_time_work_add(w, 1, &counts.moved);
        w->passes += (double)((hd_banks_counts *)counts.of[NUMBER_OF_hd_banks])->passes;
    }
    hd_tally_free(counters);
    hd_arena_free(arena);
    return status;
}

static hd_status count_launches(counting *n) {
    const hd_trace_contents *contents = hd_trace_get(n->trace);
    hd_status status = HD_OK;
    for (uint32_t l = 0; l < contents->launch_count && status == HD_OK && !*n->watch.stop; l++) {
        const hd_trace_choice choice = {contents->launches[l].launch.number, 0, UINT64_MAX, 0,
                                        &n->watch};
        n->reading.launch = contents->launches[l].lane_accesses;
        status = count_one(n, l, &choice);
        n->reading.done += n->reading.launch;
    }
    return status;
}

/* Also where the device's profile does not tell enough: then there are none. */
static hd_status simulate(counting *n) {
    const hd_caches_options options = {.watch = &n->watch};
    if (n->k->no_caches || hd_caches_check(&hd_silent, n->device) != HD_OK)
        return HD_OK;
    n->reading.launch = n->reading.all; /* for all at once */
    return hd_caches_run(n->c->arena, &n->c->diag, n->trace, n->device, n->k->placed.job, NULL,
                         &options, &n->caches);
}

/* ---- time ------------------------------------------------------------------------------------- */

/* Some blocks do not show what a launch finds of the one before in an L2 that has no room for all. */
static bool some_can_stand_for_all(const counting *n) {
    const hd_job *job = n->k->placed.job;
    uint64_t bytes = 0;
    for (uint32_t b = 0; b < job->buffer_count; b++)
        bytes += job->buffers[b].count * job->buffers[b].element_bytes;
    return hd_trace_get(n->trace)->launch_count == 1 || bytes <= n->device->l2.size;
}

/* Only for the time: so few blocks that it takes little, and beside what is counted anyway. */
static void simulate_few(counting *n) {
    const double all = (double)hd_trace_sum(hd_trace_get(n->trace)).lane_accesses;
    const hd_trace_watch watch = {.stop = n->watch.stop};
    const hd_caches_options options = {.watch = &watch, .share = fmin(1, FEW_ACCESSES / all)};
    n->k->simulated = options.share;
    n->k->needs_caches = options.share < 1 && !some_can_stand_for_all(n);
    if (n->k->needs_caches)
        return;
    if (hd_caches_run(n->arena, &hd_silent, n->trace, n->device, n->k->placed.job, NULL, &options,
                      &n->few) != HD_OK)
        n->few = NULL;
}

static hd_status count_or_simulate(void *self, uint32_t worker, uint64_t number) {
    (void)worker;
    if (!number)
        return count_launches(self);
    simulate_few(self);
    return HD_OK;
}

static void begin_time(counting *n) {
    const hd_job *job = n->k->placed.job;
    if (!n->k->timed || !job || !hd_time_is_known(n->device) ||
        hd_caches_check(&hd_silent, n->device) != HD_OK)
        return;
    n->works = hd_new_array(n->c->arena, hd_time_work, job->launch_count);
    n->few = n->caches;
    n->k->simulated = 1;
}

static void end_time(const counting *n) {
    cli_counted *k = n->k;
    const hd_job *job = k->placed.job;
    if (!n->works || !n->few || !k->complete)
        return;
    for (uint32_t row = 0; row < n->few->launch_count; row++)
        hd_time_work_add_served(&n->works[k->run.ran.data[row]], n->few, row);
    for (uint32_t l = 0; l < job->launch_count; l++)
        if (n->works[l].runs > 0)
            hd_time_work_end(&n->works[l], &job->launches[l], n->device, 1, &k->run.launches[l]);
    k->time = hd_time_of_all(n->device, n->works, job->launch_count);
}

/* ---- all of a trace ----------------------------------------------------------------------------- */

static hd_status count_trace(cli *c, cli_counted *k, const hd_device *device, hd_trace *trace) {
    cli_stop stop;
    const volatile sig_atomic_t *wanted = cli_catch_stop(&stop);
    const hd_trace_contents *contents = hd_trace_get(trace);
    counting n = {.c = c,
                  .k = k,
                  .device = device,
                  .trace = trace,
                  .reading = {.meter = {.c = c}, .all = hd_trace_sum(contents).lane_accesses + 1},
                  .arena = hd_arena_new()};
    uint64_t failed;
    n.watch = (hd_trace_watch){cli_show_reading, &n.reading, wanted};
    if (k->placed.placed)
        n.origin = hd_origin_new(&k->placed.view, k->placed.placed);
    hd_status status = simulate(&n);
    k->has_caches = status == HD_OK && n.caches;
    begin_time(&n);
    if (status == HD_OK && !*wanted)
        status = hd_in_parallel(2, n.works && !n.few ? 2 : 1, count_or_simulate, &n, &failed);
    if (n.origin)
        hd_origin_free(n.origin);
    cli_progress(c, NULL);
    cli_release_stop(&stop);
    if (status == HD_OK && *wanted && !k->run.total.counts.stopped)
        hd_warn(&c->diag, &(hd_place){.file = k->input.path},
                "stopped by a signal: only what was read until then counts");
    k->complete = contents->complete && !*wanted;
    k->run.total.counts.stopped |= *wanted != 0;
    if (status == HD_OK)
        end_time(&n);
    hd_arena_free(n.arena);
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
    if (status == HD_OK)
        status = k->input.is_trace ? cli_open_trace(c, &k->input, &trace) : run_job(c, k, &trace);
    if (status == HD_OK && k->input.is_trace)
        status = cli_lay_out_trace(c, &k->input, &k->layouts, &trace);
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
