/*
 * nvcc_job.c: the kernels of a job as NVIDIA's compiler makes them, where it is installed. What it emits is
 * what a GPU of NVIDIA runs; LLVM's pipeline (the compiled form) is near it.
 */
#ifndef HD_ADVISE_NVCC_JOB_H
#define HD_ADVISE_NVCC_JOB_H

#include "job/job.h"

/* nvcc of CUDA_PATH or CUDA_HOME, of PATH, or of /usr/local/cuda; NULL: there is none. */
const char *hd_nvcc_find(hd_arena *arena);

/* `job` with the kernels that nvcc -O3 makes of the CUDA C file `source` under the options `options`, by
 * way of PTX, which becomes the file `ptx`. Products and sums stay apart, as the source has them. The
 * job's buffers and contents are shared. HD_EINPUT, HD_EUNSUPPORTED: it cannot be had so. */
hd_status hd_nvcc_job(hd_arena *arena, const hd_diag *diag, const hd_job *job, const char *source,
                      const char *options, const char *ptx, hd_job **made);

#endif
