/*
 * The command line. main.c holds the table of commands; each has a file
 * cmd_NAME.c with one function. A command parses its options (options.c), loads
 * what they name (load.c), calls the library, and prints once, at its end, so
 * that a failure leaves no half of a result on standard output. (`advise` prints
 * in two parts where it measures: what is known without a device comes at once.)
 *
 * Exit status: 0 done, 1 the outputs of two versions differ or a kernel is below what
 * `annotate --fail-below` asks for, 2 anything wrong, 130 a run was stopped by a signal.
 */
#ifndef HD_CLI_H
#define HD_CLI_H

#include <jansson.h>

#include "base/base.h"
#include "base/ranks.h"
#include "device/device.h"
#include "frontend/frontend.h"
#include "job/job.h"
#include "report/result.h"
#include "rewrite/placed.h"
#include "rewrite/rewrite.h"

enum { CLI_FINE = 0, CLI_DIFFER = 1, CLI_WRONG = 2, CLI_STOPPED = 130 };

/* The device profile where none is named. */
#define CLI_DEVICE "h200"

typedef struct cli_option cli_option;

/* What every command is given. */
typedef struct cli {
    const char *command; /* its name */
    hd_arena *arena;
    hd_diag diag; /* shows messages on standard error */
    hd_printer printer;
    bool json, quiet;
    /* Of heddle-mpi, all of whose ranks run the command; NULL: it runs in this process alone. */
    const hd_ranks *ranks;
    bool is_first;  /* of the ranks, or alone: only this one prints, and writes files */
    hd_style style; /* of standard output */
    char **words;   /* what cli_parse() leaves: the words that are no options */
    uint32_t word_count;
    int status; /* when it returns false */
    /* Not NULL: cli_parse() hands this the command's options, and the command ends there. */
    void (*list)(void *user, const cli_option *option);
    void *list_user;
} cli;

typedef struct cli_command {
    const char *name;
    const char *summary; /* one line, for `heddle help`; NULL: of two words, as "trace info" */
    int (*run)(cli *c, int argc, char **argv); /* argv[0] is its last word */
} cli_command;

/* ---- main.c ------------------------------------------------------------------ */

extern const cli_command cli_commands[]; /* ends with a NULL name */
/* The command that words begin with; *used is how many they are. NULL: there is none. */
const cli_command *cli_find_command(char *const *words, uint32_t count, uint32_t *used);
/* What makes another command of `first`, if `command` is one of two words: "info". */
const char *cli_second_word(const cli_command *command, const char *first);

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
/* Prints a row as the command's JSON. Returns an exit status. */
int cli_print_row(cli *c, const hd_member *members, hd_value row);
/* Says on a terminal what is being done; NULL takes it away. Messages and
 * cli_print() take it away, too. */
void cli_progress(cli *c, const char *what);
/* The same with the share that is done and the time that is left; the user of such callbacks. */
typedef struct cli_share {
    cli *c;
    double start, shown; /* seconds */
} cli_share;
void cli_show_share(void *user, const char *what, double share);

/* ---- options.c ------------------------------------------------------------------ */

typedef enum cli_kind {
    CLI_FLAG,   /* bool */
    CLI_TEXT,   /* const char * */
    CLI_TEXTS,  /* cli_texts: may be given several times */
    CLI_NUMBER, /* uint64_t */
    CLI_REAL,   /* double, not negative */
    CLI_SIZES   /* cli_sizes: N[,N[,N]], each from 1 */
} cli_kind;

typedef struct cli_texts {
    const char **data;
    size_t count, capacity;
} cli_texts;

typedef struct cli_sizes {
    uint32_t dims; /* 0: not given */
    uint64_t size[3];
} cli_sizes;

/* One option; a table of them ends with a NULL name. */
struct cli_option {
    const char *name;
    char letter;          /* of the short form, or 0 */
    const char *argument; /* its name in the help; NULL for flags */
    const char *help;
    cli_kind kind;
    void *target;
    const char *values; /* words that it takes, separated by blanks, for shells to complete */
    uint64_t most;      /* of a number; 0: any will do */
    const cli_option *included; /* no option, but these stand in its place */
};
#define CLI_INCLUDE(table) {"", .included = (table)}
/* A copy of a table that stays. */
const cli_option *cli_keep_options(cli *c, const cli_option *table);

/* Flags that stand in for a job file when a kernel file alone is given. */
typedef struct cli_source {
    const char *entry, *options, *record, *record_of;
    const char *build; /* the folder of a compile_commands.json whose options come first */
    cli_sizes global, local;
    uint64_t count;
    cli_texts values, split;
    bool trust_options; /* of a job: they need not be those of hd_job_check_options() */
    bool all_entries;   /* of several kernels without --entry all are launched */
    bool any_entry;     /* no launch is wanted, only its record: any kernel with one will do */
    bool whole_file;    /* all kernels are compiled, with --entry, too: they may take its record */
    bool finds_records; /* in the indices of buffers, where the kernels know none */
    bool tells_records; /* which those are, for who asks for layouts */
} cli_source;

/* A command's page: `heddle NAME --help`. */
typedef struct cli_page {
    const char *usage; /* after "heddle NAME" */
    const char *about;
    struct {
        uint32_t least, most;
    } words; /* besides options: how many it takes */
} cli_page;

