/*
 * heddle map: which thread does what, and where data lie, tried stage by stage (docs/mapping.md).
 */
#include <math.h>
#include <unistd.h>

#include "cli/commands.h"
#include "cli/buffer_contents.h"
#include "cli/input.h"
#include "cli/show_map.h"
#include "cli/stop.h"

typedef struct request {
    const cli_options *given;
    cli_input input;
    hd_measure_options measure;
    hd_map_question question;
    cli_map result;
} request;

/* ---- options --------------------------------------------------------------------------------- */

static hd_status read_stages(cli *c, request *r) {
    hd_stages *stages = &r->question.stages;
    const struct {
        const char *name;
        bool *wanted;
    } known[] = {{"threads", &stages->threads},
                 {"warps", &stages->warps},
                 {"blocks", &stages->blocks},
                 {"throttling", &r->question.throttle}};
    enum { STAGES = sizeof known / sizeof *known };
    const char *at = r->given->stages ? r->given->stages : "threads,warps,blocks,throttling";
    bool is_none = !strcmp(at, "none");
    for (size_t length; *at && !is_none; at += length + (at[length] == ',')) {
        length = strcspn(at, ",");
        int s = 0;
        while (s < STAGES &&
               (strlen(known[s].name) != length || strncmp(known[s].name, at, length) != 0))
            s++;
        if (s == STAGES)
            return cli_refuse(c,
                              "--stages takes threads, warps, blocks and throttling, separated by "
                              "commas, or none, not '%s'",
                              r->given->stages);
        *known[s].wanted = true;
    }
    return HD_OK;
}

static hd_status read_partitioner(cli *c, request *r) {
    hd_stages *stages = &r->question.stages;
    const char *name = r->given->partitioner;
    stages->refine = !r->given->as_made;
    for (int p = 0; p < HD_PARTITIONERS && name; p++)
        if (!strcmp(name, hd_partitioner_names[p])) {
            stages->partitioner = (hd_partitioner)p;
            stages->partition = hd_partition;
            name = NULL;
        }
    return name ? cli_refuse(c, "--partitioner takes greedy, zoltan or metis, not '%s'", name)
                : HD_OK;
}

/* What needs a run is no question to a trace. */
static hd_status refuse_job_questions(cli *c, const request *r) {
    const char *option = r->given->data              ? "data"
                         : r->given->no_data         ? "no-data"
                         : r->question.numbering     ? "numbering"
                         : r->question.shuffled_data ? "shuffle-data"
                         : r->question.reuse         ? "reuse"
                         : r->given->no_caches       ? "no-caches"
                         : r->given->measure         ? "measure"
                                                     : NULL;
    return !option ? HD_OK
                   : cli_fail_at(
                         c, r->input.path,
                         "--%s needs a job, which can be run; of a trace only orders of threads "
                         "are made",
                         option);
}

static hd_status read_options(cli *c, request *r) {
    hd_map_question *q = &r->question;
    hd_status status;
    if ((status = read_stages(c, r)) || (status = read_partitioner(c, r)) ||
        (status = cli_read_input(c, &r->input)))
        return status;
    if (r->input.is_trace && (status = refuse_job_questions(c, r)))
        return status;
    q->measure = r->given->measure ? &r->measure : NULL;
    q->workers = (uint32_t)r->input.machine.workers;
    q->ranks = c->ranks;
    status = cli_find_device(c, &q->device);
    if (status != HD_OK)
        return status;
    q->caches = !r->given->no_caches && !r->input.is_trace &&
                hd_caches_check(&hd_silent, q->device) == HD_OK;
    q->throttle &= q->caches;
    return HD_OK;
}

/* New numbers are tried where the job says what its numbers are of; asked for, they must be. */
static hd_status read_data(cli *c, request *r, const hd_job *job) {
    hd_map_question *q = &r->question;
    uint32_t numbering;
    bool asked = r->given->data || q->numbering || q->shuffled_data;
    const hd_place place = {.file = r->input.path};
    if (asked && !job->numberings)
        return hd_fail(&c->diag, HD_EINPUT, &place,
                       "--%s: the job has no 'indices', which say what its numbers are of "
                       "(docs/job.md)",
                       r->given->data ? "data"
                       : q->numbering ? "numbering"
                                      : "shuffle-data");
    hd_status status = job->numberings ? hd_numbering_find(c->arena, asked ? &c->diag : &hd_silent,
                                                           job, q->numbering, &numbering)
                                       : HD_EINPUT;
    q->orders_data = status == HD_OK && !r->given->no_data;
    return asked ? status : HD_OK;
}

