/*
 * What `heddle record` writes of a program: its launches as job files (docs/record.md). The command
 * names a folder and its options in the environment:
 *
 *     HEDDLE_RECORD=FOLDER
 *     HEDDLE_RECORD_RESULTS=FOLDER      where PID.json says what was left out
 *     HEDDLE_RECORD_OPTIONS="quiet first=0 last=99 every=10 limit=1000000 kernel=sum"
 *
 * "quiet", in front, shows no progress (progress.h).
 *
 * A job has the kernels of one module. When a launch has run, its entry is added to
 * job.yaml.launches, and those of its buffers to job.yaml.buffers; the command makes job.yaml of
 * these when the program has ended, in whatever way.
 *
 * Memory is looked at before a launch that is recorded and after it; what differs from what the
 * job's launches so far have left there was done by the host, or by launches that are not in the
 * job, and is written into the job. So a job is right whatever was left out of it.
 */
#ifndef CUDA_RECORD_H
#define CUDA_RECORD_H

#include "cuda/work.h"

typedef struct cuda_record cuda_record;

/* As the environment asks for it; NULL: nothing is recorded. All of the following do nothing then. */
cuda_record *cuda_record_new(cuda_process *p);
/* Before a launch, and after it. */
void cuda_record_launch(cuda_record *record, cuda_process *p, const cuda_launch *launch);
void cuda_record_launched(cuda_record *record, cuda_process *p, hd_status status);
void cuda_record_end(cuda_record *record, cuda_process *p);

#endif
