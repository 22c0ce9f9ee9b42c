/* What `show` and `diff` count: the accesses of a trace file, or of a job or kernel file that
 * is run on the machine, perhaps in a layout. */
#ifndef HD_CLI_COUNTED_H
#define HD_CLI_COUNTED_H

#include "cli/input.h"
#include "cli/run_placed.h"
#include "cli/report/annotated.h"

typedef struct cli_counted {
    cli_input input;
    cli_texts layouts; /* of a job */
    bool no_caches;    /* are simulated */
    /* what came of it */
    cli_placed placed; /* of a job */
    cli_run run;
    hd_access_table table;
    const hd_annotated *annotated;
    bool complete, has_caches;
} cli_counted;

/* Counts for a device. Where a job was stopped by a signal, what ran until then. */
hd_status cli_count(cli *c, cli_counted *counted, const hd_device *device);

extern const hd_member cli_counted_members[];        /* cli_counted */
extern const hd_member cli_counted_source_members[]; /* the same without what was counted */
/* What it is, and what was moved in all. */
void cli_show_counted(cli *c, const cli_counted *counted, hd_str *out);

#endif
