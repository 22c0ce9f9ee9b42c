/*
 * Points: as text and back, what is no value of a dimension, and points that have no kernel.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "advise/explore/point.h"

/* ---- as text ------------------------------------------------------------------------------- */

static double random_value(const hd_dimension *d) {
    double part = (double)rand() / RAND_MAX;
    if (rand() % 3 == 0)
        return d->usual;
    if (d->is_real)
        return d->low + part * (d->high - d->low);
    if (!d->is_power)
        return floor(d->low + part * (d->high - d->low));
    return d->low == 0 && rand() % 4 == 0 ? 0 : exp2(floor(part * (log2(d->high) + 1)));
}

static bool is_whole_power(double value) { return value == 0 || log2(value) == floor(log2(value)); }

static void points_are_read_as_they_are_printed(void **state) {
    (void)state;
    hd_arena *arena = hd_arena_new();
    srand(22);
    for (int i = 0; i < 2000; i++) {
        hd_micro_point point, again, once_more;
        for (int d = 0; d < HD_DIMENSIONS; d++) {
            point.value[d] = random_value(&hd_dimensions[d]);
            if (hd_dimensions[d].is_power && point.value[d] < hd_dimensions[d].low)
                point.value[d] = hd_dimensions[d].low;
            assert_true(!hd_dimensions[d].is_power || is_whole_power(point.value[d]));
        }
        const char *text = hd_micro_print(arena, &point);
        assert_true(hd_micro_parse(text, &again));
        assert_true(hd_micro_equal(&point, &again));
        assert_string_equal(hd_micro_print(arena, &again), text);
        /* What was read once stays as it is to the last bit. */
        assert_true(hd_micro_parse(text, &once_more));
        assert_memory_equal(&again, &once_more, sizeof again);
    }
    hd_arena_free(arena);
}

static void the_usual_point_has_a_name(void **state) {
    (void)state;
    hd_arena *arena = hd_arena_new();
    hd_micro_point usual = hd_micro_usual(), point;
    assert_string_equal(hd_micro_print(arena, &usual), "usual");
    static const char *const texts[] = {"usual", "", "sparsity=1", "intensity=0.35 type=float"};
    for (size_t t = 0; t < sizeof texts / sizeof *texts; t++) {
        assert_true(hd_micro_parse(texts[t], &point));
        assert_true(hd_micro_equal(&point, &usual));
    }
    assert_true(hd_micro_parse("intensity=8 sparsity=4", &point));
    assert_false(hd_micro_equal(&point, &usual));
    assert_string_equal(hd_micro_print(arena, &point), "sparsity=4 intensity=8");
    assert_true(hd_micro_parse("split=-0", &point));
    assert_string_equal(hd_micro_print(arena, &point), "usual");
    hd_arena_free(arena);
}

static void what_is_no_point_is_refused(void **state) {
    (void)state;
    static const char *const texts[] = {"sparsity=0",
                                        "sparsity=65",
                                        "sparsity=1.5",
                                        "sparsity=",
                                        "sparsity",
                                        "sparsity=4x",
                                        "sparsity=x",
                                        "=4",
                                        "intensity=-1",
                                        "intensity=1025",
                                        "intensity=nan",
                                        "intensity=inf",
                                        "group=48",
                                        "group=16",
                                        "group=2048",
                                        "type=int8",
                                        "type=0",
                                        "type=",
                                        "type=Float",
                                        "stride=4",
                                        "indirect=3",
                                        "indirect=64",
                                        "indirect=-1",
                                        "transposed=0",
                                        "transposed=24",
                                        "aggregate=0",
                                        "aggregate=65",
                                        "granularity=0",
                                        "granularity=4097",
                                        "fields=0",
                                        "fields=33",
                                        "branches=0",
                                        "branches=5",
                                        "objects=31",
                                        "objects=1e9",
                                        "split=1.1",
                                        "split=-0.1",
                                        "usual sparsity=4",
                                        "sparsity=4 usual",
                                        "sparsity=4,group=64",
                                        "sparsity=4 sparsity=8",
                                        "sparsity=4 sparsity=4"};
    for (size_t t = 0; t < sizeof texts / sizeof *texts; t++) {
        hd_micro_point point;
        if (hd_micro_parse(texts[t], &point))
            fail_msg("'%s' is taken for a point", texts[t]);
    }
}

static void ranges_are_in_words(void **state) {
    (void)state;
    static const struct {
        const char *name, *range;
    } rows[] = {{"indirect", "0 or a power of two from 1 to 32"},
                {"transposed", "a power of two from 1 to 32"},
                {"sparsity", "a whole number from 1 to 64"},
                {"intensity", "a number from 0 to 1024"},
                {"type", "one of float, double, uint, ushort, mixed"},
                {"group", "a power of two from 32 to 1024"}};
    hd_arena *arena = hd_arena_new();
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
        int dimension = hd_dimension_named(rows[r].name);
        assert_true(dimension >= 0);
        assert_string_equal(hd_dimension_range(arena, dimension), rows[r].range);
    }
    assert_int_equal(hd_dimension_named("layout"), -1);
    hd_arena_free(arena);
}

