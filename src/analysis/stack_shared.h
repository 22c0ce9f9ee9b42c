/*
 * What a rank holds of a stack of lines that all ranks have together (stack_ranks.c): of some
 * lines, when they were touched last, and of some stretches of time, which last accesses there are
 * in them.
 */
#ifndef HD_STACK_SHARED_H
#define HD_STACK_SHARED_H

#include "base/base.h"

/* ---- sums that change ------------------------------------------------------------------------ */

/* Partial sums in a tree (Fenwick, "A new data structure for cumulative frequency tables",
 * Software: Practice and Experience 24, 1994). */
typedef struct sum_tree {
    uint64_t *sums;
    uint64_t count, capacity;
} sum_tree;

void sum_tree_free(sum_tree *tree);
void sum_tree_append(sum_tree *tree, uint64_t value);
void sum_tree_change(sum_tree *tree, uint64_t at, int64_t by);
/* Of the first `count` values. */
uint64_t sum_tree_of(const sum_tree *tree, uint64_t count);

/* ---- when lines were touched last ------------------------------------------------------------ */

enum { TIME_TABLES = 64, TIME_LINES = 15 };

typedef struct time_bucket time_bucket;

/* Hash tables of neighbouring lines. There are several so that only one grows at a time, and by
 * little. */
typedef struct line_times {
    struct {
        time_bucket *buckets;
        uint64_t used, count;
    } tables[TIME_TABLES];
    uint64_t bytes;
} line_times;

/* Neighbouring lines, which are in one bucket, have one group. */
static inline uint64_t line_group(uint64_t line) { return line / TIME_LINES; }

void line_times_free(line_times *times);
/* The last time of a line, 0 for none, which is then `now`. */
uint64_t line_times_move(line_times *times, uint64_t line, uint64_t now);

/* ---- last accesses of a stretch of time ------------------------------------------------------ */

/* Lines in the order of their last accesses, while that is what these are. */
typedef struct stretch {
    uint32_t *places; /* [room] ascending, of those that were there when it was packed; NULL: all */
    uint64_t *bits;   /* which of them are */
    sum_tree blocks;  /* marks in each 512 bits */
    uint64_t room, live;
} stretch;

/* Of `count` lines. */
void stretch_begin(stretch *s, uint64_t count);
void stretch_free(stretch *s);
/* How many there are from `place` on; that one, which is there, is then taken out. */
uint64_t stretch_take(stretch *s, uint64_t place);
uint64_t stretch_bytes(const stretch *s);

#endif
