/* Layout graphs: the figures of Kofler et al., and loops by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "model/layout_graph.h"
#include "oracle/normal_layout.h"
#include "support.h"

/* ---- helpers ------------------------------------------------------------------------- */

static const char *const fields = "struct T { float a, b, c; double d; };\n";

/* A sample with one launch of kernel k, which has a buffer `t` of T, `w` of int and n = 8. */
static void open_kernel(hd_sample *s, const char *body) {
    hd_arena *text = hd_arena_new();
    hd_sample_open(s,
                   hd_format(text,
                             "%s__kernel void k(__global struct T *t, __global int *w, int n) {\n"
                             "  int id = get_global_id(0);\n%s\n}\n",
                             fields, body),
                   "kernel: kernel.cl\nrecord: T\nbuffers:\n"
                   "  - {name: t, type: T, count: 4096}\n  - {name: w, type: int, count: 4096}\n"
                   "launches:\n  - {kernel: k, global: [1024], local: [64], args: [{name: t, "
                   "buffer: t}, {name: w, buffer: w}, {name: n, value: 8}]}\n");
    hd_arena_free(text);
}

static hd_layout_graph *graph_of(hd_sample *s) {
    hd_layout_graph *graph;
    assert_int_equal(hd_layout_graph_make(s->arena, &s->diag, s->job, &graph), HD_OK);
    return graph;
}

static void assert_distance(const hd_layout_graph *g, const char *a, const char *b,
                            uint64_t bytes) {
    uint32_t x = (uint32_t)hd_record_find(g->record, a), y = (uint32_t)hd_record_find(g->record, b);
    if (hd_layout_distance(g, x, y) != bytes)
        fail_msg("from %s to %s: %llu bytes, not %llu", a, b,
                 (unsigned long long)hd_layout_distance(g, x, y), (unsigned long long)bytes);
    assert_int_equal(hd_layout_distance(g, y, x), bytes);
}

typedef struct edge {
    const char *a, *b;
    uint64_t bytes;
} edge;

static void check_kernel(const char *body, const edge *edges, size_t count) {
    hd_sample s;
    open_kernel(&s, body);
    const hd_layout_graph *g = graph_of(&s);
    for (size_t i = 0; i < count; i++)
        assert_distance(g, edges[i].a, edges[i].b, edges[i].bytes);
    hd_sample_close(&s);
}
#define CHECK(body, ...)                                             \
    check_kernel(body, (const edge[]){__VA_ARGS__},                  \
                 sizeof((const edge[]){__VA_ARGS__}) / sizeof(edge))

/* ---- the document ----------------------------------------------------------------------- */

static const char *const figure_2 = "  double sum = 0;\n"
                                    "  for (int i = id; i < id + 32; i++)\n"
                                    "    sum += t[i].a * t[i].b;\n"
                                    "  t[id].c = sum;\n";

static void figure_two(void **state) {
    (void)state;
    CHECK(figure_2, {"a", "b", 4}, {"b", "c", 252}, {"a", "c", 256}, {"a", "d", HD_UNREACHABLE},
          {"b", "d", HD_UNREACHABLE}, {"c", "d", HD_UNREACHABLE});
}

static void figure_three(void **state) {
    (void)state;
    static const struct {
        uint64_t epsilon;
        const char *layout;
    } cases[] = {{0, "{a}{b}{c}{d}"},           {4, "{a}{b}{c}{d}"},  {5, "{a,b}{c}{d}"},
                 {64, "{a,b}{c}{d}"},           {252, "{a,b}{c}{d}"}, {253, "{a,b,c}{d}"},
                 {256, "{a,b,c}{d}"},           {257, "{a,b,c}{d}"},  {HD_FARTHEST, "{a,b,c}{d}"},
                 {HD_UNREACHABLE, "{a,b,c}{d}"}};
    hd_sample s;
    open_kernel(&s, figure_2);
    const hd_layout_graph *g = graph_of(&s);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        hd_layout *want, *split = hd_layout_graph_split(s.arena, g, cases[i].epsilon);
        assert_int_equal(hd_layout_parse(s.arena, &s.diag, g->record, cases[i].layout, &want),
                         HD_OK);
        assert_true(hd_layout_equal(split, normal_layout(s.arena, want)));
    }
    assert_int_equal(g->reached, 7);
    hd_sample_close(&s);
}

/* ---- loops by hand ------------------------------------------------------------------------ */

