/*
 * heddle run: a program on the machine, and what its kernels moved (docs/cuda-programs.md,
 * docs/opencl-programs.md). The program runs with Heddle's libraries in place of CUDA's and its layer in
 * front of OpenCL's drivers; each of its processes leaves a file of results, which are put together here.
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>

#include "analysis/analysis.h"
#include "base/elf.h"
#include "cli/commands.h"
#include "cli/whole_program.h"

/* ---- results ------------------------------------------------------------------------------------ */

typedef struct kernel_row {
    const char *name;
    uint64_t launches, blocks, counted; /* blocks of which so many were counted */
    double seconds;
    hd_launch_counts counts;
} kernel_row;

typedef struct line_row {
    const char *kernel, *kind, *file;
    uint32_t line;
    hd_launch_counts counts;
} line_row;

typedef struct fault_row {
    const char *message, *memory, *kernel;
    uint64_t launch;
} fault_row;

typedef struct leak_row {
    uint64_t bytes, number;
    const char *kind, *stack;
} leak_row;

typedef struct left_row {
    const char *kernel, *why;
    uint64_t launches;
} left_row;

typedef struct watched {
    const char *program, *device;
    int32_t status; /* that the program ended with; -1: a signal ended it */
    bool was_stopped;
    uint32_t processes;
    uint64_t launches, most_memory;
    bool wants_leaks;
    hd_vec(kernel_row) kernels;
    hd_vec(line_row) lines;
    hd_vec(fault_row) faults;
    hd_vec(leak_row) leaks;
    hd_vec(left_row) left_out;
} watched;

/* The name of a kernel as its source has it; all return nothing. */
static const char *readable(hd_arena *arena, const char *name) {
    const char *text = hd_readable_symbol(arena, name ? name : "?");
    return strncmp(text, "void ", 5) ? text : text + 5;
}

static void take_results(hd_arena *arena, const json_t *all, void *user) {
    watched *r = user;
    size_t i;
    json_t *o;
    r->processes++;
    r->launches += cli_number_of(all, "launches");
    uint64_t memory = cli_number_of(all, "most_memory");
    r->most_memory = memory > r->most_memory ? memory : r->most_memory;
    json_array_foreach(json_object_get(all, "kernels"), i, o)
        hd_push(arena, &r->kernels,
                (kernel_row){readable(arena, cli_text_of(arena, o, "name")),
                             cli_number_of(o, "launches"), cli_number_of(o, "blocks"),
                             cli_number_of(o, "counted"),
                             json_real_value(json_object_get(o, "seconds")), cli_counts_of(o)});
    json_array_foreach(json_object_get(all, "lines"), i, o)
        hd_push(arena, &r->lines,
                (line_row){readable(arena, cli_text_of(arena, o, "kernel")),
                           cli_text_of(arena, o, "kind"), cli_text_of(arena, o, "file"),
                           (uint32_t)cli_number_of(o, "line"), cli_counts_of(o)});
    json_array_foreach(json_object_get(all, "faults"), i, o)
        hd_push(arena, &r->faults,
                (fault_row){cli_text_of(arena, o, "message"), cli_text_of(arena, o, "memory"),
                            readable(arena, cli_text_of(arena, o, "kernel")),
                            cli_number_of(o, "launch")});
    json_array_foreach(json_object_get(all, "left_out"), i, o)
        hd_push(arena, &r->left_out,
                (left_row){cli_text_of(arena, o, "kernel"), cli_text_of(arena, o, "why"),
                           cli_number_of(o, "launches")});
    json_array_foreach(json_object_get(all, "leaks"), i, o)
        hd_push(arena, &r->leaks,
                (leak_row){cli_number_of(o, "bytes"), cli_number_of(o, "number"),
                           cli_text_of(arena, o, "kind"), cli_text_of(arena, o, "stack")});
}

/* ---- tables --------------------------------------------------------------------------------------- */

