/* Layouts of a job, all timed in turns, each as often as every other. */
#ifndef HD_BENCH_TABLE2_TURNS_H
#define HD_BENCH_TABLE2_TURNS_H

#include "measure/stopwatch.h"

typedef struct turns {
    uint32_t count, rounds;
    double **seconds; /* [count][rounds] */
} turns;

/* layouts[0] is the original. Rounds go on until there are `rounds` and `least_seconds` have gone
 * by. A layout that cannot be rewritten, or computes something else, is an error. */
hd_status take_turns(hd_arena *arena, const hd_diag *diag, const hd_job *job, const char *device,
                     const hd_layout *const *layouts, uint32_t count, uint32_t rounds,
                     double least_seconds, turns *result);

/* Of the time of `a` to that of `b` in the same round: the median, and where it lies with a
 * probability of 95%. */
hd_interval turns_ratio(hd_arena *arena, const turns *turns, uint32_t a, uint32_t b);

#endif
