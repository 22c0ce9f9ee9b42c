/*
 * Studies of variants that are made up: laws whose crossings, ties and findings are known, noise of
 * which nothing must be found, holes, energy that is missing; and random ones against slow twins.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "explore/made_up.h"
#include "advise/explore/study.h"
#include "model/search.h"

static void assert_near(double is, double expected, double apart) {
    if (!(fabs(is - expected) <= apart))
        fail_msg("%.12g, and %.12g expected", is, expected);
}

static uint64_t random_state;

static double random_unit(void) { return (double)(hd_next_random(&random_state) >> 11) * 0x1p-53; }

/* Standard normal, by the sum of twelve. */
static double random_normal(void) {
    double sum = -6;
    for (int i = 0; i < 12; i++)
        sum += random_unit();
    return sum;
}

static hd_study *study_of(scene *s) {
    return hd_study_new(s->arena, s->all.data, (uint32_t)s->all.count);
}

static const hd_line *line_of(const hd_study *study, int dimension) {
    for (uint32_t l = 0; l < study->line_count; l++)
        if (study->lines[l].dimension == dimension)
            return &study->lines[l];
    return NULL;
}

static const hd_finding *finding(const hd_study *study, const char *name) {
    for (int f = 0; f < HD_FINDINGS; f++)
        if (!strcmp(study->findings[f].name, name))
            return &study->findings[f];
    fail_msg("no finding %s", name);
    return NULL;
}

/* ---- crossings that are known ------------------------------------------------------------------ */

/* Power laws are straight in logarithms, so the crossing is exact, and so are the places where the
 * quartiles cross. */
static void test_crossing(void **state) {
    scene *s = *state;
    const double spread = 0.1, crossing = 11, power = 1.5;
    for (double v = 1; v <= 64; v *= 2) {
        add(s, at(HD_DIM_SPARSITY, v), "aos", "device", pow(v / crossing, power), 1, spread);
        add(s, at(HD_DIM_SPARSITY, v), "soa", "device", 1, 2 * pow(v / 3, -1), 0);
    }
    const hd_study *study = study_of(s);
    assert_int_equal(study->line_count, 1);
    const hd_line *line = &study->lines[0];
    assert_int_equal(line->count, 7);
    const hd_handover *h = line->handovers;
    assert_int_equal(h[0].objective, HD_QUANTITY_TIME);
    assert_string_equal(h[0].from->layout, "aos");
    assert_string_equal(h[0].to->layout, "soa");
    assert_near(h[0].from->point.value[HD_DIM_SPARSITY], 8, 0);
    assert_near(h[0].to->point.value[HD_DIM_SPARSITY], 16, 0);
    assert_near(h[0].at, crossing, 1e-9);
    assert_near(h[0].low, crossing * pow(1 + spread, -1 / power), 1e-9);
    assert_near(h[0].high, crossing * pow(1 - spread, -1 / power), 1e-9);
    /* Energy: aos 1, soa 6 / v; the other way round, at 6. */
    assert_int_equal(h[1].objective, HD_QUANTITY_ENERGY);
    assert_near(h[1].at, 6, 1e-9);
    assert_true(h[1].low < 6 && h[1].high > 6);
    /* Their product: aos (v / 11)^1.5, soa 6 / v. */
    assert_int_equal(h[2].objective, HD_QUANTITY_EDP);
    assert_near(h[2].at, pow(6 * pow(crossing, power), 1 / (power + 1)), 1e-9);
    assert_int_equal(line->handover_count, 3);
}

/* From 0 the value itself counts; and names have no order. */
static void test_crossing_from_zero(void **state) {
    scene *s = *state;
    const double values[] = {0, 0.125, 0.25, 0.5};
    for (int i = 0; i < 4; i++) {
        add(s, at(HD_DIM_SPLIT, values[i]), "aos", "device", i ? 4 : 1, 0, 0);
        add(s, at(HD_DIM_SPLIT, values[i]), "soa", "device", 2, 0, 0);
        add(s, at(HD_DIM_TYPE, i), "aos", "device", i ? 4 : 1, 0, 0);
        add(s, at(HD_DIM_TYPE, i), "soa", "device", 2, 0, 0);
    }
    const hd_study *study = study_of(s);
    assert_int_equal(study->line_count, 2);
    const hd_line *split = line_of(study, HD_DIM_SPLIT);
    assert_int_equal(split->handover_count, 1);
    assert_near(split->handovers[0].at, 0.125 / 2, 1e-12);
    assert_int_equal(line_of(study, HD_DIM_TYPE)->handover_count, 0);
    assert_string_equal(study->why, "the meter went away");
    for (int f = 0; f < HD_FINDINGS; f++) {
        assert_int_equal(study->findings[f].verdict, HD_FINDING_UNKNOWN);
        assert_string_equal(study->findings[f].why, "the meter went away");
    }
}

