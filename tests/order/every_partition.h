/* All ways to put things into groups of one size: the obvious twin of whatever clusters. */
#ifndef HD_TESTS_MAPPING_EVERY_PARTITION_H
#define HD_TESTS_MAPPING_EVERY_PARTITION_H

#include "base/base.h"

typedef struct partitions {
    uint32_t count, size; /* things, and those of a group */
    uint32_t *order;      /* [count]: group after group */
    uint64_t (*cost)(void *user, const uint32_t *order);
    void *user;
    uint64_t least;
    uint64_t tried;
} partitions;

static inline void fill_groups(partitions *p, uint32_t at, uint32_t taken) {
    if (at == p->count) {
        uint64_t cost = p->cost(p->user, p->order);
        p->least = cost < p->least ? cost : p->least;
        p->tried++;
        return;
    }
    /* The first of a group is the lowest that is left, and its others ascend. */
    uint32_t from = at % p->size ? p->order[at - 1] + 1 : 0;
    for (uint32_t i = from; i < p->count; i++) {
        if (taken >> i & 1)
            continue;
        p->order[at] = i;
        fill_groups(p, at + 1, taken | 1u << i);
        if (at % p->size == 0)
            break;
    }
}

/* The least cost of all of them, at most 32 things. */
static inline uint64_t least_of_partitions(hd_arena *arena, uint32_t count, uint32_t size,
                                           uint64_t (*cost)(void *user, const uint32_t *order),
                                           void *user, uint64_t *tried) {
    partitions p = {.count = count,
                    .size = size,
                    .order = hd_new_array(arena, uint32_t, count),
                    .cost = cost,
                    .user = user,
                    .least = UINT64_MAX};
    fill_groups(&p, 0, 0);
    *tried = p.tried;
    return p.least;
}

static inline int ascending_doubles(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

#endif
