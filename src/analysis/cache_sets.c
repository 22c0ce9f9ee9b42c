/*
 * Sets of lines, least recently used first out.
 *
 * Lines stand in rows of some ways. A row has a tag for each of its ways, a byte that follows from
 * the line; what the way leads to knows all of it. So a use touches a few lines of the host's own
 * cache, whatever the size of the simulated one. What is done to a row is done to all its ways
 * alike, by a handful of vector instructions, and whether a line is there decides no branch where
 * that can be helped: nobody could foretell it.
 *
 * A set of few ways is one row, of ROW or LONG_ROW, and has an age for each way: 0 for the one that
 * was used last, up to ways - 1 for the one that was used longest ago.
 *
 *     way      0    1    2    3
 *     tag      7f   12   3c   70
 *     age      1    2    3    0        use of 12:   2 0 3 1
 *
 * Since Volta, L1 has four sets of hundreds of ways. Such a set is a hash table of rows that are
 * half full: a line stands in the row that its number leads to, or, where that is full, in the next
 * one that is not, and every row counts the lines that went past it. The order of use is a queue of
 * uses, and each way has the number of its uses in there. The one that goes is that of the first
 * use which is its way's only one:
 *
 *     queue    3 8 3 5       way 3 has two uses, 8 and 5 have one: the line in way 8 goes
 */
#include <stdlib.h>
#include <sys/mman.h>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include "analysis/cache_sets.h"

enum { ROW = 16, LONG_ROW = 32, HOST_LINE = 64, NO_AGE = 0xff };
enum { IS_PAST = 0x80, USES_MOST = 0x7f }; /* of a way of many */

/* The uses of a set: which ways, numbered through its rows. */
typedef struct cache_uses {
    uint32_t first, next; /* the first one that is kept, and the next one to come, modulo 2^32 */
    uint32_t lines;       /* that are there */
} cache_uses;

/* ---- from beginning to end --------------------------------------------------------------- */

/* How its lines are cut up. */
static void shape(cache_sets *c, uint64_t sets, uint32_t ways) {
    *c = (cache_sets){.sets = sets, .ways = ways, .row = ways > LONG_ROW ? ROW : LONG_ROW};
    if (ways <= ROW)
        c->row = ROW;
    while (ways > LONG_ROW && (uint64_t)ROW << c->rows_shift < 2 * (uint64_t)ways)
        c->rows_shift++;
    c->used = ways < c->row ? ways : c->row;
    c->row_count = sets << c->rows_shift;
    c->use_mask = (ROW << c->rows_shift) - 1;
}

/* A part of the block, which begins on a line of the host's. */
static void *take(uint8_t **block, uint64_t count, size_t size) {
    uint8_t *at = *block;
    *block += hd_align_up(count * size, HOST_LINE);
    return at;
}

/* Gives a cache its parts of the block; returns what is left of it. */
static uint8_t *place(cache_sets *c, uint8_t *block) {
    uint64_t lines = c->row_count * c->used;
    c->rows = take(&block, c->row_count * c->row, 2);
    c->lines = take(&block, lines, sizeof *c->lines);
    c->owners = take(&block, lines, sizeof *c->owners);
    if (c->ways <= LONG_ROW)
        return block;
    c->order = take(&block, c->sets, sizeof *c->order);
    c->uses = take(&block, lines, sizeof *c->uses);
    c->passed = take(&block, c->row_count, sizeof *c->passed);
    return block;
}

void *cache_pages(uint64_t bytes) {
    enum { LARGE_PAGE = 1 << 21 };
    uint64_t page = bytes < LARGE_PAGE ? HOST_LINE : LARGE_PAGE, room = hd_align_up(bytes, page);
    void *pages = hd_checked(aligned_alloc(page, room));
    if (page == LARGE_PAGE)
        madvise(pages, room, MADV_HUGEPAGE); /* without them it is only slower */
    return pages;
}

