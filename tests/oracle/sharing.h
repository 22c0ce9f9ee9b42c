/*
 * What blocks share by its definition, from sorted arrays of the elements of each: for every element
 * the list of its blocks; equal lists are one net of as many elements.
 */
#ifndef HD_ORACLE_SHARING_H
#define HD_ORACLE_SHARING_H

#include "oracle/reuse.h"
#include "order/orders.h"

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

/* Nets of blocks that share elements, but for those of all blocks. */
static inline hd_nets slow_shared_nets(hd_arena *arena, const slow_block *blocks, size_t count) {
    slow_elements *elements = hd_new_array(arena, slow_elements, count);
    size_t *at = hd_new_array(arena, size_t, count), all = 0;
    for (size_t b = 0; b < count; b++) {
        elements[b] = slow_block_elements(arena, &blocks[b]);
        all += elements[b].count;
    }
    hd_nets nets = {.first = hd_new_array(arena, uint64_t, all + 1),
                    .thread = hd_new_array(arena, uint32_t, all + 1),
                    .weight = hd_new_array(arena, uint32_t, all + 1)};
    for (;;) {
        uint64_t least = UINT64_MAX, size = 0, n = 0;
        uint32_t *own = nets.thread + nets.first[nets.count];
        bool left = false;
        for (size_t b = 0; b < count; b++)
            if (at[b] < elements[b].count) {
                least = elements[b].data[at[b]] < least ? elements[b].data[at[b]] : least;
                left = true;
            }
        if (!left)
            return nets;
        for (size_t b = 0; b < count; b++)
            if (at[b] < elements[b].count && elements[b].data[at[b]] == least) {
                own[size++] = (uint32_t)b;
                at[b]++;
            }
        while (n < nets.count && (nets.first[n + 1] - nets.first[n] != size ||
                                  memcmp(nets.thread + nets.first[n], own, size * sizeof *own)))
            n++;
        if (size < 2 || size == count)
            continue;
        nets.weight[n]++;
        if (n == nets.count) {
            nets.first[n + 1] = nets.first[n] + size;
            nets.count++;
        }
    }
}

/* Fills order[count] with numbers of blocks: those that share follow each other. */
static inline void slow_sharing_order(hd_arena *arena, const slow_block *blocks, size_t count,
                                      uint64_t *order) {
    const hd_sharing sharing = {.threads = (uint32_t)count,
                                .block_threads = 1,
                                .lines = slow_shared_nets(arena, blocks, count)};
    uint32_t *places = hd_new_array(arena, uint32_t, count);
    for (uint32_t b = 0; b < count; b++)
        places[b] = b;
    hd_schedule_blocks(&sharing, places);
    for (size_t b = 0; b < count; b++)
        order[b] = places[b];
}

#endif
