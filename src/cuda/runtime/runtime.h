/*
 * The runtime interface, libcudart.so: what its files share. Each function checks its arguments and
 * hands the rest to src/cuda; a result other than success becomes the thread's last error.
 */
#ifndef CUDA_RUNTIME_H
#define CUDA_RUNTIME_H

#include "cuda/memory.h"
#include "cuda/runtime/abi.h"
#include "cuda/stream.h"

#define API __attribute__((visibility("default"))) cudaError_t

/* Enters the process, opens its machine, and gives the error that holds until a reset, if any. */
cuda_error rt_begin(cuda_process **p);
/* Leaves it, and keeps an error as the thread's last. */
cudaError_t rt_end(cuda_process *p, cuda_error error);
/* Of what needs no machine. */
cudaError_t rt_last(cuda_error error);

/* The body of most functions: `expression` of the process `p`. */
#define RUN(expression)              \
    cuda_process *p;                 \
    cuda_error error = rt_begin(&p); \
    if (!error)                      \
        error = (expression);        \
    return rt_end(p, error)

/* Runs or captures one thing in a stream. */
cudaError_t rt_submit(void *stream, const cuda_work *work);
/* A box between pitched pointers. */
cuda_error rt_copy_of(const cudaMemcpy3DParms *params, cuda_work *work);
cuda_error rt_launch_of(cuda_process *p, const void *host, dim3 grid, dim3 block, void **args,
                        size_t shared, bool cooperative, cuda_work *work);
/* Where a range of a variable is. */
cuda_error rt_symbol(cuda_process *p, const void *symbol, size_t offset, size_t count,
                     void **address);

/* cudaMemPool_t, cudaStream_t and the like. */
typedef void *rt_handle;

#endif