static hd_value place_of(const hd_view *view, const void *at) {
    const line_row *row = at;
    if (!row->file)
        return hd_null();
    return hd_text(hd_format(view->arena, "%s:%u", hd_path_name(row->file), row->line));
}

static const hd_member kernel_members[] = {
    {"kernel", HD_AT(kernel_row, name)},
    HD_SAME(kernel_row, launches, blocks),
    {"blocks_counted", HD_AT(kernel_row, counted)},
    HD_SAME(kernel_row, seconds),
    {HD_IN(kernel_row, counts), .of = hd_launch_count_members},
    {0}};

/* Without its parameters. */
static hd_value short_name_of(const hd_view *view, const void *at) {
    const char *name = ((const line_row *)at)->kernel;
    return name ? hd_text(hd_strndup(view->arena, name, strcspn(name, "("))) : hd_null();
}

static const hd_member line_members[] = {HD_SAME(line_row, file, line, kernel, kind),
                                         {HD_IN(line_row, counts), .of = hd_launch_count_members},
                                         {0}};

static const hd_member fault_members[] = {HD_SAME(fault_row, message, memory, kernel, launch), {0}};
static const hd_member leak_members[] = {HD_SAME(leak_row, bytes, kind, number, stack), {0}};

static const hd_member left_members[] = {
    {"kernel", "kernel", HD_PLAIN, HD_AT(left_row, kernel)},
    {"launches", "launches", HD_COUNT, HD_AT(left_row, launches)},
    {"why", "because of", HD_PLAIN, HD_AT(left_row, why)},
    {0}};

static const hd_member result_members[] = {
    HD_SAME(watched, program, status, processes, device, launches, most_memory),
    {"kernels", HD_MANY(watched, kernels.data, kernels.count), .of = kernel_members},
    {"lines", HD_MANY(watched, lines.data, lines.count), .of = line_members},
    {"faults", HD_MANY(watched, faults.data, faults.count), .of = fault_members},
    {"left_out", HD_MANY(watched, left_out.data, left_out.count), .of = left_members},
    {"leaks", HD_MANY(watched, leaks.data, leaks.count), HD_IF(watched, wants_leaks),
     .of = leak_members},
    {0}};

/* What the analyses but the first show of a line. */
static uint64_t shown_of_others(const hd_launch_counts *counts) {
    uint64_t sum = 0;
    for (uint32_t i = 1; i < HD_ANALYSIS_COUNT; i++)
        for (const hd_member *m = hd_analyses[i]->members; m->key || m->title; m++)
            if (hd_analysis_column_of(hd_analyses[i], m).seen & HD_IN_PROGRAM)
                sum += hd_member_value(m, NULL, counts->of[i]).whole;
    return sum;
}

/* The lines that moved most first, of global memory or else by what other analyses show. */
static int by_weight(const void *a, const void *b) {
    const line_row *x = a, *y = b;
    if (x->counts.moved.bytes_moved != y->counts.moved.bytes_moved)
        return x->counts.moved.bytes_moved < y->counts.moved.bytes_moved ? 1 : -1;
    uint64_t p = shown_of_others(&x->counts), q = shown_of_others(&y->counts);
    return (p < q) - (p > q);
}

static hd_value counted_of(const hd_view *view, const void *at) {
    const kernel_row *k = at;
    (void)view;
    return hd_real(k->blocks ? (double)k->counted / (double)k->blocks : 1);
}

