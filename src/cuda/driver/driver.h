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
/* The same where no context need be current, since what is ended tells its own. */
cuda_error dr_begin_anywhere(cuda_process **p);
int dr_end(cuda_process *p, cuda_error error);

/* The body of most functions. */
#define RUN(expression)              \
    cuda_process *p;                 \
    cuda_error error = dr_begin(&p); \
    if (!error)                      \
        error = (expression);        \
    return dr_end(p, error)
#define RUN_ANYWHERE(expression)              \
    cuda_process *p;                          \
    cuda_error error = dr_begin_anywhere(&p); \
    if (!error)                               \
        error = (expression);                 \
    return dr_end(p, error)

/* The context of the calling thread, or NULL. */
dr_handle dr_context(void);
int dr_submit(dr_handle stream, const cuda_work *work);

/* Calls that others are made of. */
API cuModuleLoad(dr_handle *module, const char *path);
API cuModuleLoadDataEx(dr_handle *module, const void *image, unsigned count, int *options,
                       void **values);
API cuModuleUnload(dr_handle module);
API cuModuleGetFunction(dr_handle *function, dr_handle module, const char *name);
API cuModuleGetGlobal_v2(address *at, size_t *bytes, dr_handle module, const char *name);
API cuFuncGetAttribute(int *value, int attribute, dr_handle function);
API cuFuncSetAttribute(dr_handle function, int attribute, int value);
API cuFuncSetCacheConfig(dr_handle function, int config);
API cuFuncGetName(const char **name, dr_handle function);
API cuFuncGetModule(dr_handle *module, dr_handle function);
API cuFuncGetParamInfo(dr_handle function, size_t index, size_t *offset, size_t *bytes);
API cuLaunchKernel(dr_handle function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                   unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared,
                   dr_handle stream, void **params, void **extra);
API cuLaunchCooperativeKernel(dr_handle function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                              unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared,
                              dr_handle stream, void **params);

#endif
