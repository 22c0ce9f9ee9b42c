/*
 * Scores every partition of the fields, in the order of restricted growth
 * strings: field 0 opens block 0, and each next field joins a block that is open
 * or opens the next one. A partition's cost is the sum of its clusters' prices,
 * each looked up by its set of fields; the tiles are chosen with it.
 *
 * Without open questions each cluster's best tile is known, and a partition
 * costs one addition for each cluster but for those that differ in the last field alone. With
 * them, the clusters' options are combined:
 * bytes are added up, questions answered, and the prices taken under these
 * answers.
 */
#include "model/search_internal.h"

typedef struct exhaust {
    hd_cost_model *model;
    price_table *table;
    priced **of_mask; /* [1 << fields] */
    uint32_t fields;
    const hd_questions *questions;
    uint32_t degrees;             /* entries of a cost vector that are in use */
    const hd_cost_vector **plain; /* [1 << fields], when there are no questions */
    hd_cost_vector others;
    uint64_t other_questions;
    hd_vec(hd_cost_vector) other_prices; /* by answers already met */
    hd_vec(uint64_t) other_answers;
    hd_arena *arena;
    ranking *best;
    uint64_t scored;
    uint64_t masks[HD_MAX_FIELDS];
} exhaust;

/* Fields alone and fields in `soa` clusters have runs of their own either way: of
 * all partitions that differ only in how these are grouped, the one with one
 * such cluster stands for all. */
static void rank_partition(exhaust *e, uint32_t blocks, const hd_cost_vector *cost,
                           const uint32_t *chosen) {
    uint32_t loose = 0;
    for (uint32_t b = 0; b < blocks && loose <= 1; b++) {
        uint64_t mask = e->masks[b];
        loose += !(mask & (mask - 1)) || e->of_mask[mask]->options[chosen[b]].tile == HD_TILE_SOA;
    }
    if (loose > 1)
        return;
    candidate c = {.cost = *cost, .count = blocks};
    for (uint32_t b = 0; b < blocks; b++) {
        c.masks[b] = e->masks[b];
        c.tiles[b] = e->of_mask[e->masks[b]]->options[chosen[b]].tile;
    }
    ranking_add(e->best, &c);
}

static hd_cost_vector plain_cost(const exhaust *e, uint32_t blocks) {
    hd_cost_vector cost = e->others;
    for (uint32_t b = 0; b < blocks; b++) {
        const hd_cost_vector *price = e->plain[e->masks[b]];
        for (uint32_t d = 0; d < e->degrees; d++)
            cost.v[d] += price->v[d];
    }
    return cost;
}

/* Every block that the last field may be in. What this costs differs from the cost of all others
 * in one price, so that most partitions are dismissed by an addition and a subtraction; their
 * rounding is far below what a comparison of costs sees. */
static void score_plain(exhaust *e, uint32_t last, uint32_t blocks) {
    static const uint32_t first[HD_MAX_FIELDS] = {0};
    const hd_cost_vector others = plain_cost(e, blocks), none = {{0}};
    uint64_t bit = (uint64_t)1 << last;
    for (uint32_t b = 0; b <= blocks; b++) {
        const hd_cost_vector *with = e->plain[e->masks[b] | bit];
        const hd_cost_vector *without = b < blocks ? e->plain[e->masks[b]] : &none;
        hd_cost_vector cost = {{0}};
        for (uint32_t d = 0; d < e->degrees; d++)
            cost.v[d] = others.v[d] - without->v[d] + with->v[d];
        if (!ranking_admits(e->best, &cost))
            continue;
        e->masks[b] |= bit;
        cost = plain_cost(e, blocks + (b == blocks));
        rank_partition(e, blocks + (b == blocks), &cost, first);
        e->masks[b] &= ~bit;
    }
    e->scored += blocks + 1;
}

/* Price of the other buffers; few answers to their questions ever occur. */
static hd_cost_vector price_of_others(exhaust *e, uint64_t answers) {
    answers &= e->other_questions;
    for (size_t i = 0; i < e->other_answers.count; i++)
        if (e->other_answers.data[i] == answers)
            return e->other_prices.data[i];
    hd_push(e->arena, &e->other_answers, answers);
    hd_push(e->arena, &e->other_prices, hd_other_price(e->model, answers));
    return e->other_prices.data[e->other_prices.count - 1];
}

/* The best combination of options for the clusters of one partition. */
typedef struct combination {
    bool found;
    hd_cost_vector cost;
    uint32_t chosen[HD_MAX_FIELDS];
} combination;