static void show(cli *c, const watched *r, hd_str *out) {
    enum { LINES_SHOWN = 10 };
    uint64_t blocks = 0, left_out = 0;
    for (size_t i = 0; i < r->kernels.count; i++) {
        blocks += r->kernels.data[i].blocks;
        left_out += r->kernels.data[i].blocks - r->kernels.data[i].counted;
    }
    const hd_member *counted = hd_launch_count_columns(c->arena, HD_IN_PROGRAM, NULL);
    /* The share of blocks that were counted stands where these are not all. */
    const hd_member kernel_columns[] = {
        {NULL, "kernel", HD_PLAIN, HD_AT(kernel_row, name)},
        {NULL, "launches", HD_COUNT, HD_AT(kernel_row, launches)},
        {"counted", left_out ? "counted" : NULL, HD_SHARE, .get = counted_of},
        {HD_IN(kernel_row, counts), .of = counted},
        {NULL, "time", HD_SECONDS, HD_AT(kernel_row, seconds)},
        {0}};
    const hd_member line_columns[] = {{NULL, "line", HD_PLAIN, .get = place_of},
                                      {NULL, "kernel", HD_PLAIN, .get = short_name_of},
                                      {NULL, "kind", HD_PLAIN, HD_AT(line_row, kind)},
                                      {HD_IN(line_row, counts), .of = counted},
                                      {0}};
    const char *title = hd_format(c->arena, "%s on %s, most memory %s",
                                  hd_show_counted(c->arena, r->launches, "launch", "es"), r->device,
                                  hd_show_bytes(c->arena, r->most_memory));
    if (r->kernels.count)
        cli_show_rows(c, title, kernel_columns, hd_rows(r->kernels.data, r->kernels.count), out);
    else
        hd_str_printf(out, "%s\n", title);
    if (left_out)
        hd_str_printf(out,
                      "%s of %s were counted and stand for all of them: the other figures are "
                      "estimates; --all counts every block\n",
                      hd_show_count(c->arena, (double)(blocks - left_out)),
                      hd_show_counted(c->arena, blocks, "block", "s"));
    size_t lines = 0;
    while (lines < r->lines.count && lines < LINES_SHOWN &&
           (r->lines.data[lines].counts.moved.bytes_moved ||
            shown_of_others(&r->lines.data[lines].counts)))
        lines++;
    if (lines)
        cli_show_rows(c, "\nThe lines that move most", line_columns, hd_rows(r->lines.data, lines),
                      out);
    if (r->left_out.count)
        cli_show_rows(c, "\nLaunches that the device has run, and not the machine", left_members,
                      hd_rows(r->left_out.data, r->left_out.count), out);
    if (r->faults.count)
        hd_str_printf(out, "\n%s; see above\n",
                      hd_show_counted(c->arena, r->faults.count, "fault", "s"));
    uint64_t bytes = 0;
    for (size_t i = 0; i < r->leaks.count; i++)
        bytes += r->leaks.data[i].bytes;
    if (r->wants_leaks)
        hd_str_printf(out, "\n%s not freed, of %s\n", hd_show_bytes(c->arena, bytes),
                      hd_show_counted(c->arena, r->leaks.count, "allocation", "s"));
    for (size_t i = 0; r->wants_leaks && i < r->leaks.count; i++) {
        const leak_row *l = &r->leaks.data[i];
        hd_str_printf(out, "  allocation %llu, %s of %s, allocated at\n%s",
                      (unsigned long long)l->number, hd_show_bytes(c->arena, l->bytes), l->kind,
                      l->stack ? l->stack : "");
    }
}

/* ---- thresholds ------------------------------------------------------------------------------------ */

/* A share of the bytes that a line moves, which are to be used. */
typedef struct threshold {
    const char *file; /* NULL: of every line that no other threshold is of */
    uint32_t line;
    double least;
} threshold;

/* Each "50%" or "tree.cu:17=50%". */
static hd_status read_thresholds(cli *c, const cli_texts *texts, threshold *all) {
    for (size_t i = 0; i < texts->count; i++) {
        const char *text = texts->data[i], *equal = strrchr(text, '=');
        if (equal) {
            const char *place = hd_strndup(c->arena, text, (size_t)(equal - text));
            if (!cli_read_line(c->arena, place, &all[i].file, &all[i].line) || !all[i].file)
                return cli_refuse(c, "--fail-below takes SHARE or FILE:LINE=SHARE, not '%s'", text);
        }
        if (cli_read_percent(c, "fail-below", equal ? equal + 1 : text, 100, &all[i].least))
            return HD_EINPUT;
    }
    return HD_OK;
}

