/*
 * Touches: neighbouring elements, a position, and how many lanes touch each of them there. They
 * are collected in buckets of elements, so that all touches of an element lie in one bucket, and a
 * bucket is small enough for a cache.
 */
#ifndef HD_TOUCH_H
#define HD_TOUCH_H

#include <pthread.h>

#include "base/table.h"
#include "locality/reuse_plan.h"

enum {
    TOUCH_BUCKETS = 512,
    TOUCH_CHUNK_LEAST = 16, /* chunks double up to the most */
    TOUCH_CHUNK_MOST = 1024,
    TOUCH_PAGE = 256,
    TOUCH_UNIT = 16 /* elements that are in the same share; divides a page */
};

typedef struct touch {
    uint32_t element; /* in its bucket */
    uint32_t position;
    uint32_t weight : 24, further : 8; /* elements after it in the page, of the same weight */
} touch;

typedef struct touch_chunk {
    struct touch_chunk *next;
    uint32_t count, capacity;
    touch touches[];
} touch_chunk;

typedef struct touches {
    touch_chunk **buckets; /* [worker][TOUCH_BUCKETS]; chunks are from malloc */
    uint32_t workers;
    hd_hash_table pages;  /* of TOUCH_PAGE neighbouring elements: numbered as they are met */
    pthread_mutex_t lock; /* of the pages */
    uint64_t accesses;    /* of elements by lanes */
    uint64_t limit;       /* bytes that they may take */
    _Atomic uint64_t bytes;
    _Atomic uint64_t read; /* lane accesses, until they took more: then the rest is left out */
} touches;

/* The second reading of the trace. Of `shares` shares of all elements only those of number
 * `share` are taken. They take more than `limit` bytes: touches_full(), and they are of no use. */
hd_status touches_collect(const reuse_plan *plan, uint32_t workers, uint32_t share, uint32_t shares,
                          uint64_t limit, touches *all);
static inline bool touches_full(const touches *all) { return all->bytes > all->limit; }
void touches_free(touches *all);

#endif