void cache_sets_init(cache_sets *caches, uint32_t count, uint64_t sets, uint32_t ways) {
    shape(caches, sets, ways);
    uint64_t bytes = count * (uint64_t)(uintptr_t)place(caches, NULL);
    uint8_t *block = cache_pages(bytes);
    for (uint32_t i = 0; i < count; i++) {
        shape(&caches[i], sets, ways);
        block = place(&caches[i], block);
        cache_sets_clear(&caches[i]);
    }
}

static inline uint8_t *tags_of(const cache_sets *c, uint64_t row) {
    return c->rows + row * c->row * 2;
}

static inline uint8_t *ages_of(const cache_sets *c, uint64_t row) {
    return tags_of(c, row) + c->row;
}

void cache_sets_clear(cache_sets *c) {
    memset(c->rows, 0, c->row_count * c->row * 2);
    if (c->order) {
        memset(c->order, 0, c->sets * sizeof *c->order);
        memset(c->passed, 0, c->row_count * sizeof *c->passed);
        return;
    }
    memset(c->lines, 0, c->row_count * c->used * sizeof *c->lines);
    for (uint64_t set = 0; set < c->sets; set++)
        for (uint32_t w = 0; w < c->row; w++)
            ages_of(c, set)[w] = (uint8_t)(w < c->ways ? w : NO_AGE);
}

void cache_sets_free(cache_sets *caches) { free(caches->rows); }

/* ---- rows ---------------------------------------------------------------------------------- */

/* Bits that cache_set_of() makes no use of; 0: no line. */
static inline uint8_t tag_of(uint64_t line) {
    uint8_t tag = (uint8_t)(hd_hash_spread(line) >> 24);
    return tag ? tag : 1;
}

/* Of ROW ways those whose byte is this one, as bits. The byte is copied into a vector as 32 bits,
 * since compilers would take a shorter number through memory, where it waits for its own bytes. */
#ifdef __SSE2__
static inline __m128i all_are(uint8_t byte) { return _mm_set1_epi32((int)(byte * 0x1010101u)); }

static inline uint32_t ways_of(const uint8_t *bytes, uint8_t byte) {
    __m128i row = _mm_load_si128((const __m128i *)bytes);
    return (uint32_t)_mm_movemask_epi8(_mm_cmpeq_epi8(row, all_are(byte)));
}

/* Those that were used after the way of this age are older by one use. */
static inline void grow_older(uint8_t *ages, uint8_t age) {
    __m128i row = _mm_load_si128((const __m128i *)ages);
    __m128i as_old = _mm_cmpeq_epi8(_mm_max_epu8(row, all_are(age)), row);
    row = _mm_add_epi8(_mm_add_epi8(row, _mm_set1_epi8(1)), as_old);
    _mm_store_si128((__m128i *)ages, row);
}
#else
static inline uint32_t ways_of(const uint8_t *bytes, uint8_t byte) {
    uint32_t ways = 0;
    for (uint32_t w = 0; w < ROW; w++)
        ways |= (uint32_t)(bytes[w] == byte) << w;
    return ways;
}

/* Those that were used after the way of this age are older by one use. */
static inline void grow_older(uint8_t *ages, uint8_t age) {
    for (uint32_t w = 0; w < ROW; w++)
        ages[w] = (uint8_t)(ages[w] + (ages[w] < age));
}
#endif

/* The same of a row of any length. */
static inline uint32_t ways_of_row(const cache_sets *c, const uint8_t *bytes, uint8_t byte) {
    uint32_t ways = ways_of(bytes, byte);
    if (c->row > ROW)
        ways |= ways_of(bytes + ROW, byte) << ROW;
    return ways;
}

/* The way of a row that has the line, as a bit; 0: none has. A tag that is alike and not the
 * line's is rare. */
static inline uint32_t way_of(const cache_sets *c, uint64_t row, uint64_t line) {
    const cache_line *lines = c->lines + row * c->used;
    uint32_t ways = ways_of_row(c, tags_of(c, row), tag_of(line));
    while (ways && lines[__builtin_ctz(ways)].number != line)
        ways &= ways - 1;
    return ways & (0 - ways);
}

/* ---- few ways ------------------------------------------------------------------------------ */

