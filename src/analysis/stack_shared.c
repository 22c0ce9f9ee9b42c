/* A rank's part of a stack of lines. */
#include <stdlib.h>

#include "analysis/stack_shared.h"

enum {
    BUCKETS_LEAST = 5,
    BLOCK_BITS = 9, /* marks of a block of a stretch, as a power of two */
    BLOCK_WORDS = 1 << (BLOCK_BITS - 6)
};

/* ---- sums that change ------------------------------------------------------------------------ */

void sum_tree_free(sum_tree *tree) {
    free(tree->sums);
    *tree = (sum_tree){0};
}

/* sums[i] is of the values from the one behind i - (i & -i) to i, counted from 1. */
void sum_tree_append(sum_tree *tree, uint64_t value) {
    if (tree->count + 1 >= tree->capacity) {
        tree->capacity = tree->capacity * 2 + 16;
        tree->sums = hd_checked(realloc(tree->sums, tree->capacity * sizeof *tree->sums));
    }
    uint64_t i = ++tree->count, first = i - (i & -i);
    for (uint64_t j = i - 1; j > first; j -= j & -j)
        value += tree->sums[j];
    tree->sums[i] = value;
}

void sum_tree_change(sum_tree *tree, uint64_t at, int64_t by) {
    for (uint64_t i = at + 1; i <= tree->count; i += i & -i)
        tree->sums[i] += (uint64_t)by;
}

uint64_t sum_tree_of(const sum_tree *tree, uint64_t count) {
    uint64_t sum = 0;
    for (uint64_t i = count; i; i -= i & -i)
        sum += tree->sums[i];
    return sum;
}

/* ---- when lines were touched last ------------------------------------------------------------ */

struct time_bucket {
    uint64_t key; /* group + 1; 0: the bucket is free */
    uint64_t time[TIME_LINES];
};
_Static_assert(sizeof(time_bucket) == 128, "two lines of the processor's cache");

void line_times_free(line_times *times) {
    for (uint32_t t = 0; t < TIME_TABLES; t++)
        free(times->tables[t].buckets);
    *times = (line_times){0};
}

/* The table's number is of other bits of the hash. */
static time_bucket *find_bucket(time_bucket *buckets, uint64_t count, uint64_t key) {
    uint64_t at = (hd_hash_spread(key) >> 32) * count >> 32;
    while (buckets[at].key != key && buckets[at].key)
        at = at + 1 < count ? at + 1 : 0;
    return &buckets[at];
}

static void grow(line_times *times, uint32_t t) {
    time_bucket *old = times->tables[t].buckets;
    uint64_t before = times->tables[t].count, count = before + before / 4 + BUCKETS_LEAST;
    time_bucket *buckets = hd_zeroed(count, sizeof *buckets);
    for (uint64_t b = 0; b < before; b++)
        if (old[b].key)
            *find_bucket(buckets, count, old[b].key) = old[b];
    times->bytes += (count - before) * sizeof *buckets;
    times->tables[t].buckets = buckets;
    times->tables[t].count = count;
    free(old);
}

uint64_t line_times_move(line_times *times, uint64_t line, uint64_t now) {
    uint64_t key = line_group(line) + 1;
    uint32_t t = (uint32_t)(hd_hash_spread(key) >> 16) % TIME_TABLES;
    if (!times->tables[t].buckets)
        grow(times, t);
    time_bucket *b = find_bucket(times->tables[t].buckets, times->tables[t].count, key);
    if (!b->key) {
        if (times->tables[t].used + 1 > times->tables[t].count / 5 * 4) {
            grow(times, t);
            b = find_bucket(times->tables[t].buckets, times->tables[t].count, key);
        }
        b->key = key;
        times->tables[t].used++;
    }
    uint64_t before = b->time[line % TIME_LINES];
    b->time[line % TIME_LINES] = now;
    return before;
}

/* ---- last accesses of a stretch of time ------------------------------------------------------ */

/* `count` marks, all of them there. */
static void mark_all(stretch *s, uint64_t count) {
    uint64_t blocks = (count >> BLOCK_BITS) + 1;
    s->room = s->live = count;
    s->bits = hd_zeroed(blocks * BLOCK_WORDS, sizeof *s->bits);
    memset(s->bits, 0xff, count / 64 * sizeof *s->bits);
    if (count % 64)
        s->bits[count / 64] = ((uint64_t)1 << count % 64) - 1;
    s->blocks = (sum_tree){0};
    for (uint64_t b = 0; b < blocks; b++) {
        uint64_t left = count - (b << BLOCK_BITS);
        sum_tree_append(&s->blocks, left < 1 << BLOCK_BITS ? left : 1 << BLOCK_BITS);
    }
}

void stretch_begin(stretch *s, uint64_t count) {
    *s = (stretch){0};
    if (count)
        mark_all(s, count);
}

void stretch_free(stretch *s) {
    free(s->places);
    free(s->bits);
    sum_tree_free(&s->blocks);
    *s = (stretch){0};
}

/* Only what is there stays, so that it takes 8 bytes for each at most. */
static void pack(stretch *s) {
    uint32_t *places = hd_checked(malloc(s->live * sizeof *places));
    uint64_t count = 0;
    for (uint64_t w = 0; w * 64 < s->room; w++)
        for (uint64_t bits = s->bits[w]; bits; bits &= bits - 1) {
            uint64_t at = w * 64 + (uint64_t)__builtin_ctzll(bits);
            places[count++] = s->places ? s->places[at] : (uint32_t)at;
        }
    stretch_free(s);
    mark_all(s, count);
    s->places = places;
}

/* Which of the marks stands for a place. */
static uint64_t mark_of(const stretch *s, uint64_t place) {
    uint64_t low = 0, high = s->room;
    if (!s->places)
        return place;
    while (high - low > 1) {
        uint64_t middle = (low + high) / 2;
        *(s->places[middle] <= place ? &low : &high) = middle;
    }
    return low;
}

uint64_t stretch_take(stretch *s, uint64_t place) {
    uint64_t at = mark_of(s, place), block = at >> BLOCK_BITS;
    uint64_t before = sum_tree_of(&s->blocks, block);
    for (uint64_t w = block * BLOCK_WORDS; w < at / 64; w++)
        before += (uint64_t)__builtin_popcountll(s->bits[w]);
    before += (uint64_t)__builtin_popcountll(s->bits[at / 64] & (((uint64_t)1 << at % 64) - 1));
    uint64_t from = s->live - before;
    s->bits[at / 64] &= ~((uint64_t)1 << at % 64);
    sum_tree_change(&s->blocks, block, -1);
    s->live--;
    if (!s->live)
        stretch_free(s);
    else if (s->live <= s->room / (s->places ? 2 : 64))
        pack(s);
    return from;
}

uint64_t stretch_bytes(const stretch *s) {
    return (s->places ? s->room * sizeof *s->places : 0) +
           (s->room ? ((s->room >> BLOCK_BITS) + 1) * BLOCK_WORDS * sizeof *s->bits : 0) +
           s->blocks.capacity * sizeof *s->blocks.sums;
}
