/*
 * The stack of lines.
 *
 * Mattson, Gecsei, Slutz and Traiger (Evaluation techniques for storage hierarchies, 1970)
 * saw that an LRU cache of n lines always holds what one of n - 1 lines holds and one line
 * more. All caches together are one stack: the line that was touched last on top, below it
 * the one touched before, and so on. An access takes its line from some depth, its stack
 * distance, and puts it on top. A cache of n lines hits when the depth is n or less, so the
 * counts of depths give the misses of every cache at once.
 *
 *     access      A  B  C  A  A  B
 *     distance    -  -  -  3  1  3        misses of 1 line: 5, 2 lines: 5, 3 lines: 3
 *
 * Searching the stack from the top takes as long as it is deep. Bennett and Kruskal (LRU
 * stack processing, 1975) keep time instead: mark on a time axis the last access of every
 * line; the depth of a line is the number of marks from its own to now. They count with a
 * tree of partial sums over time, Olken (Efficient methods for calculating the success
 * function of fixed space replacement policies, 1981) with a balanced tree of the lines in
 * order of time, whose size is that of the footprint and not of the trace; Almasi, Cascaval and
 * Padua (Calculating stack distances efficiently, 2002) compare such trees and find that
 * what counts in practice is how compact they are.
 *
 * The marks here are bits, since popcount takes 64 of them at once:
 *
 *     bits     .. 01001101 ..     a slot of the axis each; 1: a line's last access
 *     blocks   marks in 512 slots, which are a line of the processor's cache
 *     supers   marks in 64 blocks
 *     tops     marks in 64 supers
 *
 * Moving a mark to the end changes two bits and three pairs of sums. Counting from a mark
 * to now adds up bits to the end of its block, blocks to the end of its super, supers to
 * the end of its top, and tops: 8 + 64 + 64 small numbers that lie side by side and are added
 * several at once, and the tops, of which there is one for two million slots. For a line that
 * was touched not long ago only the bits. When the axis is full the marks move up, in order
 * and without gaps; the axis then has four times as many slots as there are lines, so a
 * line is renumbered at most once for three accesses. Memory is that of the footprint,
 * whatever the trace's length: half a byte for a line on the axis, about 7 to 14 in the
 * table if lines are dense (up to 128 if each has neighbours never touched), 8 for counts.
 *
 * The table knows each line's slot. Threads touch neighbouring lines one after another,
 * so 14 neighbours share a bucket of 64 bytes, an open-addressing hash finds the bucket, and
 * an access costs one miss of the processor's cache or none. Buckets are fetched ahead.
 *
 * Cost of an access, then: one bucket, one or two lines of bits, a few of sums; tens of
 * nanoseconds when the footprint is far beyond the processor's caches, and a few when it
 * is not (bench/bench_locality.c). Accesses of the line on top change nothing but a count.
 */
#include <stdlib.h>

#include "analysis/stack_distance.h"

enum {
    BUCKET_LINES = 14,
    BUCKET_BITS_LEAST = 6,
    BLOCK_BITS = 9, /* slots of a block, as a power of two */
    SUPER_BITS = 15,
    TOP_BITS = 21,
    BLOCK_WORDS = 1 << (BLOCK_BITS - 6),
    GROUP = 64, /* blocks of a super, supers of a top */
    AXIS_LEAST = 1 << 16,
    AXIS_LINES = 4, /* slots for each line when the axis is new */
    AHEAD = 16      /* accesses whose buckets are being fetched */
};
static const uint64_t most_lines = (uint64_t)1 << 30;
static const uint64_t most_slots = ((uint64_t)1 << 32) - ((uint64_t)1 << TOP_BITS); /* in 32 bits */

typedef struct bucket {
    uint64_t key;                /* line / BUCKET_LINES + 1; 0: the bucket is free */
    uint32_t slot[BUCKET_LINES]; /* + 1; 0: this line was not touched */
} bucket;
_Static_assert(sizeof(bucket) == 64, "a bucket is a line of the processor's cache");

struct line_stack {
    stack_room *room;
    uint64_t taken; /* of it */
    bucket *buckets;
    uint32_t bucket_shift; /* 64 less the power of two that is their number */
    uint64_t buckets_used;

