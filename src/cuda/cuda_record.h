/* The launches of a CUDA program as a recording (recording/recording.h). */
#ifndef CUDA_RECORD_H
#define CUDA_RECORD_H

#include "cuda/work.h"

typedef struct cuda_record cuda_record;

/* As the environment asks for it; NULL: nothing is recorded. All of the following do nothing then. */
cuda_record *cuda_record_new(cuda_process *p);
/* Before a launch, and after it. */
void cuda_record_launch(cuda_record *record, cuda_process *p, const cuda_launch *launch);
void cuda_record_launched(cuda_record *record, const cuda_launch *launch, hd_status status);
void cuda_record_end(cuda_record *record);

#endif