static inline uint32_t oldest_way(const cache_sets *c, uint64_t set) {
    return ways_of_row(c, ages_of(c, set), (uint8_t)(c->ways - 1));
}

static inline void make_newest(const cache_sets *c, uint64_t set, uint32_t way) {
    uint8_t *ages = ages_of(c, set), age = ages[way];
    grow_older(ages, age);
    if (c->row > ROW)
        grow_older(ages + ROW, age);
    ages[way] = 0;
}

/* The way of a set that has the line, or else the oldest. Which of them is not to be foretold, so
 * there is no branch but for tags that are alike. */
static inline uint32_t way_for(const cache_sets *c, uint64_t set, uint64_t line, bool *has) {
    const cache_line *lines = c->lines + set * c->used;
    uint32_t alike = ways_of_row(c, tags_of(c, set), tag_of(line)), oldest = oldest_way(c, set);
    uint32_t way = (uint32_t)__builtin_ctz(alike ? alike : oldest);
    *has = (alike != 0) & (lines[way].number == line);
    if (alike && !*has) {
        uint32_t only = way_of(c, set, line);
        *has = only != 0;
        way = (uint32_t)__builtin_ctz(only ? only : oldest);
    }
    return way;
}

cache_line *cache_use_few(cache_sets *c, uint64_t line, cache_gone *gone) {
    bool has;
    uint64_t set = cache_set_of(line, c->sets);
    uint8_t *tags = tags_of(c, set);
    uint32_t way = way_for(c, set, line, &has), stays = has ? UINT32_MAX : 0;
    cache_line *at = &c->lines[set * c->used + way];
    if (gone && (gone->dirty = at->dirty & ~stays))
        *gone = (cache_gone){at->number, at->valid, gone->dirty, c->owners[at - c->lines]};
    at->number = line;
    at->valid &= stays;
    at->dirty &= stays;
    make_newest(c, set, way);
    tags[way] = tag_of(line);
    return at;
}

/* ---- many ways ------------------------------------------------------------------------------ */

static inline uint64_t next_row(const cache_sets *c, uint64_t row) {
    uint64_t rows = ((uint64_t)1 << c->rows_shift) - 1;
    return (row & ~rows) | ((row + 1) & rows);
}

/* From the line's first row on; NULL when it is not there. */
static inline cache_line *find_many(const cache_sets *c, uint64_t row, uint64_t line) {
    for (;; row = next_row(c, row)) {
        uint32_t has = way_of(c, row, line);
        if (has)
            return &c->lines[row * ROW + (uint32_t)__builtin_ctz(has)];
        if (!c->passed[row])
            return NULL;
    }
}

static inline uint32_t *use_at(const cache_sets *c, uint64_t set, uint32_t number) {
    return &c->uses[set * (c->use_mask + (uint64_t)1) + (number & c->use_mask)];
}

/* Of a way of a set: how many of its uses are kept, and whether its line stands past its own row. */
static inline uint8_t *uses_of(const cache_sets *c, uint64_t set, uint32_t way) {
    return ages_of(c, (set << c->rows_shift) + way / ROW) + way % ROW;
}

/* The first use that is kept is not any more; returns whether it was its way's last. */
static inline bool forget_use(cache_sets *c, uint64_t set, uint32_t *way) {
    *way = *use_at(c, set, c->order[set].first++);
    return !(--*uses_of(c, set, *way) & USES_MOST);
}

static inline void note_use(cache_sets *c, uint64_t set, uint32_t way) {
    *use_at(c, set, c->order[set].next++) = way;
    ++*uses_of(c, set, way);
}

/* Those that are not their ways' last ones are forgotten. */
static void forget_uses(cache_sets *c, uint64_t set) {
    uint32_t end = c->order[set].next, way;
    while (c->order[set].first != end)
        if (forget_use(c, set, &way))
            note_use(c, set, way);
}