/* Who is ahead within the spread changes at every point; that is no handover. */
static void test_ties(void **state) {
    scene *s = *state;
    int i = 0;
    for (double v = 1; v <= 64; v *= 2, i++) {
        add(s, at(HD_DIM_SPARSITY, v), "aos", "device", i % 2 ? 1 : 1.04, 1, 0.03);
        add(s, at(HD_DIM_SPARSITY, v), "soa", "device", i % 2 ? 1.04 : 1, 1.005, 0.03);
        s->all.data[s->all.count - 1].energy.joules = around(1.005, 0);
        s->all.data[s->all.count - 2].energy.joules = around(1, 0);
        add(s, at(HD_DIM_SPARSITY, v), "da", "device", 1.2, 2, 0.03);
    }
    const hd_study *study = study_of(s);
    assert_int_equal(study->lines[0].handover_count, 0);
    for (uint32_t p = 0; p < study->point_count; p++) {
        const hd_ranking *time = &study->points[p].ranking[HD_QUANTITY_TIME];
        assert_int_equal(time->count, 3);
        assert_int_equal(time->as_good, 2);
        assert_string_equal(time->all[2].variant->layout, "da");
        assert_near(time->all[2].lost, 1 - 1 / 1.2, 1e-12);
        /* Within HD_NOTICEABLE, though the quartiles of one have no width. */
        assert_int_equal(study->points[p].ranking[HD_QUANTITY_ENERGY].as_good, 2);
    }
}

/* Between two clear leaders stand points where they tie: one handover, in the middle of them. */
static void test_slow_crossing(void **state) {
    scene *s = *state;
    for (double v = 1; v <= 1024; v *= 2) {
        add(s, at(HD_DIM_GRANULARITY, v), "aos", "device", pow(v / 32, 0.05), 0, 0.06);
        add(s, at(HD_DIM_GRANULARITY, v), "soa", "device", 1, 0, 0.06);
    }
    const hd_line *line = study_of(s)->lines;
    assert_int_equal(line->handover_count, 1);
    assert_near(line->handovers[0].at, 32, 1e-9);
    assert_near(line->handovers[0].low, 32 * pow(0.94 / 1.06, 20), 1e-9);
    assert_near(line->handovers[0].high, 32 * pow(1.06 / 0.94, 20), 1e-9);
}

/* A point where a leader was not measured says nothing about it. */
static void test_holes(void **state) {
    scene *s = *state;
    for (double v = 1; v <= 64; v *= 2) {
        if (v != 4)
            add(s, at(HD_DIM_SPARSITY, v), "aos", "device", v / 16, 0, 0);
        if (v != 8)
            add(s, at(HD_DIM_SPARSITY, v), "soa", "device", 1, 0, 0);
        add(s, at(HD_DIM_SPARSITY, v), "da", "device", 1.5, 0, 0);
    }
    const hd_line *line = study_of(s)->lines;
    assert_int_equal(line->handover_count, 1);
    assert_string_equal(line->handovers[0].from->layout, "aos");
    assert_near(line->handovers[0].at, 16, 1e-9);
    /* Never together on both sides: the lead passes, but nobody knows where. */
    s->all.count = 0;
    for (double v = 1; v <= 64; v *= 2) {
        add(s, at(HD_DIM_SPARSITY, v), "aos", "device", v <= 2 ? 0.5 : 2, 0, 0);
        add(s, at(HD_DIM_SPARSITY, v), "da", "device", v == 4 ? 0.1 : 1, 0, 0);
        if (v >= 8)
            add(s, at(HD_DIM_SPARSITY, v), "soa", "device", 0.5, 0, 0);
    }
    line = study_of(s)->lines;
    assert_int_equal(line->handover_count, 1);
    assert_string_equal(line->handovers[0].from->layout, "aos");
    assert_string_equal(line->handovers[0].to->layout, "soa");
    assert_near(line->handovers[0].from->point.value[HD_DIM_SPARSITY], 2, 0);
    assert_near(line->handovers[0].to->point.value[HD_DIM_SPARSITY], 8, 0);
    assert_true(isnan(line->handovers[0].at) && isnan(line->handovers[0].low));
    /* What was measured at one point alone, where all placements are, hides no handover. */
    s->all.count = 0;
    for (double v = 1; v <= 64; v *= 2) {
        add(s, at(HD_DIM_SPARSITY, v), "aos", "device", v / 16, 0, 0);
        add(s, at(HD_DIM_SPARSITY, v), "soa", "device", 1, 0, 0);
    }
    add(s, at(HD_DIM_SPARSITY, 1), "aos", "fine", 0.001, 0, 0);
    add(s, at(HD_DIM_SPARSITY, 1), "soa", "fine", 0.002, 0, 0);
    const hd_study *study = study_of(s);
    assert_int_equal(study->lines->handover_count, 1);
    assert_near(study->lines->handovers[0].at, 16, 1e-9);
    assert_string_equal(study->lines->stops[0]->ranking[0].all[0].variant->placement, "fine");
}

