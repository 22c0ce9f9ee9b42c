/*
 * The command line. commands.c holds the table of commands, each of which is one function, and
 * that of options, which are parsed (options.c) before it is called. A command loads what they
 * name (load.c), calls the library, and prints once, at its end, so
 * that a failure leaves no half of a result on standard output. (`advise` prints
 * in two parts where it measures: what is known without a device comes at once.)
 *
 * Exit status: 0 done, 1 the outputs of two versions differ or a kernel is below what
 * `show --fail-below` asks for, 2 anything wrong, 130 a run was stopped by a signal.
 */
#ifndef HD_CLI_H
#define HD_CLI_H

#include <jansson.h>

#include "base/base.h"
#include "base/ranks.h"
#include "device/device.h"
#include "frontend/frontend.h"
#include "job/job.h"
#include "cli/report/report_result.h"
#include "rewrite/placed.h"
#include "rewrite/rewrite.h"

enum { CLI_FINE = 0, CLI_DIFFER = 1, CLI_WRONG = 2, CLI_STOPPED = 130 };

/* The device profile where none is named. */
#define CLI_DEVICE "h200"

/* What every command is given. */
typedef struct cli {
    const char *command; /* its name */
    hd_arena *arena;
    hd_diag diag; /* shows messages on standard error */
    hd_printer printer;
    bool json, quiet;
    /* Of heddle-mpi, all of whose ranks run the command; NULL: it runs in this process alone. */
    const hd_ranks *ranks;
    bool is_first;             /* of the ranks, or alone: only this one prints, and writes files */
    hd_style style;            /* of standard output */
    struct cli_options *given; /* the options: commands.h */
    char **words;              /* what cli_parse() leaves: the words that are no options */
    uint32_t word_count;
    char **program;        /* whose recording is the command's input, and goes with it; or NULL */
    const char *recording; /* the folder of that */
    int status;            /* when it returns false */
} cli;

/* ---- main.c ------------------------------------------------------------------ */

/* Ranks, and what they do when the command has ended on one of them. */
typedef struct cli_ranks {
    const hd_ranks *ranks;
    /* Waits for the end of all. `text` is the errors that this rank has not printed, or "". Prints
     * those of the lowest rank where something went wrong, unless the first has printed its own.
     * Returns the exit status of the run. */
    int (*ended)(const struct cli_ranks *ranks, const hd_diag *diag, int status, const char *text);
} cli_ranks;

/* The program: `ranks` is NULL where it is one process. Returns the exit status. */
int cli_main(const cli_ranks *ranks, int argc, char **argv);

/* The exit status of a call. */
int cli_status(hd_status status);
/* Writes a result to standard output. Returns an exit status. */
int cli_print(cli *c, const hd_str *text);
int cli_print_json(cli *c, json_t *value); /* takes `value` */
/* Adds rows as a table, under a line `title`, which may be NULL. */
void cli_show_rows(const cli *c, const char *title, const hd_member *members, hd_value rows,
                   hd_str *out);
/* A path as results have it: of a program's recording, which nobody finds again, the program, and of
 * the files in it what they are called there. */
const char *cli_shown(const cli *c, const char *path);
/* Prints a row as the command's JSON. Returns an exit status. */
int cli_print_row(cli *c, const hd_member *members, hd_value row);
/* Says on a terminal what is being done; NULL takes it away. Messages and
 * cli_print() take it away, too. */
void cli_progress(cli *c, const char *what);
/* The same with the share that is done, a few times a second, and where standard error is no terminal
 * as a note each minute; for the progress functions of libraries. */
typedef struct cli_meter {
    cli *c;
    const char *step;    /* of several; or NULL */
    double start, shown; /* seconds; with a start the time that is left is shown, too */
    char doing[64];      /* that was said last */
} cli_meter;
void cli_show_meter(void *meter, const char *doing, double done);

/* ---- options.c ------------------------------------------------------------------ */

typedef struct cli_texts {
    const char **data;
    size_t count, capacity;
} cli_texts;

typedef struct cli_sizes {
    uint32_t dims; /* 0: not given */
    uint64_t size[3];
} cli_sizes;

/* Flags that stand in for a job file when a kernel file alone is given. */
typedef struct cli_source {
    const char *entry, *options, *record, *record_of;
    const char *build; /* the folder of a compile_commands.json whose options come first */
    cli_sizes global, local;
    uint64_t count;
    cli_texts values, split;
    bool as_written;    /* kernels as their source has them; else as the device's compiler does */
    cli_texts sources;  /* of a program whose recording it is */
    bool trust_options; /* of a job: they need not be those of hd_job_check_options() */
    bool any_entry;     /* no launch is wanted, only its record: any kernel with one will do */
    bool whole_file;    /* all kernels are compiled, with --entry, too: they may take its record */
    bool finds_records; /* in the indices of buffers, where the kernels know none */
    bool tells_records; /* which those are, for who asks for layouts */
} cli_source;

