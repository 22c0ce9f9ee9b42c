/* The difference of two characteristics, distance by distance. */
#include "locality/reuse_shape.h"

hd_reuse_difference *hd_reuse_compare(hd_arena *arena, const hd_reuse_stream *a,
                                      const hd_reuse_stream *b) {
    hd_reuse_difference *difference = hd_new(arena, hd_reuse_difference);
    uint64_t domain = a->domain > b->domain ? a->domain : b->domain;
    *difference = (hd_reuse_difference){.domain = domain, .apart = hd_reuse_apart(a, b)};
    difference->change = hd_new_array(arena, int64_t, domain + 1);
    for (uint64_t d = 1; d <= domain; d++) {
        int64_t before = d <= a->domain ? (int64_t)a->degree[d] : 0;
        int64_t after = d <= b->domain ? (int64_t)b->degree[d] : 0;
        difference->change[d] = after - before;
        difference->sum += after - before;
        difference->absolute += (uint64_t)(after > before ? after - before : before - after);
    }
    return difference;
}
