/*
 * A CUDA kernel file two ways on the machine, launch by launch: from its source, and from the PTX
 * that nvcc makes of it. What each launch requests and moves in global memory, and whether both
 * leave the same behind.
 */
#ifndef HD_BENCH_COMPILED_TWO_WAYS_H
#define HD_BENCH_COMPILED_TWO_WAYS_H

#include "analysis/analysis.h"

enum { WAY_SOURCE, WAY_NVCC, WAYS };

/* A kernel of a job: the sum of its launches. */
typedef struct two_ways_kernel {
    const char *file, *kernel;
    hd_coalesce_counts counts[WAYS]; /* of global memory */
    const char *difference;          /* of the bytes after a launch; NULL: none */
} two_ways_kernel;

typedef hd_vec(two_ways_kernel) two_ways_kernels;

/* Runs the job file, whose kernels are those of `source` (a .cu, with the job's options), both
 * ways, and adds its kernels as those of `name`. `ptx` becomes nvcc's code. */
hd_status two_ways(hd_arena *arena, const hd_diag *diag, const char *name, const char *job,
                   const char *source, const char *ptx, const hd_device *device,
                   two_ways_kernels *kernels);

#endif