static void test_little(void **state) {
    scene *s = *state;
    const hd_study *study = study_of(s);
    assert_int_equal(study->point_count + study->line_count, 0);
    assert_string_equal(study->why, "no variant was run");
    /* One point, one layout. */
    add(s, hd_micro_usual(), "aos", "device", 1, 1, 0);
    study = study_of(s);
    assert_int_equal(study->point_count, 1);
    assert_int_equal(study->line_count, 0);
    assert_int_equal(study->points[0].ranking[HD_QUANTITY_EDP].as_good, 1);
    assert_string_equal(finding(study, "power")->why,
                        "no point was timed and metered in two layouts");
    assert_string_equal(finding(study, "soa")->why,
                        "no point was run in device memory in SoA and another layout");
    /* One layout along a line: nobody to hand over to. */
    add(s, at(HD_DIM_OBJECTS, 4096), "aos", "device", 2, 1, 0);
    study = study_of(s);
    assert_int_equal(study->line_count, 1);
    assert_int_equal(study->lines[0].handover_count, 0);
    /* Again: the last one counts. */
    add(s, at(HD_DIM_OBJECTS, 4096), "aos", "device", 3, 1, 0);
    study = study_of(s);
    assert_int_equal(study->point_count, 2);
    assert_near(study->points[1].ranking[0].all[0].value.median, 3, 0);
    assert_int_equal(study->points[1].count, 1);
}

/* ---- findings ---------------------------------------------------------------------------------- */

/* What of the findings a made-up device is to show. */
typedef struct device {
    double power, energy;  /* of AoS by the others' */
    double soa_host;       /* energy of SoA in host memory by that of DA there */
    double soa_low;        /* energy of SoA in device memory, where intensity is low */
    const char *placement; /* the other one; NULL: none */
    hd_finding_verdict is[4];
} device;

static void test_findings(void **state) {
    const hd_finding_verdict yes = HD_FINDING_HOLDS, no = HD_FINDING_FAILS,
                             nil = HD_FINDING_UNKNOWN;
    const device devices[] = {
        {1.02, 3, 1.2, 1.3, "host", {yes, yes, yes, yes}},
        {1.4, 1.02, 0.95, 0.9, "host", {no, no, no, no}},
        {1.02, 3, 0.8, 0.7, NULL, {yes, yes, nil, no}},
    };
    scene *s = *state;
    for (size_t d = 0; d < sizeof devices / sizeof *devices; d++) {
        const device *of = &devices[d];
        s->all.count = 0;
        for (double v = 0.35; v < 30; v *= 2) {
            double soa = v < 2 ? of->soa_low : 0.97;
            const hd_micro_point point = at(HD_DIM_INTENSITY, v);
            add(s, point, "aos", "device", of->energy / of->power, of->energy, 0.001);
            add(s, point, "soa", "device", soa, soa, 0.001);
            add(s, point, "da", "device", 1, 1, 0.001);
            if (!of->placement)
                continue;
            add(s, point, "aos", of->placement, 2 * of->energy / of->power, 2 * of->energy, 0.001);
            add(s, point, "soa", of->placement, 2 * of->soa_host, 2 * of->soa_host, 0.001);
            add(s, point, "da", of->placement, 2, 2, 0.001);
        }
        const hd_study *study = study_of(s);
        for (int f = 0; f < HD_FINDINGS; f++)
            if (study->findings[f].verdict != of->is[f])
                fail_msg("device %zu: '%s': %s", d, study->findings[f].statement,
                         hd_finding_verdict_print(study->findings[f].verdict));
        const hd_finding *soa = finding(study, "soa");
        assert_int_equal(soa->compared, 7);
        assert_int_equal(soa->showing, of->soa_low > 1 ? 3 : 0);
        if (of->soa_low > 1)
            assert_near(soa->largest.median, of->soa_low, 1e-12);
        assert_string_equal(soa->more->layout, "soa");
    }
}

