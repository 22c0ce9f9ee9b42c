/*
 * What a stream is given and a graph holds: a launch, a copy, a fill, a host function.
 */
#ifndef CUDA_WORK_H
#define CUDA_WORK_H

#include "cuda/module.h"

struct cuda_event;
struct cuda_graph;

typedef enum cuda_work_kind { /* the numbers of cudaGraphNodeType and CUgraphNodeType */
                              CUDA_WORK_LAUNCH = 0,
                              CUDA_WORK_COPY = 1,
                              CUDA_WORK_FILL = 2,
                              CUDA_WORK_HOST = 3,
                              CUDA_WORK_GRAPH = 4,
                              CUDA_WORK_EMPTY = 5,
                              CUDA_WORK_WAIT = 6,
                              CUDA_WORK_RECORD = 7,
                              CUDA_WORK_ALLOC = 10,
                              CUDA_WORK_FREE = 11,
                              CUDA_WORK_BRANCH = 13,
                              CUDA_WORK_FAILED = -1 /* none: what was asked for is wrong */
} cuda_work_kind;

/* Attributes of launches, nodes and streams: a number from 1, and bytes. */
enum { CUDA_ATTRIBUTES = 16, CUDA_ATTRIBUTE_BYTES = 64 };

typedef struct cuda_launch {
    cuda_kernel *kernel;
    const void *host; /* what the program calls the kernel */
    hd_ptx_launch_size size;
    void **args;        /* args[i]: the bytes of parameter i */
    const char *packed; /* or all of them in one piece */
    size_t packed_bytes;
    uint32_t depth; /* launches that it is in: by a kernel, which was launched by one */
} cuda_launch;

/* Which sides are memory of the device: cudaMemcpyKind. */
typedef enum cuda_direction {
    CUDA_HOST_TO_HOST = 0,
    CUDA_HOST_TO_DEVICE = 1,
    CUDA_DEVICE_TO_HOST = 2,
    CUDA_DEVICE_TO_DEVICE = 3,
    CUDA_BY_ADDRESS = 4
} cuda_direction;

/* Rows of `width` bytes, `height` of them in a plane, `depth` planes. */
typedef struct cuda_box {
    size_t width, height, depth;
} cuda_box;
/* Where a box stands: bytes from row to row and from plane to plane. */
typedef struct cuda_place {
    void *at;
    size_t row, plane;
} cuda_place;

typedef struct cuda_copy {
    cuda_place to, from;
    cuda_box box;
    cuda_direction direction;
} cuda_copy;

typedef struct cuda_fill {
    cuda_place to;
    cuda_box box;
    uint32_t value, element; /* bytes of one value: 1, 2 or 4 */
} cuda_fill;

typedef struct cuda_host_call {
    void (*function)(void *user);
    void *user;
} cuda_host_call;

typedef struct cuda_work {
    cuda_work_kind kind;
    union {
        cuda_launch launch;
        cuda_copy copy;
        cuda_fill fill;
        cuda_host_call host;
        struct cuda_event *event;
        struct cuda_graph *graph;
        struct cuda_graph_memory *memory; /* ALLOC, FREE: a use of it */
        struct cuda_branch *branch;
        cuda_error error; /* FAILED */
    };
} cuda_work;

/* Whether it can be run: sizes of a launch, pointers and bounds of a copy. */
cuda_error cuda_work_check(cuda_process *p, const cuda_work *work);
/* Checks it and runs it. */
cuda_error cuda_work_run(cuda_process *p, const cuda_work *work);
/* A copy that owns the arguments of a launch, and its end. */
cuda_error cuda_work_keep(cuda_process *p, const cuda_work *work, cuda_work *kept);
void cuda_work_drop(cuda_work *kept);

static inline cuda_work cuda_work_failed(cuda_error error) {
    return (cuda_work){.kind = CUDA_WORK_FAILED, .error = error};
}
/* Bytes one after the other, as a box of one row. */
cuda_work cuda_copy_bytes(void *to, const void *from, size_t bytes, cuda_direction direction);
cuda_work cuda_fill_bytes(void *to, uint32_t value, uint32_t element, size_t count);

#endif
