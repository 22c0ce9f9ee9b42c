/*
 * One cache: lines in sets, of which the one that was used longest ago makes room.
 */
#ifndef HD_CACHE_SETS_H
#define HD_CACHE_SETS_H

#include "base/base.h"

/* A line that is there; bits stand for its sectors. */
typedef struct cache_line {
    uint64_t number;
    uint32_t valid, dirty;
} cache_line;

/* A line that had to go, of which something was to be written; dirty 0: nothing. */
typedef struct cache_gone {
    uint64_t number;
    uint32_t valid, dirty, owner;
} cache_gone;

typedef struct cache_sets {
    uint64_t sets;
    uint32_t ways;
    uint32_t row;  /* ways of a row: see cache_sets.c */
    uint32_t used; /* of these, which lines can have */
    uint64_t row_count;
    uint8_t *rows;     /* [row_count * row * 2] */
    cache_line *lines; /* [row_count * used] */
    uint32_t *owners;  /* of each: who wrote it last */
    /* Many ways. */
    uint32_t rows_shift;      /* 2 to this are the rows of a set */
    uint32_t use_mask;        /* of places in a set's uses */
    struct cache_uses *order; /* [sets]; NULL: few ways */
    uint32_t *uses;           /* [sets * (use_mask + 1)] */
    uint32_t *passed;         /* [row_count] */
} cache_sets;

/* Empty ones, all alike. sets * ways is below 2^31. */
void cache_sets_init(cache_sets *caches, uint32_t count, uint64_t sets, uint32_t ways);
void cache_sets_clear(cache_sets *cache);
/* All that were made together. */
void cache_sets_free(cache_sets *caches);

/* Memory of large pages, where the host has them, for what is much and read in no order; free()
 * frees it. */
void *cache_pages(uint64_t bytes);

/* The set of a line, on which counts of misses depend. */
static inline uint64_t cache_set_of(uint64_t line, uint64_t sets) {
    return (hd_hash_spread(line) >> 32) * sets >> 32;
}

/* Makes a line the last used of its set; a new one has no valid sectors. Valid until the next
 * call. *gone is of the line that had to go for it. */
cache_line *cache_use_few(cache_sets *cache, uint64_t line, cache_gone *gone);
cache_line *cache_use_many(cache_sets *cache, uint64_t line, cache_gone *gone);
static inline cache_line *cache_use(cache_sets *cache, uint64_t line, cache_gone *gone) {
    return cache->order ? cache_use_many(cache, line, gone) : cache_use_few(cache, line, gone);
}
/* NULL when the line is not there. Changes nothing. */
cache_line *cache_find(cache_sets *cache, uint64_t line);
/* How many lines of its set were used after a line that is there; 0 where a set has more than 32
 * ways, whose order tells only which is the oldest. */
uint32_t cache_age(const cache_sets *cache, const cache_line *line);

/* The line will be used: what a use looks at first, and, called some uses later, what it finds
 * there, come into the host's cache. */
void cache_fetch_row(const cache_sets *cache, uint64_t line);
void cache_fetch_line(const cache_sets *cache, uint64_t line);

/* Calls `each` for every line that is there. */
void cache_each(cache_sets *cache, void (*each)(void *user, const cache_gone *line), void *user);

#endif
