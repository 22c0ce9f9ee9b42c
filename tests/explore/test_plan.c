/*
 * Plans: what a user asks for becomes lines of points, or a message that says what is wrong.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "advise/explore/plan.h"

typedef struct said {
    char text[512];
} said;

static void keep(const hd_message *message, void *user) {
    snprintf(((said *)user)->text, sizeof((said *)user)->text, "%s", message->text);
}

typedef struct asked {
    hd_arena *arena;
    hd_plan plan;
    hd_status status;
    said said;
} asked;

/* `vary` and `fix` are words between blanks. */
static void ask(asked *a, const char *vary, const char *fix) {
    const hd_diag diag = {keep, &a->said};
    hd_plan_request request = {0};
    *a = (asked){.arena = hd_arena_new()};
    request.vary = (const char *const *)hd_split_words(a->arena, vary, &request.vary_count);
    request.fix = (const char *const *)hd_split_words(a->arena, fix, &request.fix_count);
    a->status = hd_plan_make(a->arena, &diag, &request, &a->plan);
}

static void expect_values(const char *vary, const char *expected) {
    asked a;
    ask(&a, vary, "");
    assert_int_equal(a.status, HD_OK);
    assert_int_equal(a.plan.line_count, 1);
    hd_str out = {.arena = a.arena};
    const hd_plan_line *line = &a.plan.lines[0];
    for (uint32_t v = 0; v < line->count; v++)
        hd_str_printf(&out, "%s%s", v ? " " : "",
                      hd_dimension_print(a.arena, line->dimension, line->values[v]));
    assert_string_equal(hd_str_text(&out), expected);
    hd_arena_free(a.arena);
}

static void test_values(void **state) {
    (void)state;
    expect_values("sparsity=1,2,4..64", "1 2 4 8 16 32 64");
    expect_values("sparsity=1..5", "1 2 3 4 5");
    expect_values("sparsity=1,4..13", "1 4 7 10 13");
    expect_values("sparsity=1,2..10", "1 2 3 4 5 6 7 8 9 10");
    expect_values("group=32..512", "32 64 128 256 512");
    expect_values("intensity=0.35,0.7..5.6", "0.35 0.7 1.4 2.8 5.6");
    expect_values("indirect=0,1,2..8", "0 1 2 4 8");
    expect_values("sparsity=8,4,8,1", "1 4 8");
    expect_values("type=float,mixed,uint", "float uint mixed");
    expect_values("granularity=3", "3");
}

static void expect_refused(const char *vary, const char *fix, const char *why) {
    asked a;
    ask(&a, vary, fix);
    assert_int_equal(a.status, HD_EINPUT);
    if (!strstr(a.said.text, why))
        fail_msg("'%s' is not in '%s'", why, a.said.text);
    hd_arena_free(a.arena);
}

static void test_refused(void **state) {
    (void)state;
    expect_refused("sparseness=1", "", "there is no dimension 'sparseness'; there are indirect");
    expect_refused("sparsity", "", "a name, '=' and values");
    expect_refused("sparsity=", "", "a name, '=' and values");
    expect_refused("sparsity=1,,2", "", "'' is no value of sparsity");
    expect_refused("sparsity=1,65", "", "a whole number from 1 to 64");
    expect_refused("group=48", "", "a power of two from 32 to 1024");
    expect_refused("indirect=3", "", "0 or a power of two from 1 to 32");
    expect_refused("intensity=-1", "", "a number from 0 to 1024");
    expect_refused("type=half", "", "one of float, double, uint, ushort, mixed");
    expect_refused("type=float..mixed", "", "no steps lead to the end");
    expect_refused("sparsity=1,2,5..64", "", "no steps lead to the end");
    expect_refused("sparsity=8..4", "", "no steps lead to the end");
    expect_refused("sparsity=1,2", "sparsity=4", "given twice");
    expect_refused("", "sparsity=1,2", "--fix takes one value");
    expect_refused("split=0.5,1", "", "the host computes all");
    expect_refused("fields=4,32", "intensity=0.1", "take at least");
    expect_refused("objects=1000..100000000", "", "no steps lead");
    expect_refused("placement=device,texture", "",
                   "no placement is called 'texture'; there are device, host, fine");
    expect_refused("placement=host placement=device", "", "given twice");
    expect_refused("layout=aos", "layout=soa", "given twice");
    expect_refused("", "layout=aos,soa", "--fix takes one value");
    expect_refused("layout=aos,soap", "", "layout=soap: expected a layout: 'aos', 'soa'");
    expect_refused("fields=4,8 layout={f0,f1}{f2,f3,result}", "", "'fields=8': layout={f0,f1}");
}

