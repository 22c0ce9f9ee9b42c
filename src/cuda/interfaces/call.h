/*
 * How the interfaces of CUDA are written. The files of this folder are compiled for each: for the
 * runtime of CUDA 11, 12 and 13, where CUDART is the version, and for the driver, where it is not
 * defined (CUDA Driver and Runtime API 12.9 and 13.0). What both have, under whatever names, stands
 * here once; what only one of them has is in runtime/ and driver/. All names are in
 * kernel/cuda_calls.def.
 *
 *     CALL(NAMES(cudaMalloc, cuMemAlloc_v2), (void **address, size_t bytes), address, bytes) {
 *         return make(p, CUDA_MEMORY_DEVICE, bytes, address);
 *     }
 *
 * is such a function: its names, its parameters, the same without their types, and its body, which
 * is a function of its own that also gets the process `p`, locked and with nothing that stands in
 * the way of the call. Handles and the device's addresses are pointers in both interfaces.
 */
#ifndef CUDA_CALL_H
#define CUDA_CALL_H

#include "cuda/cuda_memory.h"
#include "cuda/runtime/abi.h"
#include "cuda/cuda_stream.h"

#ifdef CUDART
#define NAMES(runtime, driver) runtime
#else
#define NAMES(runtime, driver) driver
#endif
enum { IS_RUNTIME = NAMES(1, 0) };

#define EXPORT __attribute__((visibility("default")))
typedef void *cuda_handle; /* cudaStream_t, CUstream and the like */

/* What there must be before a call does anything. */
typedef enum call_need {
    CALL_NEEDS_NOTHING,
    CALL_NEEDS_DEVICE,  /* the driver: cuInit() was called */
    CALL_NEEDS_MACHINE, /* and no kernel has faulted */
    CALL_NEEDS_CONTEXT  /* and, in the driver, a context is current */
} call_need;

/* Enters the process; an error: nothing may be done. What begins is ended, by the call's result. */
cuda_error call_begin(cuda_process **p, call_need need);
int call_end(cuda_process *p, cuda_error error);

#define CALL(name, parameters, ...) CALL_AT(CALL_NEEDS_CONTEXT, name, parameters, __VA_ARGS__)
/* What is ended tells its own context, so that none need be current. */
#define CALL_ANYWHERE(name, parameters, ...)                   \
    CALL_AT(CALL_NEEDS_MACHINE, name, parameters, __VA_ARGS__)
/* What is asked of the device, which there is without the machine. */
#define CALL_EARLY(name, parameters, ...) CALL_AT(CALL_NEEDS_DEVICE, name, parameters, __VA_ARGS__)

