/*
 * Nets of groups of threads: of warps, of blocks. What several threads of a group touch, the group
 * touches once; a net that only one group touches joins nobody and is left out.
 */
#ifndef HD_MAPPING_GROUPS_H
#define HD_MAPPING_GROUPS_H

#include "mapping/sharing.h"

typedef struct group_nets {
    uint32_t groups;
    hd_nets nets;       /* their `thread` is a group; groups of a net ascend */
    uint64_t *first_of; /* [groups + 1]: the nets of a group, ascending, in net_of */
    uint32_t *net_of;
} group_nets;

/* group_of[thread] is the group of each thread of `nets`. To be freed with group_nets_free(). */
void group_nets_make(const hd_nets *nets, const uint32_t *group_of, uint32_t groups,
                     group_nets *result);
void group_nets_free(group_nets *nets);

/* The warp (hd_sharing_warp_of()) of each thread in an order, and its block: malloc's. */
uint32_t *group_warps(const hd_sharing *sharing, const uint32_t *order);
uint32_t *group_blocks(const hd_sharing *sharing, const uint32_t *order);

#endif
