/* What a run of the job has shown, as `advise` tells it. */
#ifndef HD_CLI_EVIDENCE_H
#define HD_CLI_EVIDENCE_H

#include "advise/advise.h"
#include "cli/cli.h"

/* Reads --run into `run` and `evidence`; the job is not run with --run 0. */
hd_status cli_evidence_read(cli *c, hd_advise_options *options);

/* "a run of 512 of 4096 blocks, with its caches simulated": what the advice for the first device
 * rests on; without evidence it is `cost`, and why the job was not run. */
const char *cli_evidence_basis(hd_arena *arena, const hd_advice *advice, const char *cost);
/* The layouts that were judged, the best first. */
void cli_show_judged(cli *c, const hd_record *record, const hd_evidence *evidence,
                     const hd_device_advice *of, hd_str *out);

extern const hd_member cli_evidence_members[];  /* hd_evidence */
extern const hd_member cli_judgement_members[]; /* hd_judgement; context: the hd_record */

#endif
