/*
 * heddle map: which thread does what, and where data lie, tried stage by stage (docs/mapping.md).
 */
#include <math.h>
#include <unistd.h>

#include "cli/contents.h"
#include "cli/input.h"
#include "cli/show_map.h"
#include "cli/stop.h"

typedef struct request {
    cli_input input;
    const char *device_name, *stages, *partitioner;
    bool as_made, data, no_data, no_caches, measured;
    hd_measure_options measure;
    uint64_t repeats;
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
    const char *at = r->stages ? r->stages : "threads,warps,blocks,throttling";
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
                              r->stages);
        *known[s].wanted = true;
    }
    return HD_OK;
}

static hd_status read_partitioner(cli *c, request *r) {
    hd_stages *stages = &r->question.stages;
    stages->refine = !r->as_made;
    for (int p = 0; p < HD_PARTITIONERS && r->partitioner; p++)
        if (!strcmp(r->partitioner, hd_partitioner_names[p])) {
            stages->partitioner = (hd_partitioner)p;
            stages->partition = hd_partition;
            r->partitioner = NULL;
        }
    return r->partitioner ? cli_refuse(c, "--partitioner takes greedy, zoltan or metis, not '%s'",
                                       r->partitioner)
                          : HD_OK;
}

/* What needs a run is no question to a trace. */
static hd_status refuse_job_questions(cli *c, const request *r) {
    const char *option = r->data                     ? "data"
                         : r->no_data                ? "no-data"
                         : r->question.numbering     ? "numbering"
                         : r->question.shuffled_data ? "shuffle-data"
                         : r->question.reuse         ? "reuse"
                         : r->no_caches              ? "no-caches"
                         : r->measured               ? "measure"
                                                     : NULL;
    hd_status status = cli_refuse_job_options(c, &r->input);
    return status || !option
               ? status
               : hd_fail(&c->diag, HD_EINPUT, &(hd_place){.file = r->input.path},
                         "--%s needs a job, which can be run; of a trace only orders of threads "
                         "are made",
                         option);
}

static hd_status read_options(cli *c, request *r) {
    static const hd_diag silent = {NULL, NULL};
    hd_map_question *q = &r->question;
    hd_status status;
    if ((status = read_stages(c, r)) || (status = read_partitioner(c, r)) ||
        (status = cli_read_choice(c, &r->input)) || (status = cli_read_input(c, &r->input)))
        return status;
    if (r->input.is_trace && (status = refuse_job_questions(c, r)))
        return status;
    if (r->data && r->no_data)
        return cli_refuse(c, "--data and --no-data: choose one");
    if (r->question.shuffled_threads && (r->data || r->question.numbering))
        return cli_refuse(c,
                          "new numbers are tried with threads as they are: leave out "
                          "--shuffle-threads or --%s",
                          r->data ? "data" : "numbering");
    if (!r->measured && (r->measure.device || r->repeats))
        return cli_refuse(c, "--%s goes with --measure", r->measure.device ? "on" : "repeats");
    if (r->input.out && (q->shuffled_threads || q->shuffled_data))
        return cli_refuse(c,
                          "with --shuffle-%s orders are made for one that the job does not have; "
                          "leave out --out",
                          q->shuffled_threads ? "threads" : "data");
    r->measure.repeats = (uint32_t)r->repeats;
    q->measure = r->measured ? &r->measure : NULL;
    q->workers = (uint32_t)r->input.machine.workers;
    q->ranks = c->ranks;
    status = hd_device_find(c->arena, &c->diag, r->device_name ? r->device_name : CLI_DEVICE,
                            &q->device);
    if (status != HD_OK)
        return status;
    q->caches = !r->no_caches && !r->input.is_trace && hd_caches_check(&silent, q->device) == HD_OK;
    q->throttle &= q->caches;
    return HD_OK;
}