#define CALL_AT(need, name, parameters, ...) CALL_BODY(need, name, parameters, __VA_ARGS__)
#define CALL_BODY(need, name, parameters, ...)                                                     \
    static cuda_error name##_within(cuda_process *p, CALL_BARE parameters);                        \
    EXPORT int name parameters {                                                                   \
        cuda_process *process;                                                                     \
        cuda_error error = call_begin(&process, (need));                                           \
        return call_end(process, error ? error : name##_within(process, __VA_ARGS__));             \
    }                                                                                              \
    static cuda_error name##_within(__attribute__((unused)) cuda_process *p, CALL_BARE parameters)
#define CALL_BARE(...) __VA_ARGS__

/* The same without parameters. */
#define CALL_ALONE(need, name) CALL_BODY_ALONE(need, name)
#define CALL_BODY_ALONE(need, name)                                          \
    static cuda_error name##_within(cuda_process *p);                        \
    EXPORT int name(void) {                                                  \
        cuda_process *process;                                               \
        cuda_error error = call_begin(&process, (need));                     \
        return call_end(process, error ? error : name##_within(process));    \
    }                                                                        \
    static cuda_error name##_within(__attribute__((unused)) cuda_process *p)

/* Two calls that hand in the work that the expression behind the parameters is: in the default
 * stream, and with a stream as the last parameter. */
#define WORK_CALLS(name, name_in_stream, parameters, ...)                 \
    EXPORT int name parameters {                                          \
        const cuda_work work = __VA_ARGS__;                               \
        return call_submit(NULL, &work);                                  \
    }                                                                     \
    EXPORT int name_in_stream(CALL_BARE parameters, cuda_handle stream) { \
        const cuda_work work = __VA_ARGS__;                               \
        return call_submit(stream, &work);                                \
    }
int call_submit(cuda_handle stream, const cuda_work *work);

/* The result of a call that gives one value. */
#define GIVE(room, value) ((room) ? (*(room) = (value), CUDA_SUCCESS) : CUDA_INVALID_VALUE)

enum { CALL_DRIVER_VERSION = 13000 }; /* that programs are told of */

/* A call that is refused; `told` is whether that was said. */
int call_refuse(const char *name, const char *why, bool *told);

/* ---- what several files have need of ---------------------------------------------------------- */

/* The kernel that the runtime calls by its host's function and the driver by a handle, looked up. */
cuda_error call_kernel(cuda_process *p, const void *which, cuda_kernel **kernel);
/* The work of a launch, with its error. */
cuda_work call_launch(cuda_process *p, const void *which, const hd_ptx_launch_size *size,
                      void **args);
/* The same with its arguments in one piece, as pairs of a key and a value say it. */
cuda_work call_packed_launch(cuda_process *p, const void *which, const hd_ptx_launch_size *size,
                             void **extra);
/* What the attributes of a launch ask for; all but these are hints. */
cuda_error call_launch_attributes(const cudaLaunchAttribute *attributes, unsigned count,
                                  hd_ptx_launch_size *size);
/* A launch with attributes, as each interface describes it. */
typedef NAMES(cudaLaunchConfig_t, struct launch_config) call_launch_config;
cuda_error call_launch_size(const call_launch_config *c, hd_ptx_launch_size *size);
/* Whether these are flags of a device or context. */
bool call_are_device_flags(unsigned flags);
/* The grid and the block with which an SM has most threads, of blocks of at most `limit` threads (0: any),
 * whose dynamic shared memory is `shared` bytes, or what a function says of their size. */
typedef size_t call_shared_of_size(int threads);
cuda_error call_fullest_block(cuda_process *p, const void *which, call_shared_of_size *shared_of,
                              size_t shared, int limit, int *grid, int *block);
/* An attribute of the device that there is. */
static inline int call_attribute(const cuda_process *p, int which) {
    int value = 0;
    cuda_device_attribute(&p->device, which, &value);
    return value;
}
/* A number of a kernel: cudaFuncAttribute, CUfunction_attribute. */
int call_kernel_number(const cuda_process *p, const cuda_kernel *kernel, int attribute);

/* A box between pitched pointers, and how the interface says what one is. */
#ifdef CUDART
typedef cudaMemcpy3DParms call_box_params;
#else
typedef struct call_box_side { /* CUDA_MEMCPY3D: one side, then the other */
    size_t x, y, z, level;
    int type;
    const void *host;
    void *device;
    cuda_handle array;
    void *reserved;
    size_t pitch, height;
} call_box_side;
typedef struct call_box_params {
    call_box_side from, to;
    size_t width, height, depth;
} call_box_params;
#endif
cuda_work call_box(const cuda_process *p, const call_box_params *params);
call_box_params call_box_of(const cuda_copy *copy);

/* Attributes of streams and nodes had fewer bytes in CUDA 11. */
#if defined(CUDART) && CUDART == 11
enum { CALL_ATTRIBUTE_BYTES = 32 };
#else
enum { CALL_ATTRIBUTE_BYTES = CUDA_ATTRIBUTE_BYTES };
#endif

/* Graphs' edges have data in some forms of a call; it is a list's item, and the list or NULL. */
#define EDGE_DATA(...) __VA_ARGS__
#define EDGE_DATA_OR_NULL(data) (data)
#define NO_EDGE_DATA(...)
#define NO_EDGE_DATA_OR_NULL(data) NULL

/* Where a caller wants the compiler's words; a size is given and taken in the option's value. */
typedef struct call_logs {
    char *error, *info;
    size_t error_bytes, info_bytes;
    void **error_size, **info_size;
} call_logs;
call_logs call_logs_of(unsigned count, const int *options, void **values);
void call_fill_logs(const call_logs *l, const cuda_process *p, cuda_error error);
/* A module of an image in memory, of a name for messages, or of a file. */
cuda_error call_load(cuda_process *p, cuda_handle *result, const char *name, const void *image,
                     const call_logs *l);
cuda_error call_load_file(cuda_process *p, cuda_handle *result, const char *path,
                          const call_logs *l);

#ifdef CUDART
/* Where a range of a variable is. */
cuda_error call_symbol(cuda_process *p, const void *symbol, size_t offset, size_t bytes,
                       void **address);
/* The copy between a variable and other memory. */
cuda_work call_symbol_copy(cuda_process *p, const void *symbol, const void *other, size_t bytes,
                           size_t offset, int kind, bool to_symbol);
/* Keeps an error as the thread's last, where nothing is entered. */
cudaError_t call_last(cuda_error error);
#else
/* The context of the calling thread, or NULL. */
cuda_handle call_context(void);
bool call_is_context(const cuda_process *p, const void *handle);
#endif

#endif
