/*
 * Nets of threads, and of groups of them: of warps, of blocks. What several threads of a group touch, the group
 * touches once; a net that only one group touches joins nobody and is left out.
 */
#ifndef HD_MAPPING_GROUPS_H
#define HD_MAPPING_GROUPS_H

#include "order/sharing.h"

/* A hypergraph turned round: the nets of each member. */
typedef struct incidence {
    uint64_t *first; /* [members + 1] */
    uint32_t *net;   /* [first[members]], ascending for each */
} incidence;
incidence incidence_of(hd_arena *arena, const hd_nets *nets, uint32_t members);

typedef struct group_nets {
    uint32_t groups;
    hd_nets nets; /* their `thread` is a group; groups of a net ascend */
    incidence of; /* the nets of each group */
} group_nets;

/* group_of[thread] is the group of each thread of `nets`. */
group_nets group_nets_make(hd_arena *arena, const hd_nets *nets, const uint32_t *group_of,
                           uint32_t groups);

/* The warp (hd_sharing_warp_of()) of each thread in an order, and its block. */
uint32_t *group_warps(hd_arena *arena, const hd_sharing *sharing, const uint32_t *order);
uint32_t *group_blocks(hd_arena *arena, const hd_sharing *sharing, const uint32_t *order);

#endif
