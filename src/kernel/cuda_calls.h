/* What host code means by a call of CUDA's, from the table of them all (kernel/cuda_calls.def). */
#ifndef HD_CUDA_CALLS_H
#define HD_CUDA_CALLS_H

#include "kernel/feature.h"

/* A letter for each of the call's first arguments, as the table explains them; NULL: host code may
 * call it, and nothing is known of it. */
const char *hd_cuda_call_roles(const char *name);
/* Whether it launches a kernel that has its arguments in a list. */
bool hd_cuda_call_launches(const char *name);

/* What a call is beside a GPU's; all zero: there is no such call. And all of them, by their rows. */
hd_feature hd_cuda_feature(const char *name);
void hd_cuda_add_features(hd_arena *arena, hd_features *all);

/* HIP has the same calls and types, "hipMalloc" for "cudaMalloc"; some have another name. Another word is
 * as it is. */
const char *hd_cuda_of_hip(hd_arena *arena, const char *name);
/* A text with HIP's names for CUDA's. */
const char *hd_hip_of_cuda(hd_arena *arena, const char *text);

#endif