    uint64_t slots, now; /* of the axis; the next one to be marked */
    uint64_t from;       /* where the request that is being served began */
    uint64_t *bits;
    uint16_t *blocks;
    uint32_t *supers;
    uint64_t *tops;

    uint64_t footprint;
    uint64_t *counts;
    uint64_t count_capacity;
    uint64_t *lines;             /* [count_capacity], or NULL: they are not kept */
    uint32_t depth[STACK_BATCH]; /* of this batch's accesses, to be counted at its end */
    uint32_t depth_count;
    bool overflowed;
    void (*serve)(line_stack *stack, const line_batch *batch); /* for this processor */
};

static inline uint64_t least(uint64_t a, uint64_t b) { return a < b ? a : b; }

/* ---- the table ---------------------------------------------------------------------- */

static bucket *new_buckets(uint32_t shift) {
    size_t size = sizeof(bucket) << (64 - shift);
    bucket *buckets = hd_checked(aligned_alloc(sizeof(bucket), size));
    memset(buckets, 0, size);
    return buckets;
}

static inline uint64_t home_of(uint64_t key, uint32_t shift) {
    return hd_hash_spread(key) >> shift;
}

/* The bucket of a key, or the free one where it belongs. */
static inline bucket *find_bucket(bucket *buckets, uint32_t shift, uint64_t key) {
    uint64_t mask = ((uint64_t)1 << (64 - shift)) - 1, at = home_of(key, shift);
    while (buckets[at].key != key && buckets[at].key)
        at = (at + 1) & mask;
    return &buckets[at];
}

static uint64_t bucket_count(const line_stack *s) { return (uint64_t)1 << (64 - s->bucket_shift); }

static void grow_table(line_stack *s) {
    uint64_t count = bucket_count(s);
    bucket *old = s->buckets;
    s->bucket_shift--;
    s->buckets = new_buckets(s->bucket_shift);
    for (uint64_t i = 0; i < count; i++)
        if (old[i].key)
            *find_bucket(s->buckets, s->bucket_shift, old[i].key) = old[i];
    free(old);
}

/* The place of a line's slot. */
static inline uint32_t *find_slot(line_stack *s, uint64_t line) {
    uint64_t key = line / BUCKET_LINES + 1;
    bucket *b = find_bucket(s->buckets, s->bucket_shift, key);
    if (__builtin_expect(!b->key, 0)) {
        if (s->buckets_used >= bucket_count(s) / 8 * 5) {
            grow_table(s);
            b = find_bucket(s->buckets, s->bucket_shift, key);
        }
        b->key = key;
        s->buckets_used++;
    }
    return &b->slot[line % BUCKET_LINES];
}

/* ---- the axis ------------------------------------------------------------------------- */

/* How many sums an axis has, whole groups of them. */
static uint64_t count_of(uint64_t slots, uint32_t bits) {
    return hd_align_up((slots >> bits) + 1, GROUP);
}

/* An axis without marks. */
static void new_axis(line_stack *s, uint64_t slots) {
    uint64_t blocks = count_of(slots, BLOCK_BITS), supers = count_of(slots, SUPER_BITS),
             tops = count_of(slots, TOP_BITS);
    if (slots != s->slots) {
        free(s->bits);
        free(s->blocks);
        free(s->supers);
        free(s->tops);
        s->bits = hd_checked(aligned_alloc(64, slots / 8));
        s->blocks = hd_checked(aligned_alloc(64, blocks * sizeof *s->blocks));
        s->supers = hd_checked(aligned_alloc(64, supers * sizeof *s->supers));
        s->tops = hd_checked(aligned_alloc(64, tops * sizeof *s->tops));
        s->slots = s->now = slots;
    }
    /* Beyond now nothing was marked. */
    blocks = s->now == slots ? blocks : (s->now >> BLOCK_BITS) + 1;
    supers = s->now == slots ? supers : (s->now >> SUPER_BITS) + 1;
    memset(s->bits, 0, least(blocks << BLOCK_BITS, slots) / 8);
    memset(s->blocks, 0, blocks * sizeof *s->blocks);
    memset(s->supers, 0, supers * sizeof *s->supers);
    memset(s->tops, 0, tops * sizeof *s->tops);
    s->now = 0;
}

