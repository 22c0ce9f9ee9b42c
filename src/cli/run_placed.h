/* A job in a layout that is run, and not written: what `run`, `show` and `diff` do with
 * --layout. */
#ifndef HD_CLI_PLACED_H
#define HD_CLI_PLACED_H

#include "advise/origin.h"
#include "cli/execute.h"
#include "analysis/access_table.h"

typedef struct cli_placed {
    const hd_job *original;
    const hd_job *job; /* that is run */
    /* Of rewritten kernels; all zero where the job is run as it is. */
    hd_placed_job *placed;
    hd_rewritten_view view;
    hd_diag told, shown; /* messages about them, and where these go */
    void **inputs;
} cli_placed;

/* The resolved job with its records in these layouts: its kernels are rewritten and compiled, and
 * its contents moved. Without layouts, or with those that the records have, the job as it is. What
 * the rewriter refuses is an error that says where and why. */
hd_status cli_place(cli *c, const hd_job *job, const hd_record_layout *layouts, uint32_t count,
                    cli_placed *placed);
/* A job from a JOB or FILE, placed. */
hd_status cli_load_placed(cli *c, const char *path, const cli_source *source,
                          const cli_texts *layouts, cli_placed *placed);
/* Messages between these two name the original's files, as "k.cl (rewritten)". */
void cli_placed_begin(cli *c, cli_placed *placed);
void cli_placed_end(cli *c, const cli_placed *placed);
/* The contents that a run left, as the original's buffers have them. */
void **cli_placed_contents(cli *c, const cli_placed *placed, const hd_vm *vm);
/* Rows of a run name launches of the job that was run; after this those of the original. */
void cli_placed_restore(const cli_placed *placed, cli_run *run);

/* A sink to be called behind those of counters and origin: at the end of a launch it adds what was
 * counted of its accesses, and what caches served (or NULL), to the table. Without an origin the
 * rows are those of the launch, else those of the original. */
hd_sink cli_rows_sink(hd_arena *arena, hd_access_table *table, const hd_tally *counters,
                      const hd_origin *origin, const hd_cache_sum *cached);

#endif
