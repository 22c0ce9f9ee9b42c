/*
 * Launches, loops, records and profiles at the edges of what there is: the price
 * stays finite and right.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "model/cost.h"
#include "support.h"

static const char *const kernels = "tests/model/jobs/edges.cl";

static void open_launch(hd_sample *s, const char *name, const char *sizes, const char *args) {
    hd_arena *text = hd_arena_new();
    hd_sample_open(s, source_text(text, kernels),
                   hd_format(text,
                             "kernel: kernel.cl\nrecord: r\nbuffers:\n"
                             "  - {name: p, type: r, count: 65536}\n"
                             "  - {name: q, type: r, count: 65536}\n"
                             "  - {name: w, type: int, count: 65536}\nlaunches:\n"
                             "  - {kernel: %s, %s, args: [{name: p, buffer: p}%s]}\n",
                             name, sizes, args));
    hd_arena_free(text);
}

static hd_cost_model *model_of(hd_sample *s, const char *device_name) {
    const hd_device *device;
    hd_cost_model *model;
    hd_cost_options options = {.loops = HD_LOOPS_PENG};
    assert_int_equal(hd_device_find(s->arena, &s->diag, device_name, &device), HD_OK);
    assert_int_equal(hd_cost_model_make(s->arena, &s->diag, s->job, device, &options, &model),
                     HD_OK);
    return model;
}

typedef struct priced_lines {
    hd_cost_line *data;
    size_t count;
    hd_cost_vector sum;
} priced_lines;

static priced_lines lines_of(hd_sample *s, const char *device) {
    priced_lines l;
    l.sum = hd_cost_of_layout(s->arena, model_of(s, device),
                              hd_layout_aos(s->arena, s->job->record), &l.data, &l.count);
    return l;
}

static const hd_cost_line *line_of(const priced_lines *l, hd_access_kind kind,
                                   uint32_t buffer_line) {
    for (size_t i = 0; i < l->count; i++)
        if (l->data[i].access->kind == kind && l->data[i].access->line == buffer_line)
            return &l->data[i];
    fail_msg("no such access at line %u", buffer_line);
    return NULL;
}

static void assert_finite(const hd_cost_vector *cost) {
    for (int d = 0; d <= HD_MAX_DEGREE; d++)
        assert_true(isfinite(cost->v[d]) && cost->v[d] >= 0);
}

static const char *const warp_32 =
    "warp:32 l1:48k/128 l2:768k/32 w:1,30,100 blocks:8 threads:2048 regs:65536";
static const char *const warp_64 =
    "warp:64 l1:16k/64 l2:768k/64 w:1,30,100 blocks:8 threads:2560 regs:65536 segment:64";

/* Each thread writes 4 bytes of its own element of 12 bytes. */
static void launches_of_every_form(void **state) {
    (void)state;
    static const struct {
        const char *sizes, *device;
        double warps, transactions; /* segments of all warps, counted by hand */
    } cases[] = {
        {"global: [1], local: [1]", warp_32, 1, 1},
        {"global: [48], local: [48]", warp_32, 2, 5},  /* lanes 0-31, 32-47: 3 + 2 */
        {"global: [96], local: [48]", warp_32, 4, 11}, /* the second block: 3 + 3 */
        {"global: [128], local: [64]", warp_64, 2, 24},
        {"global: [40, 3], local: [40, 3]", warp_32, 4, 12}, /* 120 lanes in a row: 3 each */
        {"global: [4, 4, 4], local: [4, 4, 4]", warp_32, 2, 6},
        {"global: [4, 4, 4], local: [2, 2, 2]", warp_32, 8, 22},
        {"global: [64], local: [1]", warp_32, 64, 64},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        hd_sample s;
        open_launch(&s, "own", cases[i].sizes, "");
        priced_lines l = lines_of(&s, cases[i].device);
        assert_int_equal(l.count, 1);
        assert_true(l.data[0].executions == cases[i].warps);
        assert_true(fabs(l.data[0].transactions * cases[i].warps - cases[i].transactions) < 1e-9);
        assert_true(fabs(l.sum.v[0] - 100 * cases[i].transactions) < 1e-6);
        hd_sample_close(&s);
    }
}

static void loops_that_never_run(void **state) {
    (void)state;
    hd_sample s;
    open_launch(&s, "times", "global: [256], local: [64]", ", {name: n, value: 0}");
    priced_lines l = lines_of(&s, warp_32);
    assert_true(l.count > 0);
    assert_finite(&l.sum);
    assert_true(l.sum.v[0] == 0 && hd_cost_degree(&l.sum) == 0);
    for (size_t i = 0; i < l.count; i++) {
        assert_true(l.data[i].executions == 0);
        assert_true(l.data[i].l1 == 0 && l.data[i].transactions == 0);
        assert_non_null(
            strstr(hd_cost_explain(s.arena, hd_cost_device(model_of(&s, warp_32)), &l.data[i]),
                   "never runs"));
    }
    assert_true(hd_cost_ratio(&l.sum, &l.sum) == 1);
    hd_sample_close(&s);
}