static inline void add_mark(line_stack *s, uint64_t slot) {
    s->bits[slot >> 6] |= (uint64_t)1 << (slot & 63);
    s->blocks[slot >> BLOCK_BITS]++;
    s->supers[slot >> SUPER_BITS]++;
    s->tops[slot >> TOP_BITS]++;
}

static inline void take_mark(line_stack *s, uint64_t slot) {
    s->bits[slot >> 6] &= ~((uint64_t)1 << (slot & 63));
    s->blocks[slot >> BLOCK_BITS]--;
    s->supers[slot >> SUPER_BITS]--;
    s->tops[slot >> TOP_BITS]--;
}

static inline uint64_t popcount(uint64_t word) { return (uint64_t)__builtin_popcountll(word); }

/* later[GROUP - 1 - n + i] is all ones where i > n: what comes after n in a group. */
static const uint16_t later16[2 * GROUP] = {[GROUP... 2 * GROUP - 1] = UINT16_MAX};
static const uint32_t later32[2 * GROUP] = {[GROUP... 2 * GROUP - 1] = UINT32_MAX};

/* Marks from `slot` to the end of its block. Words, blocks and supers beyond now have none, so
 * that each step adds up a whole group: loops whose length cannot be predicted would cost more
 * than what they leave out. */
static inline __attribute__((always_inline)) uint64_t marks_in_block(const line_stack *s,
                                                                     uint64_t slot) {
    const uint64_t *words = &s->bits[slot >> BLOCK_BITS << (BLOCK_BITS - 6)];
    uint64_t first = (slot >> 6) % BLOCK_WORDS, sum = popcount(words[first] >> (slot & 63));
    for (uint64_t w = 0; w < BLOCK_WORDS; w++)
        sum += popcount(w > first ? words[w] : 0);
    return sum;
}

/* Marks from `slot` to now. Inlined, so that it uses what the processor has. */
static inline __attribute__((always_inline)) uint64_t marks_from(const line_stack *s,
                                                                 uint64_t slot) {
    uint64_t now = s->now - 1, sum = marks_in_block(s, slot), at = slot >> BLOCK_BITS;
    if (at == now >> BLOCK_BITS)
        return sum;
    const uint16_t *blocks = &s->blocks[at / GROUP * GROUP];
    const uint16_t *wanted_blocks = &later16[GROUP - 1 - at % GROUP];
    uint16_t of_blocks = 0; /* at most 63 * 512 */
    for (int i = 0; i < GROUP; i++)
        of_blocks += blocks[i] & wanted_blocks[i];
    sum += of_blocks;
    at = slot >> SUPER_BITS;
    if (at == now >> SUPER_BITS)
        return sum;
    const uint32_t *supers = &s->supers[at / GROUP * GROUP];
    const uint32_t *wanted_supers = &later32[GROUP - 1 - at % GROUP];
    uint32_t of_supers = 0; /* at most 63 * 32768 */
    for (int i = 0; i < GROUP; i++)
        of_supers += supers[i] & wanted_supers[i];
    sum += of_supers;
    for (at = slot >> TOP_BITS; at++ < now >> TOP_BITS;)
        sum += s->tops[at];
    return sum;
}

/* ---- renumbering ------------------------------------------------------------------------ */

static inline __attribute__((always_inline)) uint32_t marks_before(const line_stack *s,
                                                                   const uint32_t *before,
                                                                   uint64_t slot) {
    return before[(slot >> BLOCK_BITS) + 1] - (uint32_t)marks_in_block(s, slot);
}

