/*
 * heddle trace info, export, import: trace files without a machine.
 *
 * A trace of a killed run is no error here: what is missing is said, and the rest is
 * shown or exported.
 */
#include <errno.h>
#include <math.h>
#include <stdio.h>

#include "cli/contents.h"
#include "cli/input.h"
#include "cli/stop.h"
#include "cli/trace_file.h"
#include "report/json.h"

static const char *show_number(hd_arena *arena, uint64_t number) {
    return hd_show_count(arena, (double)number);
}

/* ---- sums ---------------------------------------------------------------------------- */

static cli_traced sum_of(const hd_trace_contents *contents) {
    const hd_trace_sums s = hd_trace_sum(contents);
    return (cli_traced){s.launches,      s.blocks,        s.mis,
                        s.lane_accesses, contents->bytes, contents->complete};
}

hd_status cli_trace_sum(cli *c, const char *path, cli_traced *traced) {
    hd_trace *trace;
    hd_status status = hd_trace_open(c->arena, &c->diag, path, &trace);
    if (status != HD_OK)
        return status;
    *traced = sum_of(hd_trace_get(trace));
    hd_trace_close(trace);
    return HD_OK;
}

static double bytes_each(uint64_t bytes, uint64_t lane_accesses) {
    return lane_accesses ? (double)bytes / (double)lane_accesses : NAN;
}

static const char *show_bytes_each(hd_arena *arena, uint64_t bytes, uint64_t lane_accesses) {
    return lane_accesses ? hd_format(arena, "%.3g", bytes_each(bytes, lane_accesses)) : "-";
}

void cli_show_traced(cli *c, const char *path, const cli_traced *traced, hd_str *out) {
    hd_str_printf(out, "%s: %s, %s, %s, %s\n  %s, %s bytes for each lane access\n", path,
                  hd_show_counted(c->arena, traced->launches, "launch", "es"),
                  hd_show_counted(c->arena, traced->blocks, "block", "s"),
                  hd_show_counted(c->arena, traced->mis, "MI", "s"),
                  hd_show_counted(c->arena, traced->lane_accesses, "lane access", "es"),
                  hd_show_bytes(c->arena, traced->bytes),
                  show_bytes_each(c->arena, traced->bytes, traced->lane_accesses));
}

void cli_traced_json(const char *path, const cli_traced *traced, json_t *object) {
    json_object_set_new(object, "file", hd_json_text(path));
    json_object_set_new(object, "runs", json_integer((json_int_t)traced->launches));
    json_object_set_new(object, "blocks", json_integer((json_int_t)traced->blocks));
    json_object_set_new(object, "mis", json_integer((json_int_t)traced->mis));
    json_object_set_new(object, "lane_accesses", json_integer((json_int_t)traced->lane_accesses));
    json_object_set_new(object, "bytes", json_integer((json_int_t)traced->bytes));
    json_object_set_new(object, "bytes_per_lane_access",
                        hd_json_number(bytes_each(traced->bytes, traced->lane_accesses)));
    json_object_set_new(object, "complete", json_boolean(traced->complete));
}

/* ---- info ----------------------------------------------------------------------------- */

/* Launches of one kernel with the same sizes and complete or not, as one line. */
typedef struct launch_row {
    const hd_trace_launch *first;
    uint32_t last; /* number of the last one */
    uint64_t count, blocks, mis, lane_accesses, bytes;
} launch_row;

static bool same_row(const hd_trace_launch *a, const hd_trace_launch *b) {
    const hd_event_launch *x = &a->launch, *y = &b->launch;
    return a->complete == b->complete && !strcmp(x->kernel, y->kernel) && x->dims == y->dims &&
           !memcmp(x->groups, y->groups, sizeof x->groups) &&
           !memcmp(x->local, y->local, sizeof x->local);
}

