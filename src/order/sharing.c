#include "order/sharing.h"

#include <stdlib.h>

bool hd_is_permutation(const uint32_t *order, uint64_t count, uint64_t *bad) {
    uint64_t *seen = hd_zeroed((count + 63) / 64, sizeof *seen);
    uint64_t p = 0;
    for (; p < count; p++) {
        uint64_t value = order[p];
        if (value >= count || (seen[value / 64] >> value % 64 & 1))
            break;
        seen[value / 64] |= 1ull << value % 64;
    }
    free(seen);
    if (bad)
        *bad = p;
    return p == count;
}

uint32_t hd_sharing_warps(const hd_sharing *sharing) {
    uint32_t each = (sharing->block_threads + sharing->warp - 1) / sharing->warp;
    return sharing->threads / sharing->block_threads * each;
}

uint32_t hd_sharing_warp_of(const hd_sharing *sharing, uint32_t place) {
    uint32_t each = (sharing->block_threads + sharing->warp - 1) / sharing->warp;
    return place / sharing->block_threads * each + place % sharing->block_threads / sharing->warp;
}

hd_sharing_cost hd_sharing_count(const hd_sharing *sharing, const uint32_t *order) {
    hd_sharing_cost cost = {.transactions = sharing->alone};
    uint32_t warps = hd_sharing_warps(sharing);
    hd_arena *arena = hd_arena_new();
    uint32_t *warp_of = hd_alloc_items(arena, sharing->threads + 1, sizeof *warp_of);
    for (uint32_t p = 0; p < sharing->threads; p++)
        warp_of[order ? order[p] : p] = hd_sharing_warp_of(sharing, p);

    uint64_t *met =
        hd_alloc_items(arena, warps + 1, sizeof *met); /* the last net, plus 1, that a warp met */
    const hd_nets *nets = &sharing->requests;
    for (uint64_t n = 0; n < nets->count; n++)
        for (uint64_t i = nets->first[n]; i < nets->first[n + 1]; i++) {
            uint32_t w = warp_of[nets->thread[i]];
            if (met[w] != n + 1)
                cost.transactions += nets->weight[n];
            met[w] = n + 1;
        }

    uint32_t *most = hd_alloc_items(arena, (size_t)warps * sharing->accesses + 1, sizeof *most);
    for (uint32_t t = 0; t < sharing->threads; t++)
        for (uint32_t a = 0; a < sharing->accesses; a++) {
            uint32_t steps = sharing->steps[(size_t)t * sharing->accesses + a];
            uint32_t *of = &most[(size_t)warp_of[t] * sharing->accesses + a];
            if (steps > *of) {
                cost.issues += (uint64_t)(steps - *of) * sharing->issues[a];
                *of = steps;
            }
        }
    hd_arena_free(arena);
    return cost;
}
