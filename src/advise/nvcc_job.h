/*
 * nvcc_job.c: the kernels of a job as NVIDIA's compiler makes them, where it is installed. What it emits is
 * what a GPU of NVIDIA runs; LLVM's pipeline (the compiled form) is near it.
 */
#ifndef HD_ADVISE_NVCC_JOB_H
#define HD_ADVISE_NVCC_JOB_H

#include "job/job.h"

/* A program of CUDA ("ptxas") of CUDA_PATH or CUDA_HOME, of PATH, or of /usr/local/cuda; NULL: there
 * is none. */
const char *hd_cuda_tool(hd_arena *arena, const char *name);
const char *hd_nvcc_find(hd_arena *arena);
/* Runs it; `words` ends with NULL. What it says of errors goes to the file `messages`, or, with -1,
 * nowhere. */
bool hd_run_tool(char **words, int messages);

/* The file `ptx` from the CUDA C file `source`, by nvcc -O3 for compute capability 8.0. Products and sums
 * stay apart, as the source has them, but with the option -fmad=true. HD_EINPUT, HD_EUNSUPPORTED: it
 * cannot be had. */
hd_status hd_nvcc_ptx(hd_arena *arena, const hd_diag *diag, const char *source, const char *options,
                      const char *ptx);

/* `job` with the kernels that nvcc -O3 makes of the CUDA C file `source` under the options `options`, by
 * way of PTX (hd_nvcc_ptx), which becomes the file `ptx`. The job's buffers and contents are shared.
 * HD_EINPUT, HD_EUNSUPPORTED: it cannot be had so. */
hd_status hd_nvcc_job(hd_arena *arena, const hd_diag *diag, const hd_job *job, const char *source,
                      const char *options, const char *ptx, hd_job **made);

#endif
