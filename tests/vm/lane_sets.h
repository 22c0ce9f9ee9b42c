/*
 * The machine with the handlers of another instruction set than this processor's best. To be
 * included by one file of a program: it stands in for vm/choose.c.
 */
#ifndef HD_TEST_LANE_SETS_H
#define HD_TEST_LANE_SETS_H

#include "vm/lanes.h"

const hd_lanes *hd_lanes_best(void);
#define hd_lanes_choose hd_lanes_best
#include "vm/choose.c"
#undef hd_lanes_choose

static const hd_lanes *lanes_wanted; /* NULL: the best */

const hd_lanes *hd_lanes_choose(void) { return lanes_wanted ? lanes_wanted : hd_lanes_best(); }

/* The set one below the best one, and the portable one below that. */
static inline const hd_lanes *lanes_below(const hd_lanes *set) {
#if defined __x86_64__
    return set == &hd_lanes_avx512 ? &hd_lanes_avx2 : &hd_lanes_base;
#else
    (void)set;
    return &hd_lanes_base;
#endif
}

#endif
