/*
 * What is used of CUDA's driver interface and of NVRTC, which compiles CUDA C at run time.
 *
 * Both are opened when devices are first asked for, so Heddle is built and runs without them.
 * The declarations are ours: handles are pointers, a device is a number, and results are 0 for
 * success (CUDA Driver API and NVRTC manuals, versions 11 to 13).
 */
#ifndef HD_DRIVER_CUDA_LIBRARY_H
#define HD_DRIVER_CUDA_LIBRARY_H

#include "driver/compute.h"

/* X(name here, symbol, parameters) */
#define HD_CUDA_FUNCTIONS(X)                                                                      \
    X(init, cuInit, (unsigned flags))                                                             \
    X(error_name, cuGetErrorName, (int error, const char **name))                                 \
    X(version, cuDriverGetVersion, (int *version))                                                \
    X(count_devices, cuDeviceGetCount, (int *count))                                              \
    X(get_device, cuDeviceGet, (int *device, int number))                                         \
    X(device_name, cuDeviceGetName, (char *name, int length, int device))                         \
    X(device_attribute, cuDeviceGetAttribute, (int *value, int attribute, int device))            \
    X(retain_context, cuDevicePrimaryCtxRetain, (void **context, int device))                     \
    X(release_context, cuDevicePrimaryCtxRelease_v2, (int device))                                \
    X(use_context, cuCtxSetCurrent, (void *context))                                              \
    X(current_context, cuCtxGetCurrent, (void **context))                                         \
    X(current_device, cuCtxGetDevice, (int *device))                                              \
    X(make_stream, cuStreamCreate, (void **stream, unsigned flags))                               \
    X(destroy_stream, cuStreamDestroy_v2, (void *stream))                                         \
    X(synchronize_stream, cuStreamSynchronize, (void *stream))                                    \
    X(wait_for_event, cuStreamWaitEvent, (void *stream, void *event, unsigned flags))             \
    X(load_module, cuModuleLoadData, (void **module, const void *image))                          \
    X(unload_module, cuModuleUnload, (void *module))                                              \
    X(get_function, cuModuleGetFunction, (void **function, void *module, const char *name))       \
    X(get_variable, cuModuleGetGlobal_v2,                                                         \
      (uint64_t *memory, size_t *bytes, void *module, const char *name))                          \
    X(function_attribute, cuFuncGetAttribute, (int *value, int attribute, void *function))        \
    X(set_function_attribute, cuFuncSetAttribute, (void *function, int attribute, int value))     \
    X(memory_info, cuMemGetInfo_v2, (size_t *free_bytes, size_t *all_bytes))                      \
    X(allocate, cuMemAlloc_v2, (uint64_t *memory, size_t bytes))                                  \
    X(free, cuMemFree_v2, (uint64_t memory))                                                      \
    X(to_device_async, cuMemcpyHtoDAsync_v2,                                                      \
      (uint64_t to, const void *from, size_t bytes, void *stream))                                \
    X(to_host_async, cuMemcpyDtoHAsync_v2, (void *to, uint64_t from, size_t bytes, void *stream)) \
    X(address_range, cuMemGetAddressRange_v2, (uint64_t *base, size_t *bytes, uint64_t memory))   \
    X(allocate_host, cuMemAllocHost_v2, (void **memory, size_t bytes))                            \
    X(free_host, cuMemFreeHost, (void *memory))                                                   \
    X(allocate_mapped, cuMemHostAlloc, (void **memory, size_t bytes, unsigned flags))             \
    X(allocate_managed, cuMemAllocManaged, (uint64_t *memory, size_t bytes, unsigned flags))      \
    X(advise, cuMemAdvise, (uint64_t memory, size_t bytes, int advice, int device))               \
    X(prefetch, cuMemPrefetchAsync, (uint64_t memory, size_t bytes, int device, void *stream))    \
    X(register_host, cuMemHostRegister_v2, (void *memory, size_t bytes, unsigned flags))          \
    X(unregister_host, cuMemHostUnregister, (void *memory))                                       \
    X(address_of_host, cuMemHostGetDevicePointer_v2,                                              \
      (uint64_t *address, void *memory, unsigned flags))                                          \
    X(pointer_attribute, cuPointerGetAttribute, (void *value, int attribute, uint64_t pointer))   \
    X(copy, cuMemcpyDtoDAsync_v2, (uint64_t to, uint64_t from, size_t bytes, void *stream))       \
    X(launch, cuLaunchKernel,                                                                     \
      (void *function, unsigned blocks_x, unsigned blocks_y, unsigned blocks_z,                   \
       unsigned threads_x, unsigned threads_y, unsigned threads_z, unsigned shared, void *stream, \
       void **params, void **extra))                                                              \
    X(make_event, cuEventCreate, (void **event, unsigned flags))                                  \
    X(record_event, cuEventRecord, (void *event, void *stream))                                   \
    X(elapsed, cuEventElapsedTime, (float *milliseconds, void *start, void *end))                 \
    X(destroy_event, cuEventDestroy_v2, (void *event))

