/*
 * Plans: which variants are to be run.
 *
 *     sparsity=1,2,4..64       a dimension with values; ".." goes on with the step or the factor
 *                              before it, up to and with the value behind it
 *     layout=aos,soa,{f0,f1}{f2,f3,result}:32
 *     placement=device,host
 *
 * A plan is lines: points that differ in one dimension alone. The plan without a request has a line
 * for each dimension. One with dimensions that vary has all combinations of their values, as lines
 * along the last of them.
 */
#ifndef HD_PLAN_H
#define HD_PLAN_H

#include "advise/explore/point.h"
#include "driver/placement.h"

/* Values of one dimension. */
typedef struct hd_plan_line {
    int dimension;
    hd_micro_point base; /* the others */
    const double *values;
    uint32_t count;
} hd_plan_line;

typedef struct hd_plan {
    bool is_usual;       /* the values along lines are not the user's */
    hd_micro_point base; /* which the lines of a plan without a request share */
    hd_plan_line *lines;
    uint32_t line_count;
    const char *const *layouts; /* in notation */
    uint32_t layout_count;
    uint32_t placements; /* bits 1 << hd_placement; 0: all that the device has */
} hd_plan;

/* What a user asks for: "sparsity=1,2,4..64" to vary, "intensity=8" to fix. */
typedef struct hd_plan_request {
    const char *const *vary, *const *fix;
    uint32_t vary_count, fix_count;
} hd_plan_request;

/* HD_EINPUT: an unknown dimension, a value that is none, one that is fixed and varies, or a point
 * without a kernel or without one of the layouts. */
hd_status hd_plan_make(hd_arena *arena, const hd_diag *diag, const hd_plan_request *request,
                       hd_plan *plan);

/* What a device is like, as far as it bounds a plan. */
typedef struct hd_explore_range {
    uint64_t memory;       /* bytes */
    uint64_t problem;      /* bytes of one, at most: the memory, or what the host can hold */
    uint64_t allocation;   /* bytes of one, at most; 0: not known */
    uint64_t most_threads; /* of a block; 0: not known */
    uint64_t cache;        /* bytes of the last one, that all share; 0: not known */
    uint32_t units;
    double bandwidth;           /* bytes that kernels use in a second, measured; 0: not known */
    uint64_t bandwidth_objects; /* of that kernel */
} hd_explore_range;

/* bound.c: what the device, called `name`, cannot run is left out of a plan of usual values, which a
 * note says, and is HD_EINPUT in one of the user's, or where all usual values have it. The usual
 * problem sizes go on until one is twice as large as the last cache. */
hd_status hd_plan_bound(hd_arena *arena, const hd_diag *diag, const char *name,
                        const hd_explore_range *range, hd_plan *plan);

/* Takes the values out of the line that `why_not` has a reason against, with a note of the first. */
void hd_plan_trim(hd_arena *arena, const hd_diag *diag, hd_plan_line *line,
                  const char *(*why_not)(const void *self, const hd_micro_point *point),
                  const void *self);

/* The point of a line's value. */
hd_micro_point hd_plan_point(const hd_plan_line *line, uint32_t value);

#endif
