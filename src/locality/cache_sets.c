/*
 * Sets of lines, least recently used first out.
 *
 * A set of few ways is a short array in the order of use: a search goes through it from the line
 * that was used last, where it mostly ends, and a line that is used moves to the front. That is
 * two or three lines of the host's own cache.
 *
 *     set    7f0  7f4  120  3c8      use of 120:    120  7f0  7f4  3c8
 *            last         longest ago
 *
 * Since Volta, L1 has four sets of hundreds of ways. There the lines of a set are a ring of nodes
 * in the order of use, and a hash table of chains finds the node of a line.
 */
#include <stdlib.h>

#include "locality/cache_sets.h"

enum { FEW_WAYS = 32 };
#define NO_NODE UINT32_MAX

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
        c->lines = hd_zeroed(lines, sizeof *c->lines);
        c->states = hd_zeroed(lines, sizeof *c->states);
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
    if (c->lines) {
        memset(c->lines, 0xff, c->sets * c->ways * sizeof *c->lines);
        return;
    }
    memset(c->buckets, 0xff, bucket_count(c) * sizeof *c->buckets);
    for (uint64_t s = 0; s < c->sets; s++)
        c->rings[s] = (cache_ring){NO_NODE, NO_NODE, 0};
}

void cache_sets_free(cache_sets *c) {
    free(c->lines);
    free(c->states);
    free(c->nodes);
    free(c->rings);
    free(c->buckets);
    *c = (cache_sets){0};
}

/* ---- few ways ------------------------------------------------------------------------------ */

/* The place of the line in its set; `ways` when it is not there. */
static inline uint32_t place_of(const uint64_t *lines, uint32_t ways, uint64_t line) {
    uint32_t at = 0;
    while (at < ways && lines[at] != line)
        at++;
    return at;
}

static cache_state *use_few(cache_sets *c, uint64_t line, cache_victim *victim) {
    uint64_t first = cache_set_of(line, c->sets) * c->ways;
    uint64_t *lines = c->lines + first;
    cache_state *states = c->states + first, state = {0};
    uint32_t at = place_of(lines, c->ways, line);
    victim->line = CACHE_NO_LINE;
    if (!at)
        return states;
    if (at < c->ways) {
        state = states[at];
    } else {
        at--;
        *victim = (cache_victim){lines[at], states[at]};
    }
    for (; at; at--) {
        lines[at] = lines[at - 1];
        states[at] = states[at - 1];
    }
    lines[0] = line;
    states[0] = state;
    return states;
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
    return c->lines ? use_few(c, line, victim) : use_many(c, line, victim);
}

cache_state *cache_find(cache_sets *c, uint64_t line) {
    if (!c->lines) {
        uint32_t n = find_node(c, line);
        return n == NO_NODE ? NULL : &c->nodes[n].state;
    }
    uint64_t first = cache_set_of(line, c->sets) * c->ways;
    uint32_t at = place_of(c->lines + first, c->ways, line);
    return at < c->ways ? &c->states[first + at] : NULL;
}

void cache_each(cache_sets *c, void (*each)(void *user, const cache_victim *line), void *user) {
    for (uint64_t i = 0; i < c->sets * c->ways; i++) {
        bool is_there =
            c->lines ? c->lines[i] != CACHE_NO_LINE : i % c->ways < c->rings[i / c->ways].count;
        const cache_victim line = {
            c->lines ? c->lines[i] : c->nodes[i].line,
            c->lines ? c->states[i] : c->nodes[i].state,
        };
        if (is_there)
            each(user, &line);
    }
}