static launch_row *rows_of(cli *c, const hd_trace_contents *contents, size_t *count) {
    hd_vec(launch_row) rows = {0};
    for (uint32_t l = 0; l < contents->launch_count; l++) {
        const hd_trace_launch *launch = &contents->launches[l];
        size_t at = 0;
        while (at < rows.count && !same_row(rows.data[at].first, launch))
            at++;
        if (at == rows.count)
            hd_push(c->arena, &rows, (launch_row){.first = launch});
        launch_row *row = &rows.data[at];
        row->last = launch->launch.number;
        row->count++;
        row->blocks += launch->block_count;
        row->mis += launch->mis;
        row->lane_accesses += launch->lane_accesses;
        row->bytes += launch->bytes;
    }
    *count = rows.count;
    return rows.data;
}

/* "3", "3 to 9", and "3 .. 9 (4)" for four when others stand between. */
static const char *numbers_text(hd_arena *arena, const launch_row *row) {
    uint32_t first = row->first->launch.number;
    if (row->count == 1)
        return hd_format(arena, "%u", first);
    if (row->last - first + 1 == row->count)
        return hd_format(arena, "%u to %u", first, row->last);
    return hd_format(arena, "%u .. %u (%llu)", first, row->last, (unsigned long long)row->count);
}

static void show_launches(cli *c, const launch_row *rows, size_t count, hd_str *out) {
    static const hd_column columns[] = {{"launch", HD_LEFT, false},
                                        {"kernel", HD_LEFT, true},
                                        {"blocks x threads", HD_RIGHT, true},
                                        {"blocks", HD_RIGHT, false},
                                        {"MIs", HD_RIGHT, false},
                                        {"lane accesses", HD_RIGHT, true},
                                        {"bytes each", HD_RIGHT, true}};
    hd_table *table = hd_table_new(c->arena, columns, sizeof columns / sizeof *columns);
    for (size_t i = 0; i < count; i++) {
        const launch_row *row = &rows[i];
        const hd_event_launch *launch = &row->first->launch;
        hd_table_row(table,
                     (const char *[]){
                         numbers_text(c->arena, row), launch->kernel,
                         cli_show_sizes(c->arena, launch->dims, launch->groups, launch->local),
                         hd_format(c->arena, "%s%s", show_number(c->arena, row->blocks),
                                   row->first->complete ? "" : " *"),
                         show_number(c->arena, row->mis), show_number(c->arena, row->lane_accesses),
                         show_bytes_each(c->arena, row->bytes, row->lane_accesses)});
    }
    hd_str_add(out, "\nLaunches\n");
    hd_table_print(table, out, c->style.bold);
    for (size_t i = 0; i < count; i++)
        if (!rows[i].first->complete) {
            hd_str_add(out, "  * not all of the blocks that were to be traced\n");
            return;
        }
}

static const char *line_text(hd_arena *arena, const hd_event_launch *launch,
                             const hd_event_access *a) {
    if (!a->line)
        return "";
    if (launch->file_count < 2 || a->file >= launch->file_count)
        return hd_format(arena, "%u", a->line);
    const char *slash = strrchr(launch->files[a->file], '/');
    return hd_format(arena, "%s:%u", slash ? slash + 1 : launch->files[a->file], a->line);
}

/* "bodies.x"; "?" where the trace does not say which buffer. */
static const char *target_text(hd_arena *arena, const hd_event_launch *launch,
                               const hd_event_access *a) {
    const char *buffer = a->buffer >= 0 ? launch->buffers[a->buffer].name : NULL;
    return hd_format(arena, "%s%s%s", buffer ? buffer : "?", a->field ? "." : "",
                     a->field ? a->field : "");
}

