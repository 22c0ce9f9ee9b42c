/*
 * Every way to split n fields into clusters.
 *
 * A partition is written as a restricted growth string: rgs[i] is the block of
 * element i, and a block's number is the order of its first element, so
 * rgs[0] = 0 and rgs[i] <= 1 + max(rgs[0..i-1]). Each partition has exactly one
 * such string. For n = 3:
 *
 *     000 {abc}   001 {ab}{c}   010 {ac}{b}   011 {a}{bc}   012 {a}{b}{c}
 *
 * The successor in lexicographic order raises the last element that can still
 * be raised and sets all behind it to block 0 (D. Knuth, The Art of Computer
 * Programming, volume 4A, section 7.2.1.5). The work per step is constant on
 * average, because mostly the last element alone moves.
 */
#ifndef TESTS_ORACLE_PARTITION_H
#define TESTS_ORACLE_PARTITION_H

#include "layout/layout.h"

/* Walks every partition of n elements (1..HD_MAX_FIELDS) in the order of
 * restricted growth strings: rgs[i] is the block of element i, and block
 * numbers appear in order of first use. */
typedef struct partition {
    uint32_t n;
    uint32_t blocks;
    uint8_t rgs[HD_MAX_FIELDS];
    uint8_t prefix_max[HD_MAX_FIELDS]; /* largest block among rgs[0..i] */
} partition;

static inline void partition_first(partition *p, uint32_t n) {
    *p = (partition){.n = n, .blocks = 1};
}

/* False when there is no next one. */
static inline bool partition_next(partition *p) {
    uint8_t *rgs = p->rgs, *prefix_max = p->prefix_max;
    uint32_t last = p->n - 1, i = last;
    while (i > 0 && rgs[i] > prefix_max[i - 1])
        i--;
    if (i == 0)
        return false;
    rgs[i]++;
    prefix_max[i] = rgs[i] > prefix_max[i - 1] ? rgs[i] : prefix_max[i - 1];
    for (uint32_t j = i + 1; j <= last; j++) {
        rgs[j] = 0;
        prefix_max[j] = prefix_max[i];
    }
    p->blocks = prefix_max[last] + 1u;
    return true;
}

/* Number of partitions of n elements; 0 when it does not fit 64 bits (n > 25). By the Bell
 * triangle: a row starts with the end of the row before it, and each
 * further number is the sum of its left neighbour and the one above that. */
static inline uint64_t bell_number(uint32_t n) {
    enum { LARGEST = 25 };
    if (n > LARGEST)
        return 0;
    uint64_t row[LARGEST + 1] = {1};
    for (uint32_t length = 1; length < n; length++) {
        uint64_t above = row[0];
        row[0] = row[length - 1];
        for (uint32_t i = 1; i <= length; i++) {
            uint64_t next = i < length ? row[i] : 0;
            row[i] = row[i - 1] + above;
            above = next;
        }
    }
    return n ? row[n - 1] : 1;
}

#endif
