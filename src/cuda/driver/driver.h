/*
 * The driver interface, libcuda.so.1: what its files share (CUDA Driver API 12.9 and 13.0; types are
 * declared here, since the library is built without a toolkit). Where a function has had several
 * forms, those of CUDA 12 and 13 are there, under the names that cuda.h gives them.
 */
#ifndef CUDA_DRIVER_H
#define CUDA_DRIVER_H

#include "cuda/memory.h"
#include "cuda/stream.h"

#define API __attribute__((visibility("default"))) int

enum { INVALID_CONTEXT = 201, NOT_INITIALIZED = 3 };

typedef unsigned long long address; /* CUdeviceptr */
typedef void *dr_handle;            /* CUstream, CUevent and the like */

static inline void *dr_pointer(address a) { return (void *)(uintptr_t)a; }

/* Enters the process. An error: nothing can be done in the context that is current, or there is
 * none. */
cuda_error dr_begin(cuda_process **p);
int dr_end(cuda_process *p, cuda_error error);

/* The body of most functions. */
#define RUN(expression)              \
    cuda_process *p;                 \
    cuda_error error = dr_begin(&p); \
    if (!error)                      \
        error = (expression);        \
    return dr_end(p, error)

/* The context of the calling thread, or NULL. */
dr_handle dr_context(void);
int dr_submit(dr_handle stream, const cuda_work *work);

#endif