/* AoS takes a quarter more energy than others, and nobody could tell: the spread is wider. */
static void test_not_told_apart(void **state) {
    scene *s = *state;
    for (double v = 1; v <= 64; v *= 2) {
        add(s, at(HD_DIM_SPARSITY, v), "aos", "device", 1, 1.25, 0.2);
        add(s, at(HD_DIM_SPARSITY, v), "soa", "device", 1, 1.02, 0.2);
        add(s, at(HD_DIM_SPARSITY, v), "da", "device", 1, 1, 0.2);
        add(s, at(HD_DIM_SPARSITY, v), "aos", "host", 1, 1.25, 0.2);
        add(s, at(HD_DIM_SPARSITY, v), "da", "host", 1, 1, 0.2);
    }
    const hd_study *study = study_of(s);
    assert_int_equal(finding(study, "energy")->verdict, HD_FINDING_UNDECIDED);
    assert_int_equal(finding(study, "soa")->verdict, HD_FINDING_UNDECIDED);
    assert_int_equal(finding(study, "together")->verdict, HD_FINDING_UNDECIDED);
    assert_near(finding(study, "energy")->median.median, 1.25, 1e-12);
    assert_near(finding(study, "energy")->median.low, 1, 1e-12);
    assert_near(finding(study, "energy")->median.high, 1.25 * 1.2 / 0.8, 1e-12);
}

static hd_timing noisy(scene *s, double median, double deviation) {
    double times[7];
    for (int i = 0; i < 7; i++)
        times[i] = median * (1 + deviation * random_normal());
    return hd_timing_of(s->arena, times, 7);
}

static void add_noisy(scene *s, double v, const char *layout, const char *placement,
                      double joules) {
    hd_explored *e = add(s, at(HD_DIM_GRANULARITY, v), layout, placement, 1, joules, 0);
    e->energy.joules = noisy(s, joules, 0.03);
}

/* Of noise alone nothing is found: among a hundred points some quartile ranges lie apart by chance,
 * but a finding of what there is holds in few studies. A difference that is there is found. */
static void test_chance(void **state) {
    scene *s = *state;
    uint32_t soa = 0, together = 0, apart = 0, found = 0;
    enum { STUDIES = 60 };
    for (int n = 0; n < STUDIES; n++) {
        s->all.count = 0;
        for (int v = 1; v <= 100; v++)
            for (int p = 0; p < 2; p++) {
                const char *placement = p ? "host" : "device";
                add_noisy(s, v, "soa", placement, 1);
                add_noisy(s, v, "da", placement, !p && v == 50 && n % 2 ? 0.8 : 1);
            }
        const hd_study *study = study_of(s);
        bool holds = finding(study, "soa")->verdict == HD_FINDING_HOLDS;
        found += n % 2 && holds;
        soa += n % 2 == 0 && holds;
        together += n % 2 == 0 && finding(study, "together")->verdict == HD_FINDING_HOLDS;
        for (uint32_t p = 0; p < study->point_count; p++) {
            const hd_ranking *r = &study->points[p].ranking[HD_QUANTITY_ENERGY];
            apart += r->as_good < r->count;
        }
    }
    printf("noise: %u and %u of %d hold; %u points apart; found %u\n", soa, together, STUDIES / 2,
           apart, found);
    assert_true(apart > STUDIES);
    assert_true(soa <= 3 && together <= 3);
    assert_true(found >= STUDIES / 2 - 1);
}

