/*
 * What host code, of CUDA or OpenCL, says of launches: kernels, sizes, arguments, memory. It is
 * read from main() on through the functions that are called, with the values that constants,
 * parameters and variables have on the way, as far as they follow from the text:
 *
 *     const int n = 1 << 20;
 *     cudaMalloc(&x, n * sizeof *x);
 *     scale<<<(n + 255) / 256, 256>>>(x, n);      4096 blocks of 256 threads, x of 4 MiB, n
 *
 * What depends on more than the text (arguments of the program, files) is not known; a variable
 * that has a value before such a thing may change it keeps that.
 */
#ifndef HD_HOST_H
#define HD_HOST_H

#include "base/base.h"

typedef enum hd_host_kind {
    HD_HOST_UNKNOWN,
    HD_HOST_WHOLE, /* parts[0] */
    HD_HOST_REAL,
    HD_HOST_SIZE,    /* a dim3: parts, 0 where one is not known */
    HD_HOST_MEMORY,  /* a pointer to allocated memory */
    HD_HOST_LIST,    /* a std::vector of parts[0] elements */
    HD_HOST_MEMBERS, /* a struct by value: its scalars, in `members` */
    HD_HOST_KERNEL   /* a cl_kernel, whose number is in `memory` */
} hd_host_kind;

typedef struct hd_host_value {
    hd_host_kind kind;
    int64_t parts[3];
    double real;
    uint32_t memory; /* index into hd_host.memories */
    /* Of a number that a loop counts: 1 + the loop; each round it is `factor` times what it was, and
     * `step` more. 0: it is what it is. */
    uint32_t counts;
    int64_t step, factor;
    struct hd_host_value *members;
    uint32_t member_count;
} hd_host_value;

typedef struct hd_host hd_host;

/* Memory that the program allocates on the device. */
typedef struct hd_host_memory {
    const char *name; /* of the pointer that gets it */
    hd_host_value bytes;
    const char *text; /* of the allocation's size, as written */
    hd_place place;
    hd_host_value count; /* elements, of a vector */
    const char *symbol;  /* of a variable that the program writes (cudaMemcpyToSymbol), or NULL */
    const char *element; /* the type of such a variable, or of an array's elements */
} hd_host_memory;

/* A loop around launches. */
typedef struct hd_host_loop {
    hd_place place;
    int32_t outer;   /* index, or -1 */
    uint64_t trips;  /* 0: not known */
    uint32_t rounds; /* that were gone through: 2 where pointers are swapped, else 1 */
    bool has_end;    /* it goes on until the memory's first element is `end` */
    uint32_t memory;
    hd_host_value end;
} hd_host_loop;

/* What the program writes into memory between launches. */
typedef struct hd_host_write {
    uint32_t to,
        from; /* memories; from HD_HOST_NO_MEMORY: `value` in every byte, or in the first element */
    hd_host_value value, bytes;
    bool first_only;   /* a number that is copied from the host */
    int32_t loop;      /* index of the innermost, or -1 */
    uint32_t launches; /* how many are before it */
    hd_place place;
} hd_host_write;

typedef struct hd_host_launch {
    const char *kernel, *symbol; /* "math::scale<float>", "_ZN4math5scale…"; those of a template
                                  * whose instance is not known have no arguments */
    hd_host_value blocks, threads, shared;
    hd_host_value global; /* in the place of `blocks`: all threads, as OpenCL has it */
    hd_host_value *args;
    uint32_t arg_count;
    int32_t loop;     /* index of the innermost, or -1 */
    const char *text; /* "scale<<<(n + 255) / 256, 256>>>" */
    hd_place place;
} hd_host_launch;

struct hd_host {
    hd_host_memory *memories;
    uint32_t memory_count;
    hd_host_loop *loops;
    uint32_t loop_count;
    hd_host_launch *launches; /* in the order in which they run */
    uint32_t launch_count;
    hd_host_write *writes;
    uint32_t write_count;
    bool more; /* there are more launches than are kept */
};

enum { HD_HOST_MOST_LAUNCHES = 256 };
#define HD_HOST_NO_MEMORY UINT32_MAX

#endif