/* Behind a loop that lanes leave one by one each has a counter of its own. */
static void counters_behind_a_loop(void **state) {
    (void)state;
    hd_sample s;
    open_launch(&s, "found", "global: [256], local: [64]", ", {name: w, buffer: w}");
    priced_lines l = lines_of(&s, warp_32);
    assert_true(line_of(&l, HD_STORE, 13)->irregular);
    assert_true(line_of(&l, HD_STORE, 13)->transactions == 32);
    hd_sample_close(&s);
    open_launch(&s, "alike", "global: [256], local: [64]", ", {name: w, buffer: w}");
    l = lines_of(&s, warp_32);
    assert_false(line_of(&l, HD_STORE, 18)->irregular);
    assert_true(line_of(&l, HD_STORE, 18)->transactions == 1);
    hd_sample_close(&s);
}

/* A loop with two ways back, which lanes take differently. */
static void counters_that_part_inside(void **state) {
    (void)state;
    hd_sample s;
    open_launch(&s, "turns", "global: [256], local: [64]",
                ", {name: w, buffer: w}, {name: n, value: 100}");
    priced_lines l = lines_of(&s, warp_32);
    assert_true(line_of(&l, HD_STORE, 24)->irregular);
    hd_sample_close(&s);
}

static void deep_nests(void **state) {
    (void)state;
    hd_sample s;
    open_launch(&s, "nest", "global: [256], local: [64]", ", {name: w, buffer: w}");
    priced_lines l = lines_of(&s, warp_32);
    assert_finite(&l.sum);
    assert_int_equal(hd_cost_degree(&l.sum), HD_MAX_DEGREE);
    assert_true(l.sum.v[0] > 0);
    hd_sample_close(&s);
}

/* Without caches every transaction comes from memory. */
static void no_caches(void **state) {
    (void)state;
    hd_sample s;
    open_launch(&s, "times", "global: [256], local: [64]", ", {name: n, value: 50}");
    priced_lines l = lines_of(&s, "geforce-gtx285");
    double sum = 0;
    for (size_t i = 0; i < l.count; i++) {
        assert_true(l.data[i].l1 == 0 && l.data[i].l2 == 0);
        sum += l.data[i].executions * l.data[i].transactions * 100;
    }
    assert_true(sum > 0 && fabs(sum - l.sum.v[0]) < 1e-6 * sum);
    hd_sample_close(&s);
}

/* Bytes of no field cost the same in every layout. */
static void bytes_of_no_field(void **state) {
    (void)state;
    hd_sample s;
    open_launch(&s, "bytes", "global: [256], local: [64]", "");
    priced_lines l = lines_of(&s, warp_32);
    assert_finite(&l.sum);
    for (size_t i = 0; i < l.count; i++)
        assert_true(l.data[i].transactions >= 1 && l.data[i].transactions <= 32);
    hd_cost_vector soa = hd_cost_of_layout(s.arena, model_of(&s, warp_32),
                                           hd_layout_soa(s.arena, s.job->record), NULL, NULL);
    assert_finite(&soa);
    hd_sample_close(&s);
}

/* A job costs what its launches cost: each starts with empty caches. */
static void launches_add_up(void **state) {
    (void)state;
    static const char *const launches[] = {
        "  - {kernel: own, global: [1024], local: [64], args: [{name: p, buffer: p}]}\n",
        "  - {kernel: own, global: [1024], local: [64], repeat: 3, args: [{name: p, buffer: q}]}\n",
        "  - {kernel: times, global: [512], local: [128], args: [{name: p, buffer: q}, "
        "{name: n, value: 9}]}\n"};
    const char *head = "kernel: kernel.cl\nbuffers:\n  - {name: p, type: r, count: 65536}\n"
                       "  - {name: q, type: r, count: 32768}\nlaunches:\n";
    hd_arena *text = hd_arena_new();
    hd_str all = {.arena = text};
    double sum = 0;
    hd_str_add(&all, head);
    for (int i = 0; i < 3; i++) {
        hd_sample s;
        hd_sample_open(&s, source_text(text, kernels), hd_format(text, "%s%s", head, launches[i]));
        priced_lines l = lines_of(&s, warp_32);
        sum += l.sum.v[0];
        hd_sample_close(&s);
        hd_str_add(&all, launches[i]);
    }
    hd_sample s;
    hd_sample_open(&s, source_text(text, kernels), all.data);
    priced_lines l = lines_of(&s, warp_32);
    assert_true(fabs(l.sum.v[0] - sum) < 1e-6 * sum);
    hd_sample_close(&s);
    hd_arena_free(text);
}

static void count_message(const hd_message *m, void *user) {
    if (strstr(m->text, "not in the cost") || strstr(m->text, "counted"))
        ++*(uint32_t *)user;
}

