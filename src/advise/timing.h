/*
 * Advice in time: what the counts of the compiled kernels (recount.h) are in seconds, by the model of
 * model/time.h: each kernel, all launches, and the whole program with what it copies.
 */
#ifndef HD_ADVISE_TIMING_H
#define HD_ADVISE_TIMING_H

#include "advise/recount.h"

/* All launches of a kernel together. */
typedef struct hd_kernel_time {
    const char *kernel;
    double runs;
    double flops, dram_bytes;             /* before: for a roofline; a fused multiply-add two */
    double flops_after, dram_bytes_after; /* zeros where there is no other layout */
    double fp64;                          /* of the flops, before: in double precision */
    hd_time before, after;                /* after: zeros where there is no other layout */
} hd_kernel_time;

typedef struct hd_time_advice {
    const hd_device *device;
    hd_kernel_time *kernels; /* those that take longest first */
    uint32_t count;
    hd_time before, after; /* of all launches; after: zeros where there is no other layout */
    hd_time_gain gain;     /* of the kernels; 1 where there is none */
    /* Seconds that all buffers take over the link, once there and once back as far as kernels read
     * and write them; and that the record's take from its old layout to the new one and back, on the
     * device. */
    double copies, conversions;
    hd_time_gain program; /* with both: the program's launches once, with all that they need */
} hd_time_advice;

/* Of the job's launches as they are counted, and in `layout`, where that was counted, too (NULL: there is
 * no other one). NULL: nothing was counted, or the profile does not tell times. */
hd_time_advice *advise_time(hd_arena *arena, const hd_job *job, const hd_device *device,
                            const hd_recount *recount, const hd_layout *layout);

/* "2.1 to 2.6 times faster", "1.1 to 1.3 times slower", "neither faster nor slower". */
const char *hd_gain_print(hd_arena *arena, hd_time_gain gain);
/* "DRAM, 83% of its bandwidth" */
const char *hd_bound_print(hd_arena *arena, const hd_time *time);

#endif
