/*
 * What native code calls, and what it knows of memory while it runs.
 */
#ifndef HD_VM_RUN_NATIVE_H
#define HD_VM_RUN_NATIVE_H

#include "machine/internal.h"

/* The region that a cluster of memory instructions met last, as its code tests it: an access of `width`
 * bytes at `address` is inside where address - base <= size - width; its bytes are at address + delta, and
 * in private memory at so many times `own` behind that as the lane's number says. size 0: it has met
 * none yet. */
struct vm_reach {
    uint64_t base, size, delta, own;
    const vm_region *region;
    /* Where the last row of this turn and of the one before began, and how far apart they are. */
    uint64_t now, last, step;
    bool is_mixed; /* lanes of the instruction that runs are in several regions */
};

/* Local memory is elsewhere in each block. */
void vm_native_begin_block(vm_run *r);

/* In the order of vm_native_calls. */
enum { VM_CALL_LOOK, VM_CALL_LOOK_ONE, VM_CALL_STORE, VM_CALL_ANNOUNCE, VM_CALL_OPERATION };
extern void *const vm_native_calls[];

#endif
