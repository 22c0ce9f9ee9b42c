/*
 * How far a launch is that takes long: a line on standard error, where that is a terminal, in a process
 * that is counted or recorded. It goes when the launch ends, or something else is said.
 *
 *     heddle: heat: launch 12, 34% of its blocks, about 8 s left
 *
 * HEDDLE_WATCH_OPTIONS or HEDDLE_RECORD_OPTIONS that begin with the word "quiet" ask for none.
 */
#ifndef CUDA_PROGRESS_H
#define CUDA_PROGRESS_H

#include "cuda/work.h"

typedef struct cuda_progress cuda_progress;

/* NULL: none is shown. All of the following do nothing then. */
cuda_progress *cuda_progress_new(cuda_process *p);
/* The machine is to tell how far it is. */
void cuda_progress_options(cuda_progress *progress, hd_ptx_options *options);
/* Before a launch, and after it. */
void cuda_progress_launch(cuda_progress *progress, const cuda_launch *launch);
void cuda_progress_launched(cuda_progress *progress);
/* Something else is printed next. */
void cuda_progress_erase(cuda_progress *progress);

#endif
