/*
 * heddle cache: a simulation of a device's caches over a trace or a run, in any layout
 * (docs/locality.md, "Caches").
 */
#include "cli/commands.h"
#include "cli/stop.h"
#include "analysis/cache.h"
#include "cli/report/members.h"

typedef struct request {
    cli_input input;
    const char *notation, *job_path;
    /* what they name */
    const hd_device *device;
    hd_job *job;       /* or NULL: a trace alone */
    hd_layout *layout; /* or NULL: as run */
    /* what came of it */
    hd_trace *trace; /* that the result points into; NULL: none is open */
    const hd_caches *caches;
    bool complete;
    cli_run run; /* of a job */
} request;

/* ---- input ----------------------------------------------------------------------------------- */

static hd_status simulate(cli *c, request *r) {
    cli_stop stop;
    hd_trace *trace;
    hd_status status = !r->input.is_trace ? cli_load_input(c, &r->input, &r->job)
                       : r->job_path      ? cli_load(c, r->job_path, &r->input.source, &r->job)
                                          : HD_OK;
    const bool of_trace = r->input.is_trace && !r->job_path; /* which knows its records itself */
    if (!status && r->notation && !of_trace)
        status = hd_job_require_record(&c->diag, r->job);
    if (!status && r->notation && !of_trace)
        status = hd_layout_parse(c->arena, &c->diag, r->job->record, r->notation, &r->layout);
    if (status)
        return status;
    status = r->input.is_trace ? cli_open_trace(c, &r->input, &trace)
                               : cli_open_job_accesses(c, &r->input, r->job, &r->run, &trace);
    if (!status && r->notation && of_trace)
        status = cli_lay_out_trace(c, &r->input, &c->given->layouts, &trace);
    if (status)
        return status;
    r->trace = trace;
    cli_about about;
    cli_meter meter = {.c = c};
    const hd_diag diag = cli_diag_about(c, &about, r->input.path);
    const hd_trace_watch watch = {cli_show_meter, &meter, cli_catch_stop(&stop)};
    const hd_caches_options options = {
        .registers = (uint32_t)c->given->registers,
        .blocks_at_once = (uint32_t)c->given->blocks_at_once,
        .first_launch = r->input.first_launch,
        .end_launch = r->input.launch_text ? r->input.last_launch + 1 : 0,
        .first_block = r->input.first_block,
        .end_block = r->input.block_text ? r->input.last_block + 1 : 0,
        .watch = &watch};
    status =
        hd_caches_run(c->arena, &diag, trace, r->device, r->job, r->layout, &options, &r->caches);
    cli_progress(c, NULL);
    cli_release_stop(&stop);
    r->complete = hd_trace_get(trace)->complete && !status && r->caches->complete;
    if (status == HD_OK && !r->caches->complete) {
        r->run.total.counts.stopped = true;
        hd_warn(&diag, NULL, "stopped by a signal: only what was simulated until then counts");
    }
    return status;
}

/* ---- results --------------------------------------------------------------------------------- */

/* All launches of a kernel from `first` on whose accesses are the same, added up. */
typedef struct kernel_rows {
    const hd_event_launch *launch;
    uint64_t launches, blocks;
    hd_cache_access *accesses; /* those that did something */
    uint32_t access_count;
} kernel_rows;

static bool is_same_kernel(const hd_cache_launch *a, const hd_cache_launch *b) {
    return !strcmp(a->launch->kernel, b->launch->kernel) &&
           a->launch->access_count == b->launch->access_count;
}

static kernel_rows add_up(hd_arena *arena, const hd_caches *caches, uint32_t first) {
    const hd_cache_launch *one = &caches->launches[first];
    kernel_rows rows = {.launch = one->launch};
    hd_cache_sum *sums = hd_new_array(arena, hd_cache_sum, one->launch->access_count);
    rows.accesses = hd_new_array(arena, hd_cache_access, one->launch->access_count);
    for (uint32_t l = first; l < caches->launch_count; l++) {
        const hd_cache_launch *launch = &caches->launches[l];
        if (!is_same_kernel(one, launch))
            continue;
        rows.launches++;
        rows.blocks += launch->blocks;
        for (uint32_t a = 0; a < one->launch->access_count; a++)
            hd_cache_sum_add(&sums[a], &launch->accesses[a]);
    }
    for (uint32_t a = 0; a < one->launch->access_count; a++)
        if (sums[a].counts.requests)
            rows.accesses[rows.access_count++] =
                (hd_cache_access){&one->launch->accesses[a], &sums[a]};
    return rows;
}

static void show_kernels(const cli *c, const hd_caches *caches, hd_str *out) {
    for (uint32_t l = 0; l < caches->launch_count; l++) {
        const hd_cache_launch *launch = &caches->launches[l];
        uint32_t before = 0;
        while (before < l && !is_same_kernel(&caches->launches[before], launch))
            before++;
        if (before < l)
            continue;
        kernel_rows rows = add_up(c->arena, caches, l);
        const char *title =
            hd_format(c->arena, "\n%s: %s, %s, %u on an SM",
                      hd_plain_text(c->arena, launch->launch->kernel, false),
                      hd_show_counted(c->arena, rows.launches, "launch", "es"),
                      hd_show_counted(c->arena, rows.blocks, "block", "s"), launch->blocks_per_sm);
        cli_show_rows(c, title, hd_cache_access_columns,
                      hd_with(hd_rows(rows.accesses, rows.access_count), launch->launch), out);
    }
}

static const hd_member result_members[] = {{"file", HD_AT(request, input.name)},
                                           {HD_BEHIND(request, caches), .of = hd_caches_members},
                                           {"complete", HD_AT(request, complete)},
                                           {HD_IN(request, run), .of = cli_stopped_members},
                                           {0}};

/* ---- the command ----------------------------------------------------------------------------- */

int cmd_cache(cli *c) {
    const cli_options *o = c->given;
    request r = {.input = o->input,
                 .notation = o->layouts.count ? o->layouts.data[0] : NULL,
                 .job_path = o->job};
    cli_end_on_stop();
    if (cli_read_input(c, &r.input))
        return CLI_WRONG;
    if (!r.input.is_trace && r.job_path)
        return cli_wrong(c, "--job goes with a trace; %s is a job or a kernel file itself",
                         r.input.path);
    if (cli_find_device(c, &r.device) || hd_caches_check(&c->diag, r.device))
        return CLI_WRONG;
    bool failed = simulate(c, &r) != HD_OK;
    const hd_caches *caches = r.caches;
    hd_str out = {.arena = c->arena};
    if (!failed && !c->json) {
        hd_str_printf(&out, "%s on %s", hd_plain_text(c->arena, r.input.name, false),
                      caches->device->name);
        if (caches->layout)
            hd_str_printf(&out, ", struct %s as %s", caches->record->name,
                          hd_layout_print(c->arena, caches->record, caches->layout));
        hd_str_printf(&out, ": sectors of %u bytes\n", caches->sector);
        show_kernels(c, caches, &out);
        cli_show_rows(c, "\nFields and buffers", hd_cache_place_members,
                      hd_rows(caches->places, caches->place_count), &out);
        cli_show_rows(c, "\nAll", hd_cache_sum_members, hd_rows(&caches->total, 1), &out);
    }
    int status = failed    ? CLI_WRONG
                 : c->json ? cli_print_row(c, result_members, hd_row(&r))
                           : cli_print(c, &out);
    if (r.trace)
        hd_trace_close(r.trace);
    return status ? status : cli_run_status(&r.run);
}