static bool is_of(const threshold *t, const line_row *row) {
    return t->file && row->file && t->line == row->line && hd_path_ends_in(row->file, t->file);
}

/* Of a line that no threshold names, only where it moves this share of all bytes: a value that is
 * read once uses little, and costs nothing. */
static const double least_of_all = 0.01;

/* The lines below their thresholds are told: HD_EDIFFER where there are any. A threshold of a line
 * that moved nothing checks nothing: HD_EINPUT. */
static hd_status check_thresholds(cli *c, const watched *r, const threshold *all, size_t count) {
    hd_status status = HD_OK;
    uint64_t every = 0;
    for (size_t l = 0; l < r->lines.count; l++)
        every += r->lines.data[l].counts.moved.bytes_moved;
    for (size_t l = 0; l < r->lines.count; l++) {
        const line_row *row = &r->lines.data[l];
        const threshold *named = NULL, *any = NULL;
        for (size_t i = 0; i < count; i++)
            if (is_of(&all[i], row))
                named = &all[i];
            else if (!all[i].file)
                any = &all[i];
        if ((double)row->counts.moved.bytes_moved < least_of_all * (double)every)
            any = NULL;
        const threshold *its = named ? named : any;
        double used = hd_efficiency(&row->counts);
        if (its && used < its->least)
            status = hd_fail(
                &c->diag, HD_EDIFFER, &(hd_place){.file = row->file, .line = row->line},
                "%s of kernel '%s' uses %s of the bytes that it moves, less than %s", row->kind,
                row->kernel, hd_show_share(c->arena, used), hd_show_share(c->arena, its->least));
    }
    for (size_t i = 0; i < count; i++) {
        bool met = !all[i].file;
        for (size_t l = 0; l < r->lines.count && !met; l++)
            met = is_of(&all[i], &r->lines.data[l]);
        if (!met)
            return cli_refuse(c,
                              "--fail-below: line %u of %s has moved nothing; 'heddle run --json' "
                              "lists the lines that do (build with -lineinfo)",
                              all[i].line, all[i].file);
    }
    return status;
}

/* ---- kernels of HIP ------------------------------------------------------------------------------------- */

/* The kernels of the files that --source names, as kir in a folder; their names, with ':' between them. "":
 * none are named. */
static hd_status compile_kernels(cli *c, const char *folder, const char **files) {
    const cli_texts *sources = &c->given->input.source.sources;
    hd_str names = {.arena = c->arena};
    hd_status status = HD_OK;
    for (size_t i = 0; i < sources->count && !status; i++) {
        hd_job *job;
        kir_module *module;
        hd_str text = {.arena = c->arena};
        const char *path = hd_format(c->arena, "%s/%zu.kir", folder, i);
        if (cli_is_job(sources->data[i]))
            return cli_refuse(c, "--source takes source files, not '%s'", sources->data[i]);
        status = cli_load_module(c, sources->data[i], &c->given->input.source, &job, &module);
        if (status)
            return status;
        hd_str_printf(&text, "; %s\n", sources->data[i]);
        kir_print_module(&text, module);
        status = hd_write_file(&c->diag, path, hd_str_text(&text), text.length);
        hd_str_printf(&names, "%s%s", i ? ":" : "", path);
    }
    *files = hd_str_text(&names);
    return status;
}

/* HIP's programs are for AMD's devices, and hold machine code. */
static hd_status check_hip(cli *c) {
    const bool is_hip = cli_uses_hip(cli_program_file(c->arena, c->words[0]));
    if (is_hip && !c->given->devices.count)
        hd_push(c->arena, &c->given->devices, "mi300x");
    if (is_hip && !c->given->input.source.sources.count)
        return cli_refuse(c,
                          "%s is a program of HIP, whose kernels are in it as machine code; name "
                          "the files that they are written in: heddle run --source FILE -- %s",
                          c->words[0], c->words[0]);
    if (!is_hip && c->given->input.source.sources.count)
        return cli_refuse(c,
                          "--source is for programs of HIP; %s is none, and has its kernels as PTX",
                          c->words[0]);
    return HD_OK;
}

