/*
 * The machine with the handlers of another instruction set than this processor's best. To be
 * included by one file of a program: it stands in for machine/choose_lanes.c.
 */
#ifndef HD_TEST_LANE_SETS_H
#define HD_TEST_LANE_SETS_H

#include "machine/lanes/lanes.h"

const vm_lanes *hd_lanes_best(void);
#define vm_lanes_choose hd_lanes_best
#include "machine/choose_lanes.c"
#undef vm_lanes_choose

static const vm_lanes *lanes_wanted; /* NULL: the best */

const vm_lanes *vm_lanes_choose(void) { return lanes_wanted ? lanes_wanted : hd_lanes_best(); }

/* The set one below the best one, and the portable one below that. */
static inline const vm_lanes *lanes_below(const vm_lanes *set) {
#if defined __x86_64__
    return set == &vm_lanes_avx512 ? &vm_lanes_avx2 : &vm_lanes_base;
#else
    (void)set;
    return &vm_lanes_base;
#endif
}

#endif
