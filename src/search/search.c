/*
 * The static search: which layout is cheapest in the model.
 *
 * Up to `exact_fields` fields every partition is scored (exhaust.c). Beyond,
 * branch and bound (bound.c) looks for the best one and says whether it is
 * proven. The obvious layouts are always in the ranking, so that a reader can
 * compare; the recommendation is to leave AoS unless something is cheaper by
 * more than `leave`.
 */
#include <time.h>

#include "search/internal.h"

double search_clock(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static uint64_t all_fields(const hd_record *record) {
    return record->field_count >= 64 ? UINT64_MAX : ((uint64_t)1 << record->field_count) - 1;
}

/* One cluster of all fields, with every tile, and every field alone. */
static void rank_obvious(hd_cost_model *model, ranking *best) {
    uint64_t tiles[HD_MAX_TILES];
    uint32_t count = hd_cost_tiles(model, tiles);
    for (uint32_t t = 0; t < count; t++) {
        candidate c = {.count = 1, .masks = {all_fields(hd_cost_record(model))},
                       .tiles = {tiles[t]}};
        c.cost = candidate_cost(model, &c);
        ranking_add(best, &c);
    }
}

static void report(hd_arena *arena, hd_cost_model *model, const ranking *best,
                   hd_search_result *result) {
    const hd_record *record = hd_cost_record(model);
    result->ranked = hd_new_array(arena, hd_ranked, best->count);
    for (uint32_t i = 0; i < best->count; i++) {
        const candidate *c = &best->best[i];
        hd_layout *layout = hd_layout_normalise(
            arena, record, hd_layout_of_masks(arena, c->masks, c->tiles, c->count, false));
        bool seen = false;
        for (uint32_t j = 0; j < result->ranked_count && !seen; j++)
            seen = hd_layout_equal(layout, result->ranked[j].layout);
        if (!seen)
            result->ranked[result->ranked_count++] =
                (hd_ranked){layout, c->cost, hd_cost_ratio(&c->cost, &result->aos)};
    }
}

void hd_search_static(hd_arena *arena, hd_cost_model *model, const hd_search_options *options,
                      hd_search_result *result) {
    const hd_record *record = hd_cost_record(model);
    uint32_t keep = options->keep ? options->keep : 10;
    uint32_t exact = options->exact_fields ? options->exact_fields : 12;
    double leave = options->leave > 0 ? options->leave : 0.01;
    double start = search_clock();
    *result = (hd_search_result){.proven = true};
    candidate aos = {.count = 1, .masks = {all_fields(record)}, .tiles = {HD_TILE_AOS}};
    result->aos = candidate_cost(model, &aos);

    ranking best = ranking_new(arena, 2 * keep + HD_MAX_TILES);
    rank_obvious(model, &best);
    if (record->field_count <= exact) {
        price_table *table = price_table_new(arena, model);
        result->partitions = search_exhaust(arena, model, table, &best);
        result->proven = hd_cost_questions(model)->complete;
    } else {
        bound_result bound =
            search_bound(arena, model, options->seconds > 0 ? options->seconds : 60, &best);
        result->nodes = bound.nodes;
        result->proven = bound.proven && hd_cost_questions(model)->complete;
        double ratio = hd_cost_ratio(&bound.lower, &best.best[0].cost);
        result->gap = result->proven ? 0 : 1 - ratio;
    }
    report(arena, model, &best, result);
    if (result->ranked_count > keep)
        result->ranked_count = keep;
    result->leave = result->ranked[0].ratio > 1 - leave;
    result->seconds = search_clock() - start;
}