/* The line of a set that was used longest ago goes. */
static inline void drop_oldest(cache_sets *c, uint64_t set, cache_gone *gone) {
    enum { AHEAD = 8 };
    uint64_t first = set << c->rows_shift;
    uint32_t way;
    while (!forget_use(c, set, &way)) {
    }
    if (c->order[set].next - c->order[set].first > AHEAD)
        __builtin_prefetch(&c->lines[first * ROW + *use_at(c, set, c->order[set].first + AHEAD)],
                           1);
    const cache_line *line = &c->lines[first * ROW + way];
    uint64_t at = first + way / ROW;
    if (*uses_of(c, set, way) & IS_PAST)
        for (uint64_t row = cache_set_of(line->number, c->row_count); row != at;
             row = next_row(c, row))
            c->passed[row]--;
    tags_of(c, at)[way % ROW] = 0;
    c->order[set].lines--;
    if (gone && line->dirty)
        *gone = (cache_gone){line->number, line->valid, line->dirty, c->owners[line - c->lines]};
}

static inline cache_line *take_in(cache_sets *c, uint64_t row, uint64_t line) {
    uint64_t own = row;
    uint32_t ways;
    for (; !(ways = ways_of(tags_of(c, row), 0)); row = next_row(c, row))
        c->passed[row]++;
    uint32_t way = (uint32_t)__builtin_ctz(ways);
    tags_of(c, row)[way] = tag_of(line);
    ages_of(c, row)[way] = row == own ? 0 : IS_PAST;
    c->lines[row * ROW + way] = (cache_line){.number = line};
    return &c->lines[row * ROW + way];
}

cache_line *cache_use_many(cache_sets *c, uint64_t line, cache_gone *gone) {
    uint64_t row = cache_set_of(line, c->row_count), set = row >> c->rows_shift;
    cache_uses *order = &c->order[set];
    cache_line *at = find_many(c, row, line);
    if (gone)
        gone->dirty = 0;
    if (!at) {
        if (order->lines == c->ways)
            drop_oldest(c, set, gone);
        at = take_in(c, row, line);
        order->lines++;
    }
    uint32_t way = (uint32_t)((uint64_t)(at - c->lines) - (set << c->rows_shift) * ROW);
    if (order->next - order->first > c->use_mask ||
        (*uses_of(c, set, way) & USES_MOST) == USES_MOST)
        forget_uses(c, set);
    note_use(c, set, way);
    return at;
}

/* ---- both ------------------------------------------------------------------------------------ */

void cache_fetch_row(const cache_sets *c, uint64_t line) {
    __builtin_prefetch(tags_of(c, cache_set_of(line, c->row_count)), 1);
}

void cache_fetch_line(const cache_sets *c, uint64_t line) {
    enum { IN_NEXT_ROW = 1 << (ROW - 1) }; /* rare, and then any way will do */
    uint64_t row = cache_set_of(line, c->row_count);
    uint32_t alike = ways_of_row(c, tags_of(c, row), tag_of(line));
    uint32_t new = c->order ? ways_of(tags_of(c, row), 0) | IN_NEXT_ROW : oldest_way(c, row);
    uint32_t way = (uint32_t)__builtin_ctz(alike ? alike : new);
    __builtin_prefetch(&c->lines[row * c->used + way], 1);
}

cache_line *cache_find(cache_sets *c, uint64_t line) {
    uint64_t row = cache_set_of(line, c->row_count);
    if (c->order)
        return find_many(c, row, line);
    uint32_t has = way_of(c, row, line);
    return has ? &c->lines[row * c->used + (uint32_t)__builtin_ctz(has)] : NULL;
}

uint32_t cache_age(const cache_sets *c, const cache_line *line) {
    const uint64_t at = (uint64_t)(line - c->lines);
    return c->order ? 0 : ages_of(c, at / c->used)[at % c->used];
}

void cache_each(cache_sets *c, void (*each)(void *user, const cache_gone *line), void *user) {
    for (uint64_t at = 0; at < c->row_count * c->used; at++)
        if (tags_of(c, at / c->used)[at % c->used])
            each(user, &(cache_gone){c->lines[at].number, c->lines[at].valid, c->lines[at].dirty,
                                     c->owners[at]});
}
