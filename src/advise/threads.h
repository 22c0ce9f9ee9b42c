/*
 * Whether threads in another order would need fewer transactions, by the graph of a run that was
 * heard as evidence: what `heddle map` (mapping.h) would then try, and count.
 */
#ifndef HD_ADVISE_THREADS_H
#define HD_ADVISE_THREADS_H

#include "advise/evidence.h"

/* Of the run with most accesses. */
typedef struct hd_thread_gain {
    const char *kernel;
    uint64_t before,
        after;    /* transactions of its graph, as its records lie; with those that reading
                             * the map takes */
    double saves; /* share of them */
} hd_thread_gain;

/* NULL: less than HD_THREADS_WORTH, or nobody knows: the evidence is not of the whole job, the run
 * has more accesses than HD_THREADS_MOST, or its threads belong together. */
#define HD_THREADS_WORTH 0.1
#define HD_THREADS_MOST ((uint64_t)1 << 20)
const hd_thread_gain *hd_thread_gain_of(hd_arena *arena, const hd_job *job, const hd_device *device,
                                        const hd_evidence *evidence,
                                        const hd_evidence_options *options);

#endif
