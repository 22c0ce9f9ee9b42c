/*
 * One cache: lines in sets, of which the one that was used longest ago makes room.
 */
#ifndef HD_CACHE_SETS_H
#define HD_CACHE_SETS_H

#include "base/base.h"

/* What is known of a line that is there; bits stand for its sectors. */
typedef struct cache_state {
    uint32_t valid, dirty;
    uint32_t owner; /* who wrote it last */
} cache_state;

/* A line that had to go. */
typedef struct cache_victim {
    uint64_t line; /* CACHE_NO_LINE: none had to */
    cache_state state;
} cache_victim;
#define CACHE_NO_LINE UINT64_MAX

typedef struct cache_sets {
    uint64_t sets;
    uint32_t ways;
    /* Few ways: see cache_sets.c. */
    struct cache_way *held; /* [sets * ways]; NULL: many ways */
    uint8_t *rows;          /* [sets * set_bytes]: of each, its tags and its ages */
    uint64_t set_bytes;
    uint32_t row; /* ways that have a tag and an age; those past `ways` are never used */
    /* Many ways. */
    struct cache_node *nodes; /* [sets * ways] */
    struct cache_ring *rings; /* [sets] */
    uint32_t *buckets;
    uint32_t bucket_shift;
} cache_sets;

/* Empty. sets * ways is below 2^31. */
void cache_sets_init(cache_sets *cache, uint64_t sets, uint32_t ways);
void cache_sets_clear(cache_sets *cache);
void cache_sets_free(cache_sets *cache);

#define CACHE_SPREAD UINT64_C(0x9e3779b97f4a7c15)

/* The set of a line: multiplication by the golden ratio spreads lines that follow each other, and
 * those that are any power of two apart, evenly. */
static inline uint64_t cache_set_of(uint64_t line, uint64_t sets) {
    return (line * CACHE_SPREAD >> 32) * sets >> 32;
}

/* Makes a line the last used of its set; a new one has no valid sectors. Valid until the next
 * call. */
cache_state *cache_use(cache_sets *cache, uint64_t line, cache_victim *victim);
/* A line's state; NULL when it is not there. Changes nothing. */
cache_state *cache_find(cache_sets *cache, uint64_t line);

/* The line will be used: what a use looks at first, and, called some uses later, what it finds
 * there, come into the host's cache. */
void cache_fetch_set(const cache_sets *cache, uint64_t line);
void cache_fetch_line(const cache_sets *cache, uint64_t line);

/* Calls `each` for every line that is there. */
void cache_each(cache_sets *cache, void (*each)(void *user, const cache_victim *line), void *user);

#endif