/* ---- doing ------------------------------------------------------------------------------------- */

static hd_status map_input(cli *c, request *r) {
    cli_stop stop;
    hd_job *job = NULL;
    hd_trace *trace = NULL;
    r->input.out_name = "out";
    hd_status status = r->input.is_trace ? cli_open_trace(c, &r->input, &trace)
                                         : cli_load_input(c, &r->input, &job);
    if (status == HD_OK && r->input.out && trace)
        status = cli_check_output(c, "out", r->input.out, &r->input.path, 1);
    if (status == HD_OK && job)
        status = read_data(c, r, job);
    if (status == HD_OK) {
        cli_about about;
        cli_meter meter = {.c = c};
        const hd_diag diag = cli_diag_about(c, &about, r->input.path);
        const hd_trace_watch watch = {cli_show_meter, &meter, cli_catch_stop(&stop)};
        r->question.watch = &watch;
        status = job ? hd_map_job(c->arena, &diag, job, &r->question, &r->result.mapping)
                     : hd_map_trace(c->arena, &diag, trace, &r->question, &r->result.mapping);
        cli_progress(c, NULL);
        cli_release_stop(&stop);
        r->question.watch = NULL;
        bool stopped = status == HD_OK && !r->result.mapping->complete;
        if (stopped && !r->result.mapping->step_count)
            cli_end_stopped();
        if (stopped)
            hd_warn(&diag, NULL, "stopped by a signal: only the steps until then count");
    }
    if (trace)
        hd_trace_close(trace);
    return status;
}

/* The map of the best step; of its data an order of the same form beside it. */
static hd_status write_out(cli *c, request *r) {
    const hd_mapping *m = r->result.mapping;
    const hd_map_step *best = &m->steps[m->best];
    hd_str map = {.arena = c->arena}, data = {.arena = c->arena};
    hd_output files[2];
    size_t count = 0;
    if (!r->input.out || !m->best || !c->is_first)
        return HD_OK;
    if (best->orders) {
        hd_order_file_print(&map, best->orders);
        r->result.out = r->input.out;
        files[count++] = (hd_output){r->result.out, hd_str_text(&map), map.length};
    }
    if (best->data_order) {
        hd_launch_order order = {.kernel = best->numbering->name,
                                 .threads = (uint32_t)best->numbering->count,
                                 .block_threads = 1,
                                 .order = best->data_order};
        hd_order_file_print(&data, &(hd_order_file){&order, 1});
        r->result.data_out = hd_format(c->arena, "%s.%s", r->input.out, best->numbering->name);
        files[count++] = (hd_output){r->result.data_out, hd_str_text(&data), data.length};
    }
    return hd_write_files(&c->diag, files, count);
}

int cmd_map(cli *c) {
    const cli_options *o = c->given;
    request r = {.given = o,
                 .input = o->input,
                 .measure = {.device = o->on, .repeats = (uint32_t)o->repeats},
                 .question = {.numbering = o->numbering,
                              .shuffled_threads = o->shuffle_threads,
                              .shuffled_data = o->shuffle_data,
                              .reuse = o->reuse}};
    cli_end_on_stop();
    hd_status status = read_options(c, &r);
    if (status == HD_OK)
        status = map_input(c, &r);
    if (status == HD_OK)
        status = write_out(c, &r);
    if (status != HD_OK)
        return cli_status(status);
    r.result.path = r.input.path;
    r.result.source = &r.input.source;
    r.result.wanted_out = r.input.out;
    r.result.question = &r.question;
    int printed = cli_print_map(c, &r.result);
    return printed ? printed : r.result.mapping->complete ? CLI_FINE : CLI_STOPPED;
}
