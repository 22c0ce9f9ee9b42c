/*
 * The static search: which layout is cheapest in the model.
 *
 * Up to `exact_fields` fields every partition is scored (exhaust.c). Beyond, the
 * clusters that save most against leaving every field alone are found by all
 * subsets (subset.c) or, from MOST_SUBSET_FIELDS on, by branch and bound
 * (bound.c), which says whether the optimum is proven. The obvious layouts are always in the
 * ranking, so that a reader can compare; the recommendation is to leave AoS unless something is
 * cheaper by more than `leave`.
 */
#include "model/search_internal.h"

/* Ranks the layout whose clusters save most against leaving every field alone. The
 * optimum is proven when it costs, under its own answers to the questions, what
 * it would if all were answered yes: nothing can cost less. */
static void search_savings(hd_arena *arena, hd_cost_model *model, const hd_search_options *options,
                           ranking *best, hd_search_result *result) {
    const hd_record *record = hd_cost_record(model);
    const saving_bounds *bounds = saving_bounds_make(arena, model);
    candidate found = {.count = 0};
    bound_effort effort;
    uint32_t subsets = options->subset_fields && options->subset_fields < MOST_SUBSET_FIELDS
                           ? options->subset_fields
                           : MOST_SUBSET_FIELDS;
    result->subsets = record->field_count <= subsets;
    hd_cost_vector most = result->subsets ? search_subsets(arena, bounds, &found, &effort)
                                          : search_bound(arena, bounds, options, &found, &effort);
    uint64_t rest = hd_all_fields(record);
    for (uint32_t i = 0; i < found.count; i++)
        rest &= ~found.masks[i];
    if (rest) { /* fields alone cost the same as one `soa` cluster, which is nearer to AoS */
        found.masks[found.count] = rest;
        found.tiles[found.count++] = rest & (rest - 1) ? HD_TILE_SOA : HD_TILE_AOS;
    }
    found.cost = candidate_cost(model, &found);
    ranking_add(best, &found);
    hd_cost_vector lower = hd_other_price(model, UINT64_MAX);
    hd_cost_vector alone = saving_alone(bounds, hd_all_fields(record));
    hd_cost_add(&lower, &alone);
    lower = saving_minus(&lower, &most);
    double ratio = hd_cost_ratio(&lower, &best->best[0].cost);
    result->nodes = effort.nodes;
    result->proven = !effort.late && hd_cost_compare(&best->best[0].cost, &lower) <= 0;
    result->gap = result->proven ? 0 : ratio > 0 ? 1 - ratio : 1;
}

void hd_search_static(hd_arena *arena, hd_cost_model *model, const hd_search_options *options,
                      hd_search_result *result) {
    const hd_record *record = hd_cost_record(model);
    uint32_t keep = options->keep ? options->keep : 16;
    uint32_t exact = options->exact_fields ? options->exact_fields : 12;
    double leave = options->leave > 0 ? options->leave : HD_NOTICEABLE;
    double start = hd_clock();
    *result = (hd_search_result){.proven = true};
    /* Fields alone, each in an array, cost what one `soa` cluster does. */
    candidate original = {.count = 1,
                          .masks = {hd_all_fields(record)},
                          .tiles = {hd_record_is_soa(record) ? HD_TILE_SOA : HD_TILE_AOS}};
    result->original = candidate_cost(model, &original);

    ranking best = ranking_new(arena, model, 2 * keep + HD_MAX_TILES);
    uint64_t tiles[HD_MAX_TILES];
    uint32_t tile_count = hd_cost_tiles(model, tiles);
    for (uint32_t t = 0; t < tile_count; t++) { /* one cluster of all fields: AoS, ... SoA */
        candidate c = {.count = 1, .masks = {hd_all_fields(record)}, .tiles = {tiles[t]}};
        c.cost = candidate_cost(model, &c);
        ranking_add(&best, &c);
    }
    if (record->field_count <= exact) {
        price_table *table = price_table_new(arena, model);
        result->partitions = search_exhaust(arena, model, table, &best);
    } else {
        search_savings(arena, model, options, &best, result);
    }
    result->ranked = hd_new_array(arena, hd_ranked, keep);
    for (uint32_t i = 0; i < best.count && result->ranked_count < keep; i++) {
        const candidate *c = &best.best[i];
        hd_layout *layout = hd_layout_of_masks(arena, c->masks, c->tiles, c->count, false);
        bool seen = false;
        for (uint32_t j = 0; j < result->ranked_count && !seen; j++)
            seen = hd_layout_equal(layout, result->ranked[j].layout);
        if (!seen)
            result->ranked[result->ranked_count++] =
                (hd_ranked){layout, c->cost, hd_cost_ratio(&c->cost, &result->original)};
    }
    result->leave = result->ranked[0].ratio > 1 - leave;
    result->seconds = hd_clock() - start;
}