/* ---- the command -------------------------------------------------------------------------------------- */

static hd_status run_program(cli *c, const hd_device *device, double overhead, const char *folder,
                             watched *found) {
    int how;
    const cli_options *o = c->given;
    const char *kernels = "";
    if (compile_kernels(c, folder, &kernels))
        return HD_EINPUT;
    const char *options =
        hd_format(c->arena, "%s%s%s%ssample=%llu %s", c->quiet ? "quiet " : "",
                  o->input.machine.races ? "races " : "",
                  o->input.machine.uninitialised ? "uninitialised " : "", o->leaks ? "leaks " : "",
                  (unsigned long long)(o->sample ? o->sample : 1),
                  o->all ? "" : hd_format(c->arena, "overhead=%g", overhead));
    const cli_setting settings[] = {{"HEDDLE_WATCH", folder},
                                    {"HEDDLE_WATCH_OPTIONS", options},
                                    {"HEDDLE_DEVICE", cli_device_setting(c, device)},
                                    {"HEDDLE_KERNELS", kernels},
                                    {0}};
    const cli_program_run run = {.words = c->words, .settings = settings, .quiet_output = c->json};
    hd_status status = cli_run_program(c, &run, &how);
    if (status)
        return status;
    found->status = WIFEXITED(how) ? WEXITSTATUS(how) : -1;
    found->was_stopped = cli_was_stopped(how);
    if (WIFSIGNALED(how))
        hd_warn(&c->diag, NULL,
                "signal %d (%s) ended %s; what follows is of what it did until then", WTERMSIG(how),
                strsignal(WTERMSIG(how)), c->words[0]);
    else if (found->status)
        hd_warn(&c->diag, NULL, "%s ended with status %d", c->words[0], found->status);
    status = cli_read_results(c, folder, take_results, found);
    if (!status && !found->processes && WIFEXITED(how))
        hd_warn(
            &c->diag, NULL,
            "%s has used neither CUDA's runtime nor OpenCL, or ended in a way that left no results "
            "(_exit)",
            c->words[0]);
    return status;
}

int cmd_run_program(cli *c) {
    const cli_options *o = c->given;
    const hd_device *device;
    char *folder;
    double overhead = 0.2;
    threshold *thresholds = hd_new_array(c->arena, threshold, o->thresholds.count + 1);
    if (read_thresholds(c, &o->thresholds, thresholds) ||
        cli_read_percent(c, "overhead", o->overhead, 1000, &overhead) ||
        cli_check_program(c, c->words[0]) || (!o->dry && check_hip(c)) ||
        cli_find_device(c, &device))
        return CLI_WRONG;
    if (o->dry)
        return cli_run_dry(c, device);
    if (hd_scratch_make(c->arena, &c->diag, &folder))
        return CLI_WRONG;
    watched found = {.program = c->words[0], .device = device->name, .wants_leaks = o->leaks};
    hd_status status = run_program(c, device, overhead, folder, &found);
    hd_scratch_remove(folder);
    if (status)
        return cli_status(status);
    if (found.lines.count)
        qsort(found.lines.data, found.lines.count, sizeof *found.lines.data, by_weight);
    hd_str out = {.arena = c->arena};
    show(c, &found, &out);
    int printed = c->json           ? cli_print_row(c, result_members, hd_row(&found))
                  : found.processes ? cli_print(c, &out)
                                    : CLI_FINE;
    hd_status below = check_thresholds(c, &found, thresholds, o->thresholds.count);
    bool wrong = found.status || found.faults.count || found.leaks.count;
    return printed             ? printed
           : found.was_stopped ? CLI_STOPPED
           : wrong             ? CLI_WRONG
                               : cli_status(below);
}