/* A pointer into one of two buffers: said, once for all launches of the kernel. */
static void accesses_left_out_are_named(void **state) {
    (void)state;
    hd_sample s;
    open_launch(&s, "either", "global: [256], local: [64], repeat: 2",
                ", {name: q, buffer: q}, {name: n, value: 5}");
    uint32_t messages = 0;
    s.diag = (hd_diag){count_message, &messages};
    model_of(&s, warp_32);
    assert_int_equal(messages, 1);
    hd_sample_close(&s);
}

static void profiles_that_are_refused(void **state) {
    (void)state;
    static const char *const devices[] = {
        "warp:128 l1:48k/128 l2:768k/32 w:1,30,100 blocks:8 threads:2048 regs:65536",
        "warp:32 l1:48k/1024 l2:768k/32 w:1,30,100 blocks:8 threads:2048 regs:65536",
        "warp:32 l1:0 l2:0 w:1,30,100 blocks:8 threads:2048 regs:65536 segment:4096"};
    hd_sample s;
    open_launch(&s, "own", "global: [256], local: [64]", "");
    for (int i = 0; i < 3; i++) {
        const hd_device *device;
        hd_cost_model *model;
        hd_cost_options options = {.loops = HD_LOOPS_PENG};
        uint32_t messages = 0;
        hd_diag diag = {count_message, &messages};
        assert_int_equal(hd_device_find(s.arena, &s.diag, devices[i], &device), HD_OK);
        assert_int_equal(hd_cost_model_make(s.arena, &diag, s.job, device, &options, &model),
                         HD_EUNSUPPORTED);
        assert_int_equal(messages, 1);
    }
    hd_sample_close(&s);
}

static void blocks_that_are_refused(void **state) {
    (void)state;
    static const char *const sizes[] = {"global: [1073741824], local: [1073741824]",
                                        "global: [4096, 4096], local: [4096, 4096]"};
    for (int i = 0; i < 2; i++) {
        hd_sample s;
        open_launch(&s, "own", sizes[i], "");
        const hd_device *device;
        hd_cost_model *model;
        hd_cost_options options = {.loops = HD_LOOPS_PENG};
        hd_diag silent = {NULL, NULL};
        assert_int_equal(hd_device_find(s.arena, &s.diag, warp_32, &device), HD_OK);
        assert_int_equal(hd_cost_model_make(s.arena, &silent, s.job, device, &options, &model),
                         HD_EINPUT);
        hd_sample_close(&s);
    }
}

/* Loops that lanes leave one by one; and what stands in a loop's test. */
static void runs_of_loops(void **state) {
    (void)state;
    hd_sample s;
    open_launch(&s, "stairs", "global: [256], local: [64]", ", {name: w, buffer: w}");
    priced_lines l = lines_of(&s, warp_32);
    assert_true(line_of(&l, HD_STORE, 49)->executions ==
                4); /* of one warp, with 4, 3, 2 and 1 lanes */
    assert_true(line_of(&l, HD_STORE, 49)->lanes == 2.5);
    assert_true(line_of(&l, HD_LOAD, 50)->executions == 8 * 21.0);
    assert_true(line_of(&l, HD_STORE, 50)->executions == 8 * 20.0);
    assert_true(line_of(&l, HD_LOAD, 51)->executions == 5 + 7); /* every warp asks once */
    assert_true(line_of(&l, HD_STORE, 51)->executions == 4);
    assert_true(line_of(&l, HD_STORE, 53)->executions == 8 * 6);
    assert_true(line_of(&l, HD_STORE, 53)->lanes < 32);
    assert_int_equal(hd_cost_degree(&l.sum), 0);
    hd_sample_close(&s);
}

/* Vectors that overlap, loaded from every place of an array field: the bound of the
 * field is below its price all the same. */
static void bounds_of_overlapping_vectors(void **state) {
    (void)state;
    hd_sample s;
    hd_sample_read(&s, "tests/model/jobs/overlapping-vectors.yaml");
    hd_cost_model *model = model_of(&s, warp_32);
    hd_cost_vector least = hd_field_bound(model, 0);
    hd_cost_vector alone = hd_cluster_price(model, 1, HD_TILE_AOS, 0);
    assert_true(least.v[0] > 0);
    assert_true(least.v[0] <= alone.v[0]);
    hd_sample_close(&s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(launches_of_every_form),
        cmocka_unit_test(loops_that_never_run),
        cmocka_unit_test(counters_behind_a_loop),
        cmocka_unit_test(counters_that_part_inside),
        cmocka_unit_test(deep_nests),
        cmocka_unit_test(no_caches),
        cmocka_unit_test(bytes_of_no_field),
        cmocka_unit_test(launches_add_up),
        cmocka_unit_test(accesses_left_out_are_named),
        cmocka_unit_test(profiles_that_are_refused),
        cmocka_unit_test(blocks_that_are_refused),
        cmocka_unit_test(runs_of_loops),
        cmocka_unit_test(bounds_of_overlapping_vectors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
