/* What a device decided: the tables and the verdict of `heddle advise --budget`; and what
 * `heddle measure` and `heddle advise --measure` both say. */
#ifndef HD_CLI_CHOICE_H
#define HD_CLI_CHOICE_H

#include "advise/advise.h"
#include "cli/cli.h"

/* "60s", "500ms", "2m", or seconds without a unit; over 0. */
hd_status cli_read_budget(cli *c, const char *text, double *seconds);

/* "device", "host", ...; `option` is for the message. */
hd_status cli_read_placement(cli *c, const char *option, const char *name, hd_placement *placement);

/* "all", or names with "," between them. */
hd_status cli_read_placements(cli *c, const char *option, const char *names,
                              const hd_placement **placements, uint32_t *count);

/* One sentence without its full stop. */
const char *cli_choice_verdict(cli *c, const hd_record *record, const hd_choice *choice);
/* What was measured. */
void cli_show_choice(cli *c, const hd_record *record, const hd_choice *choice, hd_str *out);
extern const hd_member cli_choice_members[]; /* hd_choice; context: the hd_record */
/* A warning for each layout that computes something else. */
void cli_warn_of_differences(cli *c, const hd_job *job, const hd_choice *choice);

/* Of one layout against the original: lines that say what the speed-up is a ratio of, how far it
 * spreads, and whether outputs are equal. */
void cli_show_speedup(cli *c, const hd_measurement *m, hd_str *out);

#endif
