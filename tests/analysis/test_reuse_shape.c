/*
 * What is read off characteristics: prominences and classes against their definitions, the
 * variability against a table of all blocks and distances, differences by hand.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "analysis/reuse_shape.h"

enum { MOST = 40, BLOCKS = 24 };

static uint64_t state;
static uint64_t any(uint64_t below) { return hd_next_random(&state) % below; }

/* A stream from its degrees at distances 1, 2, ... */
static hd_reuse_stream stream_of(hd_arena *arena, const uint64_t *degrees, uint64_t count) {
    hd_reuse_stream s = {.degree = hd_new_array(arena, uint64_t, count + 1)};
    for (uint64_t d = 1; d <= count; d++) {
        s.degree[d] = degrees[d - 1];
        s.domain = degrees[d - 1] ? d : s.domain;
    }
    return s;
}

static hd_reuse_stream random_stream(hd_arena *arena, uint64_t most, uint64_t below) {
    uint64_t degrees[MOST], count = any(most + 1);
    for (uint64_t d = 0; d < count; d++)
        degrees[d] = any(3) ? any(below) : 0;
    return stream_of(arena, degrees, count);
}

/* ---- shapes ---------------------------------------------------------------------------- */

#define SHAPE(...)                                                                         \
    shape_of((const uint64_t[]){__VA_ARGS__}, sizeof((const uint64_t[]){__VA_ARGS__}) / 8)

static hd_reuse_shape shape_of(const uint64_t *degrees, uint64_t count) {
    hd_arena *arena = hd_arena_new();
    const hd_reuse_stream s = stream_of(arena, degrees, count);
    hd_reuse_shape shape = hd_reuse_shape_of(s.degree, s.domain);
    hd_arena_free(arena);
    return shape;
}

static void figures(void **unused) {
    (void)unused;
    const hd_reuse_shape shape = SHAPE(10, 0, 30, 20, 40, 0, 0);
    assert_int_equal(shape.domain, 5);
    assert_int_equal(shape.distances, 4);
    assert_int_equal(shape.total, 100);
    assert_true(fabs(shape.mean - (10 + 90 + 80 + 200) / 100.0) < 1e-12);
    assert_int_equal(shape.peak_count, 3);
    assert_int_equal(shape.peaks[0].distance, 5);
    assert_int_equal(shape.peaks[0].degree, 40);
    assert_int_equal(shape.peaks[1].distance, 3);
    assert_int_equal(shape.peaks[2].distance, 1);
    const hd_reuse_shape none = SHAPE(0, 0);
    assert_int_equal(none.kind, HD_REUSE_NONE);
    assert_int_equal(none.peak_count, 0);
    assert_true(isnan(none.mean));
}

static void classes(void **unused) {
    (void)unused;
    assert_int_equal(SHAPE(7).kind, HD_REUSE_MB);
    assert_int_equal(SHAPE(9, 5, 5, 1).kind, HD_REUSE_MB);
    /* Dips, down to nothing, do not matter; crests that rise do, beyond a tenth. */
    assert_int_equal(SHAPE(100, 0, 60, 20, 30).kind, HD_REUSE_AMB);
    assert_int_equal(SHAPE(0, 100, 0, 60, 0, 30).kind, HD_REUSE_AMB);
    assert_int_equal(SHAPE(50, 100, 60, 30).kind, HD_REUSE_AMB);
    assert_int_equal(SHAPE(0, 0, 100, 60, 30).kind, HD_REUSE_NMB);
    assert_int_equal(SHAPE(100, 0, 50, 0, 60).kind, HD_REUSE_AMB);
    assert_int_equal(SHAPE(100, 0, 50, 0, 61).kind, HD_REUSE_NMB);
    assert_int_equal(SHAPE(100, 0, 50, 0, 58, 0, 66).kind, HD_REUSE_NMB);
    /* A shoulder on the way up is no crest. */
    assert_int_equal(SHAPE(100, 0, 50, 50, 61, 0).kind, HD_REUSE_AMB);
    assert_string_equal(hd_reuse_class_name(HD_REUSE_AMB), "AMB");
}

/* By the definition: the way down to higher ground; on the left, ground as high will do. */
static uint64_t slow_prominence(const uint64_t *degree, uint64_t domain, uint64_t at) {
    uint64_t left = degree[at], right = degree[at], d = at;
    while (d > 1 && degree[d - 1] < degree[at])
        left = degree[--d] < left ? degree[d] : left;
    left = d > 1 ? left : 0;
    for (d = at; d < domain && degree[d + 1] <= degree[at]; d++)
        right = degree[d + 1] < right ? degree[d + 1] : right;
    right = d < domain ? right : 0;
    return degree[at] - (left > right ? left : right);
}

