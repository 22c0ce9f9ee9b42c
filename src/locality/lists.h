/* The lists of positions of a bucket's elements, and what they add to the characteristic. */
#ifndef HD_LISTS_H
#define HD_LISTS_H

#include "locality/touch.h"

/* What one worker has added up. */
typedef struct lists_sum {
    uint64_t *degree; /* [stream start + distance] */
    uint64_t *accesses; /* [stream] */
    uint64_t elements;
    unsigned __int128 total; /* of all degrees */
    /* scratch */
    uint32_t *counts;
    uint64_t *entries, *spare;
    size_t count_room, entry_room;
    struct position_list *held, *next;
} lists_sum;

void lists_begin(const reuse_plan *plan, lists_sum *sum);
/* Adds the elements of bucket `number` of all workers. */
void lists_add(const reuse_plan *plan, const touches *all, uint32_t number, lists_sum *sum);
void lists_free(lists_sum *sum);

#endif
