/*
 * What `heddle run` wants to know of a program: what its kernels moved, where they faulted, what
 * was not freed. The command names a folder and its options in the environment, and every process
 * of the program that uses CUDA leaves a file PID.json there when it ends (docs/cuda-programs.md).
 *
 *     HEDDLE_WATCH=FOLDER
 *     HEDDLE_WATCH_OPTIONS="quiet races uninitialised leaks memory overhead=0.2"
 *
 * "quiet", in front, shows no progress (progress.h).
 *
 * With "overhead" a share of the blocks is counted, so that counting takes no more than that of the
 * program's time (analysis/sampling.h), else all of them.
 *
 * With "memory" what each allocation of device and managed memory held when it was freed, or at the
 * end, is in a file of its own beside PID.json, which names it.
 */
#ifndef CUDA_WATCH_H
#define CUDA_WATCH_H

#include "cuda/cuda_memory.h"
#include "cuda/work.h"

typedef struct cuda_watch cuda_watch;

/* As the environment asks for it; NULL: nothing is counted. All of the following do nothing then. */
cuda_watch *cuda_watch_new(cuda_process *p);
/* What the machine is to check. */
void cuda_watch_options(const cuda_watch *watch, hd_ptx_options *options);
/* Before a launch, and after it. A fault is told even without a watch. */
void cuda_watch_launch(cuda_watch *watch, cuda_process *p, const cuda_launch *launch);
void cuda_watch_launched(cuda_watch *watch, cuda_process *p, const cuda_launch *launch,
                         const hd_ptx_counts *counts, hd_status status);
/* Memory that goes now. */
void cuda_watch_memory(cuda_watch *watch, cuda_process *p, const cuda_allocation *gone);
void cuda_watch_end(cuda_watch *watch, cuda_process *p);

#endif
