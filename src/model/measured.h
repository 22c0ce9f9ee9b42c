/*
 * Measured shapes: what the cost model takes instead of deriving it, where a run was heard.
 *
 * An analysis of events (analysis/shapes.h) fills an hd_measured; hd_cost_options.measured hands
 * it to hd_cost_model_make(). A launch that was heard has its executions, and the places that
 * lanes pointed to, as they were counted: loops of unknown length, conditions on data and indices
 * that are read from memory are no assumptions any more. All that is behind shapes (segments,
 * prices, the search) is the same for both.
 *
 * A *clump* is a part of a request that no layout can bring closer to the rest of it: lanes in
 * the order of their elements, each element and byte once, cut where the next element is so far
 * away that it shares no segment with those before under any layout that is priced. So
 * the transactions of a request are the sum of those of its clumps, in every layout, and requests
 * that look unlike each other are made of the same few clumps: a gather whose lanes point
 * anywhere is so many clumps of one lane. docs/cost.md, "Measured shapes", has the rest.
 */
#ifndef HD_COST_MEASURED_H
#define HD_COST_MEASURED_H

#include "device/device.h"
#include "job/job.h"

/* What the model counts in. */
typedef struct hd_cost_grain {
    uint32_t modulus;     /* bytes of the longest segment or line; a power of two */
    uint32_t level_count; /* tiles up to 1 << (level_count - 1) are told apart from `soa` */
    uint32_t period;      /* elements so far apart lie alike in segments and lines in every layout:
                           * residues of clumps are modulo that; a power of two */
} hd_cost_grain;

hd_cost_grain hd_cost_grain_of(const hd_record *record, const hd_device *device);
/* Elements that are at least so far apart share no segment of `segment` bytes in any layout, for
 * accesses to a field of which no byte from `reach` on is touched. */
uint64_t hd_cost_gap(const hd_field *field, uint64_t reach, uint32_t segment);

/* A clump's residue where all residues cost the same: one lane, whose bytes lie in one aligned
 * block of the field's alignment. */
enum { HD_ANY_RESIDUE = UINT32_MAX };

/* A clump, and how often it was seen. */
typedef struct hd_measured_clump {
    uint32_t lanes;
    uint32_t residue;     /* of the first lane's element, modulo the period; or HD_ANY_RESIDUE */
    const int32_t *index; /* [lanes] elements, relative to the first; ascending */
    const int32_t *inner; /* [lanes] bytes inside the field */
    double count;         /* in all blocks and repeats, as if all requests had been kept */
} hd_measured_clump;

/* An access of hd_job_analyse(), of the same number. Totals are of all blocks and repeats of the
 * launch, also where only some of them were heard. */
typedef struct hd_measured_access {
    double executions;               /* by warps with an active lane that reaches this field */
    double lanes;                    /* mean of active lanes */
    double requests;                 /* mean: halves of the warp with such a lane, or 1 */
    bool moves;                      /* layouts move it: clumps; else `transactions` */
    const hd_measured_clump *clumps; /* those that differ only in residue follow each other */
    uint32_t clump_count;
    double transactions; /* where layouts do not move it: under the device's rules */
    /* Where there were too many clumps to keep: */
    uint64_t sampled; /* requests that the clumps are of; 0: all */
    double error;     /* standard error of the transactions for each execution, in the layout
                       * that was run, as a share of them; 0 where all were kept */
} hd_measured_access;

typedef struct hd_measured_launch {
    uint64_t runs;                /* heard, of the launch's repeats */
    uint64_t blocks, block_count; /* heard in all runs; in all repeats. 0: it was not heard */
    bool complete;                /* every run that was heard came to its end: nothing faulted or
                                   * was stopped; of blocks that did not what they did counts */
    const hd_measured_access *accesses; /* [access_count], NULL where blocks is 0 */
    uint32_t access_count;
} hd_measured_launch;

/* What was heard of a job. */
typedef struct hd_measured {
    const hd_job *job;
    const hd_device *device;
    const hd_measured_launch *launches; /* [job->launch_count] */
    bool sampled;                       /* of some access only a sample of requests was kept */
    double error; /* that sampling leaves in the transactions of all accesses that layouts move,
                   * as hd_measured_access.error */
} hd_measured;

#endif