/* The back end of a device that is named alone. CUDA's devices are known by their ids: others of the
 * name may be OpenCL's. */
const char *cli_backend_of(const char *device);
/* What a device is called in the profile database: the name of one given as "P:D" or "cuda:D", else
 * the part of a name itself; NULL stays. */
const char *cli_device_name(cli *c, const char *device);
/* An error in what the user asks for that no file is to blame for. */
#define cli_refuse(c, ...) hd_fail(&(c)->diag, HD_EINPUT, NULL, __VA_ARGS__)
/* An error in a file, or in what is to become one. */
#define cli_fail_at(c, path, ...)                                            \
    hd_fail(&(c)->diag, HD_EINPUT, &(hd_place){.file = (path)}, __VA_ARGS__)
/* The same as a command's exit status. */
#define cli_wrong(c, ...) cli_status(cli_refuse(c, __VA_ARGS__))

/* A whole number from 0 on, decimal or 0x...; *end is after it. */
bool cli_whole(const char *text, const char **end, uint64_t *value);

/* "17" or "tree.h:17"; *file is NULL for the first. */
bool cli_read_line(hd_arena *arena, const char *text, const char **file, uint32_t *line);

/* The next of the words in *rest that have commas, and maybe blanks, between them; any may be empty.
 * *rest is NULL behind the last one; then NULL. */
const char *cli_next_word(hd_arena *arena, const char **rest);

/* The name nearest to `word`, or NULL when none is near. */
const char *cli_nearest(const char *word, const char *const *names, size_t count);

/* cmd_device.c: what --device takes, or --on. */
hd_status cli_device_names(cli *c, bool profiles, cli_texts *names);

/* ---- load.c: what the words and options name, loaded -------------------------------- */

/* By its name. */
bool cli_is_job(const char *path);
/* The job file in a folder that heddle record has made; other paths as they are. The first: over
 * the source, where there is one; the second: what was recorded, with results. */
const char *cli_job_path(cli *c, const char *path);
const char *cli_recorded_path(cli *c, const char *path);

/* compile_commands.c: puts the options that a build compiles the file with before *options, which
 * may be NULL. `build` is a compile_commands.json, or the folder that it is in. */
hd_status cli_build_options(cli *c, const char *build, const char *file, const char **options);

/* Compiles the kernels of a JOB or FILE. For a job file, *job is the job, not
 * yet resolved; for a kernel file it is NULL. */
hd_status cli_load_module(cli *c, const char *path, const cli_source *source, hd_job **job,
                          kir_module **module);
/* A resolved job for the kernel source->entry of a compiled FILE. */
hd_status cli_job_of_kernel(cli *c, const char *path, const cli_source *source,
                            const kir_module *module, hd_job **job);
/* A resolved job from a JOB or FILE. */
hd_status cli_load(cli *c, const char *path, const cli_source *source, hd_job **job);
/* The profiles that --device names, or CLI_DEVICE; and the first of them. */
hd_status cli_find_devices(cli *c, const hd_device ***devices, size_t *count);
hd_status cli_find_device(cli *c, const hd_device **device);
/* The error of who names no layout. */
hd_status cli_no_layout(cli *c);

/* A layout for each record that `texts` name: "soa" for the record to lay out,
 * "cell={x,y}{z}" for another one of the job's. */
hd_status cli_load_layouts(cli *c, const char *path, const cli_source *source,
                           const cli_texts *texts, hd_job **job, hd_record_layout **layouts,
                           uint32_t *count);

/* ---- output.c: rewritten files ------------------------------------------------------- */

typedef struct cli_output {
    const char *folder;
    const char *kernel, *header;
} cli_output;

/* The files that rewriting `kernel_path` into `folder`, which need not be there yet, makes.
 * Rewriting must never replace the user's own kernel; `option` is what named the folder. */
hd_status cli_output_paths(cli *c, const char *option, const char *folder, const char *kernel_path,
                           cli_output *output);
/* The name of the header for the host that goes with the files. */
const char *cli_header_name(cli *c, const hd_rewritten *rewritten);
/* Writes the kernels, what they include, and the host's header, all or nothing, and makes the
 * folder. The header gets another name, in *output, where a file of the kernels has its own. */