static void test_lines(void **state) {
    (void)state;
    asked a;
    ask(&a, "", "type=double group=64");
    assert_int_equal(a.status, HD_OK);
    assert_int_equal(a.plan.line_count, HD_DIMENSIONS - 2);
    for (uint32_t l = 0; l < a.plan.line_count; l++) {
        bool has_base = false; /* each line goes through the point that all share */
        for (uint32_t v = 0; v < a.plan.lines[l].count; v++) {
            hd_micro_point point = hd_plan_point(&a.plan.lines[l], v);
            has_base = has_base || hd_micro_equal(&point, &a.plan.base);
            assert_true(point.value[HD_DIM_TYPE] == HD_MICRO_DOUBLE);
            assert_true(point.value[HD_DIM_GROUP] == 64);
        }
        assert_true(has_base);
    }
    hd_arena_free(a.arena);
    ask(&a, "layout=aos,{f0,f1}{f2,f3,result},aos", ""); /* usual values that have these layouts */
    assert_int_equal(a.status, HD_OK);
    assert_int_equal(a.plan.layout_count, 2);
    for (uint32_t l = 0; l < a.plan.line_count; l++)
        if (a.plan.lines[l].dimension == HD_DIM_FIELDS)
            assert_true(a.plan.lines[l].count == 1 && a.plan.lines[l].values[0] == 4);
    hd_arena_free(a.arena);
    ask(&a, "sparsity=1,2,4 intensity=1,2 layout=aos,{f0,f1}{f2,f3,result}:4 placement=host", "");
    assert_int_equal(a.status, HD_OK);
    assert_int_equal(a.plan.line_count, 3);
    assert_int_equal(a.plan.layout_count, 2);
    assert_string_equal(a.plan.layouts[1], "{f0,f1}{f2,f3,result}:4");
    assert_int_equal(a.plan.placements, 1 << HD_PLACEMENT_HOST);
    for (uint32_t l = 0; l < 3; l++) {
        assert_int_equal(a.plan.lines[l].dimension, HD_DIM_INTENSITY);
        assert_int_equal(a.plan.lines[l].count, 2);
        assert_true(a.plan.lines[l].base.value[HD_DIM_SPARSITY] == 1 << l);
    }
    hd_arena_free(a.arena);
}

/* ---- within what a device can run ---------------------------------------------------------- */

typedef struct bounded {
    hd_explore_range range;
    const char *vary, *fix;
    const char *says; /* of it; "": nothing */
    hd_status status;
    int dimension; /* whose line is looked at, where the plan is not refused, */
    double first, last;
    uint32_t count; /* and its values */
} bounded;

