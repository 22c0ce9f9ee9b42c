/* The findings of the study of Qasem and Teich, tested on a device. */
#include <math.h>
#include <stdlib.h>

#include "advise/explore/study.h"
#include "model/search.h"

const char *hd_finding_verdict_print(hd_finding_verdict verdict) {
    static const char *const names[] = {[HD_FINDING_HOLDS] = "holds",
                                        [HD_FINDING_FAILS] = "does not hold",
                                        [HD_FINDING_UNDECIDED] = "not told apart",
                                        [HD_FINDING_UNKNOWN] = "not known"};
    return names[verdict];
}

/* ---- what is compared ----------------------------------------------------------------------- */

typedef struct comparison {
    hd_interval ratio;
    const hd_explored *more, *less;
} comparison;

typedef struct test {
    hd_arena *arena;
    const hd_study *study;
    const hd_study_point *point; /* that is looked at */
    hd_vec(comparison) all;
    uint32_t pairs; /* of variants that were compared for them */
    double normal;  /* the quantile for so many pairs; 0: quartile ranges are as they are */
    double spread;  /* half the quartile range of joules by their median, as it mostly is */
} test;

static bool value_of(const test *t, const hd_explored *variant, hd_quantity quantity,
                     hd_interval *value) {
    if (!variant || !hd_study_value(t->study, variant, quantity, value))
        return false;
    if (t->normal > 0) {
        double by = fmax(1, 1.86 * t->normal / sqrt(2.0 * variant->energy.joules.repeats));
        double middle = value->median, least = middle * t->spread;
        value->low = fmax(middle - by * fmax(middle - value->low, least), 0);
        value->high = middle + by * fmax(value->high - middle, least);
    }
    return true;
}

static bool energy_of(const test *t, const hd_explored *variant, hd_interval *value) {
    return value_of(t, variant, HD_QUANTITY_ENERGY, value);
}

/* Whether variant `v` of the point is the first one in its placement. */
static bool is_first_there(const hd_study_point *point, uint32_t v) {
    for (uint32_t u = 0; u < v; u++)
        if (!strcmp(point->variants[u]->placement, point->variants[v]->placement))
            return false;
    return true;
}

static hd_interval least_of(hd_interval a, hd_interval b) {
    return (hd_interval){fmin(a.median, b.median), fmin(a.low, b.low), fmin(a.high, b.high)};
}

/* ---- power and energy: the most of a layout by the least -------------------------------------- */

static void compare_layouts(test *t, const char *placement, hd_quantity quantity) {
    hd_interval most = {0, 0, 0}, least = {INFINITY, INFINITY, INFINITY}, value;
    comparison c = {0};
    uint32_t count = 0;
    for (uint32_t v = 0; v < t->point->count; v++) {
        const hd_explored *variant = t->point->variants[v];
        if (strcmp(variant->placement, placement) || !value_of(t, variant, quantity, &value))
            continue;
        count++;
        c.more = value.median > most.median ? variant : c.more;
        c.less = value.median < least.median ? variant : c.less;
        most = (hd_interval){fmax(most.median, value.median), fmax(most.low, value.low),
                             fmax(most.high, value.high)};
        least = least_of(least, value);
    }
    c.ratio = study_ratio(most, least);
    c.ratio.low = fmax(c.ratio.low, 1);
    if (count > 1)
        hd_push(t->arena, &t->all, c);
}

static void compare_in_placements(test *t, hd_quantity quantity) {
    for (uint32_t v = 0; v < t->point->count; v++)
        if (is_first_there(t->point, v))
            compare_layouts(t, t->point->variants[v]->placement, quantity);
}

static void compare_power(test *t) { compare_in_placements(t, HD_QUANTITY_POWER); }
static void compare_energy(test *t) { compare_in_placements(t, HD_QUANTITY_ENERGY); }

/* ---- together: one layout for all placements -------------------------------------------------- */

/* What the placements of a point, and the layouts that are known in all of them, take. */
typedef struct crossing {
    const char **layouts, **placements;
    uint32_t layout_count, placement_count;
    hd_interval *value; /* [layout][placement] */
} crossing;

static bool is_known_everywhere(const test *t, const crossing *x, const char *layout,
                                hd_interval *values) {
    for (uint32_t p = 0; p < x->placement_count; p++)
        if (!energy_of(t, hd_study_variant(t->point, layout, x->placements[p]), &values[p]))
            return false;
    return true;
}