/* Parses argv, by the command's own options, or NULL, and those that set `source`, for a kernel
 * file without a job, or NULL. True: go on with c->words. False: help was printed or a message
 * given, and c->status is the exit status. */
bool cli_parse(cli *c, const cli_page *page, const cli_option *options, cli_source *source,
               int argc, char **argv);
/* The back end of a device that is named alone. CUDA's devices are known by their ids: others of the
 * name may be OpenCL's. */
const char *cli_backend_of(const char *device);
/* What a device is called in the profile database: the name of one given as "P:D" or "cuda:D", else
 * the part of a name itself; NULL stays. */
const char *cli_device_name(cli *c, const char *device);
/* An error in what the user asks for that no file is to blame for. */
#define cli_refuse(c, ...) hd_fail(&(c)->diag, HD_EINPUT, NULL, __VA_ARGS__)
/* The same as a command's exit status. */
#define cli_wrong(c, ...) cli_status(cli_refuse(c, __VA_ARGS__))

/* A whole number from 0 on, decimal or 0x...; *end is after it. */
bool cli_whole(const char *text, const char **end, uint64_t *value);

/* The name nearest to `word`, or NULL when none is near. */
const char *cli_nearest(const char *word, const char *const *names, size_t count);

/* ---- completion.c: what shells complete ------------------------------------------------ */

/* The shells that there are scripts for, separated by blanks. */
#define CLI_SHELLS "bash zsh fish"

/* Adds the script for `shell`; false when there is none. */
bool cli_add_completion(const char *shell, hd_str *out);
/* heddle help complete: prints what the last of the words after "heddle" may become. `topics` are
 * those that `heddle help` explains besides commands, separated by blanks. */
int cli_complete(cli *c, char **words, uint32_t count, const char *topics);
/* cmd_devices.c: what --device takes, or --on. */
hd_status cli_device_names(cli *c, bool profiles, cli_texts *names);

/* ---- load.c: what the words and options name, loaded -------------------------------- */

/* By its name. */
bool cli_is_job(const char *path);
/* The job file in a folder that heddle record has made; other paths as they are. The first: over
 * the source, where there is one; the second: what was recorded, with results. */
const char *cli_job_path(cli *c, const char *path);
const char *cli_recorded_path(cli *c, const char *path);

/* The options that set `source`. */
const cli_option *cli_job_options(cli *c, cli_source *source);

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
/* The devices of these names; CLI_DEVICE where there is none. */
hd_status cli_find_devices(cli *c, const cli_texts *names, const hd_device ***devices,
                           size_t *count);
/* The same as cli_load(); also requires a record to lay out, and parses `notation` for it. */
hd_status cli_load_layout(cli *c, const char *path, const cli_source *source, const char *notation,
                          hd_job **job, hd_layout **layout);

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
/* rewrite --recover: the same for the FOLDER, JOB, FILE or journal `path`, as the command's
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

/* ---- verify.c: what was rewritten, on the machine ------------------------------------- */

/* Runs the original and the rewritten kernels and compares what they leave. `path` and
 * `source` are what the job was loaded from: kernels of a file without a job are each run
 * with sizes and arguments by default, and one that cannot run with those is a warning; then
 * *checked is false. */
hd_status cli_verify(cli *c, const char *path, const cli_source *source, const hd_job *job,
                     const hd_record_layout *layouts, uint32_t layout_count,
                     const hd_rewritten *rewritten, bool *checked);
/* The same of kernels whose threads take their work from a map. */
hd_status cli_verify_map(cli *c, const hd_job *job, const hd_rewritten *rewritten, bool *checked);
/* Warns of kernels that a rewriting in the layout would touch and that the job never launches. */
void cli_warn_of_unlaunched(cli *c, const hd_job *job, const hd_record_layout *layout);

/* ---- one file each -------------------------------------------------------------------- */

int cmd_advise(cli *c, int argc, char **argv);
int cmd_annotate(cli *c, int argc, char **argv);
int cmd_cost(cli *c, int argc, char **argv);
int cmd_accesses(cli *c, int argc, char **argv);
int cmd_devices(cli *c, int argc, char **argv);
int cmd_diff(cli *c, int argc, char **argv);
int cmd_gpu_check(cli *c, int argc, char **argv);
int cmd_help(cli *c, int argc, char **argv);
int cmd_init(cli *c, int argc, char **argv);
int cmd_ir(cli *c, int argc, char **argv);
int cmd_layout_graph(cli *c, int argc, char **argv);
int cmd_locality(cli *c, int argc, char **argv);
int cmd_caches(cli *c, int argc, char **argv);
int cmd_map(cli *c, int argc, char **argv);
int cmd_measure(cli *c, int argc, char **argv);
int cmd_record(cli *c, int argc, char **argv);
int cmd_report(cli *c, int argc, char **argv);
int cmd_reuse(cli *c, int argc, char **argv);
int cmd_rewrite(cli *c, int argc, char **argv);
int cmd_run(cli *c, int argc, char **argv);
int cmd_trace(cli *c, int argc, char **argv);
int cmd_train(cli *c, int argc, char **argv);
int cmd_explore(cli *c, int argc, char **argv);
int cmd_watch(cli *c, int argc, char **argv);

#endif
