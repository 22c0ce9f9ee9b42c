/* The best layouts so far. Between layouts of equal cost nearness to the source decides (tie.c). */
#include "model/search_internal.h"

ranking ranking_new(hd_arena *arena, const hd_cost_model *model, uint32_t limit) {
    return (ranking){.record = hd_cost_record(model),
                     .used = hd_cost_used_fields(model),
                     .unit = hd_cost_unit(model),
                     .best = hd_new_array(arena, candidate, limit),
                     .limit = limit};
}

bool ranking_admits(const ranking *r, const hd_cost_vector *cost) {
    return r->count < r->limit || hd_cost_compare(cost, &r->best[r->count - 1].cost) <= 0;
}

static bool costs_equal(const candidate *a, const candidate *b) {
    return hd_cost_compare(&a->cost, &b->cost) == 0;
}

static void ranking_remove(ranking *r, uint32_t at) {
    r->count--;
    memmove(&r->best[at], &r->best[at + 1], (r->count - at) * sizeof *r->best);
}

void ranking_add(ranking *r, const candidate *c) {
    uint64_t group = hd_masks_group(r->record, c->masks, c->tiles, c->count, r->used, r->unit);
    uint32_t at = r->count, same = 0, first, last;
    for (; at > 0; at--) {
        const candidate *before = &r->best[at - 1];
        int cost = hd_cost_compare(&c->cost, &before->cost);
        if ((cost ? cost : tiles_nearer(c->tiles, c->count, before->tiles, before->count)) >= 0)
            break;
    }
    while (same < r->count && r->best[same].group != group)
        same++;
    for (first = at; first > 0 && costs_equal(&r->best[first - 1], c);)
        first--;
    if (same < at || at - first == MOST_EQUAL || at == r->limit)
        return;
    if (same < r->count)
        ranking_remove(r, same);
    for (last = at; last < r->count && costs_equal(&r->best[last], c);)
        last++;
    if (last - first == MOST_EQUAL)
        ranking_remove(r, last - 1);
    if (r->count == r->limit)
        r->count--;
    memmove(&r->best[at + 1], &r->best[at], (r->count - at) * sizeof *r->best);
    r->best[at] = *c;
    r->best[at].group = group;
    r->count++;
}

hd_cost_vector candidate_cost(hd_cost_model *model, const candidate *c) {
    const hd_questions *questions = hd_cost_questions(model);
    double sum[HD_MAX_QUESTIONS] = {0}, bytes[HD_MAX_QUESTIONS];
    for (uint32_t i = 0; i < c->count; i++) {
        hd_cluster_bytes(model, c->masks[i], c->tiles[i], bytes);
        for (uint32_t q = 0; q < questions->count; q++)
            sum[q] += bytes[q];
    }
    uint64_t answers = 0;
    for (uint32_t q = 0; q < questions->count; q++)
        if (sum[q] <= questions->limits[q])
            answers |= (uint64_t)1 << q;
    hd_cost_vector cost = hd_other_price(model, answers);
    for (uint32_t i = 0; i < c->count; i++) {
        hd_cost_vector part = hd_cluster_price(model, c->masks[i], c->tiles[i], answers);
        hd_cost_add(&cost, &part);
    }
    return cost;
}