static crossing crossing_of(const test *t) {
    uint32_t count = t->point->count;
    crossing x = {.layouts = hd_new_array(t->arena, const char *, count),
                  .placements = hd_new_array(t->arena, const char *, count)};
    for (uint32_t v = 0; v < count; v++)
        if (is_first_there(t->point, v))
            x.placements[x.placement_count++] = t->point->variants[v]->placement;
    /* Every layout that is known everywhere has a variant in the first placement. */
    x.value = hd_new_array(t->arena, hd_interval, (size_t)count * x.placement_count);
    for (uint32_t v = 0; v < count; v++) {
        const char *layout = t->point->variants[v]->layout;
        if (!strcmp(t->point->variants[v]->placement, x.placements[0]) &&
            is_known_everywhere(t, &x, layout, &x.value[x.layout_count * x.placement_count]))
            x.layouts[x.layout_count++] = layout;
    }
    return x;
}

/* What a layout takes in a placement by the least of the others there; at least 1. */
static hd_interval excess(const crossing *x, uint32_t layout, uint32_t placement, uint32_t *best) {
    hd_interval least = {INFINITY, INFINITY, INFINITY};
    for (uint32_t l = 0; l < x->layout_count; l++) {
        hd_interval value = x->value[l * x->placement_count + placement];
        if (l == layout)
            continue;
        *best = value.median < least.median ? l : *best;
        least = least_of(least, value);
    }
    hd_interval r = study_ratio(x->value[layout * x->placement_count + placement], least);
    return (hd_interval){fmax(r.median, 1), fmax(r.low, 1), fmax(r.high, 1)};
}

/* The greatest excess of a layout over the placements. */
static comparison everywhere(const test *t, const crossing *x, uint32_t layout) {
    comparison c = {.ratio = {0, 0, 0}};
    for (uint32_t p = 0; p < x->placement_count; p++) {
        uint32_t best = 0;
        hd_interval r = excess(x, layout, p, &best);
        if (r.median > c.ratio.median) {
            c.more = hd_study_variant(t->point, x->layouts[layout], x->placements[p]);
            c.less = hd_study_variant(t->point, x->layouts[best], x->placements[p]);
        }
        c.ratio = (hd_interval){fmax(c.ratio.median, r.median), fmax(c.ratio.low, r.low),
                                fmax(c.ratio.high, r.high)};
    }
    return c;
}

static void compare_placements(test *t) {
    const crossing x = crossing_of(t);
    if (x.layout_count < 2 || x.placement_count < 2)
        return;
    comparison least = everywhere(t, &x, 0);
    for (uint32_t l = 1; l < x.layout_count; l++) {
        comparison c = everywhere(t, &x, l);
        hd_interval ratio = least_of(least.ratio, c.ratio);
        least = c.ratio.median < least.ratio.median ? c : least;
        least.ratio = ratio;
    }
    t->pairs += (x.layout_count - 1) * x.placement_count;
    hd_push(t->arena, &t->all, least);
}

/* ---- soa: SoA by the best other layout in device memory -------------------------------------- */

static void compare_soa(test *t) {
    static const char device[] = "device";
    comparison c = {.more = hd_study_variant(t->point, "soa", device)};
    hd_interval soa, least = {INFINITY, INFINITY, INFINITY}, value;
    if (!energy_of(t, c.more, &soa))
        return;
    for (uint32_t v = 0; v < t->point->count; v++) {
        const hd_explored *variant = t->point->variants[v];
        if (variant == c.more || strcmp(variant->placement, device) ||
            !energy_of(t, variant, &value))
            continue;
        t->pairs++;
        c.less = value.median < least.median ? variant : c.less;
        least = least_of(least, value);
    }
    c.ratio = study_ratio(soa, least);
    if (c.less)
        hd_push(t->arena, &t->all, c);
}

/* ---- verdicts ------------------------------------------------------------------------------- */

