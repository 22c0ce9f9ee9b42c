/*
 * What the analyses of accesses (`locality`, `reuse`, `report`) read: a trace file, or a job
 * or kernel file that is run on the machine. Which it is, its first bytes tell.
 */
#ifndef HD_CLI_INPUT_H
#define HD_CLI_INPUT_H

#include "cli/execute.h"
#include "trace/trace.h"

/* "A" or "A-B" with A <= B, the text of --`option`; without a text all. */
hd_status cli_read_range(cli *c, const char *option, const char *text, uint64_t *first,
                         uint64_t *last);
/* Such bits as "global, local". */
const char *cli_show_spaces(hd_arena *arena, uint32_t spaces);

typedef struct cli_input {
    const char *path, *name;     /* as it is told: cli_shown() */
    cli_source source;           /* of a kernel file */
    cli_machine_options machine; /* of a job or a kernel file */
    const char *launch_text, *block_text, *space_text;
    /* what they mean: cli_read_input() */
    bool is_trace;
    bool is_foreign; /* another tool's: it is imported when it is opened */
    uint64_t first_launch, last_launch, first_block, last_block;
    uint32_t spaces;      /* bit 1 << kir_space; global memory by default */
    uint32_t besides;     /* spaces that a job is traced with, too */
    const char *out;      /* a file that will be written, or NULL: it must not be the kernel's */
    const char *out_name; /* of the option that names it */
} cli_input;

/* Reads the texts. */
hd_status cli_read_choice(cli *c, cli_input *input);
/* The same, and sees what kind of file it is; one of none of these kinds is an error, and so are
 * options of a job beside a trace. */
hd_status cli_read_input(cli *c, cli_input *input);
/* Whether any option on kernels or the machine was given. */
bool cli_job_options_given(const cli_input *input);
/* For several files, before the first of them is run. --workers goes with all. */
hd_status cli_read_inputs(cli *c, const cli_input *input, char *const *paths, uint32_t count);

/* How much of the launches that are read of a trace has been read. */
typedef struct cli_reading {
    cli_meter meter;
    uint64_t all, done, launch; /* lane accesses; of the launch in hand */
} cli_reading;
/* For hd_trace_watch.progress; `user` is a cli_reading. */
void cli_show_reading(void *user, const char *doing, double done);

/* Whether launch `number` is one of those asked for. */
bool cli_launch_chosen(const cli_input *input, uint64_t number);
/* What is asked for must be run by the job; before a long run of which nothing would be heard. */
hd_status cli_check_planned(cli *c, const cli_input *input, const hd_job *job);

/* A resolved job, of which what is asked for is run. Chooses the spaces that the machine
 * announces. */
hd_status cli_load_input(cli *c, cli_input *input, hd_job **job);
/* Runs the job, with what is asked for in the trace file *path. A run that was stopped leaves it under another name, which
 * *path then is (hd_trace_finish()). */
hd_status cli_trace_job(cli *c, const cli_input *input, const hd_job *job, const char **path,
                        cli_run *run);
/* import.c: from the text form, or another tool's trace, to a file; of `source` --record and --of.
 * A signal leaves none, and *stopped tells. */
hd_status cli_import_trace(cli *c, const char *path, const cli_source *source, const char *out,
                           bool *stopped);
/* The same into a file that is gone when the trace is closed. */
hd_status cli_open_foreign(cli *c, const char *path, const cli_source *source, hd_trace **trace);
/* laid_out.c: takes a trace's place by the same in these layouts of its records (--layout L or
 * RECORD=L), in a file that is gone when it is closed. An error closes it. */
hd_status cli_lay_out_trace(cli *c, const cli_input *input, const cli_texts *layouts,
                            hd_trace **trace);
/* Opens a trace, in which what is asked for must be. Warns when it is not complete. */
hd_status cli_open_trace(cli *c, const cli_input *input, hd_trace **trace);
/* Either: a job is run into a file that is gone when the trace is closed, by each rank by itself;
 * `run` tells how that went. *job is NULL for a trace. */
hd_status cli_open_accesses(cli *c, cli_input *input, hd_job **job, cli_run *run, hd_trace **trace);
/* The same of a job that cli_load_input() loaded. */
hd_status cli_open_job_accesses(cli *c, const cli_input *input, const hd_job *job, cli_run *run,
                                hd_trace **trace);

/* What a library says of a file that it knows no name of gets that name. `about` lives as long
 * as the result is used. */
typedef struct cli_about {
    const char *file;
    const hd_diag *diag;
} cli_about;
hd_diag cli_diag_about(const cli *c, cli_about *about, const char *file);

#endif