#define HD_NVRTC_FUNCTIONS(X)                                                                      \
    X(version, nvrtcVersion, (int *major, int *minor))                                             \
    X(create, nvrtcCreateProgram,                                                                  \
      (void **program, const char *text, const char *name, int header_count,                       \
       const char *const *headers, const char *const *header_names))                               \
    X(destroy, nvrtcDestroyProgram, (void **program))                                              \
    X(add_name, nvrtcAddNameExpression, (void *program, const char *expression))                   \
    X(compile, nvrtcCompileProgram, (void *program, int option_count, const char *const *options)) \
    X(log_size, nvrtcGetProgramLogSize, (void *program, size_t *size))                             \
    X(log, nvrtcGetProgramLog, (void *program, char *log))                                         \
    X(symbol, nvrtcGetLoweredName, (void *program, const char *expression, const char **symbol))   \
    X(image_size, nvrtcGetCUBINSize, (void *program, size_t *size))                                \
    X(image, nvrtcGetCUBIN, (void *program, char *image))

typedef struct hd_cuda_library {
#define X(name, symbol, parameters) int(*name) parameters;
    HD_CUDA_FUNCTIONS(X)
#undef X
} hd_cuda_library;

typedef struct hd_nvrtc_library {
#define X(name, symbol, parameters) int(*name) parameters;
    HD_NVRTC_FUNCTIONS(X)
#undef X
    const char *(*error_text)(int error);
} hd_nvrtc_library;

enum {
    HD_CUDA_THREADS_OF_FUNCTION = 0, /* most threads of a block */
    HD_CUDA_SHARED_OF_FUNCTION = 8,  /* most bytes of dynamic shared memory */
    HD_CUDA_MULTIPROCESSORS = 16,
    HD_CUDA_MAPS_HOST_MEMORY = 19,
    HD_CUDA_MANAGED_MEMORY = 83,
    HD_CUDA_CONCURRENT_MANAGED = 89, /* the host may use it meanwhile; hints need that */
    HD_CUDA_CAPABILITY_MAJOR = 75,
    HD_CUDA_CAPABILITY_MINOR = 76,
    HD_CUDA_MEMORY_TYPE = 2,    /* of a pointer; it has none where the driver does not know it: */
    HD_CUDA_MEMORY_OF_HOST = 1, /* pinned */
    HD_CUDA_EVENT_WITHOUT_TIME = 2,
    HD_CUDA_REGISTER_MAPPED = 2,
    HD_CUDA_ALLOCATE_MAPPED = 2,
    HD_CUDA_MANAGED_BY_ALL = 1,
    HD_CUDA_READ_MOSTLY = 1, /* advice */
    HD_CUDA_NOT_READ_MOSTLY = 2,
    HD_CUDA_PREFERRED_LOCATION = 3,
    HD_CUDA_THE_HOST = -1, /* as a device */
};

/* False: *missing says what is missing and how to mend it. */
bool hd_cuda_open(hd_arena *arena, hd_cuda_library *library, const char **missing);
bool hd_nvrtc_open(hd_arena *arena, hd_nvrtc_library *library, const char **missing);

/* "CUDA_ERROR_OUT_OF_MEMORY", "NVRTC_ERROR_COMPILATION" */
const char *hd_cuda_error(const hd_cuda_library *library, int error);
const char *hd_nvrtc_error(const hd_nvrtc_library *library, int error);

/* nvrtc.c: compiles for the architecture "90". What it gives lives in `arena`: the image, the
 * symbol of each of the source's names, and after an error what the compiler said, or NULL. */
int hd_nvrtc_compile(const hd_nvrtc_library *nvrtc, hd_arena *arena, const char *architecture,
                     const hd_compute_source *source, const char **image, const char **symbols,
                     const char **log);

/* The folder of a CUDA toolkit: $CUDA_PATH, $CUDA_HOME or /usr/local/cuda, or NULL. */
const char *hd_cuda_toolkit(void);

#endif
