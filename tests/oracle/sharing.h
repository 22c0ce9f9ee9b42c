/*
 * The order `sharing` by its definition: for each place, what every block left shares with
 * each of the four placed last, by comparing sorted arrays of elements.
 */
#ifndef HD_ORACLE_SHARING_H
#define HD_ORACLE_SHARING_H

#include "oracle/reuse.h"

/* Different elements of a block, ascending. */
typedef struct slow_elements {
    uint64_t *data;
    size_t count, capacity;
} slow_elements;

static inline int slow_ascending(const void *a, const void *b) {
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

static inline slow_elements slow_block_elements(hd_arena *arena, const slow_block *block) {
    slow_elements e = {0};
    for (size_t m = 0; m < block->mis.count; m++)
        for (size_t l = 0; l < block->mis.data[m].count; l++) {
            if (e.count == e.capacity)
                e.data = hd_grow(arena, e.data, &e.capacity, e.count, sizeof *e.data);
            e.data[e.count++] = block->mis.data[m].lanes[l].element;
        }
    size_t count = e.count;
    e.count = 0;
    if (count)
        qsort(e.data, count, sizeof *e.data, slow_ascending);
    for (size_t i = 0; i < count; i++)
        if (!e.count || e.data[e.count - 1] != e.data[i])
            e.data[e.count++] = e.data[i];
    return e;
}

static inline uint64_t slow_shared(const slow_elements *a, const slow_elements *b) {
    uint64_t count = 0;
    for (size_t i = 0, j = 0; i < a->count && j < b->count;) {
        uint64_t x = a->data[i], y = b->data[j];
        count += x == y;
        i += x <= y;
        j += y <= x;
    }
    return count;
}

/* Fills order[count] with numbers of blocks. */
static inline void slow_sharing_order(hd_arena *arena, const slow_block *blocks, size_t count,
                                      uint64_t *order) {
    slow_elements *elements = hd_new_array(arena, slow_elements, count);
    bool *placed = hd_new_array(arena, bool, count);
    for (size_t b = 0; b < count; b++)
        elements[b] = slow_block_elements(arena, &blocks[b]);
    for (size_t n = 0; n < count; n++) {
        uint64_t best = count, most = 0;
        for (size_t b = 0; b < count; b++) {
            uint64_t score = 0;
            for (size_t last = n < 4 ? 0 : n - 4; last < n && !placed[b]; last++)
                score += slow_shared(&elements[b], &elements[order[last]]);
            if (!placed[b] && (best == count || score > most)) {
                best = b;
                most = score;
            }
        }
        order[n] = best;
        placed[best] = true;
    }
}

#endif
