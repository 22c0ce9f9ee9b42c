/*
 * The data reuse characteristic by its definition: streams are built MI by MI as the
 * scenarios say, every MI (or piece of one) as the list of elements that its lanes touch, and
 * all pairs are compared, as Algorithm 1 does, with sorted arrays.
 */
#ifndef HD_ORACLE_REUSE_H
#define HD_ORACLE_REUSE_H

#include <stdlib.h>

#include "base/base.h"

/* What a lane touches: its block's number in the aggregate, its thread, and an element. */
typedef struct slow_lane {
    uint64_t block, thread, element;
} slow_lane;

/* An MI of a block, or of an aggregate, or a piece of one. */
typedef struct slow_mi {
    slow_lane *lanes;
    size_t count, capacity;
} slow_mi;

typedef struct slow_stream {
    slow_mi *data;
    size_t count, capacity;
} slow_stream;

/* A block: its launch, its warps, and its MIs, of which only analysed ones count. */
typedef struct slow_block {
    uint32_t launch;
    uint64_t warps;
    slow_stream mis;
} slow_block;

static inline void slow_add_lane(hd_arena *arena, slow_mi *mi, slow_lane lane) {
    if (mi->count == mi->capacity)
        mi->lanes = hd_grow(arena, mi->lanes, &mi->capacity, mi->count, sizeof lane);
    mi->lanes[mi->count++] = lane;
}

static inline int slow_by_element(const void *a, const void *b) {
    const slow_lane *x = a, *y = b;
    return (x->element > y->element) - (x->element < y->element);
}

/* Multiplicities in j of the elements that i touches, too. Both sorted. */
static inline uint64_t slow_degree(const slow_mi *i, const slow_mi *j) {
    uint64_t sum = 0;
    for (size_t a = 0, b = 0; b < j->count; b++) {
        while (a < i->count && i->lanes[a].element < j->lanes[b].element)
            a++;
        sum += a < i->count && i->lanes[a].element == j->lanes[b].element;
    }
    return sum;
}

/* degree[d] for d < stream->count. */
static inline uint64_t *slow_characteristic(hd_arena *arena, slow_stream *stream) {
    uint64_t *degree = hd_new_array(arena, uint64_t, stream->count + 1);
    for (size_t i = 0; i < stream->count; i++)
        qsort(stream->data[i].lanes, stream->data[i].count, sizeof(slow_lane), slow_by_element);
    for (size_t i = 0; i < stream->count; i++)
        for (size_t j = i + 1; j < stream->count; j++)
            degree[j - i] += slow_degree(&stream->data[i], &stream->data[j]);
    return degree;
}

/* ---- streams ------------------------------------------------------------------------- */

static inline void slow_add_mi(hd_arena *arena, slow_stream *stream, slow_mi mi) {
    if (stream->count == stream->capacity)
        stream->data = hd_grow(arena, stream->data, &stream->capacity, stream->count, sizeof mi);
    stream->data[stream->count++] = mi;
}

/* MIs of the aggregate of blocks[0 .. count): those at the same position are one. */
static inline slow_stream slow_merge(hd_arena *arena, slow_block *const *blocks, size_t count) {
    slow_stream merged = {0};
    for (size_t b = 0; b < count; b++)
        for (size_t p = 0; p < blocks[b]->mis.count; p++) {
            while (merged.count <= p)
                slow_add_mi(arena, &merged, (slow_mi){0});
            for (size_t l = 0; l < blocks[b]->mis.data[p].count; l++) {
                slow_lane lane = blocks[b]->mis.data[p].lanes[l];
                lane.block = b;
                slow_add_lane(arena, &merged.data[p], lane);
            }
        }
    return merged;
}

/* Lanes of `mi` that are of warp `warp` of the aggregate's block `block`. */
static inline slow_mi slow_warp(hd_arena *arena, const slow_mi *mi, uint64_t block, uint64_t warp) {
    slow_mi own = {0};
    for (size_t l = 0; l < mi->count; l++)
        if (mi->lanes[l].block == block && mi->lanes[l].thread / 32 == warp)
            slow_add_lane(arena, &own, mi->lanes[l]);
    return own;
}

/* Issues of at most `units` active threads of a warp; an access of several elements stands
 * several times in it, with one thread. */
static inline void slow_split_warp(hd_arena *arena, const slow_mi *warp, uint64_t units,
                                   slow_stream *to) {
    uint64_t threads = 0;
    for (size_t l = 0; l < warp->count; l++) {
        if (!l || warp->lanes[l].thread != warp->lanes[l - 1].thread)
            if (threads++ % units == 0)
                slow_add_mi(arena, to, (slow_mi){0});
        slow_add_lane(arena, &to->data[to->count - 1], warp->lanes[l]);
    }
}

/* One MI, or with `groups` one group of warps: pieces are appended to the stream. */
static inline void slow_issue(hd_arena *arena, const slow_mi *mi, size_t blocks, uint64_t warps,
                              uint64_t units, int64_t group, slow_stream *to) {
    uint64_t width = units < 32 ? 1 : units / 32, taken = 0;
    for (uint64_t w = 0; w < blocks * warps; w++) {
        if (group >= 0 && w / width != (uint64_t)group)
            continue;
        slow_mi warp = slow_warp(arena, mi, w / warps, w % warps);
        if (!warp.count)
            continue;
        if (units < 32) {
            slow_split_warp(arena, &warp, units, to);
            continue;
        }
        if (group >= 0 ? !taken : taken % width == 0)
            slow_add_mi(arena, to, (slow_mi){0});
        taken++;
        for (size_t l = 0; l < warp.count; l++)
            slow_add_lane(arena, &to->data[to->count - 1], warp.lanes[l]);
    }
}

/* An aggregate as it is issued, appended to a stream. `units` 0: unlimited. */
static inline void slow_append(hd_arena *arena, slow_block *const *blocks, size_t count,
                               uint64_t units, bool greedy, slow_stream *to) {
    slow_stream merged = slow_merge(arena, blocks, count);
    uint64_t width = units < 32 ? 1 : units / 32, warps = blocks[0]->warps;
    if (!units) {
        for (size_t p = 0; p < merged.count; p++)
            slow_add_mi(arena, to, merged.data[p]);
        return;
    }
    int64_t groups = greedy ? (int64_t)((count * warps + width - 1) / width) : 1;
    for (int64_t g = 0; g < groups; g++)
        for (size_t p = 0; p < merged.count; p++)
            slow_issue(arena, &merged.data[p], count, warps, units, greedy ? g : -1, to);
}

#endif