static void loops_by_hand(void **state) {
    (void)state;
    /* The first b has 3 more behind it, two iterations of 20 bytes, and c. */
    CHECK("  for (int i = 0; i < 3; i++) {\n    t[i].a = 1;\n"
          "    for (int j = 0; j < 4; j++)\n      t[j].b = i;\n  }\n  t[id].c = 2;",
          {"a", "b", 16}, {"b", "c", 12 + 40 + 4}, {"a", "c", 16 + 40 + 4});
    /* A loop between two accesses, and one inside that. */
    CHECK("  t[id].a = 1;\n  for (int i = 0; i < 10; i++)\n    for (int j = 0; j < 5; j++)\n"
          "      w[j] = i;\n  t[id].b = 1;",
          {"a", "b", 204});
    /* To the last iteration: 7 other a, then a. */
    CHECK("  t[id].d = 1;\n  for (int i = 0; i < n; i++)\n    t[i].a = 1;", {"a", "d", 32});
    /* The loop around both is not unrolled, the others are. */
    CHECK("  for (int i = 0; i < 100; i++) {\n    for (int j = 0; j < 4; j++)\n      t[j].a = i;\n"
          "    t[i].d = 1;\n    for (int j = 0; j < 6; j++)\n      t[j].b = i;\n  }",
          {"a", "b", 12 + 8 + 24}, {"a", "d", 24 + 16}, {"b", "d", 20 + 16 + 8});
    /* A test at the end of the body. */
    CHECK("  int i = 0;\n  do\n    t[i].a = 1;\n  while (++i < 6);\n  t[id].b = 2;",
          {"a", "b", 24});
    /* A test at the start that touches memory runs once more than the body. */
    CHECK("  for (int i = 0; w[i], i < 6; i++)\n    t[i].a = 1;\n  t[id].b = 2;",
          {"a", "b", 5 * 4 + 4});
}

static void loops_of_any_length(void **state) {
    (void)state;
    CHECK("  for (long i = 0; i < 1L << 40; i++) {\n    t[i & 7].a = 1;\n    t[i & 7].b = 1;\n  }\n"
          "  t[id].c = 2;",
          {"a", "b", 4}, {"a", "c", ((uint64_t)1 << 43)}, {"b", "c", ((uint64_t)1 << 43) - 4});
    CHECK("  for (long i = 0; i < 1L << 40; i++)\n    for (long j = 0; j < 1L << 40; j++)\n"
          "      t[i & j & 7].a = 1;\n  t[id].c = 2;",
          {"a", "c", HD_FARTHEST});
    /* Not known: 512,000 iterations; each but the last ends in w. */
    CHECK("  int i = 0;\n  while (w[id + i] != 3) {\n    t[i].a = 1;\n    i = w[i];\n  }\n"
          "  t[id].b = 2;",
          {"a", "b", 4 + 511998ull * 12 + 4 + 4});
    /* Never runs: a is not reached. */
    CHECK("  for (int i = 8; i < n; i++)\n    t[i].a = 1;\n  t[id].b = 1;\n  t[id].c = 2;",
          {"a", "b", HD_UNREACHABLE}, {"b", "c", 4});
    /* A way out in the middle is taken in the last iteration. */
    CHECK("  for (int i = 0; i < 8; i++) {\n    t[i].a = 1;\n    if (w[i] == 3)\n      break;\n"
          "    t[i].b = 1;\n  }\n  t[id].c = 2;",
          {"a", "b", 8}, {"a", "c", 8 + 6 * 12 + 8 + 4}, {"b", "c", 6 * 12 + 8 + 4});
}

static void branches(void **state) {
    (void)state;
    CHECK("  t[id].a = 1;\n  if (n > w[0]) {\n    w[1] = 1;\n    w[2] = 2;\n  } else\n"
          "    w[3] = 1;\n  t[id].b = 1;",
          {"a", "b", 4 + 4 + 4});
    CHECK("  if (n > w[0])\n    t[id].a = 1;\n  else\n    t[id].b = 1;\n",
          {"a", "b", HD_UNREACHABLE});
    CHECK("  if (n > w[0]) {\n    t[id].a = 1;\n    t[id].b = 1;\n  } else {\n    t[id].b = 2;\n"
          "    w[1] = 2;\n    t[id].a = 2;\n  }\n",
          {"a", "b", 8});
    CHECK("  t[id].a = 1;\n  if (n > w[0])\n    return;\n  t[id].b = 2;", {"a", "b", 8});
}

static void only_global_memory_counts(void **state) {
    (void)state;
    CHECK("  __local int there[64];\n  int own[8];\n  t[id].a = 1;\n  there[id & 63] = n;\n"
          "  own[w[0] & 7] = n;\n  t[id].b = there[0] + own[w[1] & 7];",
          {"a", "b", 12});
}

/* A whole record is an access to each of its fields; an access that may reach any of them
 * is one to all. */
