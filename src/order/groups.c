#include "order/groups.h"

#include <stdlib.h>

static int ascending(const void *a, const void *b) {
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

/* The groups of one net, each once, in the place of its threads; returns how many. */
static uint64_t join(const hd_nets *nets, uint64_t n, const uint32_t *group_of, uint64_t *met,
                     uint32_t *into) {
    uint64_t count = 0;
    bool sorted = true;
    for (uint64_t i = nets->first[n]; i < nets->first[n + 1]; i++) {
        uint32_t group = group_of[nets->thread[i]];
        if (met[group] == n + 1)
            continue;
        met[group] = n + 1;
        sorted &= !count || into[count - 1] < group;
        into[count++] = group;
    }
    if (!sorted)
        qsort(into, count, sizeof *into, ascending);
    return count;
}

incidence incidence_of(hd_arena *arena, const hd_nets *nets, uint32_t members) {
    uint64_t pins = nets->count ? nets->first[nets->count] : 0;
    incidence of = {hd_new_array(arena, uint64_t, members + UINT64_C(2)),
                    hd_new_array(arena, uint32_t, pins + 1)};
    for (uint64_t i = 0; i < pins; i++)
        of.first[nets->thread[i] + 2]++;
    for (uint32_t m = 0; m < members; m++)
        of.first[m + 2] += of.first[m + 1];
    for (uint64_t n = 0; n < nets->count; n++)
        for (uint64_t i = nets->first[n]; i < nets->first[n + 1]; i++)
            of.net[of.first[nets->thread[i] + 1]++] = (uint32_t)n;
    return of;
}

group_nets group_nets_make(hd_arena *arena, const hd_nets *nets, const uint32_t *group_of,
                           uint32_t groups) {
    /* The last net, plus 1. */
    uint64_t *met = hd_new_array(arena, uint64_t, groups + UINT64_C(1));
    hd_nets to = {.first = hd_new_array(arena, uint64_t, nets->count + 1),
                  .weight = hd_new_array(arena, uint32_t, nets->count + 1)};
    to.thread = hd_new_array(arena, uint32_t, (nets->count ? nets->first[nets->count] : 0) + 1);
    for (uint64_t n = 0; n < nets->count; n++) {
        uint64_t at = to.first[to.count];
        uint64_t count = join(nets, n, group_of, met, to.thread + at);
        if (count < 2 || !nets->weight[n])
            continue;
        to.weight[to.count++] = nets->weight[n];
        to.first[to.count] = at + count;
    }
    return (group_nets){groups, to, incidence_of(arena, &to, groups)};
}

uint32_t *group_warps(hd_arena *arena, const hd_sharing *sharing, const uint32_t *order) {
    uint32_t *warp_of = hd_alloc_items(arena, (size_t)sharing->threads + 1, sizeof *warp_of);
    for (uint32_t p = 0; p < sharing->threads; p++)
        warp_of[order ? order[p] : p] = hd_sharing_warp_of(sharing, p);
    return warp_of;
}

uint32_t *group_blocks(hd_arena *arena, const hd_sharing *sharing, const uint32_t *order) {
    uint32_t *block_of = hd_alloc_items(arena, (size_t)sharing->threads + 1, sizeof *block_of);
    for (uint32_t p = 0; p < sharing->threads; p++)
        block_of[order ? order[p] : p] = p / sharing->block_threads;
    return block_of;
}
