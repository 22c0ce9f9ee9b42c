/*
 * What a job leaves to its run: the rounds of groups of launches that end when an element has a value
 * (`until`), and sizes and arguments that are read from buffers.
 *
 * A job has launches for as many rounds as the group may have, often far more than it has. Advice is
 * of those that a run of the job on the machine has, with the sizes that they have there; where that
 * cannot be run, or is more work than its limit allows, of a few rounds of the greatest sizes.
 */
#ifndef HD_ADVISE_ROUNDS_H
#define HD_ADVISE_ROUNDS_H

#include "advise/evidence.h"

enum { ADVISE_ROUNDS = 16 }; /* where a run does not tell */

/* The resolved job as it is run; the job itself where nothing is left to that. `run`: it may be
 * run, with these options. *said is "5 rounds of the group in line 9, as in a run", or NULL. */
const hd_job *advise_rounds(hd_arena *arena, const hd_job *job, bool run,
                            const hd_evidence_options *options, const char **said);

#endif
