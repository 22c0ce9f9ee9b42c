/* The lists of positions of a bucket's elements, and what they add to the characteristic. */
#ifndef HD_LISTS_H
#define HD_LISTS_H

#include "locality/touch.h"

/* What one worker has added up. */
typedef struct lists_sum {
    uint64_t *degree;   /* [stream start + distance] */
    uint64_t *accesses; /* [stream] */
    uint64_t elements;
    unsigned __int128 total; /* of all degrees */
    /* scratch */
    uint32_t *interval; /* of each element */
    uint32_t *length;   /* of each interval: elements */
    uint64_t *ends;     /* of each interval: where its entries end */
    uint64_t *entries, *spare;
    size_t element_room, entry_room;
    struct position_list *held, *next;
} lists_sum;

/* Bytes that a worker takes whatever the touches, with streams up to `longest` positions. */
uint64_t lists_bytes_of_worker(const reuse_plan *plan, uint64_t longest);
/* Bytes of the touches and of what workers put in order at the same time. */
uint64_t lists_bytes(const touches *all);

void lists_begin(const reuse_plan *plan, lists_sum *sum);
/* Adds the elements of bucket `number` of all workers. */
void lists_add(const reuse_plan *plan, const touches *all, uint32_t number, lists_sum *sum);
void lists_free(lists_sum *sum);

#endif
