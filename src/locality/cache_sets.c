/*
 * Sets of lines, least recently used first out.
 *
 * A set of few ways is a row of tags and one of ages: 0 for the way that was used last, up to
 * ways - 1 for the one that was used longest ago. A tag has some bits of a line alone; the way that
 * it leads to knows all of it. So a use touches a few lines of the host's own cache, whatever the
 * size of the simulated one. A row has room for ROW or LONG_ROW ways, and what is done to one is
 * done to all alike, with no branch that could not be foretold: a handful of vector instructions.
 *
 *     way      0    1    2    3
 *     tag      7f4  120  3c8  7f0
 *     age      1    2    3    0        use of 120:   2 0 3 1
 *
 * Since Volta, L1 has four sets of hundreds of ways. There the lines of a set are a ring of nodes
 * in the order of use, and a hash table of chains finds the node of a line.
 */
#include <stdlib.h>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include "locality/cache_sets.h"

enum { ROW = 16, LONG_ROW = 32, HOST_LINE = 64, NO_AGE = 0xff };
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
    if (ways <= LONG_ROW) {
        c->row = ways <= ROW ? ROW : LONG_ROW;
        c->set_bytes = hd_align_up(c->row * (sizeof(uint16_t) + 1), HOST_LINE);
        c->rows = hd_checked(aligned_alloc(HOST_LINE, sets * c->set_bytes));
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

static inline uint16_t *tags_of(const cache_sets *c, uint64_t set) {
    return (uint16_t *)(c->rows + set * c->set_bytes);
}

static inline uint8_t *ages_of(const cache_sets *c, uint64_t set) {
    return c->rows + set * c->set_bytes + c->row * sizeof(uint16_t);
}

static void clear_few(cache_sets *c) {
    memset(c->rows, 0, c->sets * c->set_bytes);
    for (uint64_t set = 0; set < c->sets; set++)
        for (uint32_t w = 0; w < c->row; w++)
            ages_of(c, set)[w] = (uint8_t)(w < c->ways ? w : NO_AGE);
    for (uint64_t i = 0; i < c->sets * c->ways; i++)
        c->held[i] = (cache_way){.line = CACHE_NO_LINE};
}

void cache_sets_clear(cache_sets *c) {
    if (c->held) {
        clear_few(c);
        return;
    }
    memset(c->buckets, 0xff, bucket_count(c) * sizeof *c->buckets);
    for (uint64_t s = 0; s < c->sets; s++)
        c->rings[s] = (cache_ring){NO_NODE, NO_NODE, 0};
}

void cache_sets_free(cache_sets *c) {
    free(c->rows);
    free(c->held);
    free(c->nodes);
    free(c->rings);
    free(c->buckets);
    *c = (cache_sets){0};
}

/* ---- few ways ------------------------------------------------------------------------------ */

/* Bits that cache_set_of() makes no use of. */
static inline uint16_t tag_of(uint64_t line) { return (uint16_t)(line * CACHE_SPREAD >> 16); }

/* Those of ROW ways whose bytes are not 0 but all ones, as bits. Elsewhere than on x86 a product
 * collects the lowest bits of eight bytes in its highest byte. */
static inline uint32_t bits_of(const uint8_t *is) {
#ifdef __SSE2__
    return (uint32_t)_mm_movemask_epi8(_mm_loadu_si128((const __m128i *)is));
#else
    uint32_t bits = 0;
    for (uint32_t w = 0; w < ROW; w += 8) {
        uint64_t eight = 0;
        for (uint32_t i = 0; i < 8; i++)
            eight |= (uint64_t)(is[w + i] & 1) << 8 * i;
        bits |= (uint32_t)(eight * UINT64_C(0x0102040810204080) >> 56) << w;
    }
    return bits;
#endif
}

static inline uint32_t tags_alike(const uint16_t *tags, uint16_t tag) {
    uint8_t is[ROW];
    for (uint32_t w = 0; w < ROW; w++)
        is[w] = tags[w] == tag ? 0xff : 0;
    return bits_of(is);
}

static inline uint32_t ages_alike(const uint8_t *ages, uint8_t age) {
    uint8_t is[ROW];
    for (uint32_t w = 0; w < ROW; w++)
        is[w] = ages[w] == age ? 0xff : 0;
    return bits_of(is);
}

/* Those that were used after the way of this age are older by one use. */
static inline void grow_older(uint8_t *ages, uint8_t age) {
    for (uint32_t w = 0; w < ROW; w++)
        ages[w] = (uint8_t)(ages[w] + (ages[w] < age));
}

/* The ways whose tags are the line's, as bits. */
static inline uint32_t match_tags(const cache_sets *c, uint64_t set, uint16_t tag) {
    const uint16_t *tags = tags_of(c, set);
    uint32_t matches = tags_alike(tags, tag);
    if (c->row > ROW)
        matches |= tags_alike(tags + ROW, tag) << ROW;
    return matches & (uint32_t)(((uint64_t)1 << c->ways) - 1);
}

static inline uint32_t oldest_way(const cache_sets *c, uint64_t set) {
    const uint8_t *ages = ages_of(c, set), oldest = (uint8_t)(c->ways - 1);
    uint32_t ways = ages_alike(ages, oldest);
    if (c->row > ROW)
        ways |= ages_alike(ages + ROW, oldest) << ROW;
    return (uint32_t)__builtin_ctz(ways);
}

static inline void make_newest(const cache_sets *c, uint64_t set, uint32_t way) {
    uint8_t *ages = ages_of(c, set), age = ages[way];
    if (!age)
        return;
    grow_older(ages, age);
    if (c->row > ROW)
        grow_older(ages + ROW, age);
    ages[way] = 0;
}

/* The way of a set that holds the line; `ways` when none does. */
static inline uint32_t find_way(const cache_sets *c, uint64_t set, uint64_t line) {
    const cache_way *held = c->held + set * c->ways;
    for (uint32_t ways = match_tags(c, set, tag_of(line)); ways; ways &= ways - 1) {
        uint32_t way = (uint32_t)__builtin_ctz(ways);
        if (held[way].line == line)
            return way;
    }
    return c->ways;
}

static cache_state *use_few(cache_sets *c, uint64_t line, cache_victim *victim) {
    uint64_t set = cache_set_of(line, c->sets);
    uint32_t way = find_way(c, set, line);
    bool is_there = way < c->ways;
    if (!is_there)
        way = oldest_way(c, set);
    cache_way *held = &c->held[set * c->ways + way];
    victim->line = CACHE_NO_LINE;
    if (!is_there) {
        *victim = (cache_victim){held->line, held->state};
        *held = (cache_way){.line = line};
        tags_of(c, set)[way] = tag_of(line);
    }
    make_newest(c, set, way);
    return &held->state;
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
    if (!c->held) {
        __builtin_prefetch(bucket_of(c, line), 1);
        return;
    }
    uint64_t set = cache_set_of(line, c->sets);
    for (uint64_t at = 0; at < c->set_bytes; at += HOST_LINE)
        __builtin_prefetch(c->rows + set * c->set_bytes + at, 1);
}

void cache_fetch_line(const cache_sets *c, uint64_t line) {
    uint64_t set = cache_set_of(line, c->sets), first = set * c->ways;
    if (!c->held) {
        uint32_t n = *bucket_of(c, line);
        __builtin_prefetch(&c->nodes[n == NO_NODE ? first : n], 1);
        return;
    }
    uint32_t ways = match_tags(c, set, tag_of(line));
    uint32_t way = ways ? (uint32_t)__builtin_ctz(ways) : oldest_way(c, set);
    __builtin_prefetch(&c->held[first + way], 1);
}

cache_state *cache_find(cache_sets *c, uint64_t line) {
    if (!c->held) {
        uint32_t n = find_node(c, line);
        return n == NO_NODE ? NULL : &c->nodes[n].state;
    }
    uint64_t set = cache_set_of(line, c->sets);
    uint32_t way = find_way(c, set, line);
    return way < c->ways ? &c->held[set * c->ways + way].state : NULL;
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