static void show_accesses(cli *c, const hd_event_launch *launch, hd_str *out) {
    static const hd_column columns[] = {{"", HD_RIGHT, false},      {"line", HD_RIGHT, false},
                                        {"access", HD_LEFT, false}, {"target", HD_LEFT, true},
                                        {"space", HD_LEFT, false},  {"bytes", HD_RIGHT, false}};
    hd_table *table = hd_table_new(c->arena, columns, sizeof columns / sizeof *columns);
    for (uint32_t i = 0; i < launch->access_count; i++) {
        const hd_event_access *a = &launch->accesses[i];
        hd_table_row(
            table, (const char *[]){hd_format(c->arena, "%u", i), line_text(c->arena, launch, a),
                                    hd_access_kind_name(a->kind), target_text(c->arena, launch, a),
                                    kir_space_name(a->space), hd_format(c->arena, "%u", a->width)});
    }
    hd_str_printf(out, "\nAccesses of %s\n", hd_plain_text(c->arena, launch->kernel, false));
    hd_table_print(table, out, c->style.bold);
}

static void show_buffers(cli *c, const hd_event_launch *launch, hd_str *out) {
    static const hd_column columns[] = {{"name", HD_LEFT, true},
                                        {"type", HD_LEFT, true},
                                        {"space", HD_LEFT, false},
                                        {"address", HD_RIGHT, false},
                                        {"bytes", HD_RIGHT, false}};
    hd_table *table = hd_table_new(c->arena, columns, sizeof columns / sizeof *columns);
    for (uint32_t i = 0; i < launch->buffer_count; i++) {
        const hd_event_buffer *b = &launch->buffers[i];
        hd_table_row(table,
                     (const char *[]){b->name, b->type ? b->type : "", kir_space_name(b->space),
                                      hd_format(c->arena, "0x%llx", (unsigned long long)b->base),
                                      hd_format(c->arena, "%llu", (unsigned long long)b->bytes)});
    }
    hd_str_printf(out, "\nBuffers of %s\n", hd_plain_text(c->arena, launch->kernel, false));
    hd_table_print(table, out, c->style.bold);
}

static const char *spaces_text(hd_arena *arena, uint32_t spaces) {
    hd_str text = {.arena = arena};
    for (int s = KIR_PRIVATE; s <= KIR_GENERIC; s++)
        if (spaces >> s & 1)
            hd_str_printf(&text, "%s%s", text.length ? ", " : "", kir_space_name((kir_space)s));
    return hd_str_text(&text);
}

/* Each kernel once, as its first launch had it. */
static void show_kernels(cli *c, const launch_row *rows, size_t count, hd_str *out) {
    for (size_t i = 0; i < count; i++) {
        const hd_event_launch *launch = &rows[i].first->launch;
        size_t before = 0;
        while (strcmp(rows[before].first->launch.kernel, launch->kernel))
            before++;
        if (before < i)
            continue;
        show_accesses(c, launch, out);
        show_buffers(c, launch, out);
    }
}

static int show_info(cli *c, const char *path, const hd_trace_contents *contents) {
    hd_str out = {.arena = c->arena};
    cli_traced sum = sum_of(contents);
    cli_show_traced(c, path, &sum, &out);
    const char *source = contents->source ? contents->source : "a source that is not known";
    const char *missing = contents->complete ? "" : contents->missing;
    hd_str_printf(&out, "  version %u, of %s, accesses to %s\n  %s%s\n", contents->version,
                  hd_plain_text(c->arena, source, false), spaces_text(c->arena, contents->spaces),
                  contents->complete ? "complete" : "not complete: ",
                  hd_plain_text(c->arena, missing, false));
    size_t count;
    launch_row *rows = rows_of(c, contents, &count);
    show_launches(c, rows, count, &out);
    show_kernels(c, rows, count, &out);
    return cli_print(c, &out);
}

/* Launches may share large tables, which JSON has for each of them. */
static hd_status check_rows(cli *c, const char *path, const hd_trace_contents *contents) {
    const uint64_t most = 1000000;
    uint64_t rows = 0;
    for (uint32_t l = 0; l < contents->launch_count; l++)
        rows += (uint64_t)contents->launches[l].launch.access_count +
                contents->launches[l].launch.buffer_count;
    return rows <= most
               ? HD_OK
               : hd_fail(&c->diag, HD_EUNSUPPORTED, &(hd_place){.file = path},
                         "its launches have %llu accesses and buffers, and --json can print %llu: "
                         "leave out --json",
                         (unsigned long long)rows, (unsigned long long)most);
}

