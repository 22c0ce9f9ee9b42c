/*
 * heddle trace: the job on the machine, with every access in a file. The words `info`,
 * `export` and `import` begin commands on such files; no file to run is called so, since its
 * name ends in .yaml, .cl or the like.
 *
 * A trace of a killed run is no error here: what is missing is said, and the rest is
 * shown or exported.
 */
#include <errno.h>
#include <math.h>
#include <stdio.h>

#include "cli/buffer_contents.h"
#include "cli/commands.h"
#include "cli/report/members.h"
#include "cli/stop.h"

/* ---- sums ---------------------------------------------------------------------------- */

/* What a file holds, added up over its launches. */
typedef struct traced {
    const char *path;
    hd_trace_sums sums;
    uint64_t bytes; /* of a trace file */
    bool complete;
    bool is_text; /* the text form, whose bytes say nothing */
} traced;

static traced sum_of(const char *path, const hd_trace_contents *contents) {
    return (traced){.path = path,
                    .sums = hd_trace_sum(contents),
                    .bytes = contents->bytes,
                    .complete = contents->complete};
}

/* Opens a trace file that was just written and adds it up. */
static hd_status add_up(cli *c, const char *path, traced *sum) {
    hd_trace *trace;
    hd_status status = hd_trace_open(c->arena, &c->diag, path, &trace);
    if (status != HD_OK)
        return status;
    *sum = sum_of(path, hd_trace_get(trace));
    hd_trace_close(trace);
    return HD_OK;
}

static double bytes_each(uint64_t bytes, uint64_t lane_accesses) {
    return lane_accesses ? (double)bytes / (double)lane_accesses : NAN;
}

/* "run.hdt: 1 launch, 64 blocks, 1.2M MIs, 315M lane accesses" and its bytes. */
static void show_traced(cli *c, const traced *t, hd_str *out) {
    const hd_value each = hd_real(bytes_each(t->bytes, t->sums.lane_accesses));
    hd_str_printf(out, "%s: %s, %s, %s, %s\n  %s, %s bytes for each lane access\n", t->path,
                  hd_show_counted(c->arena, t->sums.launches, "launch", "es"),
                  hd_show_counted(c->arena, t->sums.blocks, "block", "s"),
                  hd_show_counted(c->arena, t->sums.mis, "MI", "s"),
                  hd_show_counted(c->arena, t->sums.lane_accesses, "lane access", "es"),
                  hd_show_bytes(c->arena, t->bytes), hd_show_value(c->arena, HD_DIGITS, each));
}

HD_GETTER(bytes_of, traced, row->is_text ? hd_absent() : hd_whole(row->bytes))
HD_GETTER(each_of, traced,
          row->is_text ? hd_absent() : hd_real(bytes_each(row->bytes, row->sums.lane_accesses)))

static const hd_member sums_members[] = {HD_SAME(hd_trace_sums, blocks, mis, lane_accesses), {0}};
static const hd_member traced_members[] = {{"file", HD_AT(traced, path)},
                                           {"runs", HD_AT(traced, sums.launches)},
                                           {HD_IN(traced, sums), .of = sums_members},
                                           {"bytes", .get = bytes_of},
                                           {"bytes_per_lane_access", .get = each_of},
                                           {"complete", HD_AT(traced, complete)},
                                           {0}};

/* ---- running -------------------------------------------------------------------------- */

/* A trace file that --out names, and what it is called while it is written. */
static hd_status check_trace(cli *c, const char *path, const char *const *inputs,
                             size_t input_count) {
    const char *target;
    if (c->ranks) /* a folder */
        return HD_OK;
    hd_status status = cli_check_output(c, "out", path, inputs, input_count);
    if (status != HD_OK || (status = hd_output_target(c->arena, &c->diag, path, &target)) != HD_OK)
        return status;
    return cli_check_output(c, "out", hd_format(c->arena, "%s.part", target), inputs, input_count);
}

typedef struct result {
    const traced *sum;
    const cli_run *run;
} result;

static const hd_member result_members[] = {{HD_BEHIND(result, sum), .of = traced_members},
                                           {HD_BEHIND(result, run), .of = cli_ended_members},
                                           {0}};

