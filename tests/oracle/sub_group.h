/*
 * What one lane gets from the functions of sub-groups, as their specifications say it: lanes are
 * looked at one by one, ballots are arrays of bools. A lane that is not here has nothing to give: 0.
 */
#ifndef HD_TESTS_ORACLE_SUB_GROUP_H
#define HD_TESTS_ORACLE_SUB_GROUP_H

#include <stdbool.h>
#include <stdint.h>

enum { ORACLE_MOST_LANES = 64 };

/* One sub-group at a call. */
typedef struct oracle_sub_group {
    int size; /* lanes that a whole one has */
    bool here[ORACLE_MOST_LANES];
    int64_t value[ORACLE_MOST_LANES], next[ORACLE_MOST_LANES]; /* of Intel's pairs the second */
} oracle_sub_group;

static inline int64_t oracle_from(const oracle_sub_group *g, const int64_t *values, int64_t lane) {
    return lane >= 0 && lane < g->size && g->here[lane] ? values[lane] : 0;
}

static inline int64_t oracle_shuffled_to(const oracle_sub_group *g, int64_t lane) {
    return oracle_from(g, g->value, lane);
}

/* Lanes [first, last] of a cluster that a lane is in; the sub-group is one, too. */
static inline int oracle_first_of(int lane, int cluster) { return lane - lane % cluster; }

static inline int64_t oracle_rotate(const oracle_sub_group *g, int lane, int64_t by, int cluster) {
    int first = oracle_first_of(lane, cluster);
    return oracle_shuffled_to(g, first + (lane - first + by) % cluster);
}

/* `lane + by` of value and next side by side, or `lane - by` of the two before. */
static inline int64_t oracle_down(const oracle_sub_group *g, int lane, int64_t by) {
    int64_t from = lane + by;
    return from < g->size ? oracle_from(g, g->value, from)
                          : oracle_from(g, g->next, from - g->size);
}

static inline int64_t oracle_up(const oracle_sub_group *g, int lane, int64_t by) {
    int64_t from = lane - by;
    return from >= 0 ? oracle_from(g, g->next, from) : oracle_from(g, g->value, from + g->size);
}

static inline int oracle_first_here(const oracle_sub_group *g) {
    int lane = 0;
    while (!g->here[lane])
        lane++;
    return lane;
}

/* ---- ballots: bit `lane` is that of a value that is not 0 --------------------------- */

static inline bool oracle_vote(const oracle_sub_group *g, int lane) {
    return g->here[lane] && g->value[lane] != 0;
}

/* Votes of lanes [from, to). */
static inline int64_t oracle_votes(const oracle_sub_group *g, int from, int to) {
    int64_t count = 0;
    for (int lane = from; lane < to; lane++)
        count += oracle_vote(g, lane);
    return count;
}

/* 32 bits of the ballot. */
static inline int64_t oracle_ballot_word(const oracle_sub_group *g, int word) {
    int64_t bits = 0;
    for (int lane = 32 * word; lane < 32 * word + 32 && lane < g->size; lane++)
        bits |= (int64_t)oracle_vote(g, lane) << lane % 32;
    return (int32_t)bits;
}

/* ---- reductions and scans of the lanes [from, to) that are here ----------------------- */

typedef int64_t oracle_combine(int64_t a, int64_t b);
static inline int64_t oracle_add(int64_t a, int64_t b) { return a + b; }
static inline int64_t oracle_mul(int64_t a, int64_t b) { return a * b; }
static inline int64_t oracle_min(int64_t a, int64_t b) { return a < b ? a : b; }
static inline int64_t oracle_max(int64_t a, int64_t b) { return a > b ? a : b; }
static inline int64_t oracle_and(int64_t a, int64_t b) { return a & b; }
static inline int64_t oracle_or(int64_t a, int64_t b) { return a | b; }
static inline int64_t oracle_xor(int64_t a, int64_t b) { return a ^ b; }
static inline int64_t oracle_both(int64_t a, int64_t b) { return a && b; }
static inline int64_t oracle_either(int64_t a, int64_t b) { return a || b; }
static inline int64_t oracle_one(int64_t a, int64_t b) { return !a != !b; }

static inline int64_t oracle_combined(const oracle_sub_group *g, oracle_combine *combine,
                                      int64_t start, int from, int to) {
    int64_t sum = start;
    for (int lane = from; lane < to; lane++)
        if (g->here[lane])
            sum = combine(sum, g->value[lane]);
    return sum;
}

#endif
