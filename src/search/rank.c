/* The best layouts so far. Between layouts of equal cost nearness to the source decides (tie.c). */
#include "search/internal.h"

ranking ranking_new(hd_arena *arena, const hd_cost_model *model, uint32_t limit) {
    return (ranking){.record = hd_cost_record(model),
                     .used = hd_cost_used_fields(model),
                     .best = hd_new_array(arena, candidate, limit),
                     .limit = limit};
}

bool ranking_admits(const ranking *r, const hd_cost_vector *cost) {
    return r->count < r->limit || hd_cost_compare(cost, &r->best[r->count - 1].cost) <= 0;
}

void ranking_add(ranking *r, const candidate *c) {
    uint64_t places = hd_masks_place(r->record, c->masks, c->tiles, c->count, r->used);
    uint32_t at = r->count, out = 0;
    for (; at > 0; at--) {
        const candidate *before = &r->best[at - 1];
        int cost = hd_cost_compare(&c->cost, &before->cost);
        if ((cost ? cost : tiles_nearer(c->tiles, c->count, before->tiles, before->count)) >= 0)
            break;
    }
    while (out < r->count && r->best[out].places != places)
        out++;
    if (out < at || at == r->limit)
        return;
    if (out == r->count && r->count < r->limit)
        r->count++;
    for (uint32_t i = out < r->count ? out : r->count - 1; i > at; i--)
        r->best[i] = r->best[i - 1];
    r->best[at] = *c;
    r->best[at].places = places;
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
