/* What host code means by a call of CUDA's, from the table of them all (kernel/cuda_calls.def). */
#ifndef HD_CUDA_CALLS_H
#define HD_CUDA_CALLS_H

#include <stdbool.h>

/* A letter for each of the call's first arguments, as the table explains them; NULL: host code may
 * call it, and nothing is known of it. */
const char *hd_cuda_call_roles(const char *name);
/* Whether it launches a kernel that has its arguments in a list. */
bool hd_cuda_call_launches(const char *name);

#endif
