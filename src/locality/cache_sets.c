/*
 * Sets of lines, least recently used first out.
 *
 * Lines stand in rows of some ways. A row has a tag for each of its ways, some bits of the line
 * alone; the way knows all of it. So a use touches a few lines of the host's own cache, whatever
 * the size of the simulated one. What is done to a row is done to all its ways alike, with no
 * branch that could not be foretold: a handful of vector instructions.
 *
 * A set of few ways is one row, of ROW or LONG_ROW, and has an age for each way: 0 for the one that
 * was used last, up to ways - 1 for the one that was used longest ago.
 *
 *     way      0    1    2    3
 *     tag      7f4  120  3c8  7f0
 *     age      1    2    3    0        use of 120:   2 0 3 1
 *
 * Since Volta, L1 has four sets of hundreds of ways. Such a set is a hash table of rows that are
 * half full: a line stands in the row that its number leads to, or, where that is full, in the next
 * one that is not, and every row counts the lines that went past it. The order of use is a queue of
 * uses, of which the ways know their last ones:
 *
 *     uses     12: way 3   13: way 8   14: way 3   15: way 5     way 3's last is 14, so that
 *                                                                the one that goes is way 8's
 */
#include <stdlib.h>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include "locality/cache_sets.h"

enum { ROW = 16, LONG_ROW = 32, HOST_LINE = 64, NO_AGE = 0xff };

typedef struct cache_way {
    uint64_t line;
    cache_state state;
    uint32_t last_use; /* many ways: its number */
} cache_way;

/* The uses of a set. Numbers begin anew after 2^32 of them. */
typedef struct cache_uses {
    uint32_t first, next; /* numbers: of the first one that is kept, and the next one to come */
    uint32_t lines;       /* that are there */
} cache_uses;

/* ---- from beginning to end --------------------------------------------------------------- */

static void make_few(cache_sets *c) {
    c->row = c->ways <= ROW ? ROW : LONG_ROW;
    c->row_count = c->sets;
    c->row_bytes = hd_align_up(c->row * (sizeof(uint16_t) + 1), HOST_LINE);
}

static void make_many(cache_sets *c) {
    c->row = ROW;
    while ((uint64_t)ROW << c->rows_shift < 2 * (uint64_t)c->ways)
        c->rows_shift++;
    c->row_count = c->sets << c->rows_shift;
    c->row_bytes = HOST_LINE;
    c->use_mask = (ROW << c->rows_shift) - 1;
    c->order = hd_zeroed(c->sets, sizeof *c->order);
    c->uses = hd_zeroed(c->sets * (c->use_mask + 1), sizeof *c->uses);
}

void cache_sets_init(cache_sets *c, uint64_t sets, uint32_t ways) {
    *c = (cache_sets){.sets = sets, .ways = ways};
    if (ways <= LONG_ROW)
        make_few(c);
    else
        make_many(c);
    c->rows = hd_checked(aligned_alloc(HOST_LINE, c->row_count * c->row_bytes));
    c->held = hd_zeroed(c->row_count * c->row, sizeof *c->held);
    cache_sets_clear(c);
}

static inline uint16_t *tags_of(const cache_sets *c, uint64_t row) {
    return (uint16_t *)(c->rows + row * c->row_bytes);
}

static inline uint8_t *ages_of(const cache_sets *c, uint64_t row) {
    return c->rows + row * c->row_bytes + c->row * sizeof(uint16_t);
}

/* Lines that found the row full and stand in one after it. */
static inline uint32_t *passed_of(const cache_sets *c, uint64_t row) {
    return (uint32_t *)(c->rows + row * c->row_bytes + ROW * sizeof(uint16_t));
}

void cache_sets_clear(cache_sets *c) {
    memset(c->rows, 0, c->row_count * c->row_bytes);
    if (c->order) {
        memset(c->order, 0, c->sets * sizeof *c->order);
        return;
    }
    memset(c->held, 0, c->row_count * c->row * sizeof *c->held);
    for (uint64_t set = 0; set < c->sets; set++)
        for (uint32_t w = 0; w < c->row; w++)
            ages_of(c, set)[w] = (uint8_t)(w < c->ways ? w : NO_AGE);
}

void cache_sets_free(cache_sets *c) {
    free(c->rows);
    free(c->held);
    free(c->order);
    free(c->uses);
    *c = (cache_sets){0};
}

uint64_t cache_sets_bytes(const cache_sets *c) {
    return c->row_count * (c->row_bytes + c->row * sizeof *c->held);
}

/* ---- rows ---------------------------------------------------------------------------------- */

/* Bits that cache_set_of() makes no use of; 0: no line. */
static inline uint16_t tag_of(uint64_t line) { return (uint16_t)(line * CACHE_SPREAD >> 16 | 1); }

/* Of ROW ways those that have this tag, and those that have this age, as bits. A number is copied
 * into a vector as 32 bits, since compilers would take a shorter one through memory, where it waits
 * for its own bytes. */