/* Joules of a model and of a meter are not compared; and a meter that went away leaves some out. */
static void test_meters(void **state) {
    scene *s = *state;
    add(s, hd_micro_usual(), "aos", "device", 1, 2, 0)->energy.modelled = true;
    add(s, hd_micro_usual(), "soa", "device", 1, 1, 0)->energy.modelled = true;
    const hd_study *model = study_of(s);
    assert_true(model->modelled && finding(model, "energy")->modelled);
    assert_int_equal(finding(model, "energy")->verdict, HD_FINDING_HOLDS);
    add(s, hd_micro_usual(), "da", "device", 1, 5, 0);
    add(s, hd_micro_usual(), "aosoa:32", "device", 1, 0, 0);
    const hd_study *study = study_of(s);
    assert_false(study->modelled);
    assert_string_equal(study->meter, "fake");
    assert_int_equal(study->points[0].ranking[HD_QUANTITY_TIME].count, 4);
    assert_int_equal(study->points[0].ranking[HD_QUANTITY_ENERGY].count, 1);
    assert_string_equal(study->points[0].ranking[HD_QUANTITY_EDP].all[0].variant->layout, "da");
    assert_int_equal(finding(study, "energy")->verdict, HD_FINDING_UNKNOWN);
}

/* With one placement kernels alone count, with several the whole run. */
static void test_seconds(void **state) {
    scene *s = *state;
    add(s, hd_micro_usual(), "aos", "device", 1, 6, 0)->whole = around(3, 0);
    hd_interval value;
    const hd_study *study = study_of(s);
    assert_true(hd_study_value(study, study->variants, HD_QUANTITY_POWER, &value));
    assert_near(value.median, 6, 0);
    assert_string_equal(hd_study_print(s->arena, study, study->variants), "aos");
    add(s, hd_micro_usual(), "aos", "host", 2, 6, 0);
    study = study_of(s);
    assert_true(hd_study_value(study, study->variants, HD_QUANTITY_POWER, &value));
    assert_near(value.median, 2, 0);
    assert_string_equal(study->points[0].ranking[0].all[0].variant->placement, "host");
    assert_string_equal(hd_study_print(s->arena, study, study->variants), "aos/device");
}

/* ---- random studies against slow twins ---------------------------------------------------------- */

enum { STOPS = 9, LAYOUTS = 4, PLACES = 2 };
static const char *const layouts[LAYOUTS] = {"aos", "soa", "da", "aosoa:32"};
static const char *const places[PLACES] = {"device", "host"};

static const hd_explored *of_grid(const scene *s, int stop, int layout, int place) {
    return &s->all.data[(stop * LAYOUTS + layout) * PLACES + place];
}

/* By definition, from the whole run's seconds. */
static bool is_good(const scene *s, int stop, int contender) {
    const hd_timing *own = &of_grid(s, stop, contender / PLACES, contender % PLACES)->whole;
    const hd_timing *best = own;
    for (int k = 0; k < LAYOUTS * PLACES; k++) {
        const hd_timing *t = &of_grid(s, stop, k / PLACES, k % PLACES)->whole;
        best = t->median < best->median ? t : best;
    }
    return own->low <= best->high || own->median <= best->median * (1 + HD_NOTICEABLE);
}

/* Of all ways to cut the line into stretches with somebody good throughout, the fewest. */
static int fewest_stretches(const scene *s) {
    int fewest[STOPS + 1] = {0};
    for (int end = 1; end <= STOPS; end++) {
        fewest[end] = STOPS;
        for (int first = 0; first < end; first++)
            for (int k = 0; k < LAYOUTS * PLACES; k++) {
                bool good = true;
                for (int stop = first; stop < end; stop++)
                    good = good && is_good(s, stop, k);
                if (good && fewest[first] + 1 < fewest[end])
                    fewest[end] = fewest[first] + 1;
            }
    }
    return fewest[STOPS];
}

/* The logarithm of the ratio of two variants' time at a place between stops; stops are powers of
 * two. `towards` 1: as badly for the next leader as the quartiles allow, -1: as well. */
static double ratio_at(const scene *s, double place, int from, int to, int towards) {
    int stop = (int)fmin(floor(place), STOPS - 2);
    double log_ratio[2];
    for (int i = 0; i < 2; i++) {
        const hd_timing *old = &of_grid(s, stop + i, from / PLACES, from % PLACES)->whole;
        const hd_timing *next = &of_grid(s, stop + i, to / PLACES, to % PLACES)->whole;
        log_ratio[i] = log(towards < 0   ? next->low / old->high
                           : towards > 0 ? next->high / old->low
                                         : next->median / old->median);
    }
    return log_ratio[0] + (place - stop) * (log_ratio[1] - log_ratio[0]);
}

