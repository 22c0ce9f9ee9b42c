/*
 * Prices of clusters. A cluster of n fields stands in many partitions (one in
 * Bell(12 - n) of twelve fields), so its price is computed once: for each tile the
 * bytes it adds to every question's interval, and a price for each combination
 * of answers to the questions that its hits depend on, as they are met. A tile
 * that another one serves for in every layout is dropped; usually one remains.
 */
#include "base/table.h"
#include "model/search_internal.h"

enum { MAX_COMPARED = 3 }; /* questions of which every combination is compared */

struct price_table {
    hd_arena *arena;
    hd_cost_model *model;
    const hd_questions *questions;
    uint64_t tiles[HD_MAX_TILES];
    uint32_t tile_count;
    hd_vec(priced *) priced;
    hd_hash_table numbers; /* of them, by their masks */
};

price_table *price_table_new(hd_arena *arena, hd_cost_model *model) {
    price_table *table = hd_new(arena, price_table);
    table->arena = arena;
    table->model = model;
    table->questions = hd_cost_questions(model);
    table->tile_count = hd_cost_tiles(model, table->tiles);
    /* The plainest first (tie.c): AoS, SoA, then by length. */
    memmove(&table->tiles[2], &table->tiles[1], (table->tile_count - 2) * sizeof *table->tiles);
    table->tiles[1] = HD_TILE_SOA;
    table->numbers.arena = arena;
    return table;
}

/* The price under these answers if it was met before. Bytes only grow with an
 * interval, so of all combinations of answers few ever occur. */
const hd_cost_vector *option_price(price_table *table, uint64_t mask, const priced *of,
                                   uint32_t number, uint64_t answers) {
    option *o = &of->options[number];
    answers &= of->questions;
    for (size_t i = 0; i < o->met.count; i++)
        if (o->met.data[i].answers == answers)
            return &o->met.data[i].price;
    met_price met = {answers, hd_cluster_price(table->model, mask, o->tile, answers)};
    hd_push(table->arena, &o->met, met);
    return &o->met.data[o->met.count - 1].price;
}

const met_best *cheapest_option(price_table *table, uint64_t mask, priced *of, uint64_t answers) {
    answers &= of->questions;
    for (size_t i = 0; i < of->best.count; i++)
        if (of->best.data[i].answers == answers)
            return &of->best.data[i];
    met_best best = {.answers = answers, .price = *option_price(table, mask, of, 0, answers)};
    for (uint32_t o = 1; o < of->count; o++) {
        const hd_cost_vector *price = option_price(table, mask, of, o, answers);
        if (hd_cost_compare(price, &best.price) < 0) {
            best.price = *price;
            best.option = o;
        }
    }
    hd_push(table->arena, &of->best, best);
    return &of->best.data[of->best.count - 1];
}

/* Whether option `by` serves at least as well as option `o` in every layout: it
 * brings no more bytes to any question, so that every answer is at least as good,
 * and even under the worst answers it is as cheap as `o` under the best ones, or
 * as cheap under each combination of them. */
static bool is_dominated(price_table *table, uint64_t mask, const priced *p, uint32_t o,
                         uint32_t by) {
    for (uint32_t q = 0; q < table->questions->count; q++)
        if (p->options[o].bytes[q] < p->options[by].bytes[q])
            return false;
    hd_cost_vector best = *option_price(table, mask, p, o, UINT64_MAX);
    hd_cost_vector worst = *option_price(table, mask, p, by, 0);
    if (hd_cost_compare(&best, &worst) >= 0)
        return true;
    if (__builtin_popcountll(p->questions) > MAX_COMPARED)
        return false;
    for (uint64_t answers = p->questions;; answers = (answers - 1) & p->questions) {
        hd_cost_vector mine = *option_price(table, mask, p, o, answers);
        if (hd_cost_compare(&mine, option_price(table, mask, p, by, answers)) < 0)
            return false;
        if (answers == 0)
            return true;
    }
}

static priced *price(price_table *table, uint64_t mask) {
    priced *p = hd_new(table->arena, priced);
    p->questions = hd_cluster_questions(table->model, mask);
    bool alone = !(mask & (mask - 1));
    p->count = alone ? 1 : table->tile_count;
    p->options = hd_new_array(table->arena, option, p->count);
    for (uint32_t t = 0; t < p->count; t++) {
        p->options[t].tile = table->tiles[t];
        p->options[t].bytes = hd_new_array(table->arena, double, table->questions->count);
        hd_cluster_bytes(table->model, mask, table->tiles[t], p->options[t].bytes);
    }
    /* Without those that another one dominates; of equals the first stays. */
    bool dropped[HD_MAX_TILES] = {false};
    for (uint32_t o = 0; o < p->count; o++)
        for (uint32_t by = 0; by < p->count && !dropped[o]; by++)
            dropped[o] = by != o && !dropped[by] && is_dominated(table, mask, p, o, by) &&
                         (by < o || !is_dominated(table, mask, p, by, o));
    uint32_t kept = 0, questions = table->questions->count;
    for (uint32_t o = 0; o < p->count; o++)
        if (!dropped[o])
            p->options[kept++] = p->options[o];
    p->count = kept;
    p->least_bytes = hd_new_array(table->arena, double, questions);
    for (uint32_t q = 0; q < questions; q++) {
        p->least_bytes[q] = p->options[0].bytes[q];
        for (uint32_t o = 1; o < p->count; o++)
            if (p->options[o].bytes[q] < p->least_bytes[q])
                p->least_bytes[q] = p->options[o].bytes[q];
    }
    return p;
}

priced *price_table_get(price_table *table, uint64_t mask) {
    uint64_t number = hd_hash_add(&table->numbers, mask, table->priced.count);
    if (number == table->priced.count)
        hd_push(table->arena, &table->priced, price(table, mask));
    return table->priced.data[number];
}