int cmd_trace(cli *c) {
    cli_input input = c->given->input;
    hd_job *job;
    cli_run run;
    traced sum;
    const char *out = input.out;
    if (!out)
        return cli_wrong(c, "where to? Name a file with -o FILE");
    if (cli_read_choice(c, &input))
        return CLI_WRONG;
    cli_end_on_stop();
    input.machine.ranks = c->ranks;
    input.machine.spaces =
        input.space_text ? input.spaces : 1u << KIR_GLOBAL | 1u << KIR_LOCAL | 1u << KIR_CONSTANT;
    if (cli_load(c, input.path, &input.source, &job) || cli_check_planned(c, &input, job))
        return CLI_WRONG;
    const char *const inputs[] = {job->path, job->kernel_path};
    if (check_trace(c, out, inputs, 2) || cli_trace_job(c, &input, job, &out, &run))
        return CLI_WRONG;
    if (!c->is_first)
        return cli_run_status(&run);
    if (add_up(c, out, &sum))
        return CLI_WRONG;
    const result all = {&sum, &run};
    hd_str text = {.arena = c->arena};
    show_traced(c, &sum, &text);
    hd_str_printf(&text, "  %s on %s%s\n", hd_show_seconds(c->arena, run.total.counts.seconds),
                  hd_show_counted(c->arena, run.total.counts.workers, "worker", "s"),
                  sum.complete ? "" : "; not complete: 'heddle trace info' says what is there");
    int printed = c->json ? cli_print_row(c, result_members, hd_row(&all)) : cli_print(c, &text);
    return printed ? printed : cli_run_status(&run);
}

/* ---- info ----------------------------------------------------------------------------- */

/* Launches of one kernel with the same sizes and complete or not, as one line. */
typedef struct launch_row {
    const hd_trace_launch *first;
    uint32_t last; /* number of the last one */
    uint64_t count, blocks, mis, lane_accesses, bytes;
} launch_row;

/* "3", "3 to 9", and "3 .. 9 (4)" for four when others stand between. */
static hd_value numbers_of(const hd_view *view, const void *at) {
    const launch_row *row = at;
    uint32_t first = row->first->launch.number;
    return hd_text(row->count == 1 ? hd_format(view->arena, "%u", first)
                   : row->last - first + 1 == row->count
                       ? hd_format(view->arena, "%u to %u", first, row->last)
                       : hd_format(view->arena, "%u .. %u (%llu)", first, row->last,
                                   (unsigned long long)row->count));
}
HD_GETTER(sizes_of, launch_row,
          hd_text(cli_show_sizes(view->arena, row->first->launch.dims, row->first->launch.groups,
                                 row->first->launch.local)))
HD_GETTER(blocks_of, launch_row,
          hd_text(hd_format(view->arena, "%s%s", hd_show_count(view->arena, (double)row->blocks),
                            row->first->complete ? "" : " *")))
HD_GETTER(bytes_each_of, launch_row, hd_real(bytes_each(row->bytes, row->lane_accesses)))

static const hd_member launch_columns[] = {
    {NULL, "launch", .get = numbers_of},
    {NULL, "kernel", HD_VIA(launch_row, first, HD_AT, launch.kernel)},
    {NULL, "blocks x threads", HD_PLAIN_WORD, .get = sizes_of},
    {NULL, "blocks", HD_PLAIN_WORD, .get = blocks_of},
    {NULL, "MIs", HD_COUNT, HD_AT(launch_row, mis)},
    {NULL, "lane accesses", HD_COUNT, HD_AT(launch_row, lane_accesses)},
    {NULL, "bytes each", HD_DIGITS, .get = bytes_each_of},
    {0}};

