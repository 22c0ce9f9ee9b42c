/*
 * Sets of lines, least recently used first out.
 *
 * A set of few ways has an array of tags, short enough to look through, and its ways in the order
 * of use, a byte each. A tag has the lower bits of a line alone; the way that it leads to knows all
 * of it. So a use touches a few lines of the host's own cache, whatever the size of the simulated
 * one.
 *
 *     way      0    1    2    3
 *     tag      7f4  120  3c8  7f0
 *     order    3 0 1 2  (last to first)     use of 120:   1 3 0 2
 *
 * Since Volta, L1 has four sets of hundreds of ways. There the lines of a set are a ring of nodes
 * in the order of use, and a hash table of chains finds the node of a line.
 */
#include <stdlib.h>

#include "locality/cache_sets.h"

enum { FEW_WAYS = 32 };
#define NO_NODE UINT32_MAX

typedef struct cache_way {
    uint64_t line; /* CACHE_NO_LINE: none */
    cache_state state;
} cache_way;

typedef struct cache_node {
    uint64_t line;
    cache_state state;
    uint32_t newer, older; /* in its set; NO_NODE at the ends */
    uint32_t next;         /* in its bucket */
} cache_node;

typedef struct cache_ring {
    uint32_t newest, oldest, count;
} cache_ring;

/* ---- from beginning to end --------------------------------------------------------------- */

static uint64_t bucket_count(const cache_sets *c) { return (uint64_t)1 << (64 - c->bucket_shift); }

void cache_sets_init(cache_sets *c, uint64_t sets, uint32_t ways) {
    uint64_t lines = sets * ways;
    *c = (cache_sets){.sets = sets, .ways = ways, .bucket_shift = 63};
    if (ways <= FEW_WAYS) {
        c->tags = hd_zeroed(lines, sizeof *c->tags);
        c->order = hd_zeroed(lines, sizeof *c->order);
        c->held = hd_zeroed(lines, sizeof *c->held);
    } else {
        while (bucket_count(c) < lines)
            c->bucket_shift--;
        c->nodes = hd_zeroed(lines, sizeof *c->nodes);
        c->rings = hd_zeroed(sets, sizeof *c->rings);
        c->buckets = hd_zeroed(bucket_count(c), sizeof *c->buckets);
    }
    cache_sets_clear(c);
}

void cache_sets_clear(cache_sets *c) {
    for (uint64_t i = 0; c->held && i < c->sets * c->ways; i++) {
        c->order[i] = (uint8_t)(i % c->ways);
        c->held[i] = (cache_way){.line = CACHE_NO_LINE};
    }
    if (c->held)
        return;
    memset(c->buckets, 0xff, bucket_count(c) * sizeof *c->buckets);
    for (uint64_t s = 0; s < c->sets; s++)
        c->rings[s] = (cache_ring){NO_NODE, NO_NODE, 0};
}

void cache_sets_free(cache_sets *c) {
    free(c->tags);
    free(c->order);
    free(c->held);
    free(c->nodes);
    free(c->rings);
    free(c->buckets);
    *c = (cache_sets){0};
}

/* ---- few ways ------------------------------------------------------------------------------ */

/* How many of a set's tags are the line's, and the sum of their ways. All are looked at: a branch
 * for each could not be foretold. */
static inline uint32_t match_tags(const cache_sets *c, uint64_t first, uint64_t line,
                                  uint32_t *way) {
    const uint32_t *tags = c->tags + first, tag = (uint32_t)line;
    uint32_t matches = 0, sum = 0;
    for (uint32_t w = 0; w < c->ways; w++) {
        uint32_t is = tags[w] == tag;
        matches += is;
        sum += is * w;
    }
    *way = sum;
    return matches;
}

/* The way of a set that holds the line; `ways` when none does. Tags that are alike are told apart
 * one by one. */
static inline uint32_t find_way(const cache_sets *c, uint64_t first, uint64_t line) {
    uint32_t way, matches = match_tags(c, first, line, &way);
    if (matches == 1)
        return c->held[first + way].line == line ? way : c->ways;
    for (way = matches ? 0 : c->ways; way < c->ways; way++)
        if (c->held[first + way].line == line)
            break;
    return way;
}

static cache_state *use_few(cache_sets *c, uint64_t line, cache_victim *victim) {
    uint64_t first = cache_set_of(line, c->sets) * c->ways;
    uint32_t way = find_way(c, first, line), at = 0;
    uint8_t *order = c->order + first;
    victim->line = CACHE_NO_LINE;
    if (way == c->ways) {
        at = c->ways - 1;
        way = order[at];
        *victim = (cache_victim){c->held[first + way].line, c->held[first + way].state};
        c->held[first + way] = (cache_way){.line = line};
        c->tags[first + way] = (uint32_t)line;
    } else {
        while (order[at] != way)
            at++;
    }
    memmove(order + 1, order, at);
    order[0] = (uint8_t)way;
    return &c->held[first + way].state;
}