static int by_size(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median_of(double *values, size_t count) {
    qsort(values, count, sizeof *values, by_size);
    return (values[(count - 1) / 2] + values[count / 2]) / 2;
}

static hd_interval medians_of(const test *t) {
    size_t count = t->all.count;
    double *values = hd_new_array(t->arena, double, 3 * count);
    for (size_t c = 0; c < count; c++) {
        values[c] = t->all.data[c].ratio.median;
        values[count + c] = t->all.data[c].ratio.low;
        values[2 * count + c] = t->all.data[c].ratio.high;
    }
    return (hd_interval){median_of(values, count), median_of(values + count, count),
                         median_of(values + 2 * count, count)};
}

/* Half a quartile range of energy, by its median: the median over all variants. */
static double usual_spread(const test *t) {
    double *spreads = hd_new_array(t->arena, double, t->study->count);
    size_t count = 0;
    hd_interval value;
    for (uint32_t v = 0; v < t->study->count; v++)
        if (hd_study_value(t->study, &t->study->variants[v], HD_QUANTITY_ENERGY, &value))
            spreads[count++] = (value.high - value.low) / 2 / value.median;
    return count ? median_of(spreads, count) : 0;
}

/* The z that a standard normal variable is above with this probability. */
static double normal_quantile(double probability) {
    double low = 0, high = 40;
    for (int i = 0; i < 64; i++) {
        double middle = (low + high) / 2;
        *(erfc(middle / sqrt(2)) / 2 > probability ? &low : &high) = middle;
    }
    return low;
}

/* How a finding is tested. */
typedef struct trial {
    const char *name, *statement, *rule;
    const char *missing; /* where there is nothing to compare */
    void (*compare)(test *t);
    bool anywhere; /* about what there is, not about what is usual: */
    bool below;    /* of the latter, whether ratios are below HD_STUDY_MATTERS */
} trial;

static const trial trials[HD_FINDINGS] = {
    {"power", "layout hardly changes power",
     "the median ratio of the greatest to the least power of the layouts is below 1.1",
     "no point was timed and metered in two layouts", compare_power, .below = true},
    {"energy", "layout changes energy",
     "the median ratio of the greatest to the least energy of the layouts is 1.1 or more",
     "no point was run in two layouts", compare_energy},
    {"together", "layout and placement must be chosen together",
     "somewhere each layout takes more energy than the best one in some placement, by more than 1% "
     "and the spread",
     "no point was run in two layouts in each of two placements", compare_placements,
     .anywhere = true},
    {"soa", "SoA is not always best in device memory",
     "somewhere another layout takes less energy than SoA, by more than 1% and the spread",
     "no point was run in device memory in SoA and another layout", compare_soa, .anywhere = true},
};

static void compare_all(test *t, const trial *how) {
    t->all.count = t->pairs = 0;
    for (uint32_t p = 0; p < t->study->point_count; p++) {
        t->point = &t->study->points[p];
        how->compare(t);
    }
}

static hd_finding try_finding(hd_arena *arena, const hd_study *study, const trial *how) {
    hd_finding f = {how->name,         how->statement,
                    how->rule,         .verdict = HD_FINDING_UNKNOWN,
                    .why = study->why, .modelled = study->modelled};
    test t = {.arena = arena, .study = study};
    if (f.why)
        return f;
    compare_all(&t, how);
    if (how->anywhere && t.pairs) {
        t.normal = normal_quantile(0.05 / t.pairs);
        t.spread = usual_spread(&t);
        compare_all(&t, how);
    }
    f.compared = (uint32_t)t.all.count;
    if (!f.compared) {
        f.why = how->missing;
        return f;
    }
    f.median = medians_of(&t);
    const comparison *largest = t.all.data;
    for (size_t c = 1; c < t.all.count; c++)
        if (t.all.data[c].ratio.median > largest->ratio.median)
            largest = &t.all.data[c];
    f.largest = largest->ratio;
    f.more = largest->more;
    f.less = largest->less;
    uint32_t possible = 0;
    for (size_t c = 0; c < t.all.count; c++) {
        const hd_interval *ratio = &t.all.data[c].ratio;
        f.showing += how->anywhere ? ratio->low > 1 + HD_NOTICEABLE
                     : how->below  ? ratio->high < HD_STUDY_MATTERS
                                   : ratio->low >= HD_STUDY_MATTERS;
        possible += ratio->high > 1 + HD_NOTICEABLE;
    }
    if (how->anywhere) /* what there is: a ratio that is noticeably more than 1 */
        f.verdict = f.showing  ? HD_FINDING_HOLDS
                    : possible ? HD_FINDING_UNDECIDED
                               : HD_FINDING_FAILS;
    else if (f.median.high < HD_STUDY_MATTERS)
        f.verdict = how->below ? HD_FINDING_HOLDS : HD_FINDING_FAILS;
    else if (f.median.low >= HD_STUDY_MATTERS)
        f.verdict = how->below ? HD_FINDING_FAILS : HD_FINDING_HOLDS;
    else
        f.verdict = HD_FINDING_UNDECIDED;
    return f;
}

void study_test_findings(hd_arena *arena, hd_study *study) {
    for (int f = 0; f < HD_FINDINGS; f++)
        study->findings[f] = try_finding(arena, study, &trials[f]);
}