/* The default plan's values, too, are values. */
static void values_of_the_plan_are_in_their_range(void **state) {
    (void)state;
    hd_arena *arena = hd_arena_new();
    for (int d = 0; d < HD_DIMENSIONS; d++) {
        double value, before = -1;
        bool has_usual = false;
        for (const double *at = hd_dimensions[d].values; *at >= 0; before = *at++) {
            assert_true(*at > before);
            assert_true(hd_dimension_parse(d, hd_dimension_print(arena, d, *at), &value));
            assert_true(value == *at);
            has_usual |= value == hd_dimensions[d].usual;
        }
        assert_true(has_usual);
    }
    hd_arena_free(arena);
}

/* ---- what follows ------------------------------------------------------------------------------ */

static const char *why_not(hd_arena *arena, const char *text) {
    hd_micro_point point;
    hd_micro_shape shape;
    assert_true(hd_micro_parse(text, &point));
    return hd_micro_check(arena, &point, &shape);
}

static void points_without_a_kernel_say_why(void **state) {
    (void)state;
    static const struct {
        const char *point, *why;
    } rows[] = {
        {"fields=16 type=ushort",
         "16 fields of ushort take at least 15 operations on 34 bytes, an intensity of 0.442, and "
         "0.35 is asked for"},
        {"intensity=0", "4 fields of float take at least 3 operations on 20 bytes, an intensity of "
                        "0.15, and 0 is asked for"},
        {"intensity=0.1", "and 0.1 is asked for"},
        {"split=1", "with a split of 1 the host computes all of 262144 objects, which are split by "
                    "256; ask for another split or more objects"},
        {"split=0.9 objects=256 group=256", "the host computes all of 256 objects"},
        {"split=0.2 objects=512", "the host computes none of 512 objects"},
    };
    hd_arena *arena = hd_arena_new();
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
        const char *why = why_not(arena, rows[r].point);
        if (!why || !strstr(why, rows[r].why))
            fail_msg("%s: %s", rows[r].point, why ? why : "is taken");
    }
    hd_arena_free(arena);
}

/* The intensity that a message asks for is enough. */
static void what_messages_ask_for_is_enough(void **state) {
    (void)state;
    hd_arena *arena = hd_arena_new();
    for (int type = 0; type < HD_MICRO_TYPES; type++)
        for (int fields = 2; fields <= 32; fields++) {
            hd_micro_point point = hd_micro_usual();
            hd_micro_shape shape;
            point.value[HD_DIM_TYPE] = type;
            point.value[HD_DIM_FIELDS] = fields;
            point.value[HD_DIM_INTENSITY] = 0;
            const char *why = hd_micro_check(arena, &point, &shape);
            assert_non_null(why);
            point.value[HD_DIM_INTENSITY] =
                strtod(strstr(why, "intensity of ") + strlen("intensity of "), NULL);
            assert_null(hd_micro_check(arena, &point, &shape));
        }
    assert_null(why_not(arena, "fields=1 intensity=0"));
    hd_arena_free(arena);
}

static bool divides(uint64_t a, uint64_t b) { return b % a == 0; }

/* Launches of whole groups, over all objects that are not the host's, in any combination. */
static void launches_cover_the_objects(void **state) {
    (void)state;
    hd_arena *arena = hd_arena_new();
    srand(22);
    uint32_t taken = 0;
    for (int i = 0; i < 5000; i++) {
        hd_micro_point point;
        hd_micro_shape s;
        for (int d = 0; d < HD_DIMENSIONS; d++) {
            point.value[d] = random_value(&hd_dimensions[d]);
            if (point.value[d] < hd_dimensions[d].low)
                point.value[d] = hd_dimensions[d].low;
        }
        if (hd_micro_check(arena, &point, &s))
            continue;
        taken++;
        uint64_t each = (uint64_t)point.value[HD_DIM_GRANULARITY];
        uint64_t threads = s.global[0] * s.global[1] * s.global[2];
        assert_int_equal(threads * each, s.objects - s.on_host);
        assert_int_equal(s.local[0] * s.local[1] * s.local[2], point.value[HD_DIM_GROUP]);
        for (int d = 0; d < 3; d++)
            assert_true(divides(s.local[d], s.global[d]));
        assert_true((double)s.objects >= point.value[HD_DIM_OBJECTS]);
        assert_true((double)(s.objects - s.unit) < point.value[HD_DIM_OBJECTS]);
        assert_true(s.objects <= INT32_MAX);
        assert_true(point.value[HD_DIM_TRANSPOSED] == 1 || s.pitch > s.local[0]);
        assert_true(!s.run || divides(s.run, s.stride));
    }
    assert_true(taken > 1000);
    hd_arena_free(arena);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(points_are_read_as_they_are_printed),
        cmocka_unit_test(the_usual_point_has_a_name),
        cmocka_unit_test(what_is_no_point_is_refused),
        cmocka_unit_test(ranges_are_in_words),
        cmocka_unit_test(values_of_the_plan_are_in_their_range),
        cmocka_unit_test(points_without_a_kernel_say_why),
        cmocka_unit_test(what_messages_ask_for_is_enough),
        cmocka_unit_test(launches_cover_the_objects),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