/* In small steps from the last stop of the old leader. */
static double walk(const scene *s, int last, int from, int to, int towards) {
    enum { STEPS = 2000 };
    int place = last * STEPS;
    if (ratio_at(s, last, from, to, towards) < 0)
        while (place > 0 && ratio_at(s, (double)place / STEPS, from, to, towards) < 0)
            place--;
    else
        while (place < (STOPS - 1) * STEPS &&
               ratio_at(s, (double)place / STEPS, from, to, towards) >= 0)
            place++;
    return exp2((double)place / STEPS);
}

static int contender_of(const hd_explored *e) {
    for (int k = 0; k < LAYOUTS * PLACES; k++)
        if (!strcmp(e->layout, layouts[k / PLACES]) && !strcmp(e->placement, places[k % PLACES]))
            return k;
    return -1;
}

static void check_line(const scene *s, const hd_line *line) {
    int count = 0;
    for (uint32_t h = 0; h < line->handover_count; h++) {
        const hd_handover *hand = &line->handovers[h];
        if (hand->objective != HD_QUANTITY_TIME)
            continue;
        int to = contender_of(hand->to), from = contender_of(hand->from);
        int first = (int)log2(hand->to->point.value[HD_DIM_GRANULARITY]);
        count++;
        assert_true(is_good(s, first, to) && is_good(s, first - 1, from));
        assert_false(is_good(s, first, from));
        const double places_found[] = {hand->low, hand->at, hand->high};
        for (int i = 0; i < 3; i++) {
            double twin = walk(s, first - 1, from, to, i - 1);
            if (fabs(log(twin / places_found[i])) > 1e-3)
                fail_msg("%g, and in small steps %g", places_found[i], twin);
        }
        assert_true(hand->low <= hand->at && hand->at <= hand->high);
    }
    assert_int_equal(count, fewest_stretches(s) - 1);
}

static double joules(const scene *s, int stop, int layout, int place) {
    return of_grid(s, stop, layout, place)->energy.joules.median;
}

static void check_largest(const scene *s, const hd_study *study) {
    double energy = 0, power = 0, soa = 0;
    for (int stop = 0; stop < STOPS; stop++)
        for (int place = 0; place < PLACES; place++)
            for (int a = 0; a < LAYOUTS; a++)
                for (int b = 0; b < LAYOUTS; b++) {
                    double ratio = joules(s, stop, a, place) / joules(s, stop, b, place);
                    double seconds = of_grid(s, stop, b, place)->whole.median /
                                     of_grid(s, stop, a, place)->whole.median;
                    energy = fmax(energy, ratio);
                    power = fmax(power, ratio * seconds);
                }
    for (int stop = 0; stop < STOPS; stop++)
        soa = fmax(soa, joules(s, stop, 1, 0) /
                            fmin(joules(s, stop, 0, 0),
                                 fmin(joules(s, stop, 2, 0), joules(s, stop, 3, 0))));
    assert_near(finding(study, "energy")->largest.median, energy, 1e-9);
    assert_near(finding(study, "power")->largest.median, power, 1e-9);
    assert_near(finding(study, "soa")->largest.median, soa, 1e-9);
}

/* What it costs at least, where it costs most, to choose one layout for both placements. */
static double twin_together(const scene *s) {
    double worst = 1;
    for (int stop = 0; stop < STOPS; stop++) {
        double least = INFINITY;
        for (int l = 0; l < LAYOUTS; l++) {
            double cost = 1;
            for (int place = 0; place < PLACES; place++)
                for (int other = 0; other < LAYOUTS; other++)
                    cost = fmax(cost, joules(s, stop, l, place) / joules(s, stop, other, place));
            least = fmin(least, cost);
        }
        worst = fmax(worst, least);
    }
    return worst;
}