static bool slow_is_crest(const uint64_t *degree, uint64_t domain, uint64_t at) {
    uint64_t end = at;
    while (end < domain && degree[end + 1] == degree[at])
        end++;
    return degree[at] && (at == 1 || degree[at - 1] < degree[at]) &&
           (end == domain || degree[end + 1] < degree[at]);
}

/* Every crest that is not among the peaks is less prominent than those that are. */
static void check_peaks(const uint64_t *degree, uint64_t domain) {
    const hd_reuse_shape shape = hd_reuse_shape_of(degree, domain);
    uint64_t crests = 0, least = UINT64_MAX;
    for (uint32_t p = 0; p < shape.peak_count; p++) {
        uint64_t at = shape.peaks[p].distance, prominence = slow_prominence(degree, domain, at);
        assert_true(slow_is_crest(degree, domain, at));
        assert_int_equal(shape.peaks[p].degree, degree[at]);
        assert_true(!p || degree[at] <= shape.peaks[p - 1].degree);
        least = prominence < least ? prominence : least;
    }
    for (uint64_t d = 1; d <= domain; d++) {
        bool listed = false;
        for (uint32_t p = 0; p < shape.peak_count; p++)
            listed = listed || shape.peaks[p].distance == d;
        crests += slow_is_crest(degree, domain, d);
        if (!listed && slow_is_crest(degree, domain, d))
            assert_true(slow_prominence(degree, domain, d) <= least);
        assert_true(!shape.peak_count || degree[d] <= shape.peaks[0].degree);
    }
    assert_int_equal(shape.peak_count, crests < HD_REUSE_PEAKS ? crests : HD_REUSE_PEAKS);
}

static void random_peaks(void **unused) {
    (void)unused;
    state = 11;
    for (int round = 0; round < 3000; round++) {
        hd_arena *arena = hd_arena_new();
        const hd_reuse_stream s = random_stream(arena, MOST, round % 2 ? 6 : 1000);
        check_peaks(s.degree, s.domain);
        hd_arena_free(arena);
    }
}

/* ---- variability ------------------------------------------------------------------------- */

