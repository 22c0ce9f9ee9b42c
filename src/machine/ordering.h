/*
 * What orders the threads of a launch, for the race check: barriers of blocks and warps, fences, and
 * atomics that release and acquire. docs/machine.md says which; the rules are those of PTX's memory
 * consistency model.
 *
 * Each thread has a clock of what happened before it, and its own time, which goes on when it tells
 * others what it knows. An access of thread u at its time t happened before what a thread does
 * whose clock knows u up to t.
 *
 * A word that atomics release something in is a *location*. What is told there is known to readers of
 * the block that tells it, and to all where the fence or release and every write since are of the
 * device's scope:
 *
 *     block 0                     location                       block 1
 *     partial[0] = ...
 *     fence ── remembers ──┐
 *     atomic add ──────────┴──►   wide, parts[block 0] ──► seen by an atomic add
 *                                                          ──► known behind a fence
 */
#ifndef HD_VM_ORDERING_H
#define HD_VM_ORDERING_H

#include "base/base.h"
#include "kernel/kir.h"
#include "machine/clock.h"

/* What scopes reach: the block, and beyond. */
enum { VM_OF_BLOCK, VM_OF_DEVICE, VM_SCOPES };

typedef struct vm_told {
    vm_clock *knows;
    uint32_t time; /* of the thread that tells; 0: nothing is told */
} vm_told;

typedef struct vm_thread_order {
    vm_clock *knows;
    uint32_t time;             /* from 1 */
    vm_told fence[VM_SCOPES];  /* by the last fence that reaches so far */
    vm_clock *seen[VM_SCOPES]; /* by atomics; known behind the next fence that reaches so far */
} vm_thread_order;

/* The threads of a block that runs. */
typedef struct vm_threads {
    uint64_t block;
    uint32_t lanes;
    uint32_t ordered; /* accesses up to this time happened before all that the block's threads do */
    uint32_t latest;  /* time of any of them */
    vm_thread_order *of;
} vm_threads;

typedef struct vm_part {
    uint64_t block;
    vm_clock *knows;
} vm_part;

typedef struct vm_location {
    vm_clock *wide;
    vm_part *parts;
    uint32_t part_count;
} vm_location;

typedef struct vm_orders {
    hd_arena *arena;
    hd_vec(vm_location) locations;
    uint32_t *published; /* [block] accesses up to this time may be known elsewhere */
    bool takes_turns;    /* several blocks are at work; else one after the other */
} vm_orders;

vm_orders *vm_orders_new(uint64_t blocks, bool takes_turns);
void vm_orders_free(vm_orders *orders);

void vm_threads_begin(vm_threads *threads, uint64_t block, uint32_t lanes);
void vm_threads_free(vm_threads *threads);

/* What that thread did at that time happened before what `lane` does now. */
bool vm_happened_before(const vm_threads *threads, uint32_t lane, uint64_t block, uint32_t other,
                        uint32_t time);

/* The lanes of `mask` wait for each other. `returned` have come, too, in a barrier of the block or
 * warp; `more` is known to all of them then, or NULL. */
void vm_order_lanes(vm_threads *threads, const uint64_t *mask, const uint64_t *returned,
                    vm_clock *more);
/* A lane tells what it knows to those who will wait, and goes on. */
void vm_order_arrival(vm_threads *threads, uint32_t lane, vm_clock **told);

void vm_order_fence(vm_threads *threads, uint32_t lane, kir_order order, bool is_block_scope);

typedef struct vm_atomic_order {
    kir_order order;
    bool is_block_scope;
} vm_atomic_order;
/* The reading of an atomic that sees what was written before, and the writing of one. *location: 1 +
 * the number of the word's location; 0: it has none yet. A write that goes on with what is told
 * there has seen it. */
void vm_order_read(vm_orders *orders, vm_threads *threads, uint32_t lane, uint32_t location,
                   const vm_atomic_order *how);
void vm_order_write(vm_orders *orders, vm_threads *threads, uint32_t lane, uint32_t *location,
                    const vm_atomic_order *how, bool goes_on);
/* A plain write: whoever reads the word then is told nothing. */
void vm_order_plain_write(vm_orders *orders, uint32_t location);

#endif