static int show_info(cli *c, const char *path, const hd_trace_contents *contents) {
    hd_str out = {.arena = c->arena};
    const traced sum = sum_of(path, contents);
    show_traced(c, &sum, &out);
    const char *source = contents->source ? contents->source : "a source that is not known";
    const char *missing = contents->complete ? "" : contents->missing;
    hd_str_printf(&out, "  version %u, of %s, accesses to %s\n  %s%s\n", contents->version,
                  hd_plain_text(c->arena, source, false),
                  cli_show_spaces(c->arena, contents->spaces),
                  contents->complete ? "complete" : "not complete: ",
                  hd_plain_text(c->arena, missing, false));
    hd_vec(launch_row) list = {0};
    bool all = true;
    for (uint32_t l = 0; l < contents->launch_count; l++) {
        const hd_trace_launch *launch = &contents->launches[l];
        size_t at = 0;
        while (at < list.count &&
               (list.data[at].first->complete != launch->complete ||
                !hd_event_same_launch(&list.data[at].first->launch, &launch->launch)))
            at++;
        if (at == list.count)
            hd_push(c->arena, &list, (launch_row){.first = launch});
        launch_row *row = &list.data[at];
        row->last = launch->launch.number;
        row->count++;
        row->blocks += launch->block_count;
        row->mis += launch->mis;
        row->lane_accesses += launch->lane_accesses;
        row->bytes += launch->bytes;
        all &= launch->complete;
    }
    const launch_row *rows = list.data;
    size_t count = list.count;
    cli_show_rows(c, "\nLaunches", launch_columns, hd_rows(rows, count), &out);
    if (!all)
        hd_str_add(&out, "  * not all of the blocks that were to be traced\n");
    for (size_t i = 0; i < count; i++) { /* each kernel once, as its first launch had it */
        const hd_event_launch *launch = &rows[i].first->launch;
        size_t before = 0;
        while (strcmp(rows[before].first->launch.kernel, launch->kernel))
            before++;
        if (before < i)
            continue;
        const char *kernel = hd_plain_text(c->arena, launch->kernel, false);
        cli_show_rows(c, hd_format(c->arena, "\nAccesses of %s", kernel), hd_event_access_members,
                      hd_with(hd_rows(launch->accesses, launch->access_count), launch), &out);
        cli_show_rows(c, hd_format(c->arena, "\nBuffers of %s", kernel), hd_event_buffer_members,
                      hd_rows(launch->buffers, launch->buffer_count), &out);
    }
    return cli_print(c, &out);
}

/* What `trace info` prints as JSON. */
typedef struct info {
    traced sum;
    const hd_trace_contents *contents;
} info;

HD_GETTER(spaces_of, hd_trace_contents, hd_space_names(view->arena, row->spaces))

static const hd_member contents_members[] = {
    HD_SAME(hd_trace_contents, version, source),
    {"spaces", .get = spaces_of},
    {"missing", HD_AT(hd_trace_contents, missing), HD_UNLESS(hd_trace_contents, complete)},
    {"launches", HD_MANY(hd_trace_contents, launches, launch_count), .of = hd_trace_launch_members},
    {0}};
static const hd_member info_members[] = {{HD_IN(info, sum), .of = traced_members},
                                         {HD_BEHIND(info, contents), .of = contents_members},
                                         {0}};

/* Launches may share large tables, which JSON has for each of them. */
static int print_info(cli *c, const char *path, const hd_trace_contents *contents) {
    const info all = {sum_of(path, contents), contents};
    const uint64_t most = 1000000;
    uint64_t rows = 0;
    for (uint32_t l = 0; l < contents->launch_count; l++)
        rows += (uint64_t)contents->launches[l].launch.access_count +
                contents->launches[l].launch.buffer_count;
    if (rows <= most)
        return cli_print_row(c, info_members, hd_row(&all));
    return cli_status(hd_fail(&c->diag, HD_EUNSUPPORTED, &(hd_place){.file = path},
                              "its launches have %llu accesses and buffers, and --json can print "
                              "%llu: leave out --json",
                              (unsigned long long)rows, (unsigned long long)most));
}

int cmd_trace_info(cli *c) {
    hd_trace *trace;
    cli_end_on_stop();
    cli_progress(c, "opening");
    if (hd_foreign_tool(c->words[0])
            ? cli_open_foreign(c, c->words[0], &c->given->input.source, &trace)
            : hd_trace_open(c->arena, &c->diag, c->words[0], &trace))
        return CLI_WRONG;
    const hd_trace_contents *contents = hd_trace_get(trace);
    int status =
        c->json ? print_info(c, c->words[0], contents) : show_info(c, c->words[0], contents);
    hd_trace_close(trace);
    return status;
}

/* ---- export ----------------------------------------------------------------------------- */

typedef struct text_output {
    cli *c;
    hd_file *file; /* NULL: standard output */
} text_output;

static hd_status write_text(void *user, const char *text, size_t length) {
    text_output *out = user;
    if (out->file)
        return hd_file_add(out->file, text, length);
    if (fwrite(text, 1, length, stdout) == length)
        return HD_OK;
    return hd_fail(&out->c->diag, HD_ESYSTEM, NULL, "cannot write to standard output: %s",
                   strerror(errno));
}