static void test_bounded(void **state) {
    enum { KIB = 1024, MIB = KIB * KIB };
    static const bounded cases[] = {
        /* Nothing is known, nothing is bounded. */
        {{0}, "", "", "", HD_OK, HD_DIM_GROUP, 32, 1024, 6},
        {{0}, "", "", "", HD_OK, HD_DIM_OBJECTS, 1 << 12, 1 << 20, 5},
        {{.most_threads = 1024}, "", "", "", HD_OK, HD_DIM_GROUP, 32, 1024, 6},
        {{.most_threads = 256},
         "",
         "",
         "group=512,1024 is left out: a block has at most 256 threads on toy",
         HD_OK,
         HD_DIM_GROUP,
         32,
         256,
         4},
        {{.most_threads = 256}, "group=32..512", "", "'group=512': a block", HD_EINPUT},
        {{.most_threads = 256}, "sparsity=1,2", "group=512", "group=512", HD_EINPUT},
        {{.most_threads = 128}, "", "", "'usual': a block has at most 128 threads", HD_EINPUT},
        {{.most_threads = 128}, "", "group=64", "", HD_OK, HD_DIM_SPARSITY, 1, 64, 7},
        /* 2^20 objects of 20 bytes are 20 MiB. */
        {{.problem = 20 * MIB},
         "",
         "",
         "fields=32 is left out: in aos it takes 33 MiB",
         HD_OK,
         HD_DIM_OBJECTS,
         1 << 12,
         1 << 20,
         5},
        {{.problem = 20 * MIB - 1},
         "",
         "",
         "objects=1048576 is left out: in aos it takes 20 MiB",
         HD_OK,
         HD_DIM_OBJECTS,
         1 << 12,
         1 << 18,
         4},
        {{.problem = 20 * MIB - 1},
         "objects=4096,1048576",
         "",
         "'objects=1048576': in aos it",
         HD_EINPUT},
        {{.problem = 20 * MIB - 1},
         "",
         "objects=1048576",
         "'objects=1048576': in aos it",
         HD_EINPUT},
        /* With an index for each object 24 MiB. */
        {{.problem = 24 * MIB},
         "objects=1048576",
         "indirect=32",
         "",
         HD_OK,
         HD_DIM_OBJECTS,
         1 << 20,
         1 << 20,
         1},
        {{.problem = 24 * MIB - 1}, "objects=1048576", "indirect=32", "it takes 24 MiB", HD_EINPUT},
        /* The 26 bytes of four types are padded to 32 in structs. */
        {{.problem = 26 * MIB},
         "objects=1048576 layout=soa",
         "type=mixed",
         "",
         HD_OK,
         HD_DIM_OBJECTS,
         1 << 20,
         1 << 20,
         1},
        {{.problem = 26 * MIB},
         "objects=1048576 layout=aos",
         "type=mixed",
         "in aos it takes 32 MiB",
         HD_EINPUT},
        /* Arrays of their own are smaller buffers, of 4 MiB each. */
        {{.allocation = 4 * MIB},
         "objects=1048576 layout=da",
         "",
         "",
         HD_OK,
         HD_DIM_OBJECTS,
         1 << 20,
         1 << 20,
         1},
        {{.allocation = 4 * MIB - 1},
         "objects=1048576 layout=da",
         "",
         "in da a buffer takes 4 MiB",
         HD_EINPUT},
        {{.allocation = 4 * MIB},
         "objects=1048576 layout=da,soa",
         "",
         "in soa a buffer takes 20 MiB, and the largest one on toy has 4 MiB",
         HD_EINPUT},
        /* Tiles of 4096 objects pad 32 of them. */
        {{.problem = 32 * 20},
         "objects=32 layout=aos",
         "group=32",
         "",
         HD_OK,
         HD_DIM_OBJECTS,
         32,
         32,
         1},
        {{.problem = 32 * 20},
         "objects=32 layout=aosoa:4096",
         "group=32",
         "in aosoa:4096 it takes",
         HD_EINPUT},
        /* 20 MiB are twice 10 MiB; more than that takes more objects, up to 2^22 of them. */
        {{.cache = 10 * MIB}, "", "", "", HD_OK, HD_DIM_OBJECTS, 1 << 12, 1 << 20, 5},
        {{.cache = 10 * MIB + 1}, "", "", "", HD_OK, HD_DIM_OBJECTS, 1 << 12, 1 << 22, 6},
        {{.cache = KIB * (uint64_t)MIB}, "", "", "", HD_OK, HD_DIM_OBJECTS, 1 << 12, 1 << 22, 6},
        {{.cache = 20 * MIB}, "", "type=double", "", HD_OK, HD_DIM_OBJECTS, 1 << 12, 1 << 20, 5},
        {{.cache = 10 * MIB + 1}, "objects=32,64", "", "", HD_OK, HD_DIM_OBJECTS, 32, 64, 2},
        {{.cache = KIB * (uint64_t)MIB, .problem = 64 * MIB},
         "",
         "",
         "objects=4194304 is left out",
         HD_OK,
         HD_DIM_OBJECTS,
         1 << 12,
         1 << 20,
         5},
    };
    (void)state;
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        const bounded *b = &cases[c];
        asked a;
        ask(&a, b->vary, b->fix);
        const hd_diag diag = {keep, &a.said};
        if (a.status != HD_OK)
            fail_msg("case %zu: %s", c, a.said.text);
        hd_status status = hd_plan_bound(a.arena, &diag, "toy", &b->range, &a.plan);
        if (status != b->status || !strstr(a.said.text, b->says) || (!*b->says && *a.said.text))
            fail_msg("case %zu: status %d, '%s'", c, (int)status, a.said.text);
        const hd_plan_line *line = NULL;
        for (uint32_t l = 0; l < a.plan.line_count && status == HD_OK; l++)
            if (a.plan.lines[l].dimension == b->dimension)
                line = &a.plan.lines[l];
        if (line && (line->count != b->count || line->values[0] != b->first ||
                     line->values[line->count - 1] != b->last))
            fail_msg("case %zu: %u values from %g to %g", c, line->count, line->values[0],
                     line->values[line->count - 1]);
        assert_true(line || status != HD_OK);
        hd_arena_free(a.arena);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_values),
                                       cmocka_unit_test(test_refused), cmocka_unit_test(test_lines),
                                       cmocka_unit_test(test_bounded)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
