/*
 * Touches: an element, a position, and how many lanes touch it there. They are collected in
 * buckets of elements, so that all touches of an element lie in one bucket, and a bucket is
 * small enough for a cache.
 */
#ifndef HD_TOUCH_H
#define HD_TOUCH_H

#include "locality/reuse_plan.h"

enum { TOUCH_BUCKETS = 512, TOUCH_CHUNK = 1000, TOUCH_PAGE = 256 };

typedef struct touch {
    uint32_t element; /* in its bucket */
    uint32_t position;
    uint32_t weight;
} touch;

typedef struct touch_chunk {
    struct touch_chunk *next;
    uint32_t count;
    touch touches[TOUCH_CHUNK];
} touch_chunk;

typedef struct touch_bucket {
    touch_chunk *chunks; /* from malloc */
} touch_bucket;

/* Of elements, pages of TOUCH_PAGE neighbours are numbered as they are met. */
typedef struct touch_pages touch_pages;

typedef struct touches {
    touch_bucket *buckets; /* [worker][TOUCH_BUCKETS] */
    uint32_t workers;
    touch_pages *pages;
    uint64_t page_count;   /* met, when collecting is over */
    uint64_t accesses;     /* of elements by lanes */
} touches;

/* The second reading of the trace. Of `shares` shares of all elements only those of number
 * `share` are taken. */
hd_status touches_collect(const reuse_plan *plan, uint32_t workers, uint32_t share,
                          uint32_t shares, touches *all);
void touches_free(touches *all);

#endif