/* Answers when the clusters' options are `chosen`; NULL: each as small as any. */
static uint64_t answers_to(const exhaust *e, uint32_t blocks, const uint32_t *chosen) {
    uint32_t count = e->questions->count;
    double bytes[HD_MAX_QUESTIONS] = {0};
    for (uint32_t b = 0; b < blocks; b++) {
        const priced *p = e->of_mask[e->masks[b]];
        const double *more = chosen ? p->options[chosen[b]].bytes : p->least_bytes;
        for (uint32_t q = 0; q < count; q++)
            bytes[q] += more[q];
    }
    uint64_t answers = 0;
    for (uint32_t q = 0; q < count; q++)
        answers |= (uint64_t)(bytes[q] <= e->questions->limits[q]) << q;
    return answers;
}

static void try_combination(exhaust *e, uint32_t blocks, const uint32_t *chosen,
                            combination *best) {
    uint64_t answers = answers_to(e, blocks, chosen);
    hd_cost_vector cost = price_of_others(e, answers);
    for (uint32_t b = 0; b < blocks; b++) {
        uint64_t mask = e->masks[b];
        const hd_cost_vector *part =
            option_price(e->table, mask, e->of_mask[mask], chosen[b], answers);
        for (uint32_t d = 0; d < e->degrees; d++)
            cost.v[d] += part->v[d];
    }
    if (best->found && hd_cost_compare(&cost, &best->cost) >= 0)
        return;
    best->found = true;
    best->cost = cost;
    memcpy(best->chosen, chosen, blocks * sizeof *chosen);
}

/* No combination has better answers than those for the fewest bytes of each cluster,
 * so under these the cheapest option of each gives a lower bound. Nearly always that
 * combination costs just as much under its own answers, and is the best; else all are tried. */
static void choose_options(exhaust *e, uint32_t blocks, combination *best) {
    uint32_t chosen[HD_MAX_FIELDS];
    uint64_t answers = answers_to(e, blocks, NULL);
    hd_cost_vector bound = price_of_others(e, answers);
    for (uint32_t b = 0; b < blocks; b++) {
        uint64_t mask = e->masks[b];
        const met_best *cheapest = cheapest_option(e->table, mask, e->of_mask[mask], answers);
        chosen[b] = cheapest->option;
        for (uint32_t d = 0; d < e->degrees; d++)
            bound.v[d] += cheapest->price.v[d];
    }
    try_combination(e, blocks, chosen, best);
    if (hd_cost_compare(&best->cost, &bound) <= 0)
        return;
    memset(chosen, 0, sizeof chosen);
    for (uint32_t b = 0; b < blocks;) {
        try_combination(e, blocks, chosen, best);
        for (b = 0; b < blocks && ++chosen[b] == e->of_mask[e->masks[b]]->count; b++)
            chosen[b] = 0;
    }
}

static void score_with_questions(exhaust *e, uint32_t blocks) {
    static const uint32_t only[HD_MAX_FIELDS] = {0};
    combination best = {.found = false};
    bool choice = false;
    for (uint32_t b = 0; b < blocks; b++)
        choice |= e->of_mask[e->masks[b]]->count > 1;
    if (choice)
        choose_options(e, blocks, &best);
    else
        try_combination(e, blocks, only, &best);
    if (ranking_admits(e->best, &best.cost))
        rank_partition(e, blocks, &best.cost, best.chosen);
}

/* Places field `field` and all after it; `blocks` are open. */
static void place(exhaust *e, uint32_t field, uint32_t blocks) {
    if (field + 1 == e->fields && !e->questions->count) {
        score_plain(e, field, blocks);
        return;
    }
    if (field == e->fields) {
        e->scored++;
        score_with_questions(e, blocks);
        return;
    }
    uint64_t bit = (uint64_t)1 << field;
    for (uint32_t b = 0; b < blocks; b++) {
        e->masks[b] |= bit;
        place(e, field + 1, blocks);
        e->masks[b] &= ~bit;
    }
    e->masks[blocks] = bit;
    place(e, field + 1, blocks + 1);
    e->masks[blocks] = 0;
}

uint64_t search_exhaust(hd_arena *arena, hd_cost_model *model, price_table *table, ranking *best) {
    exhaust e = {.model = model,
                 .fields = hd_cost_record(model)->field_count,
                 .questions = hd_cost_questions(model),
                 .best = best,
                 .arena = arena,
                 .table = table};
    uint64_t all = (uint64_t)1 << e.fields;
    e.of_mask = hd_new_array(arena, priced *, all);
    e.plain = hd_new_array(arena, const hd_cost_vector *, all);
    for (uint64_t mask = 1; mask < all; mask++) {
        e.of_mask[mask] = price_table_get(table, mask);
        e.plain[mask] = option_price(table, mask, e.of_mask[mask], 0, 0);
    }
    e.other_questions = hd_other_questions(model);
    e.others = hd_other_price(model, 0);
    hd_cost_vector most = hd_cluster_price(model, all - 1, HD_TILE_AOS, 0);
    hd_cost_add(&most, &e.others);
    e.degrees = hd_cost_degree(&most) + 1;
    place(&e, 0, 0);
    return e.scored;
}