hd_status cli_write_rewritten(cli *c, cli_output *output, const hd_rewritten *rewritten);
/* A line for each header that stays elsewhere, and how it is found. */
void cli_show_elsewhere(cli *c, const hd_rewritten *rewritten, hd_str *out);
/* The same over the files that change, the header beside the kernel file, under a journal. */
hd_status cli_replace_rewritten(cli *c, cli_output *output, const hd_rewritten *rewritten);
/* The same as a patch for `patch -p1`, on standard output or in JSON. */
hd_status cli_diff_rewritten(cli *c, cli_output *output, const hd_rewritten *rewritten,
                             hd_str *patch);

/* ---- journal.c: a rewriting in place that was interrupted ------------------------------ */

/* The journal of a rewriting in place of this kernel. */
const char *cli_journal_of(cli *c, const char *kernel_path);
/* Adds the journals in a folder, which need not be there. */
void cli_journals_in(cli *c, const char *folder, cli_texts *journals);
/* Takes back what was interrupted in the folders of a JOB or FILE, and says so. */
hd_status cli_take_back(cli *c, const char *path);
/* apply --recover: the same for the FOLDER, JOB, FILE or journal `path`, as the command's
 * result. */
int cli_recover(cli *c, const char *path);

/* ---- job_after.c: the job that goes with kernels that were rewritten in place ---------- */

/* `job` names kernels that are rewritten now. NULL when it is no file's. */
const hd_placed_job *cli_job_after(cli *c, const hd_job *job, const hd_record_layout *layouts,
                                   uint32_t layout_count);
/* A name as a job file takes it inside of braces. */
const char *cli_yaml_name(cli *c, const char *name);
void cli_show_job_after(cli *c, const hd_placed_job *after, const char *header, hd_str *out);
extern const hd_member cli_job_after_members[]; /* hd_placed_job */

/* ---- show_check.c: what was rewritten, on the machine ------------------------------------- */

/* How much of it was checked. */
typedef struct cli_checked {
    bool is_checked;   /* all kernels ran, and what they wrote was compared */
    uint64_t bytes;    /* of buffers that kernels may write, compared */
    uint64_t accesses; /* of lanes, that the originals made */
} cli_checked;

/* Runs the original and the rewritten kernels and compares what they leave. `path` and
 * `source` are what the job was loaded from: kernels of a file without a job are each run
 * with sizes and arguments by default, and one that cannot run with those is a warning; then
 * it is not checked, and no more is where no access was made. */
hd_status cli_verify(cli *c, const char *path, const cli_source *source, const hd_job *job,
                     const hd_record_layout *layouts, uint32_t layout_count,
                     const hd_rewritten *rewritten, cli_checked *checked);
void cli_show_checked(cli *c, const cli_checked *checked, hd_str *out);
/* The same of kernels whose threads take their work from a map. */
hd_status cli_verify_map(cli *c, const hd_job *job, const hd_rewritten *rewritten,
                         cli_checked *checked);
/* Warns of kernels that a rewriting in the layout would touch and that the job never launches. */
void cli_warn_of_unlaunched(cli *c, const hd_job *job, const hd_record_layout *layout);

/* ---- the commands, in commands.c's order ------------------------------------------------------ */

int cmd_advise(cli *c);
int cmd_advise_costs(cli *c);
int cmd_advise_graph(cli *c);
int cmd_advise_accesses(cli *c);
int cmd_apply(cli *c);
int cmd_map(cli *c);
int cmd_run(cli *c);
int cmd_run_program(cli *c);
int cmd_apply_program(cli *c);
int cmd_show(cli *c);
int cmd_show_ir(cli *c);
int cmd_show_ptx(cli *c);
int cmd_diff(cli *c);
int cmd_report(cli *c);
int cmd_record(cli *c);
int cmd_trace(cli *c);
int cmd_trace_info(cli *c);
int cmd_trace_export(cli *c);
int cmd_trace_import(cli *c);
int cmd_cache(cli *c);
int cmd_cache_locality(cli *c);
int cmd_cache_reuse(cli *c);
int cmd_cache_compare(cli *c);
int cmd_measure(cli *c);
int cmd_init(cli *c);
int cmd_device(cli *c);
int cmd_device_probe(cli *c);
int cmd_device_train(cli *c);
int cmd_device_explore(cli *c);
int cmd_device_check(cli *c);
int cmd_device_step(cli *c);
int cmd_device_once(cli *c);
int cmd_help(cli *c);

#endif
