/*
 * The least that the accesses to a field can cost, whatever cluster it lies in.
 *
 * However values are placed, a segment holds no more of them than fit, so the
 * distinct values that a warp touches need at least their bytes over the bytes of
 * a segment. And hits are at best all that earlier accesses might bring, and all segments but one of
 * each line of L2.
 */
#include "model/cost_internal.h"

/* Bytes of all values that the lanes from `first` up to `end` touch, each once: values of
 * one element that lie closer than their width, as vectors loaded from every place of an
 * array, overlap. */
static uint64_t distinct_bytes(const lane_pattern *pattern, uint32_t first, uint32_t end,
                               uint32_t width) {
    uint64_t bytes = 0;
    for (uint32_t i = first; i < end; i++) {
        uint64_t mine = width; /* up to the next value of the element */
        for (uint32_t j = first; j < end && mine; j++) {
            uint64_t gap = (uint64_t)pattern->inner[j] - (uint64_t)pattern->inner[i];
            if (pattern->index[i] == pattern->index[j] && gap < mine && (gap || j < i))
                mine = gap;
        }
        bytes += mine;
    }
    return bytes;
}

/* Fewest transactions of a use under any layout. */
static double least_transactions(const hd_cost_model *model, const use *u) {
    const shape *s = model->shapes.data[u->shape];
    double sum = 0;
    for (uint32_t p = 0; p < s->pattern_count; p++) {
        const lane_pattern *pattern = &s->patterns[p];
        uint64_t first = distinct_bytes(pattern, 0, pattern->half, u->width);
        uint64_t second = distinct_bytes(pattern, pattern->half, pattern->lanes, u->width);
        uint64_t segments =
            (first + u->segment - 1) / u->segment + (second + u->segment - 1) / u->segment;
        for (uint32_t i = 0; i < s->levels[0][p].count; i++)
            sum += (double)segments * s->levels[0][p].data[i].share;
    }
    return cost_at_most(u, sum * s->lane_copies);
}

static double bound_of_use(const hd_cost_model *model, const use *u) {
    const hd_device *device = model->device;
    /* The cheapest mix of levels that its earlier accesses could lead to. */
    double most[2] = {0};
    bool l1 = false;
    for (uint32_t i = 0; i < u->before_count; i++) {
        const earlier *e = &u->before[i];
        if (e->l1 == ANSWER_NO && e->l2 == ANSWER_NO)
            continue;
        l1 = l1 || e->l1 != ANSWER_NO;
        if (e->available > most[e->first_only])
            most[e->first_only] = e->available;
    }
    double share = most[0] + most[1] < 1 ? most[0] + most[1] : 1;
    double missed = device->w_dram;
    if (u->lines != u->units && u->access->kind != HD_STORE)
        missed = device->w_l2 + (missed - device->w_l2) * u->segment / device->l2.line;
    double weight = missed - share * (missed - (l1 ? device->w_l1 : device->w_l2));
    return u->executions * u->done * least_transactions(model, u) * weight;
}

/* Of what a part pays where all parts lie as in the struct. */
static double bound_of_part(const hd_cost_model *model, const use *u) {
    double all = bound_of_use(model, &model->uses.data[u->whole]);
    return u->access->shares ? all / u->access->shares : u->leads ? all : 0;
}

hd_cost_vector hd_field_bound(const hd_cost_model *model, uint32_t field) {
    hd_cost_vector sum = {{0}};
    for (uint32_t n = 0; n < model->of_field[field].count; n++) {
        const use *u = &model->uses.data[model->of_field[field].data[n]];
        double alone = bound_of_use(model, u);
        double part = u->whole >= 0 ? bound_of_part(model, u) : alone;
        sum.v[u->degree] += part < alone ? part : alone;
    }
    return sum;
}
