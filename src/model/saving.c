/*
 * What a cluster saves against leaving each of its fields alone, and the most
 * that it could save.
 *
 * Savings are cost vectors; their order is that of a sum of their entries, so sums
 * and shares of them bound as numbers would. Questions (see cost.h) are taken as
 * answered yes throughout, which can only lower prices.
 */
#include "model/search_internal.h"

static const uint64_t ALL_YES = UINT64_MAX;

hd_cost_vector saving_minus(const hd_cost_vector *a, const hd_cost_vector *b) {
    hd_cost_vector r;
    for (int d = 0; d <= HD_MAX_DEGREE; d++)
        r.v[d] = a->v[d] - b->v[d];
    return r;
}

bool saving_greater(const hd_cost_vector *a, const hd_cost_vector *b) {
    return hd_cost_mean(a) > hd_cost_mean(b);
}

saving_bounds *saving_bounds_make(hd_arena *arena, hd_cost_model *model) {
    saving_bounds *b = hd_new(arena, saving_bounds);
    b->model = model;
    b->fields = hd_cost_record(model)->field_count;
    b->tile_count = hd_cost_tiles(model, b->tiles);
    for (uint32_t f = 0; f < b->fields; f++) {
        b->alone[f] = hd_cluster_price(model, (uint64_t)1 << f, HD_TILE_AOS, ALL_YES);
        hd_cost_vector least = hd_field_bound(model, f);
        b->hope[f] = saving_minus(&b->alone[f], &least);
    }
    return b;
}

hd_cost_vector saving_alone(const saving_bounds *b, uint64_t mask) {
    hd_cost_vector sum = {{0}};
    for (; mask; mask &= mask - 1)
        hd_cost_add(&sum, &b->alone[__builtin_ctzll(mask)]);
    return sum;
}

hd_cost_vector saving_of_cluster(const saving_bounds *b, uint64_t mask, uint64_t *tile) {
    hd_cost_vector best = {{0}}, separate = saving_alone(b, mask);
    for (uint32_t t = 0; t + 1 < b->tile_count; t++) { /* `soa` is what they cost alone */
        hd_cost_vector price = hd_cluster_price(b->model, mask, b->tiles[t], ALL_YES);
        if (t == 0 || saving_greater(&best, &price)) {
            best = price;
            *tile = b->tiles[t];
        }
    }
    return hd_cost_compare(&best, &separate) < 0 ? saving_minus(&separate, &best)
                                                 : (hd_cost_vector){{0}};
}

bool saving_may_exceed(const saving_bounds *b, uint64_t mask, const hd_cost_vector *least) {
    hd_cost_vector sum = {{0}};
    for (uint64_t left = mask; left; left &= left - 1)
        hd_cost_add(&sum, &b->hope[__builtin_ctzll(left)]);
    return saving_greater(&sum, least);
}