/* ---- many ways ------------------------------------------------------------------------------ */

static uint32_t *bucket_of(const cache_sets *c, uint64_t line) {
    return &c->buckets[line * UINT64_C(0xff51afd7ed558ccd) >> c->bucket_shift];
}

static uint32_t find_node(const cache_sets *c, uint64_t line) {
    uint32_t n = *bucket_of(c, line);
    while (n != NO_NODE && c->nodes[n].line != line)
        n = c->nodes[n].next;
    return n;
}

static void take_out(cache_sets *c, cache_ring *ring, uint32_t n) {
    cache_node *node = &c->nodes[n];
    *(node->newer == NO_NODE ? &ring->newest : &c->nodes[node->newer].older) = node->older;
    *(node->older == NO_NODE ? &ring->oldest : &c->nodes[node->older].newer) = node->newer;
}

static void put_first(cache_sets *c, cache_ring *ring, uint32_t n) {
    c->nodes[n].newer = NO_NODE;
    c->nodes[n].older = ring->newest;
    *(ring->newest == NO_NODE ? &ring->oldest : &c->nodes[ring->newest].newer) = n;
    ring->newest = n;
}

static void leave_bucket(cache_sets *c, uint32_t n) {
    uint32_t *at = bucket_of(c, c->nodes[n].line);
    while (*at != n)
        at = &c->nodes[*at].next;
    *at = c->nodes[n].next;
}

/* A node for a new line: a free one, or the oldest of the set. */
static uint32_t new_node(cache_sets *c, uint64_t set, cache_ring *ring, cache_victim *victim) {
    if (ring->count < c->ways)
        return (uint32_t)(set * c->ways) + ring->count++;
    uint32_t n = ring->oldest;
    *victim = (cache_victim){c->nodes[n].line, c->nodes[n].state};
    take_out(c, ring, n);
    leave_bucket(c, n);
    return n;
}

static cache_state *use_many(cache_sets *c, uint64_t line, cache_victim *victim) {
    uint64_t set = cache_set_of(line, c->sets);
    cache_ring *ring = &c->rings[set];
    uint32_t n = find_node(c, line);
    victim->line = CACHE_NO_LINE;
    if (n == NO_NODE) {
        n = new_node(c, set, ring, victim);
        uint32_t *bucket = bucket_of(c, line);
        c->nodes[n] = (cache_node){.line = line, .next = *bucket};
        *bucket = n;
        put_first(c, ring, n);
    } else if (ring->newest != n) {
        take_out(c, ring, n);
        put_first(c, ring, n);
    }
    return &c->nodes[n].state;
}

/* ---- both ------------------------------------------------------------------------------------ */

cache_state *cache_use(cache_sets *c, uint64_t line, cache_victim *victim) {
    return c->held ? use_few(c, line, victim) : use_many(c, line, victim);
}

void cache_fetch_set(const cache_sets *c, uint64_t line) {
    uint64_t set = cache_set_of(line, c->sets), first = set * c->ways;
    if (!c->held) {
        __builtin_prefetch(bucket_of(c, line), 1);
        return;
    }
    __builtin_prefetch(c->tags + first);
    __builtin_prefetch(c->tags + first + c->ways - 1);
    __builtin_prefetch(c->order + first, 1);
}

void cache_fetch_line(const cache_sets *c, uint64_t line) {
    uint64_t set = cache_set_of(line, c->sets), first = set * c->ways;
    if (!c->held) {
        uint32_t n = *bucket_of(c, line);
        __builtin_prefetch(&c->nodes[n == NO_NODE ? first : n], 1);
        return;
    }
    uint32_t way;
    if (match_tags(c, first, line, &way) != 1)
        way = c->order[first + c->ways - 1];
    __builtin_prefetch(&c->held[first + way], 1);
}

cache_state *cache_find(cache_sets *c, uint64_t line) {
    if (!c->held) {
        uint32_t n = find_node(c, line);
        return n == NO_NODE ? NULL : &c->nodes[n].state;
    }
    uint64_t first = cache_set_of(line, c->sets) * c->ways;
    uint32_t way = find_way(c, first, line);
    return way < c->ways ? &c->held[first + way].state : NULL;
}

void cache_each(cache_sets *c, void (*each)(void *user, const cache_victim *line), void *user) {
    for (uint64_t i = 0; i < c->sets * c->ways; i++) {
        bool is_there =
            c->held ? c->held[i].line != CACHE_NO_LINE : i % c->ways < c->rings[i / c->ways].count;
        const cache_victim line = c->held ? (cache_victim){c->held[i].line, c->held[i].state}
                                          : (cache_victim){c->nodes[i].line, c->nodes[i].state};
        if (is_there)
            each(user, &line);
    }
}
