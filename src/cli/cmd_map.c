/*
 * heddle map: which thread does what, and where data lie, tried stage by stage (docs/mapping.md).
 */
#include <math.h>
#include <unistd.h>

#include "cli/commands.h"
#include "cli/buffer_contents.h"
#include "cli/input.h"
#include "advise/mapping.h"
#include "cli/report/members.h"
#include "cli/show_advice.h"
#include "cli/stop.h"

typedef struct request {
    const cli_options *given;
    cli_input input;
    hd_measure_options measure;
    hd_map_question question;
    /* what came of it */
    hd_mapping *mapping;
    const char *out, *data_out; /* files that were written, or NULL */
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
    const char *rest = r->given->stages ? r->given->stages : "threads,warps,blocks,throttling";
    rest = strcmp(rest, "none") != 0 ? rest : NULL;
    for (const char *name; (name = cli_next_word(c->arena, &rest));) {
        int s = 0;
        while (s < STAGES && strcmp(known[s].name, name) != 0)
            s++;
        if (!*name)
            continue;
        if (s == STAGES)
            return cli_refuse(c,
                              "--stages takes threads, warps, blocks and throttling, separated by "
                              "commas, or none, not '%s'",
                              r->given->stages);
        *known[s].wanted = true;
    }
    return HD_OK;
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
    const char *name = r->given->partitioner;
    q->stages.refine = !r->given->as_made;
    for (int p = 0; p < HD_PARTITIONERS && name; p++)
        if (!strcmp(name, hd_partitioner_names[p])) {
            q->stages.partitioner = (hd_partitioner)p;
            q->stages.partition = hd_partition;
            name = NULL;
        }
    if (name)
        return cli_refuse(c, "--partitioner takes greedy, zoltan or metis, not '%s'", name);
    if ((status = read_stages(c, r)) || (status = cli_read_input(c, &r->input)))
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

/* Where new numbers are written. */
static const char *data_path(const cli *c, const request *r, const hd_numbering *of) {
    return hd_format(c->arena, "%s.%s", r->input.out, of->name);
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
    const char *const inputs[] = {job->path, job->kernel_path};
    if (q->orders_data && r->input.out)
        return cli_check_output(c, "out", data_path(c, r, &job->numberings->numberings[numbering]),
                                inputs, 2);
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
        status = job ? hd_map_job(c->arena, &diag, job, &r->question, &r->mapping)
                     : hd_map_trace(c->arena, &diag, trace, &r->question, &r->mapping);
        cli_progress(c, NULL);
        cli_release_stop(&stop);
        r->question.watch = NULL;
        bool stopped = status == HD_OK && !r->mapping->complete;
        if (stopped && !r->mapping->step_count)
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
    const hd_mapping *m = r->mapping;
    const hd_map_step *best = &m->steps[m->best];
    hd_str map = {.arena = c->arena}, data = {.arena = c->arena};
    hd_output files[2];
    size_t count = 0;
    if (!r->input.out || !m->best || !c->is_first)
        return HD_OK;
    if (best->orders) {
        hd_order_file_print(&map, best->orders);
        r->out = r->input.out;
        files[count++] = (hd_output){r->out, hd_str_text(&map), map.length};
    }
    if (best->data_order) {
        hd_launch_order order = {.kernel = best->numbering->name,
                                 .threads = (uint32_t)best->numbering->count,
                                 .block_threads = 1,
                                 .order = best->data_order};
        hd_order_file_print(&data, &(hd_order_file){&order, 1});
        r->data_out = data_path(c, r, best->numbering);
        files[count++] = (hd_output){r->data_out, hd_str_text(&data), data.length};
    }
    return hd_write_files(&c->diag, files, count);
}

/* ---- reuse ------------------------------------------------------------------------------------ */

/* A step in one scenario, and the first step in it. */
typedef struct reuse_row {
    const char *name;
    const hd_map_reuse *now, *before;
} reuse_row;

static hd_value change_of(const hd_view *view, uint64_t before, uint64_t after) {
    int64_t change = (int64_t)(after - before);
    return hd_text(change ? hd_format(view->arena, "%+lld%s", (long long)change,
                                      before ? hd_format(view->arena, " (%+.1f%%)",
                                                         100.0 * (double)change / (double)before)
                                             : "")
                          : "0");
}
HD_GETTER(degree_change, reuse_row, change_of(view, row->before->degree, row->now->degree))
HD_GETTER(domain_change, reuse_row, change_of(view, row->before->domain, row->now->domain))

static const hd_member reuse_columns[] = {
    {NULL, "step", HD_AT(reuse_row, name)},
    {NULL, "degree", HD_COUNT, HD_VIA(reuse_row, now, HD_AT, degree)},
    {NULL, "change", HD_PLAIN_WORD, .get = degree_change},
    {NULL, "domain", HD_COUNT, HD_VIA(reuse_row, now, HD_AT, domain)},
    {NULL, "change", HD_PLAIN_WORD, .get = domain_change},
    {0}};

/* ---- launches -------------------------------------------------------------------------------- */

/* All of a kernel with which the same was done. */
typedef struct launch_row {
    const hd_map_launch *first;
    uint64_t count, threads, before, after;
} launch_row;

static bool is_same_text(const char *a, const char *b) { return a && b ? !strcmp(a, b) : a == b; }

HD_GETTER(launch_of, launch_row,
          hd_text(row->count > 1 ? hd_format(view->arena, "%u, %llu more", row->first->launch,
                                             (unsigned long long)row->count - 1)
                                 : hd_format(view->arena, "%u", row->first->launch)))
static hd_value order_of(const hd_view *view, const void *at) {
    const hd_map_launch *l = ((const launch_row *)at)->first;
    const char *own = l->moved ? "of blocks" : "its own";
    return hd_text(l->untouched  ? hd_format(view->arena, "its own: %s", l->untouched)
                   : l->together ? hd_format(view->arena, "%s (%s, so threads stay in blocks)", own,
                                             l->together)
                   : l->moved    ? "of threads"
                                 : own);
}

static const hd_member launch_columns[] = {
    {NULL, "launch", HD_PLAIN_WORD, .get = launch_of},
    {NULL, "kernel", HD_VIA(launch_row, first, HD_AT, kernel)},
    {NULL, "threads", HD_COUNT, HD_AT(launch_row, threads)},
    {NULL, "before", HD_COUNT, HD_AT(launch_row, before)},
    {NULL, "after", HD_COUNT, HD_AT(launch_row, after)},
    {NULL, "order", .get = order_of},
    {0}};

static void show_launches(cli *c, const hd_mapping *m, hd_str *out) {
    launch_row *rows = hd_new_array(c->arena, launch_row, m->launch_count + 1);
    uint32_t count = 0;
    for (uint32_t l = 0; l < m->launch_count; l++) {
        const hd_map_launch *launch = &m->launches[l];
        uint32_t r = 0;
        while (r < count && (strcmp(rows[r].first->kernel, launch->kernel) ||
                             rows[r].first->moved != launch->moved ||
                             !is_same_text(rows[r].first->untouched, launch->untouched) ||
                             !is_same_text(rows[r].first->together, launch->together)))
            r++;
        if (r == count)
            rows[count++].first = launch;
        rows[r].count++;
        rows[r].threads += launch->threads;
        rows[r].before += launch->before.transactions;
        rows[r].after += launch->after.transactions;
    }
    if (count)
        cli_show_rows(c, "\nLaunches, and transactions of their graphs", launch_columns,
                      hd_rows(rows, count), out);
}

/* ---- what to do ------------------------------------------------------------------------------- */

static void say(cli *c, hd_str *out, const char *format, ...) __attribute__((format(printf, 3, 4)));
static void say(cli *c, hd_str *out, const char *format, ...) {
    va_list args;
    va_start(args, format);
    const char *text = hd_vformat(c->arena, format, args);
    va_end(args);
    hd_str_add(out, "  ");
    hd_wrap(out, text, 4, HD_TABLE_WIDTH);
}

static double each(const hd_map_step *step) {
    return (double)step->counts.transactions /
           (double)(step->counts.requests + !step->counts.requests);
}

static const char *bytes_change(cli *c, uint64_t before, uint64_t after) {
    return before == after ? "as many bytes"
                           : hd_format(c->arena, "%.1f%% %s bytes",
                                       100 * fabs((double)after / (double)(before + !before) - 1),
                                       after < before ? "fewer" : "more");
}

/* In terms of the hardware. */
static void show_why(cli *c, const hd_mapping *m, const hd_map_step *best, hd_str *out) {
    const hd_map_step *first = &m->steps[0];
    say(c, out,
        "Lanes of a warp that touch the same %u bytes at once share a transaction: a request takes "
        "%.3g of them instead of %.3g.",
        m->device->segment, each(best), each(first));
    if (best->caches.requests)
        say(c, out, "Caches of %s bring %s from L2, and %s from memory.", m->device->name,
            bytes_change(c, first->caches.l2_bytes, best->caches.l2_bytes),
            bytes_change(c, first->caches.dram_read, best->caches.dram_read));
}

static void show_basis(cli *c, const hd_mapping *m, const hd_map_step *best, hd_str *out) {
    if (!m->job)
        say(c, out,
            "This is estimated from a trace alone: nothing was rewritten or run, and a trace does "
            "not say whether threads wait for each other.");
    else
        say(c, out, "This was counted on the machine, with %s; results are the job's%s.%s",
            best->orders ? best->data ? "the rewritten kernels, which read the map, and data in "
                                        "the new numbers"
                                      : "the rewritten kernels, which read the map"
                         : "data in the new numbers",
            best->bit_equal ? " to the bit" : " within its tolerance",
            !m->measured_on ? " Nothing was timed: --measure does." : "");
    if (m->measured_on && isfinite(best->pays_after))
        say(c, out, "On %s it takes %s instead of %s; making it pays after %.0f run%s of the job.",
            m->measured_on, hd_show_seconds(c->arena, best->time.median),
            hd_show_seconds(c->arena, m->steps[0].time.median), best->pays_after,
            best->pays_after > 1 ? "s" : "");
    else if (m->measured_on)
        say(c, out, "On %s it was not measured to be faster, so there its making does not pay.",
            m->measured_on);
}

static void show_next(cli *c, const request *r, const hd_map_step *best, hd_str *out) {
    const char *file = r->out ? r->out : "FILE", *next = "Next";
    if (r->question.shuffled_threads || r->question.shuffled_data) {
        say(c, out, "This began with a random order: without --shuffle-... it is the job's own.");
        return;
    }
    if (r->out)
        say(c, out, "Wrote the map of threads to %s.", r->out);
    if (r->data_out)
        say(c, out, "Wrote the new numbers of %s to %s.", best->numbering->name, r->data_out);
    if (!r->out && !r->data_out) {
        hd_str_printf(out, "  Next: %s\n",
                      cli_command_on(c, "map", r->input.path, &r->input.source, " -o FILE"));
        next = "Then";
    }
    if (best->orders)
        hd_str_printf(out, "  %s: %s\n", next,
                      cli_command_on(c, "apply", r->mapping->job ? r->input.path : "JOB",
                                     &r->input.source,
                                     hd_format(c->arena, " --map %s -o DIR", file)));
    if (best->data)
        say(c, out,
            "New numbers are given by the program that makes the data, with the orders of "
            "libheddle-remap (docs/mapping.md)%s.",
            best->orders ? "; the map of threads is for data in these" : "");
}

static void show_throttling(cli *c, const hd_mapping *m, hd_str *out) {
    const hd_throttling *t = m->throttling;
    const hd_throttled *best = &t->rows[t->best], *full = &t->rows[t->row_count - 1];
    const char *step = m->steps[m->best].name;
    hd_str_add(out, "\n");
    if (best == full) {
        hd_wrap(out,
                hd_format(c->arena,
                          "Blocks at once: fewer than the %u of '%s' that an SM holds would not "
                          "save much.",
                          full->blocks_at_once, step),
                2, HD_TABLE_WIDTH);
        return;
    }
    cli_show_rows(c, hd_format(c->arena, "Blocks at once on an SM, of '%s'", step),
                  hd_throttled_members, hd_rows(t->rows, t->row_count), out);
    say(c, out,
        "With %u block%s at once instead of %u there are %s from memory, at an occupancy of %s. "
        "Fewer warps hide less of the time that memory takes: only a measurement says whether it "
        "is worth that (docs/locality.md).",
        best->blocks_at_once, best->blocks_at_once > 1 ? "s" : "", full->blocks_at_once,
        bytes_change(c, full->sum.counts.dram_read, best->sum.counts.dram_read),
        hd_show_share(c->arena, best->occupancy));
}

/* ---- all --------------------------------------------------------------------------------------- */

static int show_text(cli *c, const request *r) {
    const hd_mapping *m = r->mapping;
    const hd_map_step *best = &m->steps[m->best];
    const hd_value steps = hd_rows(m->steps, m->step_count);
    const uint32_t shuffled = m->original != NULL;
    hd_map_step *shown = hd_new_array(c->arena, hd_map_step, m->step_count + 1);
    if (m->original)
        shown[0] = *m->original;
    memcpy(shown + shuffled, m->steps, m->step_count * sizeof *shown);
    hd_str out = {.arena = c->arena};
    hd_str_printf(&out, "%s on %s%s\n", hd_plain_text(c->arena, r->input.name, false),
                  m->device->name, m->job ? "" : ", estimated from the trace");
    cli_show_rows(c, NULL, m->job ? hd_map_step_columns : hd_map_graph_columns,
                  hd_rows(shown, m->step_count + shuffled), &out);
    for (uint32_t s = 0; s < m->steps[0].reuse_count; s++) {
        reuse_row *rows = hd_new_array(c->arena, reuse_row, m->step_count);
        uint32_t count = 0;
        for (uint32_t i = 0; i < m->step_count; i++)
            if (m->steps[i].reuse_count > s)
                rows[count++] =
                    (reuse_row){m->steps[i].name, &m->steps[i].reuse[s], &m->steps[0].reuse[s]};
        cli_show_rows(c, hd_format(c->arena, "\nReuse, scenario %u", rows[0].now->scenario),
                      reuse_columns, hd_rows(rows, count), &out);
    }
    if (m->measured_on)
        cli_show_rows(c, hd_format(c->arena, "\nTime on %s", m->measured_on), hd_map_time_columns,
                      steps, &out);
    show_launches(c, m, &out);
    if (m->throttling && m->throttling->complete)
        show_throttling(c, m, &out);
    hd_str_add(&out, "\n");
    hd_wrap(&out, hd_format(c->arena, "%s%s", m->best ? "Take " : "", m->reason), 2,
            HD_TABLE_WIDTH);
    if (!m->best && r->input.out)
        say(c, &out, "%s was not written.", r->input.out);
    if (m->best) {
        show_why(c, m, best, &out);
        show_basis(c, m, best, &out);
        show_next(c, r, best, &out);
    }
    return cli_print(c, &out);
}

HD_GETTER(device_of, request, hd_text(row->mapping->device->name))
HD_GETTER(is_stopped, request, hd_bool(!row->mapping->complete))
HD_GETTER(estimated, request, hd_bool(!row->mapping->job))
static hd_value throttling_of(const hd_view *view, const void *at) {
    const hd_throttling *t = ((const request *)at)->mapping->throttling;
    (void)view;
    return t && t->complete ? hd_rows(t->rows, t->row_count) : hd_null();
}

static const hd_member map_members[] = {
    {"file", HD_AT(request, input.name)},
    {"device", .get = device_of},
    {"estimated", .get = estimated},
    {"shuffled_threads", HD_AT(request, question.shuffled_threads),
     HD_IF(request, question.shuffled_threads)},
    {"shuffled_data", HD_AT(request, question.shuffled_data),
     HD_IF(request, question.shuffled_data)},
    {"original", HD_VIA(request, mapping, HD_BEHIND, original), .of = hd_map_step_members},
    {"steps", HD_VIA(request, mapping, HD_MANY, steps, step_count), .of = hd_map_step_members},
    {"launches", HD_VIA(request, mapping, HD_MANY, launches, launch_count),
     .of = hd_map_launch_members},
    {"blocks_at_once", .get = throttling_of, .of = hd_throttled_members},
    {"measured_on", HD_VIA(request, mapping, HD_AT, measured_on)},
    {"best", HD_VIA(request, mapping, HD_AT, best)},
    {"reason", HD_VIA(request, mapping, HD_AT, reason)},
    {"out", HD_AT(request, out)},
    {"data_out", HD_AT(request, data_out)},
    {"stopped", .get = is_stopped},
    {0}};

/* ---- the command ------------------------------------------------------------------------------- */

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
    int printed = c->json ? cli_print_row(c, map_members, hd_row(&r)) : show_text(c, &r);
    return printed ? printed : r.mapping->complete ? CLI_FINE : CLI_STOPPED;
}
