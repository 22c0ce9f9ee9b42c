#include "mapping/groups.h"

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

static void turn_around(group_nets *g) {
    const hd_nets *nets = &g->nets;
    uint64_t pins = nets->first[nets->count];
    g->first_of = hd_zeroed((size_t)g->groups + 2, sizeof *g->first_of);
    g->net_of = hd_zeroed(pins + 1, sizeof *g->net_of);
    for (uint64_t i = 0; i < pins; i++)
        g->first_of[nets->thread[i] + 2]++;
    for (uint32_t i = 1; i <= g->groups; i++)
        g->first_of[i + 1] += g->first_of[i];
    for (uint64_t n = 0; n < nets->count; n++)
        for (uint64_t i = nets->first[n]; i < nets->first[n + 1]; i++)
            g->net_of[g->first_of[nets->thread[i] + 1]++] = (uint32_t)n;
}

void group_nets_make(const hd_nets *nets, const uint32_t *group_of, uint32_t groups,
                     group_nets *result) {
    uint64_t *met = hd_zeroed((size_t)groups + 1, sizeof *met); /* the last net, plus 1 */
    hd_nets *to = &result->nets;
    *result = (group_nets){.groups = groups};
    to->first = hd_zeroed(nets->count + 1, sizeof *to->first);
    to->weight = hd_zeroed(nets->count + 1, sizeof *to->weight);
    to->thread = hd_zeroed((nets->count ? nets->first[nets->count] : 0) + 1, sizeof *to->thread);
    for (uint64_t n = 0; n < nets->count; n++) {
        uint64_t at = to->first[to->count];
        uint64_t count = join(nets, n, group_of, met, to->thread + at);
        if (count < 2 || !nets->weight[n])
            continue;
        to->weight[to->count++] = nets->weight[n];
        to->first[to->count] = at + count;
    }
    free(met);
    turn_around(result);
}

void group_nets_free(group_nets *g) {
    free(g->nets.first);
    free(g->nets.weight);
    free(g->nets.thread);
    free(g->first_of);
    free(g->net_of);
}

uint32_t *group_warps(const hd_sharing *sharing, const uint32_t *order) {
    uint32_t *warp_of = hd_zeroed((size_t)sharing->threads + 1, sizeof *warp_of);
    for (uint32_t p = 0; p < sharing->threads; p++)
        warp_of[order ? order[p] : p] = hd_sharing_warp_of(sharing, p);
    return warp_of;
}

uint32_t *group_blocks(const hd_sharing *sharing, const uint32_t *order) {
    uint32_t *block_of = hd_zeroed((size_t)sharing->threads + 1, sizeof *block_of);
    for (uint32_t p = 0; p < sharing->threads; p++)
        block_of[order ? order[p] : p] = p / sharing->block_threads;
    return block_of;
}