static void wide_accesses(void **state) {
    (void)state;
    CHECK("  t[id] = t[id + 64];", {"a", "b", 24}, {"a", "d", 36}, {"c", "d", 28});
    CHECK("  ((__global float *)t)[id * n + w[0]] = 1;", {"a", "b", 0}, {"a", "d", 0});
    CHECK("  t[id].a = 1;\n  w[0] = 1;\n  ((__global float *)t)[id * n + 1] = 1;", {"a", "b", 8},
          {"b", "d", 0});
}

/* ---- records taken apart --------------------------------------------------------------------- */

static void parts_of_fields(void **state) {
    (void)state;
    hd_sample s;
    hd_sample_read(&s, "tests/model/jobs/parts-of-fields.yaml");
    const hd_layout_graph *g = graph_of(&s);
    assert_int_equal(g->record->field_count, 4);
    assert_distance(g, "d[0]", "d[1]", 0);
    assert_distance(g, "d[0]", "d[2]", 0);
    assert_distance(g, "d[2]", "e", 4);
    assert_int_equal(g->reached, 15);
    hd_sample_close(&s);
}

/* ---- several launches ------------------------------------------------------------------------ */

static const char *const three = "__kernel void near(__global struct T *t) {\n"
                                 "  int id = get_global_id(0);\n  t[id].a = 1;\n  t[id].b = 1;\n}\n"
                                 "__kernel void far(__global struct T *t) {\n"
                                 "  int id = get_global_id(0);\n  t[id].a = 1;\n  t[id].d = 1;\n"
                                 "  t[id].b = 1;\n}\n"
                                 "__kernel void alone(__global struct T *t) {\n"
                                 "  t[get_global_id(0)].a = 1;\n}\n"
                                 "__kernel void other(__global struct T *t) {\n"
                                 "  t[get_global_id(0)].c = 1;\n}\n";

static void check_launches(const char *launches, uint64_t a_to_b) {
    hd_sample s;
    hd_arena *text = hd_arena_new();
    hd_sample_open(&s, hd_format(text, "%s%s", fields, three),
                   hd_format(text,
                             "kernel: kernel.cl\nbuffers:\n"
                             "  - {name: t, type: T, count: 4096}\nlaunches:\n%s",
                             launches));
    const hd_layout_graph *g = graph_of(&s);
    assert_distance(g, "a", "b", a_to_b);
    assert_distance(g, "c", "d", HD_UNREACHABLE);
    hd_sample_close(&s);
    hd_arena_free(text);
}
#define LAUNCH(kernel, size, repeat)                                               \
    "  - {kernel: " #kernel ", global: [" #size "], local: [64], repeat: " #repeat \
    ", args: [{name: t, buffer: t}]}\n"

static void several_launches(void **state) {
    (void)state;
    check_launches(LAUNCH(near, 64, 1), 4);
    check_launches(LAUNCH(near, 64, 1) LAUNCH(other, 4096, 9), 4);
    check_launches(LAUNCH(far, 64, 3) LAUNCH(near, 128, 1), 12);
    check_launches(LAUNCH(far, 64, 3) LAUNCH(near, 128, 2), 4);
    check_launches(LAUNCH(far, 64, 2) LAUNCH(near, 128, 1), 12); /* even: the farther */
    check_launches(LAUNCH(near, 64, 1) LAUNCH(alone, 64, 1), HD_UNREACHABLE);
    check_launches(LAUNCH(near, 64, 1) LAUNCH(alone, 64, 1) LAUNCH(near, 64, 1), 4);
    check_launches(LAUNCH(near, 64, 1) LAUNCH(alone, 64, 1) LAUNCH(far, 64, 1), 12);
}

static void no_record(void **state) {
    (void)state;
    hd_sample s;
    hd_sample_open(&s, "__kernel void k(__global int *w) { w[get_global_id(0)] = 1; }\n",
                   "kernel: kernel.cl\nbuffers:\n  - {name: w, type: int, count: 64}\nlaunches:\n"
                   "  - {kernel: k, global: [64], args: [{name: w, buffer: w}]}\n");
    hd_layout_graph *graph;
    assert_int_equal(hd_layout_graph_make(s.arena, NULL, s.job, &graph), HD_EINPUT);
    hd_sample_close(&s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(figure_two),       cmocka_unit_test(figure_three),
        cmocka_unit_test(loops_by_hand),    cmocka_unit_test(loops_of_any_length),
        cmocka_unit_test(branches),         cmocka_unit_test(only_global_memory_counts),
        cmocka_unit_test(wide_accesses),    cmocka_unit_test(parts_of_fields),
        cmocka_unit_test(several_launches), cmocka_unit_test(no_record),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