static int print_info_json(cli *c, const char *path, const hd_trace_contents *contents) {
    if (check_rows(c, path, contents))
        return CLI_WRONG;
    json_t *object = json_object(), *launches = json_array();
    cli_traced sum = sum_of(contents);
    cli_traced_json(path, &sum, object);
    json_object_set_new(object, "version", json_integer(contents->version));
    json_object_set_new(object, "source", hd_json_text(contents->source));
    json_object_set_new(object, "spaces", hd_json_spaces(contents->spaces));
    json_object_set_new(object, "missing",
                        hd_json_text(contents->complete ? NULL : contents->missing));
    for (uint32_t l = 0; l < contents->launch_count; l++)
        json_array_append_new(launches, hd_json_trace_launch(c->arena, &contents->launches[l]));
    json_object_set_new(object, "launches", launches);
    return cli_print_json(c, object);
}

int cmd_trace_info(cli *c, int argc, char **argv) {
    const cli_page page = {
        "[OPTIONS] FILE",
        "Says what a trace file holds: its launches, the accesses and buffers of their kernels, "
        "and what is missing when the run that wrote it did not come to its end. Of a run that "
        "was killed, FILE.part is left.",
        NULL,
        NULL,
        1,
        1};
    char **words;
    uint32_t word_count;
    int status;
    hd_trace *trace;
    if (!cli_parse(c, &page, argc, argv, &words, &word_count, &status))
        return status;
    cli_end_on_stop();
    cli_progress(c, "opening");
    if (hd_trace_open(c->arena, &c->diag, words[0], &trace))
        return CLI_WRONG;
    const hd_trace_contents *contents = hd_trace_get(trace);
    status = c->json ? print_info_json(c, words[0], contents) : show_info(c, words[0], contents);
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
    const char *path, *out;
    const char *launch_text, *block_text, *space_text;
    hd_trace_choice choice; /* what they mean */
    hd_trace_sums sums;
} export_request;

static hd_status read_choice(cli *c, export_request *r) {
    hd_trace_choice *choice = &r->choice;
    const char *end = r->launch_text;
    uint64_t number = 0;
    choice->launch = -1;
    if (r->launch_text) {
        if (!cli_whole(end, &end, &number) || *end || number > UINT32_MAX)
            return hd_fail(&c->diag, HD_EINPUT, NULL, "--launch takes a number from 0 on, not '%s'",
                           r->launch_text);
        choice->launch = (int64_t)number;
    }
    hd_status status =
        cli_read_range(c, "blocks", r->block_text, &choice->first_block, &choice->last_block);
    if (status == HD_OK && r->space_text)
        status = cli_read_spaces(c, r->space_text, &choice->spaces);
    return status;
}

static bool has_block(const hd_trace_launch *launch, const hd_trace_choice *choice) {
    for (uint64_t b = 0; b < launch->block_count; b++)
        if (launch->blocks[b].block >= choice->first_block &&
            launch->blocks[b].block <= choice->last_block)
            return true;
    return false;
}

/* What is asked for must be there. */
static hd_status check_choice(cli *c, const export_request *r, const hd_trace_contents *contents) {
    const hd_place place = {.file = r->path};
    const hd_trace_choice *choice = &r->choice;
    bool launch = choice->launch < 0, block = !r->block_text;
    for (uint32_t l = 0; l < contents->launch_count; l++) {
        const hd_trace_launch *at = &contents->launches[l];
        if (choice->launch >= 0 && at->launch.number != choice->launch)
            continue;
        launch = true;
        block = block || has_block(at, choice);
    }
    if (!launch)
        return hd_fail(&c->diag, HD_EINPUT, &place,
                       "--launch %s: the trace has no such launch; 'heddle trace info' lists "
                       "them",
                       r->launch_text);
    if (!block)
        return hd_fail(&c->diag, HD_EINPUT, &place,
                       "--blocks %s: no launch that is exported has such a block", r->block_text);
    if (choice->spaces & ~contents->spaces)
        return hd_fail(&c->diag, HD_EINPUT, &place, "--space %s: the trace has accesses only to %s",
                       r->space_text, spaces_text(c->arena, contents->spaces));
    return HD_OK;
}

