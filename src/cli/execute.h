/* What `run` and `trace` share: the machine runs all launches of a job. */
#ifndef HD_CLI_EXECUTE_H
#define HD_CLI_EXECUTE_H

#include "cli/cli.h"
#include "analysis/analysis.h"
#include "machine/vm.h"

typedef struct cli_machine_options {
    uint64_t workers, max_instructions, local_memory;
    bool races, stop_at_race, uninitialised;
    cli_texts allowed_races; /* LINE or FILE:LINE */
    bool keep_text;          /* what kernels print is kept, as with --json, not shown */
    void *const *inputs;     /* contents of the job's buffers; NULL: what the job says */
    uint32_t spaces;         /* announced: bit 1 << kir_space; 0: all but private */
    const hd_ranks *ranks;   /* that run it together, or NULL */
    const hd_device *device; /* which cooperative launches fit on, or NULL */
} cli_machine_options;

/* All runs of one kernel with the same sizes. */
typedef struct cli_run_row {
    const hd_launch *launch; /* the first of them */
    uint64_t runs;
    hd_vm_counts counts;       /* of all of them */
    hd_launch_counts *counted; /* [device_count], or NULL when nobody counts */
} cli_run_row;

typedef struct cli_run {
    hd_vm *vm;
    struct cli_executor *executor; /* of execute.c */
    hd_vec(cli_run_row) rows;
    cli_run_row total;      /* its launch is NULL */
    hd_vec(uint32_t) ran;   /* the launch of the job that each run was of */
    hd_vm_counts *launches; /* what all runs of each of these did */
    uint64_t planned;       /* runs of launches that the job asks for */
    bool watches_races;
    hd_str printed; /* by kernels, where it is kept; else it went to standard output */
} cli_run;

/* Who hears the events of which runs, and what becomes of them. */
typedef struct cli_listener {
    /* Before run `number`, from 0: the sink for it; false: nobody listens. */
    bool (*begin)(void *self, uint32_t number, hd_sink *sink);
    /* After it; `row` is NULL when the run failed. May be NULL. */
    void (*end)(void *self, uint32_t number, cli_run_row *row);
    void *self;
    size_t device_count; /* that rows count for */
    /* When a launch of the job ran to its end; may be NULL. An error ends the run. */
    hd_status (*ran)(void *self, const hd_vm *vm, uint32_t launch);
} cli_listener;

/* Opens the machine for a job; hd_vm_close(run->vm) when the run is done with. From here to
 * the end of cli_execute() SIGINT and SIGTERM only ask the run to end. */
hd_status cli_open_machine(cli *c, const hd_job *job, const cli_machine_options *choice,
                           cli_run *run);
/* Runs all launches, showing progress. A signal ends the run, without the blocks that are
 * being run; run->total.counts.stopped tells, and a warning was given. */
hd_status cli_execute(cli *c, const hd_job *job, const cli_listener *listener, cli_run *run);

/* Counts of what each rank heard become those of all. */
hd_status cli_sum_counts(cli *c, const hd_ranks *ranks, hd_launch_counts *counts, size_t count);

/* How many times launches are run, all in all. */
uint64_t cli_planned_runs(const hd_job *job);
/* The exit status of a run that went well: CLI_FINE or CLI_STOPPED. */
int cli_run_status(const cli_run *run);

/* ---- show_run.c ---------------------------------------------------------------- */

/* "64 x 256", "8,8 x 16,16": blocks and threads. */
const char *cli_show_sizes(hd_arena *arena, uint32_t dims, const uint64_t *groups,
                           const uint64_t *local);
/* The devices that a run counts transactions for: the context of its tables. */
typedef struct cli_run_devices {
    const hd_device *const *devices;
    size_t count, shown; /* `shown`: whose columns are shown */
} cli_run_devices;
/* The tables of a run: what was executed, and what moved on each device. */
void cli_show_run(cli *c, const cli_run *run, const cli_run_devices *on, hd_str *out);
extern const hd_member cli_run_members[];     /* cli_run; context: cli_run_devices */
extern const hd_member cli_ended_members[];   /* cli_run: its time and workers, and how it ended */
extern const hd_member cli_stopped_members[]; /* cli_run: `stopped` and `printed` */

#endif