/* The axis is full: every slot becomes the number of marks before it. */
static inline __attribute__((always_inline)) void renumber(line_stack *s) {
    uint64_t count = s->slots >> BLOCK_BITS;
    uint32_t *before =
        hd_checked(malloc((count + 1) * sizeof *before)); /* marks before each block */
    before[0] = 0;
    for (uint64_t b = 0; b < count; b++)
        before[b + 1] = before[b] + s->blocks[b];
    for (uint64_t i = 0; i < bucket_count(s); i++)
        for (uint32_t l = 0; l < BUCKET_LINES && s->buckets[i].key; l++)
            if (s->buckets[i].slot[l])
                s->buckets[i].slot[l] = marks_before(s, before, s->buckets[i].slot[l] - 1) + 1;
    s->from = marks_before(s, before, s->from);
    free(before);
    uint64_t slots = AXIS_LEAST;
    while (slots < s->footprint * AXIS_LINES)
        slots *= 2;
    slots = least(slots, most_slots);
    s->overflowed = s->footprint >= most_lines;
    if (!s->overflowed) {
        new_axis(s, slots);
        count = s->footprint; /* marks at 0 .. count - 1 */
        memset(s->bits, 0xff, count / 64 * sizeof *s->bits);
        if (count % 64)
            s->bits[count / 64] = ((uint64_t)1 << count % 64) - 1;
        for (uint64_t b = 0; b << BLOCK_BITS < count; b++)
            s->blocks[b] = (uint16_t)least(count - (b << BLOCK_BITS), 1 << BLOCK_BITS);
        for (uint64_t b = 0; b << SUPER_BITS < count; b++)
            s->supers[b] = (uint32_t)least(count - (b << SUPER_BITS), 1 << SUPER_BITS);
        for (uint64_t b = 0; b << TOP_BITS < count; b++)
            s->tops[b] = least(count - (b << TOP_BITS), 1 << TOP_BITS);
        s->now = count;
    }
}

/* ---- serving ------------------------------------------------------------------------------ */

static void count_cold(line_stack *s, uint64_t line) {
    if (s->lines)
        s->lines[s->footprint] = line;
    s->footprint++;
    if (s->footprint < s->count_capacity)
        return;
    uint64_t capacity = s->count_capacity * 2;
    if (s->lines)
        s->lines = hd_checked(realloc(s->lines, capacity * sizeof *s->lines));
    s->counts = hd_checked(realloc(s->counts, capacity * sizeof *s->counts));
    memset(s->counts + s->count_capacity, 0, (capacity - s->count_capacity) * sizeof *s->counts);
    s->count_capacity = capacity;
}

static inline __attribute__((always_inline)) void access_line(line_stack *s, uint64_t line) {
    uint32_t *place = find_slot(s, line);
    uint64_t slot = *place; /* + 1 */
    if (slot > s->from)
        return; /* a second time in its request */
    if (slot == s->now && slot) {
        s->depth[s->depth_count++] = 1;
        s->from = s->now - 1;
        return;
    }
    if (slot) {
        s->depth[s->depth_count++] = (uint32_t)marks_from(s, slot - 1);
        take_mark(s, slot - 1);
    } else {
        count_cold(s, line);
    }
    add_mark(s, s->now);
    *place = (uint32_t)++s->now;
}

typedef void renumber_fn(line_stack *stack);

static inline __attribute__((always_inline)) void serve(line_stack *s, const line_batch *batch,
                                                        renumber_fn *renumber_here) {
    for (uint32_t i = 0; i < batch->count; i++) {
        uint32_t ahead = i + AHEAD < batch->count ? i + AHEAD : i;
        __builtin_prefetch(
            &s->buckets[home_of(batch->line[ahead] / BUCKET_LINES + 1, s->bucket_shift)], 1);
        if (s->now == s->slots) {
            renumber_here(s);
            if (s->overflowed)
                break;
        }
        if (batch->begins[i])
            s->from = s->now;
        access_line(s, batch->line[i]);
    }
    /* All at once: counts are far apart in memory, and many misses of the cache together take
     * hardly longer than one. */
    for (uint32_t i = 0; i < s->depth_count; i++)
        s->counts[s->depth[i]]++;
    s->depth_count = 0;
}

static __attribute__((noinline)) void renumber_anywhere(line_stack *s) { renumber(s); }
static void serve_anywhere(line_stack *s, const line_batch *batch) {
    serve(s, batch, renumber_anywhere);
}