/* What to export of which file, and what that was. */
typedef struct export_request {
    cli_input input;
    const char *out;
    hd_trace_choice choice; /* what the input's texts mean */
    hd_trace_sums sums;
} export_request;

static int export(cli *c, export_request *r, hd_trace *trace) {
    const hd_place place = {.file = r->input.path};
    cli_stop stop;
    cli_meter meter = {.c = c};
    text_output out = {c, NULL};
    if (r->out && cli_check_output(c, "out", r->out, &r->input.path, 1))
        return CLI_WRONG;
    const hd_trace_watch watch = {cli_show_meter, &meter, cli_catch_stop(&stop)};
    r->choice.watch = &watch;
    hd_status status = r->out ? hd_file_begin(c->arena, &c->diag, r->out, &out.file) : HD_OK;
    if (status == HD_OK)
        status = hd_trace_text_write(trace, &c->diag, &r->choice, write_text, &out, &r->sums);
    cli_progress(c, NULL);
    /* A signal leaves no file, or ends the text with lines that say so. */
    if (out.file && status == HD_OK && !*watch.stop)
        status = hd_file_keep(out.file);
    else if (out.file)
        hd_file_drop(out.file);
    cli_release_stop(&stop);
    if (status != HD_OK)
        return CLI_WRONG;
    if (*watch.stop) {
        hd_warn(&c->diag, &place, "stopped by a signal: %s",
                r->out ? "nothing was written" : "the text is not complete");
        return CLI_STOPPED;
    }
    if (!r->out)
        return CLI_FINE;
    /* With -o there is room for a summary on standard output. */
    const traced sum = {.path = r->out,
                        .sums = r->sums,
                        .complete = hd_trace_get(trace)->complete,
                        .is_text = true};
    hd_str text = {.arena = c->arena};
    hd_str_printf(&text, "wrote %s: %s, %s, %s\n", r->out,
                  hd_show_counted(c->arena, r->sums.blocks, "block", "s"),
                  hd_show_counted(c->arena, r->sums.mis, "MI", "s"),
                  hd_show_counted(c->arena, r->sums.lane_accesses, "lane access", "es"));
    return c->json ? cli_print_row(c, traced_members, hd_row(&sum)) : cli_print(c, &text);
}

int cmd_trace_export(cli *c) {
    export_request r = {.input = c->given->input, .out = c->given->input.out};
    hd_trace *trace;
    if (c->json && !r.out)
        return cli_wrong(c, "--json needs -o FILE: the text would stand beside it");
    cli_end_on_stop();
    const cli_input *in = &r.input;
    if (cli_read_choice(c, &r.input))
        return CLI_WRONG;
    if (in->launch_text && (in->first_launch != in->last_launch || in->last_launch > UINT32_MAX))
        return cli_wrong(c, "--launch takes a number from 0 on, not '%s'", in->launch_text);
    r.choice = (hd_trace_choice){.launch = in->launch_text ? (int64_t)in->first_launch : -1,
                                 .first_block = in->first_block,
                                 .last_block = in->last_block,
                                 .spaces = in->space_text ? in->spaces : 0};
    r.input.is_foreign = hd_foreign_tool(in->path);
    if (cli_open_trace(c, in, &trace))
        return CLI_WRONG;
    int status = export(c, &r, trace);
    hd_trace_close(trace);
    return status;
}

/* ---- import ----------------------------------------------------------------------------- */

int cmd_trace_import(cli *c) {
    const char *path = c->given->input.out;
    traced sum;
    if (!path)
        return cli_wrong(c, "where to? Name a file with -o FILE");
    const char *const inputs[] = {c->words[0]};
    bool stopped = false;
    if (check_trace(c, path, inputs, 1) ||
        cli_import_trace(c, c->words[0], &c->given->input.source, path, &stopped))
        return CLI_WRONG;
    if (stopped)
        return CLI_STOPPED;
    if (add_up(c, path, &sum))
        return CLI_WRONG;
    hd_str summary = {.arena = c->arena};
    show_traced(c, &sum, &summary);
    return c->json ? cli_print_row(c, traced_members, hd_row(&sum)) : cli_print(c, &summary);
}
