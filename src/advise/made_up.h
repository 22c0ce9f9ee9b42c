/* What of a job Heddle made up (`guess` in a job file): named, so that no verdict hides it. */
#ifndef HD_ADVISE_MADE_UP_H
#define HD_ADVISE_MADE_UP_H

#include "job/job.h"

typedef struct hd_made_up {
    const char *kind;   /* "contents", "count", "value", "sizes" */
    const char *name;   /* of the buffer, argument or kernel */
    const char *kernel; /* of an argument or of sizes; else NULL */
} hd_made_up;

/* All of it; of contents only those that a kernel reads. */
hd_made_up *advise_made_up(hd_arena *arena, const hd_job *job, uint32_t *count);
/* "'a', 'b' and 2 more": the contents among them; NULL: there are none. */
const char *advise_made_up_contents(hd_arena *arena, const hd_job *job);
/* "sizes of 'step', 'nx' of 'step'": what decides which threads run; NULL: none of it is made up. */
const char *advise_guessed_sizes(hd_arena *arena, const hd_job *job);

#endif