#if defined(__x86_64__)
/* popcount is an instruction here, and sums are added sixteen at a time. */
#define WITH_AVX2 __attribute__((target("popcnt,avx2,bmi,bmi2"), noinline))
WITH_AVX2 static void renumber_avx2(line_stack *s) { renumber(s); }
WITH_AVX2 static void serve_avx2(line_stack *s, const line_batch *batch) {
    serve(s, batch, renumber_avx2);
}
#endif

void line_stack_serve(line_stack *s, const line_batch *batch) {
    /* What it takes until another batch is served. An array that grows is there twice for a while;
     * counts are copied once as the result. */
    uint64_t lines = s->footprint + STACK_BATCH, table = bucket_count(s);
    uint64_t slots = AXIS_LINES * lines < s->slots ? s->slots : 2 * AXIS_LINES * lines;
    bool grows = s->buckets_used + STACK_BATCH >= table / 8 * 5;
    uint64_t bytes = table * sizeof *s->buckets * (grows ? 3 : 1) + slots / 7 +
                     s->count_capacity * sizeof *s->counts * (s->lines ? 2 : 1) *
                         (lines < s->count_capacity ? 2 : 4);
    s->room->taken += bytes - s->taken;
    s->taken = bytes;
    s->overflowed = s->overflowed || s->room->taken > s->room->most;
    if (!s->overflowed)
        s->serve(s, batch);
}

/* ---- from new to free ------------------------------------------------------------------------ */

line_stack *line_stack_new(stack_room *room) {
    line_stack *s = hd_zeroed(1, sizeof *s);
    s->room = room;
    s->bucket_shift = 64 - BUCKET_BITS_LEAST;
    s->buckets = new_buckets(s->bucket_shift);
    new_axis(s, AXIS_LEAST);
    s->count_capacity = 64;
    s->counts = hd_zeroed(s->count_capacity, sizeof *s->counts);
    s->serve = serve_anywhere;
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("popcnt") &&
        __builtin_cpu_supports("bmi2"))
        s->serve = serve_avx2;
#endif
    return s;
}

void line_stack_free(line_stack *stack) {
    stack->room->taken -= stack->taken;
    free(stack->buckets);
    free(stack->bits);
    free(stack->blocks);
    free(stack->supers);
    free(stack->tops);
    free(stack->counts);
    free(stack->lines);
    free(stack);
}

/* A table that was far too large for what it held would take its time to clear, for each
 * of many small blocks after one that was large. */
void line_stack_reset(line_stack *stack) {
    bool too_large = bucket_count(stack) / 64 > stack->buckets_used &&
                     stack->bucket_shift < 64 - BUCKET_BITS_LEAST;
    if (too_large) {
        free(stack->buckets);
        stack->bucket_shift = 64 - BUCKET_BITS_LEAST;
        stack->buckets = new_buckets(stack->bucket_shift);
    } else {
        memset(stack->buckets, 0, bucket_count(stack) * sizeof *stack->buckets);
    }
    new_axis(stack, stack->slots);
    memset(stack->counts, 0,
           least(stack->footprint + 1, stack->count_capacity) * sizeof *stack->counts);
    stack->buckets_used = stack->footprint = stack->from = 0;
    stack->overflowed = false;
}

void line_stack_keep_lines(line_stack *stack) {
    stack->lines = hd_zeroed(stack->count_capacity, sizeof *stack->lines);
}

const uint64_t *line_stack_lines(const line_stack *stack) { return stack->lines; }

void line_stack_order(line_stack *stack, uint32_t *order) {
    uint64_t blocks = stack->slots >> BLOCK_BITS;
    uint32_t *before = hd_checked(malloc((blocks + 1) * sizeof *before));
    before[0] = 0;
    for (uint64_t b = 0; b < blocks; b++)
        before[b + 1] = before[b] + stack->blocks[b];
    for (uint64_t i = 0; i < stack->footprint; i++)
        order[i] = marks_before(stack, before, *find_slot(stack, stack->lines[i]) - 1);
    free(before);
}

uint64_t line_stack_footprint(const line_stack *stack) { return stack->footprint; }
const uint64_t *line_stack_counts(const line_stack *stack) { return stack->counts; }
bool line_stack_overflowed(const line_stack *stack) { return stack->overflowed; }
