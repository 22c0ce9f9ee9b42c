/*
 * Do two blocks of a launch touch the same byte? From what every access touches, as sums over the ids
 * of blocks and threads and the numbers of iterations.
 */
#ifndef HD_VM_FOOTPRINT_H
#define HD_VM_FOOTPRINT_H

#include "kernel/kernel.h"

/* stride * n, n = 0 .. most */
typedef struct vm_axis {
    int64_t stride, most; /* both above 0 */
} vm_axis;

/* times * number, where the number is step[d] * block id d, summed up, and one of each axis. Of a
 * clipped one only numbers from low to high count: a condition of the kernel says so. */
enum { VM_AXES = 8, VM_SUMS = 3 };
typedef struct vm_sum {
    int64_t times, step[3];
    int64_t low, high; /* of a clipped one, else 0 */
    vm_axis
        axes[VM_AXES]; /* by ascending stride, no two of them equal; zeros behind the last one */
    uint32_t axis_count;
} vm_sum;

/* The first bytes of an access by all threads of a block: `at` plus one number of each sum. The first
 * sum has times 1 and is not clipped, the others are. */
typedef struct vm_touch {
    vm_sum sums[VM_SUMS]; /* zeros behind the last one */
    uint32_t sum_count;
    uint32_t width; /* bytes from there on */
    bool writes;
    int64_t at; /* from the start of the parameter's or variable's memory */
} vm_touch;

/* What blocks touch by an access; VM_CHOICES of them, since its address may be one of several. 0: it is
 * not known, or 32-bit indices may have wrapped around. */
enum { VM_CHOICES = 4 };
uint32_t vm_touches_of(hd_arena *arena, const hd_kernel_info *info, const hd_access *access,
                       vm_touch touches[VM_CHOICES]);

/* Puts touches of one memory together where they are equal but for `at`, and these follow each other
 * at one distance, as the rows of a tile do; returns how many are left. */
uint32_t vm_fold_touches(vm_touch *touches, uint32_t count);

/* May two different blocks touch a byte, one by `a` and the other by `b`, whose memory begins `offset`
 * bytes behind that of `a`? False only where none do. Takes from *steps for each step of the search;
 * true when there are none left. */
bool vm_touches_meet(const vm_touch *a, const vm_touch *b, int64_t offset, const uint64_t groups[3],
                     uint32_t *steps);

#endif
