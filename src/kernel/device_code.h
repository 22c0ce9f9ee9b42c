/*
 * A kernel in the operations of a GPU, as far as its registers ask for them: which values take
 * registers, which operations make and use them, and which of these may change places.
 */
#ifndef HD_KERNEL_DEVICE_CODE_H
#define HD_KERNEL_DEVICE_CODE_H

#include "kernel/kernel.h"

/* A scalar, or a lane of a vector: an index into device_code.words. 0 is none: what takes no
 * register. */
typedef uint32_t device_value;
typedef hd_vec(device_value) device_values;

typedef enum device_access {
    DEVICE_NO_ACCESS,
    DEVICE_LOAD,
    DEVICE_STORE,
    DEVICE_ORDERED /* atomics, barriers: no access moves past */
} device_access;

typedef struct device_op {
    device_values makes, uses;
    device_access access;
    bool is_volatile;
    /* Loads and stores: `offset` bytes from what addresses of this number have in common. */
    kir_space space;
    kir_value root; /* what the address starts from */
    uint32_t address, bytes;
    int64_t offset;
    uint32_t latency;     /* issues of other operations before its result is there */
    uint32_t temporaries; /* 32-bit registers beside what lives when it starts */
} device_op;

typedef struct device_phi {
    device_value makes;
    device_values from; /* by predecessor of the block */
} device_phi;

typedef struct device_block {
    hd_vec(device_op) ops;
    hd_vec(device_phi) phis;
    device_values tests; /* what its branch uses */
    hd_vec(uint32_t) preds, succs;
    bool is_gone; /* became part of another */
} device_block;

typedef struct device_code {
    hd_arena *arena;
    const kir_kernel *kernel;
    const hd_flow *flow;
    device_block *blocks;  /* [kernel->block_count] */
    hd_vec(uint8_t) words; /* of each value: 0 is a predicate */
    bool calls;            /* functions by the ABI, as printf */
} device_code;

/* device_code.c. Everything lives in the arena. */
device_code *kernel_device_code(hd_arena *arena, const kir_kernel *kernel, const hd_flow *flow);
device_value kernel_new_value(device_code *code, uint32_t words);
void kernel_add_use(device_code *code, device_op *op, device_value value);

/* predicate.c: makes one block of a short branch and what is around it, as a compiler does that runs
 * the branch under a predicate. */
void kernel_predicate(device_code *code);

/* hoist.c: the most that lives at a point of a block, in the order in which a compiler that may use
 * `limit` registers issues its operations: what waits for memory first. */
typedef struct device_peak {
    uint32_t live; /* 32-bit registers of values */
    uint32_t with; /* the same, with what operations need beside them */
} device_peak;
typedef struct device_order device_order;
device_order *kernel_order_new(const device_code *code);
/* What `kernel_order_peak` is of. `in`, `out`: sets of the values that live at the block's start and
 * end, a bit each. */
void kernel_order_block(device_order *order, uint32_t block, const uint64_t *in,
                        const uint64_t *out);
device_peak kernel_order_peak(device_order *order, uint32_t limit);

#endif