#ifdef __SSE2__
static inline __m128i all_tags(uint16_t tag) { return _mm_set1_epi32((int)(tag * 0x10001u)); }
static inline __m128i all_ages(uint8_t age) { return _mm_set1_epi32((int)(age * 0x1010101u)); }

static inline uint32_t tags_alike(const uint16_t *tags, uint16_t tag) {
    const __m128i *eight = (const __m128i *)tags;
    __m128i low = _mm_cmpeq_epi16(_mm_load_si128(eight), all_tags(tag));
    __m128i high = _mm_cmpeq_epi16(_mm_load_si128(eight + 1), all_tags(tag));
    return (uint32_t)_mm_movemask_epi8(_mm_packs_epi16(low, high));
}

static inline uint32_t ages_alike(const uint8_t *ages, uint8_t age) {
    __m128i sixteen = _mm_load_si128((const __m128i *)ages);
    return (uint32_t)_mm_movemask_epi8(_mm_cmpeq_epi8(sixteen, all_ages(age)));
}

/* Those that were used after the way of this age are older by one use. */
static inline void grow_older(uint8_t *ages, uint8_t age) {
    __m128i *at = (__m128i *)ages, sixteen = _mm_load_si128(at);
    __m128i older = _mm_cmpeq_epi8(_mm_max_epu8(sixteen, all_ages(age)), sixteen); /* or as old */
    _mm_store_si128(at, _mm_add_epi8(_mm_add_epi8(sixteen, _mm_set1_epi8(1)), older));
}
#else
static inline uint32_t tags_alike(const uint16_t *tags, uint16_t tag) {
    uint32_t ways = 0;
    for (uint32_t w = 0; w < ROW; w++)
        ways |= (uint32_t)(tags[w] == tag) << w;
    return ways;
}

static inline uint32_t ages_alike(const uint8_t *ages, uint8_t age) {
    uint32_t ways = 0;
    for (uint32_t w = 0; w < ROW; w++)
        ways |= (uint32_t)(ages[w] == age) << w;
    return ways;
}

/* Those that were used after the way of this age are older by one use. */
static inline void grow_older(uint8_t *ages, uint8_t age) {
    for (uint32_t w = 0; w < ROW; w++)
        ages[w] = (uint8_t)(ages[w] + (ages[w] < age));
}
#endif

/* The ways of a row that have this tag, as bits. */
static inline uint32_t match_tags(const cache_sets *c, uint64_t row, uint16_t tag) {
    const uint16_t *tags = tags_of(c, row);
    uint32_t matches = tags_alike(tags, tag);
    if (c->row > ROW)
        matches |= tags_alike(tags + ROW, tag) << ROW;
    return matches;
}

/* Of ways whose tags are the line's that which has it, as bits: one or none. Nearly always the tag
 * has told already. */
static inline uint32_t only_line(const cache_sets *c, uint64_t row, uint32_t ways, uint64_t line) {
    const cache_way *held = c->held + row * c->row;
    while (ways && held[__builtin_ctz(ways)].line != line)
        ways &= ways - 1;
    return ways & (0 - ways);
}

/* ---- few ways ------------------------------------------------------------------------------ */

/* As bits. */
static inline uint32_t oldest_way(const cache_sets *c, uint64_t set) {
    const uint8_t *ages = ages_of(c, set), oldest = (uint8_t)(c->ways - 1);
    uint32_t ways = ages_alike(ages, oldest);
    if (c->row > ROW)
        ways |= ages_alike(ages + ROW, oldest) << ROW;
    return ways;
}

static inline void make_newest(const cache_sets *c, uint64_t set, uint32_t way) {
    uint8_t *ages = ages_of(c, set), age = ages[way];
    grow_older(ages, age);
    if (c->row > ROW)
        grow_older(ages + ROW, age);
    ages[way] = 0;
}

static inline cache_state *use_few(cache_sets *c, uint64_t line, cache_state *gone) {
    uint64_t set = cache_set_of(line, c->sets);
    uint16_t tag = tag_of(line);
    uint32_t has = only_line(c, set, match_tags(c, set, tag), line);
    uint32_t way = (uint32_t)__builtin_ctz(has ? has : oldest_way(c, set));
    uint32_t stays = has ? UINT32_MAX : 0;
    cache_way *held = &c->held[set * c->row + way];
    cache_state *state = &held->state;
    *gone = (cache_state){state->valid & ~stays, state->dirty & ~stays, state->owner};
    state->valid &= stays;
    state->dirty &= stays;
    held->line = line;
    tags_of(c, set)[way] = tag;
    make_newest(c, set, way);
    return state;
}

/* ---- many ways ------------------------------------------------------------------------------ */

static inline uint64_t next_row(const cache_sets *c, uint64_t row) {
    uint64_t rows = ((uint64_t)1 << c->rows_shift) - 1;
    return (row & ~rows) | ((row + 1) & rows);
}

