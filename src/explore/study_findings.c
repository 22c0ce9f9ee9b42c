/* The findings of the study of Qasem and Teich, tested on a device. */
#include <math.h>
#include <stdlib.h>

#include "explore/study_parts.h"
#include "search/search.h"

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
        least = (hd_interval){fmin(least.median, value.median), fmin(least.low, value.low),
                              fmin(least.high, value.high)};
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

/* ---- together: a layout of one placement in another ------------------------------------------ */

/* A layout whose energy is known in both placements. */
typedef struct in_both {
    const hd_explored *there;
    hd_interval here, other;
} in_both;

/* Layouts that are known in both placements, where the least of each is. */
static uint32_t find_in_both(test *t, const char *here, const char *there, in_both *found,
                             in_both **best_here, in_both **best_there) {
    uint32_t count = 0;
    for (uint32_t v = 0; v < t->point->count; v++) {
        const hd_explored *variant = t->point->variants[v];
        in_both *f = &found[count];
        if (strcmp(variant->placement, here))
            continue;
        f->there = hd_study_variant(t->point, variant->layout, there);
        if (!energy_of(t, variant, &f->here) || !energy_of(t, f->there, &f->other))
            continue;
        *best_here = count && (*best_here)->here.median <= f->here.median ? *best_here : f;
        *best_there = count && (*best_there)->other.median <= f->other.median ? *best_there : f;
        count++;
    }
    return count;
}

/* Of the layouts that are as good as the best in `here` the one that loses least in `there`. */
static bool carry_over(test *t, const char *here, const char *there, comparison *c) {
    in_both *found = hd_new_array(t->arena, in_both, t->point->count), *best_here = found,
            *best_there = found;
    uint32_t count = find_in_both(t, here, there, found, &best_here, &best_there);
    if (count < 2)
        return false;
    t->pairs += count - 1;
    const in_both *chosen = best_here;
    for (uint32_t f = 0; f < count; f++)
        if (study_as_good(found[f].here, best_here->here) &&
            found[f].other.median < chosen->other.median)
            chosen = &found[f];
    *c = (comparison){chosen == best_there ? (hd_interval){1, 1, 1}
                                           : study_ratio(chosen->other, best_there->other),
                      chosen->there, best_there->there};
    return true;
}

static void compare_placements(test *t) {
    comparison worst = {0}, c;
    for (uint32_t v = 0; v < t->point->count; v++)
        for (uint32_t u = 0; u < t->point->count; u++)
            if (u != v && is_first_there(t->point, u) && is_first_there(t->point, v) &&
                carry_over(t, t->point->variants[v]->placement, t->point->variants[u]->placement,
                           &c) &&
                c.ratio.median > worst.ratio.median)
                worst = c;
    if (worst.more)
        hd_push(t->arena, &t->all, worst);
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
        if (value.median < least.median) {
            least = value;
            c.less = variant;
        }
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

/* A finding of what is usual: that the ratio is below HD_STUDY_MATTERS, or that it is not. */
static hd_finding_verdict decide_usual(const test *t, bool below, hd_finding *f) {
    for (size_t c = 0; c < t->all.count; c++)
        f->showing += below ? t->all.data[c].ratio.high < HD_STUDY_MATTERS
                            : t->all.data[c].ratio.low >= HD_STUDY_MATTERS;
    return f->median.high < HD_STUDY_MATTERS   ? below ? HD_FINDING_HOLDS : HD_FINDING_FAILS
           : f->median.low >= HD_STUDY_MATTERS ? below ? HD_FINDING_FAILS : HD_FINDING_HOLDS
                                               : HD_FINDING_UNDECIDED;
}

/* A finding of what there is: a ratio that is noticeably more than 1. */
static hd_finding_verdict decide_anywhere(const test *t, hd_finding *f) {
    uint32_t possible = 0;
    for (size_t c = 0; c < t->all.count; c++) {
        f->showing += t->all.data[c].ratio.low > 1 + HD_NOTICEABLE;
        possible += t->all.data[c].ratio.high > 1 + HD_NOTICEABLE;
    }
    return f->showing ? HD_FINDING_HOLDS : possible ? HD_FINDING_UNDECIDED : HD_FINDING_FAILS;
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
     "no point was run in two layouts", compare_power, .below = true},
    {"energy", "layout changes energy",
     "the median ratio of the greatest to the least energy of the layouts is 1.1 or more",
     "no point was run in two layouts", compare_energy},
    {"together", "layout and placement must be chosen together",
     "somewhere the best layout of one placement takes more energy in another one than the best "
     "there, by more than 1% and the spread",
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
    f.verdict = how->anywhere ? decide_anywhere(&t, &f) : decide_usual(&t, how->below, &f);
    return f;
}

void study_test_findings(hd_arena *arena, hd_study *study) {
    for (int f = 0; f < HD_FINDINGS; f++)
        study->findings[f] = try_finding(arena, study, &trials[f]);
}