static int by_number(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double slow_apart(const double *a, const double *b) {
    double differ = 0, both = 0;
    for (int d = 0; d <= MOST; d++) {
        differ += fabs(a[d] - b[d]);
        both += a[d] + b[d];
    }
    return both > 0 ? differ / both : 0;
}

/* A table of all blocks and distances; every column is sorted. */
static void slow_spread(const hd_reuse_stream *streams, uint64_t count, uint64_t *typical,
                        double *deviation) {
    double table[BLOCKS][MOST + 1] = {{0}}, median[MOST + 1], column[BLOCKS], nearest = INFINITY;
    for (uint64_t s = 0; s < count; s++)
        for (uint64_t d = 1; d <= streams[s].domain; d++)
            table[s][d] = (double)streams[s].degree[d];
    for (int d = 0; d <= MOST; d++) {
        for (uint64_t s = 0; s < count; s++)
            column[s] = table[s][d];
        qsort(column, count, sizeof *column, by_number);
        median[d] = column[(count - 1) / 2];
    }
    for (uint64_t s = 0; s < count; s++)
        if (slow_apart(table[s], median) < nearest) {
            nearest = slow_apart(table[s], median);
            *typical = s;
        }
    for (uint64_t s = 0; s < count; s++)
        deviation[s] = slow_apart(table[s], table[*typical]);
}

static void check_outliers(const hd_reuse_spread *spread) {
    double sorted[BLOCKS];
    uint64_t beyond = 0, quarter = (spread->count - 1) / 4;
    for (uint64_t s = 0; s < spread->count; s++)
        sorted[s] = spread->deviation[s];
    qsort(sorted, spread->count, sizeof *sorted, by_number);
    double upper = sorted[spread->count - 1 - quarter], lower = sorted[quarter];
    double limit = fmax(0.05, upper + 1.5 * (upper - lower));
    assert_true(spread->limit == limit);
    assert_true(spread->median == sorted[(spread->count - 1) / 2]);
    for (uint64_t s = 0; s < spread->count; s++)
        beyond += spread->deviation[s] > limit;
    assert_int_equal(spread->outlier_count, beyond);
    for (uint64_t i = 0; i < spread->outlier_count; i++)
        assert_true(spread->deviation[spread->outliers[i]] == sorted[spread->count - 1 - i]);
}

static void random_spreads(void **unused) {
    (void)unused;
    state = 12;
    uint64_t outliers = 0;
    for (int round = 0; round < 400; round++) {
        hd_arena *arena = hd_arena_new();
        hd_reuse_stream streams[BLOCKS];
        const hd_reuse_stream *list[BLOCKS];
        uint64_t count = 1 + any(BLOCKS), typical = 0;
        double deviation[BLOCKS];
        const hd_reuse_stream common = random_stream(arena, MOST, 1000);
        for (uint64_t s = 0; s < count; s++) {
            streams[s] = any(5) ? common : random_stream(arena, MOST, 1000);
            list[s] = &streams[s];
        }
        slow_spread(streams, count, &typical, deviation);
        const hd_reuse_spread *spread = hd_reuse_spread_of(arena, list, count);
        assert_int_equal(spread->typical, typical);
        for (uint64_t s = 0; s < count; s++)
            assert_true(fabs(spread->deviation[s] - deviation[s]) < 1e-12);
        check_outliers(spread);
        outliers += spread->outlier_count;
        hd_arena_free(arena);
    }
    assert_true(outliers > 100);
}

/* Nine blocks alike and one that reuses nothing: that one is the outlier. */
static void one_that_differs(void **unused) {
    (void)unused;
    hd_arena *arena = hd_arena_new();
    hd_reuse_stream streams[10];
    const hd_reuse_stream *list[10];
    for (int s = 0; s < 10; s++) {
        streams[s] = stream_of(arena, (const uint64_t[]){100, 50}, s == 6 ? 0 : 2);
        list[s] = &streams[s];
    }
    const hd_reuse_spread *spread = hd_reuse_spread_of(arena, list, 10);
    assert_int_equal(spread->typical, 0);
    assert_int_equal(spread->outlier_count, 1);
    assert_int_equal(spread->outliers[0], 6);
    assert_true(spread->deviation[6] == 1);
    assert_int_equal(spread->classes[HD_REUSE_MB], 9);
    assert_int_equal(spread->classes[HD_REUSE_NONE], 1);
    hd_arena_free(arena);
}

/* ---- two, and sums ------------------------------------------------------------------------- */

static void differences(void **unused) {
    (void)unused;
    hd_arena *arena = hd_arena_new();
    const hd_reuse_stream a = stream_of(arena, (const uint64_t[]){10, 20, 0, 5}, 4);
    const hd_reuse_stream b = stream_of(arena, (const uint64_t[]){15, 4}, 2);
    const hd_reuse_difference *d = hd_reuse_compare(arena, &a, &b);
    assert_int_equal(d->domain, 4);
    assert_int_equal(d->change[1], 5);
    assert_int_equal(d->change[2], -16);
    assert_int_equal(d->change[3], 0);
    assert_int_equal(d->change[4], -5);
    assert_int_equal(d->sum, -16);
    assert_int_equal(d->absolute, 26);
    assert_true(fabs(d->apart - 26.0 / 54) < 1e-12);
    assert_true(hd_reuse_apart(&a, &a) == 0);
    hd_arena_free(arena);
}

static void sums(void **unused) {
    (void)unused;
    hd_arena *arena = hd_arena_new();
    hd_reuse_stream streams[2] = {stream_of(arena, (const uint64_t[]){1, 2, 3}, 3),
                                  stream_of(arena, (const uint64_t[]){10}, 1)};
    streams[0].mis = 4;
    streams[1].mis = 3;
    const hd_reuse reuse = {.streams = streams, .stream_count = 2};
    const hd_reuse_stream sum = hd_reuse_sum(arena, &reuse);
    assert_int_equal(sum.domain, 3);
    assert_int_equal(sum.degree[1], 11);
    assert_int_equal(sum.degree[3], 3);
    assert_int_equal(sum.mis, 7);
    hd_arena_free(arena);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(figures),
                                       cmocka_unit_test(classes),
                                       cmocka_unit_test(random_peaks),
                                       cmocka_unit_test(random_spreads),
                                       cmocka_unit_test(one_that_differs),
                                       cmocka_unit_test(differences),
                                       cmocka_unit_test(sums)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
