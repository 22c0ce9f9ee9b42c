/* Variants as points, and the rankings of these. */
#include "advise/explore/study.h"

#include <math.h>
#include <stdlib.h>

#include "base/table.h"
#include "model/search.h"

/* ---- values --------------------------------------------------------------------------------- */

static bool interval_of(const hd_timing *t, hd_interval *value) {
    *value = (hd_interval){t->median, fmin(t->low, t->median), fmax(t->high, t->median)};
    return t->repeats && value->low > 0 && isfinite(value->high);
}

static bool joules_of(const hd_study *study, const hd_explored *variant, hd_interval *value) {
    return (!variant->energy.modelled || study->modelled) &&
           interval_of(&variant->energy.joules, value);
}

bool hd_study_value(const hd_study *study, const hd_explored *variant, hd_quantity quantity,
                    hd_interval *value) {
    hd_interval s, j;
    if (quantity == HD_QUANTITY_ENERGY)
        return joules_of(study, variant, value);
    if (!interval_of(study->several_placements ? &variant->whole : &variant->kernels, &s))
        return false;
    if (quantity == HD_QUANTITY_TIME) {
        *value = s;
        return true;
    }
    if (!joules_of(study, variant, &j))
        return false;
    if (quantity == HD_QUANTITY_EDP) {
        *value = (hd_interval){j.median * s.median, j.low * s.low, j.high * s.high};
        return true;
    }
    double watts = j.median / s.median, fast = j.low / s.low, slow = j.high / s.high;
    *value = (hd_interval){watts, fmin(watts, fmin(fast, slow)), fmax(watts, fmax(fast, slow))};
    return true;
}

hd_interval study_ratio(hd_interval more, hd_interval less) {
    return (hd_interval){more.median / less.median, more.low / less.high, more.high / less.low};
}

bool study_as_good(hd_interval value, hd_interval best) {
    return value.low <= best.high || value.median <= best.median * (1 + HD_NOTICEABLE);
}

/* ---- points --------------------------------------------------------------------------------- */

const hd_explored *hd_study_variant(const hd_study_point *point, const char *layout,
                                    const char *placement) {
    for (uint32_t v = 0; v < point->count; v++)
        if (hd_explored_is(point->variants[v], layout, placement))
            return point->variants[v];
    return NULL;
}

static void add_variant(hd_study_point *point, const hd_explored *variant) {
    for (uint32_t v = 0; v < point->count; v++)
        if (hd_explored_is(point->variants[v], variant->layout, variant->placement)) {
            point->variants[v] = variant;
            return;
        }
    point->variants[point->count++] = variant;
}

static void gather_points(hd_arena *arena, hd_study *study) {
    hd_hash_table known = {.arena = arena, .key_bytes = sizeof(hd_micro_point)};
    uint32_t *of = hd_new_array(arena, uint32_t, study->count); /* the point of each variant */
    study->points = hd_new_array(arena, hd_study_point, study->count);
    for (uint32_t v = 0; v < study->count; v++) {
        hd_micro_point *key = hd_new(arena, hd_micro_point);
        for (int d = 0; d < HD_DIMENSIONS; d++)
            key->value[d] = study->variants[v].point.value[d] + 0.0; /* of -0, 0 */
        of[v] = (uint32_t)hd_hash_add_key(&known, key, study->point_count);
        if (of[v] == study->point_count)
            study->points[study->point_count++].point = *key;
        study->points[of[v]].count++;
    }
    for (uint32_t p = 0; p < study->point_count; p++) {
        hd_study_point *point = &study->points[p];
        point->variants = hd_new_array(arena, const hd_explored *, point->count);
        point->count = 0;
    }
    for (uint32_t v = 0; v < study->count; v++)
        add_variant(&study->points[of[v]], &study->variants[v]);
}

static int by_median(const void *a, const void *b) {
    const hd_standing *x = a, *y = b;
    if (x->value.median != y->value.median)
        return x->value.median < y->value.median ? -1 : 1;
    int order = strcmp(x->variant->layout, y->variant->layout);
    return order ? order : strcmp(x->variant->placement, y->variant->placement);
}

static hd_ranking rank(hd_arena *arena, const hd_study *study, const hd_study_point *point,
                       hd_objective objective) {
    hd_ranking r = {.all = hd_new_array(arena, hd_standing, point->count)};
    for (uint32_t v = 0; v < point->count; v++) {
        hd_standing *s = &r.all[r.count];
        s->variant = point->variants[v];
        r.count += hd_study_value(study, s->variant, objective, &s->value);
    }
    if (r.count)
        qsort(r.all, r.count, sizeof *r.all, by_median);
    for (uint32_t s = 0; s < r.count; s++) {
        r.all[s].lost = 1 - r.all[0].value.median / r.all[s].value.median;
        r.all[s].as_good = study_as_good(r.all[s].value, r.all[0].value);
        r.as_good += r.all[s].as_good;
    }
    return r;
}

/* ---- the study ------------------------------------------------------------------------------ */

/* What is measured: which seconds count, and whose joules. */
static void see_what_there_is(hd_study *study) {
    study->why = "no variant was run";
    for (uint32_t v = 0; v < study->count; v++) {
        const hd_explored *e = &study->variants[v];
        hd_interval joules;
        study->predicted |= e->predicted;
        if (strcmp(e->placement, study->variants[0].placement))
            study->several_placements = true;
        if (interval_of(&e->energy.joules, &joules) &&
            (!study->meter || (study->modelled && !e->energy.modelled))) {
            study->meter = e->energy.meter ? e->energy.meter : "an unnamed meter";
            study->modelled = e->energy.modelled;
        }
    }
    if (study->meter)
        study->why = NULL;
    else if (study->count)
        study->why =
            study->variants[0].energy.why ? study->variants[0].energy.why : "no meter was read";
}

hd_study *hd_study_new(hd_arena *arena, const hd_explored *variants, uint32_t count) {
    hd_study *study = hd_new(arena, hd_study);
    *study = (hd_study){.variants = variants, .count = count};
    see_what_there_is(study);
    gather_points(arena, study);
    for (uint32_t p = 0; p < study->point_count; p++)
        for (int o = 0; o < HD_OBJECTIVES; o++)
            study->points[p].ranking[o] = rank(arena, study, &study->points[p], (hd_objective)o);
    study_find_lines(arena, study);
    study_test_findings(arena, study);
    return study;
}

const char *hd_study_print(hd_arena *arena, const hd_study *study, const hd_explored *variant) {
    return study->several_placements
               ? hd_format(arena, "%s/%s", variant->layout, variant->placement)
               : variant->layout;
}