static hd_status export_to(cli *c, hd_trace *trace, export_request *r, text_output *out) {
    hd_status status = hd_trace_text_write(trace, &c->diag, &r->choice, write_text, out, &r->sums);
    cli_progress(c, NULL);
    return status;
}

static hd_status export_to_file(cli *c, hd_trace *trace, export_request *r) {
    text_output out = {c, NULL};
    hd_status status = hd_file_begin(c->arena, &c->diag, r->out, &out.file);
    if (status != HD_OK)
        return status;
    status = export_to(c, trace, r, &out);
    if (status == HD_OK && !*r->choice.watch->stop)
        return hd_file_keep(out.file);
    hd_file_drop(out.file);
    return status;
}

/* A signal leaves no file, or ends the text with lines that say so; *stopped tells. */
static hd_status export_watched(cli *c, hd_trace *trace, export_request *r, bool *stopped) {
    cli_stop stop;
    cli_meter meter = {.c = c};
    text_output standard = {c, NULL};
    const hd_trace_watch watch = {cli_show_meter, &meter, cli_catch_stop(&stop)};
    r->choice.watch = &watch;
    hd_status status = r->out ? export_to_file(c, trace, r) : export_to(c, trace, r, &standard);
    cli_release_stop(&stop);
    *stopped = *watch.stop;
    return status;
}

/* With -o there is room for a summary on standard output. */
static int show_exported(cli *c, const export_request *r, bool complete) {
    const hd_trace_sums *sums = &r->sums;
    if (c->json) {
        const cli_traced traced = {sums->launches, sums->blocks, sums->mis, sums->lane_accesses, 0,
                                   complete};
        json_t *object = json_object();
        cli_traced_json(r->out, &traced, object);
        json_object_del(object, "bytes");
        json_object_del(object, "bytes_per_lane_access");
        return cli_print_json(c, object);
    }
    hd_str text = {.arena = c->arena};
    hd_str_printf(&text, "wrote %s: %s, %s, %s\n", r->out,
                  hd_show_counted(c->arena, sums->blocks, "block", "s"),
                  hd_show_counted(c->arena, sums->mis, "MI", "s"),
                  hd_show_counted(c->arena, sums->lane_accesses, "lane access", "es"));
    return cli_print(c, &text);
}

static int export(cli *c, export_request *r, hd_trace *trace) {
    const hd_trace_contents *contents = hd_trace_get(trace);
    const hd_place place = {.file = r->path};
    bool stopped;
    if (check_choice(c, r, contents) || (r->out && cli_check_output(c, "out", r->out, &r->path, 1)))
        return CLI_WRONG;
    if (!contents->complete)
        hd_warn(&c->diag, &place, "the trace is not complete: %s", contents->missing);
    if (export_watched(c, trace, r, &stopped))
        return CLI_WRONG;
    if (stopped) {
        hd_warn(&c->diag, &place, "stopped by a signal: %s",
                r->out ? "nothing was written" : "the text is not complete");
        return CLI_STOPPED;
    }
    return r->out ? show_exported(c, r, contents->complete) : CLI_FINE;
}

