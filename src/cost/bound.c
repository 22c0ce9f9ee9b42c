/*
 * The least that an access can cost in any cluster of at least some size.
 *
 * Branch and bound asks this of clusters it has not built yet. The fewest
 * transactions are the least over every place that a field could take in a
 * struct of at least so many bytes, under every tile. The hits are taken at
 * their best: everything that an earlier access of another field might bring,
 * if one of these fields may join the cluster, and otherwise what the earlier
 * accesses of the field itself bring at the best of these places.
 */
#include <stdlib.h>

#include "cost/internal.h"

/* Share of executions that find the earlier accesses selected by `own` there. */
static double best_share(hd_cost_model *model, const use *u, const geometry *place, bool own,
                         bool *l1) {
    double again = 0, first = 0;
    for (uint32_t i = 0; i < u->before_count; i++) {
        const earlier *e = &u->before[i];
        if ((model->uses.data[e->use].field == u->field) != own ||
            (e->l1 == ANSWER_NO && e->l2 == ANSWER_NO))
            continue;
        double share = e->available;
        if (own)
            share *= hd_use_covered(model, u, place, e, place,
                                    e->l1 != ANSWER_NO ? model->device->l1.line
                                                       : model->device->l2.line);
        *l1 = *l1 || e->l1 != ANSWER_NO;
        double *most = e->first_only ? &first : &again;
        *most = share > *most ? share : *most;
    }
    return again + first < 1 ? again + first : 1;
}

static double weight_at_best(const hd_device *device, double share, bool l1) {
    return device->w_dram - share * (device->w_dram - (l1 ? device->w_l1 : device->w_l2));
}

/* Lowers least[bytes / unit] by what the use costs at one place. */
static void consider_place(hd_cost_model *model, const use *u, const geometry *place,
                           uint64_t index, hd_use_bound *bound) {
    bool own_l1 = false, any_l1 = false;
    double units = hd_use_units(model, u, place, model->device->segment);
    if (units > u->most_units)
        units = u->most_units;
    double own = best_share(model, u, place, true, &own_l1);
    any_l1 = own_l1;
    double others = best_share(model, u, place, false, &any_l1);
    double any = others > own ? others : own;
    double apart = u->executions * units * weight_at_best(model->device, own, own_l1);
    double joined = u->executions * units * weight_at_best(model->device, any, any_l1);
    if (apart < bound->apart[index])
        bound->apart[index] = apart;
    if (joined < bound->joined[index])
        bound->joined[index] = joined;
}

static hd_use_bound bound_use(hd_arena *arena, hd_cost_model *model, const use *u, uint32_t unit,
                              uint32_t sizes) {
    const hd_field *field = &model->record->fields[u->field];
    uint64_t step = hd_align_up(field->size, field->align);
    hd_use_bound bound = {.degree = u->degree};
    bound.apart = hd_new_array(arena, double, sizes);
    bound.joined = hd_new_array(arena, double, sizes);
    for (uint32_t i = 0; i < u->before_count; i++) {
        int32_t other = model->uses.data[u->before[i].use].field;
        if (other >= 0 && other != u->field)
            bound.mates |= (uint64_t)1 << other;
    }
    for (uint32_t i = 0; i < sizes; i++)
        bound.apart[i] = bound.joined[i] = HUGE_COST;
    for (uint32_t k = 0; k < model->level_count; k++)
        for (uint32_t i = 0; i < sizes; i++) {
            uint64_t bytes = (uint64_t)i * unit;
            for (uint64_t run = 0; run + step <= bytes && run < model->modulus; run += field->align) {
                geometry place = {(uint64_t)1 << k, bytes << k, run << k, step};
                consider_place(model, u, &place, i, &bound);
            }
        }
    for (uint32_t i = sizes - 1; i-- > 0;) { /* at least so many bytes */
        bound.apart[i] = bound.apart[i + 1] < bound.apart[i] ? bound.apart[i + 1] : bound.apart[i];
        bound.joined[i] =
            bound.joined[i + 1] < bound.joined[i] ? bound.joined[i + 1] : bound.joined[i];
    }
    return bound;
}

hd_field_bounds hd_field_bounds_make(hd_arena *arena, hd_cost_model *model, uint32_t field) {
    const hd_record *record = model->record;
    hd_field_bounds bounds = {.count = (uint32_t)model->of_field[field].count, .unit = record->align};
    for (uint32_t f = 0; f < record->field_count; f++)
        if (record->fields[f].align < bounds.unit)
            bounds.unit = record->fields[f].align;
    bounds.sizes = record->size / bounds.unit + 1;
    bounds.uses = hd_new_array(arena, hd_use_bound, bounds.count);
    for (uint32_t i = 0; i < bounds.count; i++)
        bounds.uses[i] = bound_use(arena, model, &model->uses.data[model->of_field[field].data[i]],
                                   bounds.unit, bounds.sizes);
    return bounds;
}
