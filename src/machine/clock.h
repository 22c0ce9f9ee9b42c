/*
 * Vector clocks: up to which time of each thread of a launch something is known.
 *
 * A thread's time counts its own releases. Most of what threads know of each other comes from
 * barriers of whole blocks and of warps, so a clock is a sorted list of numbers for blocks, warps
 * and single threads, and what is known of a thread is the greatest of the three:
 *
 *     block 0: 4 | block 1: 2   block 1 warp 3: 5   block 1 thread 7: 6
 *
 * A number for a block or warp stands there only where it holds for all its threads, so nothing
 * is lost against a number for each thread. Clocks do not change: threads share them.
 */
#ifndef HD_VM_CLOCK_H
#define HD_VM_CLOCK_H

#include <stdbool.h>
#include <stdint.h>

enum { VM_CLOCK_WARP = 32 };

typedef struct vm_known {
    uint64_t who;
    uint32_t time;
} vm_known;

typedef struct vm_clock {
    uint32_t users, count;
    vm_known known[]; /* ascending by `who` */
} vm_clock;

/* Within a block its own number comes first, then warps, then threads. */
static inline uint64_t vm_who_block(uint64_t block) { return block << 24; }
static inline uint64_t vm_who_warp(uint64_t block, uint32_t warp) {
    return vm_who_block(block) + 1 + warp;
}
static inline uint64_t vm_who_thread(uint64_t block, uint32_t lane) {
    return vm_who_block(block) + (1u << 23) + lane;
}

/* NULL is the clock of who knows nothing. These give a reference that the caller drops. */
vm_clock *vm_clock_keep(vm_clock *clock);
vm_clock *vm_clock_make(const vm_known *known, uint32_t count);
vm_clock *vm_clock_joined(vm_clock *a, vm_clock *b);
void vm_clock_drop(vm_clock *clock);
/* *to knows also what `clock` does. */
void vm_clock_add(vm_clock **to, vm_clock *clock);
void vm_clock_add_one(vm_clock **to, uint64_t who, uint32_t time);

bool vm_clock_knows(const vm_clock *clock, uint64_t block, uint32_t lane, uint32_t time);

#endif