int cmd_trace_export(cli *c, int argc, char **argv) {
    export_request r = {0};
    const cli_option options[] = {
        {"out", 'o', "FILE", "the file to write; default: standard output", CLI_TEXT, &r.out},
        {"launch", 0, "N", "export only this launch, by its number", CLI_TEXT, &r.launch_text},
        {"blocks", 0, "A[-B]", "export only these blocks of each launch", CLI_TEXT, &r.block_text},
        {"space", 0, "SPACES",
         "export only accesses to these: global, local, constant, private, separated by commas",
         CLI_TEXT, &r.space_text, "global local constant private"},
        {0}};
    const cli_page page = {
        "[OPTIONS] FILE",
        "Writes a trace file in the text form, which 'heddle help trace-text' explains. Of a trace "
        "that is not complete, the blocks that are.",
        options,
        NULL,
        1,
        1};
    char **words;
    uint32_t word_count;
    int status;
    hd_trace *trace;
    if (!cli_parse(c, &page, argc, argv, &words, &word_count, &status))
        return status;
    r.path = words[0];
    if (c->json && !r.out) {
        hd_fail(&c->diag, HD_EINPUT, NULL, "--json needs -o FILE: the text would stand beside it");
        return CLI_WRONG;
    }
    cli_end_on_stop();
    if (read_choice(c, &r) || hd_trace_open(c->arena, &c->diag, r.path, &trace))
        return CLI_WRONG;
    status = export(c, &r, trace);
    hd_trace_close(trace);
    return status;
}

/* ---- import ----------------------------------------------------------------------------- */

/* From the text that was read to a file; a signal leaves none, and *stopped tells. */
static hd_status write_imported(cli *c, const char *path, const char *out, hd_trace_text *text,
                                const volatile sig_atomic_t *stop, bool *stopped) {
    hd_trace_writer *writer;
    const hd_trace_header header = {.source = path, .spaces = hd_trace_text_spaces(text)};
    hd_status status = hd_trace_create(c->arena, &c->diag, out, &header, &writer);
    if (status != HD_OK)
        return status;
    hd_sink sink = hd_trace_sink(writer);
    status = hd_trace_text_send(text, &sink);
    *stopped = *stop;
    if (!*stopped)
        return hd_trace_end(writer, status, true);
    hd_trace_abandon(writer);
    hd_warn(&c->diag, &(hd_place){.file = path}, "stopped by a signal: nothing was written");
    return HD_OK;
}

static hd_status import(cli *c, const char *path, const char *out, bool *stopped) {
    hd_trace_text *text;
    cli_stop stop;
    cli_meter meter = {.c = c};
    const hd_trace_watch watch = {cli_show_meter, &meter, cli_catch_stop(&stop)};
    hd_status status = hd_trace_text_open_watched(c->arena, &c->diag, path, &watch, &text);
    if (status == HD_OK)
        status = write_imported(c, path, out, text, watch.stop, stopped);
    cli_release_stop(&stop);
    cli_progress(c, NULL);
    return status;
}

int cmd_trace_import(cli *c, int argc, char **argv) {
    const char *path = NULL;
    const cli_option options[] = {{"out", 'o', "FILE", "the trace file to write", CLI_TEXT, &path},
                                  {0}};
    const cli_page page = {
        "TEXT -o FILE",
        "Turns the text form, as 'heddle trace export' writes it or another tool does, into a "
        "trace file.",
        options,
        NULL,
        1,
        1};
    char **words;
    uint32_t word_count;
    int status;
    cli_traced traced;
    if (!cli_parse(c, &page, argc, argv, &words, &word_count, &status))
        return status;
    if (!path) {
        hd_fail(&c->diag, HD_EINPUT, NULL, "where to? Name a file with -o FILE");
        return CLI_WRONG;
    }
    const char *const inputs[] = {words[0]};
    bool stopped = false;
    if (cli_check_trace(c, path, inputs, 1) || import(c, words[0], path, &stopped))
        return CLI_WRONG;
    if (stopped)
        return CLI_STOPPED;
    if (cli_trace_sum(c, path, &traced))
        return CLI_WRONG;
    if (c->json) {
        json_t *object = json_object();
        cli_traced_json(path, &traced, object);
        return cli_print_json(c, object);
    }
    hd_str out = {.arena = c->arena};
    cli_show_traced(c, path, &traced, &out);
    return cli_print(c, &out);
}