/* New numbers are tried where the job says what its numbers are of; asked for, they must be. */
static hd_status read_data(cli *c, request *r, const hd_job *job) {
    static const hd_diag silent = {NULL, NULL};
    hd_map_question *q = &r->question;
    uint32_t numbering;
    bool asked = r->data || q->numbering || q->shuffled_data;
    const hd_place place = {.file = r->input.path};
    if (asked && !job->numberings)
        return hd_fail(&c->diag, HD_EINPUT, &place,
                       "--%s: the job has no 'indices', which say what its numbers are of "
                       "(docs/job.md)",
                       r->data        ? "data"
                       : q->numbering ? "numbering"
                                      : "shuffle-data");
    hd_status status = job->numberings ? hd_numbering_find(c->arena, asked ? &c->diag : &silent,
                                                           job, q->numbering, &numbering)
                                       : HD_EINPUT;
    q->orders_data = status == HD_OK && !r->no_data;
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

int cmd_map(cli *c, int argc, char **argv) {
    request r = {0};
    const cli_option options[] = {
        {"device", 'd', "D", "the device profile; default: " CLI_DEVICE, CLI_TEXT, &r.device_name},
        {"stages", 0, "S,...",
         "which are tried, of threads, warps, blocks and throttling, or none; default: all",
         CLI_TEXT, &r.stages, "threads warps blocks throttling none"},
        {"partitioner", 0, "P",
         "who makes warps and blocks: greedy, the default, or zoltan or metis, for which "
         "heddle-mpi must be there",
         CLI_TEXT, &r.partitioner, "greedy zoltan metis"},
        {"no-refine", 0, NULL, "take the partitioner's warps and blocks as they are", CLI_FLAG,
         &r.as_made},
        {"data", 0, NULL,
         "try new numbers for data, too; the default where the job declares 'indices'", CLI_FLAG,
         &r.data},
        {"no-data", 0, NULL, "data keep their numbers", CLI_FLAG, &r.no_data},
        {"numbering", 0, "BUFFER",
         "the buffer whose elements get new numbers; default: the first that may", CLI_TEXT,
         &r.question.numbering},
        {"shuffle-threads", 0, "SEED",
         "begin with threads in a random order, as unsorted input has them", CLI_NUMBER,
         &r.question.shuffled_threads},
        {"shuffle-data", 0, "SEED", "begin with data in a random order", CLI_NUMBER,
         &r.question.shuffled_data},
        {"reuse", 0, NULL, "count the reuse of each step, in scenarios 2, 3 and 4", CLI_FLAG,
         &r.question.reuse},
        {"no-caches", 0, NULL, "do not simulate caches", CLI_FLAG, &r.no_caches},
        {"measure", 0, NULL, "time each step on an OpenCL or CUDA device", CLI_FLAG, &r.measured},
        {"on", 0, "DEVICE",
         "with --measure, the device: an id as 'heddle devices' prints it, or a part of its name; "
         "default: the first that runs these kernels",
         CLI_TEXT, &r.measure.device},
        {"repeats", 0, "N", "with --measure, timed runs of each step; default 7", CLI_NUMBER,
         &r.repeats, .most = 1000000},
        {"out", 'o', "FILE",
         "write the map of the step that is recommended, for 'heddle rewrite --map'; new numbers "
         "of data go beside it, to FILE.BUFFER",
         CLI_TEXT, &r.input.out},
        {"workers", 'j', "N", "threads that run blocks; default: one for each core", CLI_NUMBER,
         &r.input.machine.workers, .most = 1024},
        {0}};
    static const cli_page page = {
        "[OPTIONS] JOB|FILE|TRACE",
        "Finds which thread should do what: threads that touch the same memory become a warp, "
        "warps that do a block, blocks that do follow each other; and which numbers the elements "
        "that they index should have. Each step is the job with one thing more done to it, "
        "rewritten and run on the machine: its transactions are counted, caches simulated, and "
        "its results compared with the job's. Of a trace alone orders are made, and transactions "
        "estimated.",
        {1, 1}};
    if (!cli_parse(c, &page, options, &r.input.source, argc, argv))
        return c->status;
    r.input.path = c->words[0];
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