static void test_random(void **state) {
    scene *s = *state;
    uint32_t handovers = 0;
    for (int n = 0; n < 300; n++) {
        double spread = n % 3 * 0.05, between = n % 5 * 0.2;
        s->all.count = 0;
        for (int stop = 0; stop < STOPS; stop++)
            for (int k = 0; k < LAYOUTS * PLACES; k++)
                add(s, at(HD_DIM_GRANULARITY, exp2(stop)), layouts[k / PLACES], places[k % PLACES],
                    1 + between * random_unit(), 1 + between * random_unit(),
                    spread * random_unit());
        const hd_study *study = study_of(s);
        assert_int_equal(study->line_count, 1);
        check_line(s, study->lines);
        check_largest(s, study);
        assert_near(finding(study, "together")->largest.median, twin_together(s), 1e-9);
        handovers += study->lines->handover_count;
    }
    assert_true(handovers > 300);
}

/* A grid of three dimensions with points left out: every two points that differ in one dimension
 * alone are on one line of it, and no others. */
static void test_lines(void **state) {
    scene *s = *state;
    for (int n = 0; n < 60; n++) {
        hd_micro_point point = hd_micro_usual();
        point.value[HD_DIM_SPARSITY] = exp2((double)(hd_next_random(&random_state) % 3));
        point.value[HD_DIM_GROUP] = 64 << hd_next_random(&random_state) % 3;
        point.value[HD_DIM_FIELDS] = (double)(2 + hd_next_random(&random_state) % 4);
        add(s, point, "aos", "device", 1, 1, 0);
    }
    const hd_study *study = study_of(s);
    uint32_t pairs = 0, on_lines = 0;
    for (uint32_t a = 0; a < study->point_count; a++)
        for (uint32_t b = 0; b < a; b++) {
            int differ = 0;
            for (int d = 0; d < HD_DIMENSIONS; d++)
                differ += study->points[a].point.value[d] != study->points[b].point.value[d];
            assert_true(differ > 0);
            pairs += differ == 1;
        }
    for (uint32_t l = 0; l < study->line_count; l++) {
        const hd_line *line = &study->lines[l];
        on_lines += line->count * (line->count - 1) / 2;
        for (uint32_t stop = 0; stop < line->count; stop++) {
            hd_micro_point point = line->stops[stop]->point;
            assert_true(!stop || point.value[line->dimension] >
                                     line->stops[stop - 1]->point.value[line->dimension]);
            point.value[line->dimension] = line->base.value[line->dimension];
            assert_true(hd_micro_equal(&point, &line->base));
        }
    }
    assert_int_equal(on_lines, pairs);
    assert_true(pairs > 20);
}

/* ---- rules of thumb ------------------------------------------------------------------------------ */

static void expect(const char *placements, hd_objective objective, double intensity,
                   bool integrated, const char *layout, const char *placement) {
    hd_arena *arena = hd_arena_new();
    uint32_t count;
    char **words = hd_split_words(arena, placements, &count);
    hd_placed_layout rule =
        hd_study_rule_of_thumb((const char *const *)words, count, objective, intensity, integrated);
    assert_string_equal(rule.layout, layout);
    assert_string_equal(rule.placement, placement);
    hd_arena_free(arena);
}

static void test_rule_of_thumb(void **state) {
    (void)state;
    expect("device host", HD_QUANTITY_ENERGY, 20, false, "soa", "device");
    expect("host device", HD_QUANTITY_ENERGY, 0.35, false, "da", "device");
    expect("host device", HD_QUANTITY_TIME, 0.35, false, "soa", "device");
    expect("host", HD_QUANTITY_EDP, 0.35, false, "da", "host");
    expect("coarse fine", HD_QUANTITY_EDP, 20, false, "da", "coarse");
    expect("device host fine", HD_QUANTITY_ENERGY, 20, true, "soa", "host");
    expect("device fine", HD_QUANTITY_TIME, 20, true, "soa", "fine");
    expect("device", HD_QUANTITY_ENERGY, 20, true, "aos", "device");
}

#define SCENE_TEST(test) cmocka_unit_test_setup_teardown(test, begin, end)

int main(void) {
    const struct CMUnitTest tests[] = {
        SCENE_TEST(test_crossing), SCENE_TEST(test_crossing_from_zero),
        SCENE_TEST(test_ties),     SCENE_TEST(test_slow_crossing),
        SCENE_TEST(test_holes),    SCENE_TEST(test_little),
        SCENE_TEST(test_findings), SCENE_TEST(test_not_told_apart),
        SCENE_TEST(test_chance),   SCENE_TEST(test_meters),
        SCENE_TEST(test_seconds),  SCENE_TEST(test_random),
        SCENE_TEST(test_lines),    cmocka_unit_test(test_rule_of_thumb)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
