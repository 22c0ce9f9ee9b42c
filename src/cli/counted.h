/* What `show` and `diff` count: the accesses of a trace file, or of a job or kernel file that
 * is run on the machine, perhaps in a layout. */
#ifndef HD_CLI_COUNTED_H
#define HD_CLI_COUNTED_H

#include "cli/input.h"
#include "model/time.h"
#include "cli/run_placed.h"
#include "cli/report/annotated.h"
#include "cli/cli.h"

typedef struct cli_counted {
    cli_input input;
    cli_texts layouts; /* of a job */
    bool no_caches;    /* are simulated */
    bool timed;        /* seconds are predicted, of a job that ran to its end */
    /* what came of it */
    cli_placed placed; /* of a job */
    cli_run run;
    hd_access_table table;
    const hd_annotated *annotated;
    bool complete, has_caches;
    hd_time time;      /* on the device; zeros: not known */
    double simulated;  /* share of the blocks that it rests on */
    bool needs_caches; /* it is not known since they were not simulated of all blocks */
} cli_counted;

/* Counts for a device. Where a job was stopped by a signal, what ran until then. */
hd_status cli_count(cli *c, cli_counted *counted, const hd_device *device);

extern const hd_member cli_counted_members[];        /* cli_counted */
extern const hd_member cli_counted_source_members[]; /* the same without what was counted */
/* What it is, and what was moved in all. */
void cli_show_counted(cli *c, const cli_counted *counted, hd_str *out);

/* ---- margin.c: the source with a margin of counts, for `show` ------------------------------------ */

typedef struct cli_margin_options {
    bool by_cost;  /* only lines with accesses, the heaviest first, of all files */
    uint64_t top;  /* of these only so many; 0: all */
    bool cut;      /* lines of source that are wider than the terminal end in "…" */
    bool coloured; /* lines that move much stand out */
} cli_margin_options;

void cli_show_margin(cli *c, const hd_annotated *annotated, const cli_margin_options *options,
                     hd_str *out);

/* ---- sarif.c: findings for editors and code review ----------------------------------------------- */

/* The findings of what was counted, as a SARIF 2.1.0 log. */
json_t *cli_sarif(cli *c, const cli_counted *counted);

#endif