/* The way that has the line, from its first row on; NULL when none has. */
static inline cache_way *find_many(const cache_sets *c, uint64_t row, uint64_t line) {
    for (;; row = next_row(c, row)) {
        uint32_t has = only_line(c, row, match_tags(c, row, tag_of(line)), line);
        if (has)
            return &c->held[row * ROW + (uint32_t)__builtin_ctz(has)];
        if (!*passed_of(c, row))
            return NULL;
    }
}

static inline uint32_t *use_at(const cache_sets *c, uint64_t set, uint32_t number) {
    return &c->uses[set * (c->use_mask + (uint64_t)1) + (number & c->use_mask)];
}

/* The uses that are not a way's last are forgotten. */
static void forget_uses(cache_sets *c, uint64_t set) {
    cache_uses *order = &c->order[set];
    cache_way *held = c->held + (set << c->rows_shift) * ROW;
    uint32_t kept = order->first;
    for (uint32_t number = order->first; number != order->next; number++) {
        uint32_t way = *use_at(c, set, number);
        if (held[way].last_use != number)
            continue;
        held[way].last_use = kept;
        *use_at(c, set, kept++) = way;
    }
    order->next = kept;
}

static inline void note_use(cache_sets *c, uint64_t set, cache_way *way) {
    cache_uses *order = &c->order[set];
    if (order->next - order->first > c->use_mask)
        forget_uses(c, set);
    *use_at(c, set, order->next) = (uint32_t)(way - c->held - (set << c->rows_shift) * ROW);
    way->last_use = order->next++;
}

/* The line of a set that was used longest ago goes. */
static inline void drop_oldest(cache_sets *c, uint64_t set, cache_state *gone) {
    cache_uses *order = &c->order[set];
    uint64_t first = (set << c->rows_shift) * ROW, at;
    do
        at = first + *use_at(c, set, order->first);
    while (c->held[at].last_use != order->first++);
    for (uint64_t row = cache_set_of(c->held[at].line, c->row_count); row != at / ROW;
         row = next_row(c, row))
        --*passed_of(c, row);
    tags_of(c, at / ROW)[at % ROW] = 0;
    *gone = c->held[at].state;
    order->lines--;
}

static inline cache_way *take_in(cache_sets *c, uint64_t row, uint64_t line) {
    uint32_t ways;
    for (; !(ways = match_tags(c, row, 0)); row = next_row(c, row))
        ++*passed_of(c, row);
    uint32_t way = (uint32_t)__builtin_ctz(ways);
    tags_of(c, row)[way] = tag_of(line);
    c->held[row * ROW + way] = (cache_way){.line = line};
    return &c->held[row * ROW + way];
}

static inline cache_state *use_many(cache_sets *c, uint64_t line, cache_state *gone) {
    uint64_t row = cache_set_of(line, c->row_count), set = row >> c->rows_shift;
    cache_way *way = find_many(c, row, line);
    *gone = (cache_state){0};
    if (way && way->last_use + 1 == c->order[set].next)
        return &way->state;
    if (!way) {
        if (c->order[set].lines == c->ways)
            drop_oldest(c, set, gone);
        way = take_in(c, row, line);
        c->order[set].lines++;
    }
    note_use(c, set, way);
    return &way->state;
}

/* ---- both ------------------------------------------------------------------------------------ */

cache_state *cache_use(cache_sets *c, uint64_t line, cache_state *gone) {
    return c->order ? use_many(c, line, gone) : use_few(c, line, gone);
}

void cache_fetch_row(const cache_sets *c, uint64_t line) {
    uint64_t row = cache_set_of(line, c->row_count);
    for (uint64_t at = 0; at < c->row_bytes; at += HOST_LINE)
        __builtin_prefetch(c->rows + row * c->row_bytes + at, 1);
}

void cache_fetch_line(const cache_sets *c, uint64_t line) {
    uint64_t row = cache_set_of(line, c->row_count);
    uint32_t ways = match_tags(c, row, tag_of(line));
    if (!c->order)
        ways = ways ? ways : oldest_way(c, row);
    __builtin_prefetch(&c->held[row * c->row + (uint32_t)__builtin_ctz(ways | 1u << (c->row - 1))],
                       1);
}

cache_state *cache_find(cache_sets *c, uint64_t line) {
    uint64_t row = cache_set_of(line, c->row_count);
    if (c->order) {
        cache_way *way = find_many(c, row, line);
        return way ? &way->state : NULL;
    }
    uint32_t has = only_line(c, row, match_tags(c, row, tag_of(line)), line);
    return has ? &c->held[row * c->row + (uint32_t)__builtin_ctz(has)].state : NULL;
}

void cache_each(cache_sets *c, void (*each)(void *user, const cache_state *line), void *user) {
    for (uint64_t i = 0; i < c->row_count * c->row; i++)
        if (tags_of(c, i / c->row)[i % c->row])
            each(user, &c->held[i].state);
}
