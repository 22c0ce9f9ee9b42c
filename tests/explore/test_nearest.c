/*
 * The nearest micro-kernels: features of generated kernels are what was asked for, and those of a
 * slow twin that keeps every access; who is near, what they say and what is chosen, on studies that
 * are made up.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "advise/explore/micro.h"
#include "advise/explore/decision_rules.h"
#include "machine/vm.h"

static void print(const hd_message *message, void *user) {
    (void)user;
    fprintf(stderr, "%s\n", message->text);
}
static const hd_diag diag = {print, NULL};

static void assert_near(double is, double expected, double apart) {
    if (!(fabs(is - expected) <= apart))
        fail_msg("%.12g, and %.12g expected", is, expected);
}

typedef struct scene {
    hd_arena *arena;
    const hd_device *device;
    hd_micro_folder folder;
    char *path;
    hd_vec(hd_explored) all;
    uint64_t random;
} scene;

static int begin(void **state) {
    scene *s = hd_zeroed(1, sizeof *s);
    s->arena = hd_arena_new();
    assert_int_equal(hd_device_find(s->arena, &diag, "v100", &s->device), HD_OK);
    assert_int_equal(hd_scratch_make(s->arena, &diag, &s->path), HD_OK);
    s->folder =
        (hd_micro_folder){.arena = s->arena, .diag = &diag, .path = s->path, .backend = "opencl"};
    *state = s;
    return 0;
}

static int end(void **state) {
    scene *s = *state;
    hd_scratch_remove(s->path);
    hd_arena_free(s->arena);
    free(s);
    return 0;
}

/* ---- features: a slow twin --------------------------------------------------------------------- */

/* An access of a lane to the objects. */
typedef struct kept {
    uint64_t request, element;
    uint32_t byte, width;
    bool is_read;
} kept;

typedef struct keeper {
    hd_arena *arena;
    const hd_event_launch *launch;
    const hd_device *device;
    uint64_t requests, threads, bytes, bytes_read;
    hd_vec(kept) all;
} keeper;

static hd_status keep_launch(void *self, const hd_event_launch *launch) {
    keeper *k = self;
    k->launch = launch;
    k->threads = launch->block_count * launch->block_threads;
    return HD_OK;
}

static void *keep_block(void *self, uint64_t block) {
    (void)block;
    return self;
}

static void keep(void *self, const hd_event *e) {
    keeper *k = self;
    const hd_event_access *access = &k->launch->accesses[e->access];
    const hd_event_buffer *buffer = &k->launch->buffers[access->buffer];
    bool is_read = access->kind == HD_LOAD;
    for (uint32_t lane = 0; lane < e->threads; lane++) {
        uint64_t at = hd_event_address(e, lane) - buffer->base;
        k->requests += lane % k->device->warp == 0;
        if (!hd_event_active(e, lane))
            continue;
        k->bytes += access->width;
        k->bytes_read += is_read ? access->width : 0;
        if (buffer->record)
            hd_push(k->arena, &k->all,
                    (kept){k->requests, at / buffer->element_bytes,
                           (uint32_t)(at % buffer->element_bytes), access->width, is_read});
    }
}

/* Whether no access before `i` of the same request falls into its segment, were the field alone. */
static bool opens_segment(const keeper *k, size_t i) {
    const kept *a = &k->all.data[i];
    uint32_t segment = hd_device_segment_for(k->device, a->width);
    for (size_t j = i; j-- > 0 && k->all.data[j].request == a->request;)
        if (k->all.data[j].element * a->width / segment == a->element * a->width / segment)
            return false;
    return true;
}

static int by_number(const void *a, const void *b) {
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

static double count_different(hd_arena *arena, const keeper *k, bool elements) {
    uint64_t *numbers = hd_new_array(arena, uint64_t, k->all.count), count = 0;
    for (size_t i = 0; i < k->all.count; i++)
        numbers[i] = elements ? k->all.data[i].element : k->all.data[i].byte;
    qsort(numbers, k->all.count, sizeof *numbers, by_number);
    for (size_t i = 0; i < k->all.count; i++)
        count += !i || numbers[i] != numbers[i - 1];
    return (double)count;
}

static void check_against_twin(const scene *s, const hd_micro *micro, const hd_features *f) {
    hd_arena *arena = hd_arena_new();
    keeper k = {.arena = arena, .device = s->device};
    const hd_sink sink = {&k, keep_launch, keep_block, keep, NULL, NULL};
    const hd_vm_options options = {.workers = 1, .spaces = (uint32_t)1 << KIR_GLOBAL};
    hd_vm *vm;
    hd_vm_counts counts;
    assert_int_equal(hd_vm_open(arena, &diag, micro->job, NULL, &options, &vm), HD_OK);
    assert_int_equal(hd_vm_run(vm, 0, &sink, &counts), HD_OK);
    double segments = 0, least = 0, logs = 0, pairs = 0, operations = 0;
    for (size_t i = 0; i < k.all.count;) {
        size_t first = i;
        for (; i < k.all.count && k.all.data[i].request == k.all.data[first].request; i++) {
            segments += opens_segment(&k, i);
            if (i > first) {
                double most = ceil(4096.0 / micro->job->record->size);
                double apart =
                    fabs((double)k.all.data[i].element - (double)k.all.data[i - 1].element);
                logs += log2(apart > most ? most : apart > 0.5 ? apart : 0.5);
                pairs++;
            }
        }
        uint32_t width = k.all.data[first].width;
        least += ceil((double)((i - first) * width) / hd_device_segment_for(s->device, width));
    }
    for (int o = 0; o <= HD_OPERATION_FP64; o++)
        operations += (double)counts.operations[o];
    double fields = count_different(arena, &k, false), elements = count_different(arena, &k, true);
    assert_near(f->value[HD_FEATURE_DIVERGENCE], segments / least, 1e-9);
    assert_near(f->value[HD_FEATURE_SPARSITY], exp2(logs / pairs), 1e-6);
    assert_near(f->value[HD_FEATURE_INTENSITY], operations / (double)k.bytes, 1e-9);
    assert_near(f->value[HD_FEATURE_FIELDS], fields, 0);
    assert_near(f->value[HD_FEATURE_GRANULARITY],
                (double)k.all.count / ((double)k.threads * fields), 1e-9);
    assert_near(f->value[HD_FEATURE_READS], 0.5 + (double)k.bytes_read / (double)k.bytes / 2, 1e-9);
    assert_near(f->value[HD_FEATURE_COVERED], elements / (double)micro->job->buffers[0].count,
                1e-9);
    assert_near(f->value[HD_FEATURE_WORKING_SET],
                elements * f->value[HD_FEATURE_FIELD_BYTES] / (double)s->device->l2.size, 1e-9);
    hd_vm_close(vm);
    hd_arena_free(arena);
}

static hd_features features_of(scene *s, const char *text, uint64_t limit) {
    hd_arena *arena = hd_arena_new();
    hd_micro_point point;
    hd_micro micro;
    hd_features f;
    assert_true(hd_micro_parse(text, &point));
    assert_int_equal(hd_micro_load(arena, &s->folder, &point, &micro), HD_OK);
    assert_int_equal(hd_features_count(&diag, micro.job, s->device, limit, &f), HD_OK);
    if (!limit)
        check_against_twin(s, &micro, &f);
    hd_arena_free(arena);
    return f;
}

static void test_features(void **state) {
    static const struct {
        const char *point;
        int feature;
        double value;
    } cases[] = {{"objects=2048", HD_FEATURE_DIVERGENCE, 1},
                 {"objects=2048", HD_FEATURE_FIELD_BYTES, 20},
                 {"objects=2048", HD_FEATURE_LANES, 1},
                 {"objects=2048 sparsity=8", HD_FEATURE_SPARSITY, 8},
                 {"objects=2048 indirect=16", HD_FEATURE_DIVERGENCE, 4},
                 {"objects=8192 transposed=32", HD_FEATURE_DIVERGENCE, 8},
                 {"objects=2048 granularity=4", HD_FEATURE_GRANULARITY, 4},
                 {"objects=2048 aggregate=4", HD_FEATURE_USED, 0.25},
                 {"objects=2048 fields=8", HD_FEATURE_FIELDS, 9},
                 {"objects=2048 split=0.25", HD_FEATURE_COVERED, 0.75},
                 {"objects=2048 type=double", HD_FEATURE_FIELD_BYTES, 40}};
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        hd_features f = features_of(*state, cases[c].point, 0);
        if (fabs(f.value[cases[c].feature] - cases[c].value) > 0.05 * cases[c].value)
            fail_msg("%s: %s is %g", cases[c].point, hd_features_all[cases[c].feature].name,
                     f.value[cases[c].feature]);
    }
    hd_features some = features_of(*state, "objects=65536", 4096);
    assert_near(some.value[HD_FEATURE_DIVERGENCE], 1, 1e-9);
    assert_near(some.value[HD_FEATURE_SPARSITY], 1, 1e-9);
    assert_near(some.value[HD_FEATURE_REGULARITY], 1, 0.02);
    assert_true(features_of(*state, "objects=4096 indirect=32", 0).value[HD_FEATURE_REGULARITY] <
                0.52);
    assert_true(features_of(*state, "objects=2048 branches=8", 0).value[HD_FEATURE_LANES] < 0.6);
}

/* ---- who is near -------------------------------------------------------------------------------- */

static double random_unit(scene *s) { return (double)(hd_next_random(&s->random) >> 11) * 0x1p-53; }

static hd_features features_made(scene *s, double range) {
    hd_features f;
    for (int i = 0; i < HD_FEATURES; i++)
        f.value[i] = exp2(range * (random_unit(s) - 0.5));
    return f;
}

/* The slow twin: of all that are near, the nearest that was not taken yet. */
static void check_nearest(const hd_nearest_point *points, uint32_t count, const hd_features *of) {
    hd_nearest nearest;
    bool taken[32] = {false};
    double weights = 0;
    hd_nearest_find(points, count, of, &nearest);
    for (uint32_t n = 0; n < HD_NEIGHBOURS; n++) {
        uint32_t best = count;
        for (uint32_t p = 0; p < count; p++)
            if (!taken[p] &&
                (best == count || hd_features_distance(&points[p].features, of) <
                                      hd_features_distance(&points[best].features, of)))
                best = p;
        bool expected = best < count &&
                        (!n || hd_features_distance(&points[best].features, of) < HD_NEAREST_FAR);
        assert_int_equal(n < nearest.count, expected);
        if (!expected)
            break;
        taken[best] = true;
        assert_ptr_equal(nearest.all[n].point, &points[best]);
        weights += nearest.all[n].weight;
    }
    assert_int_equal(nearest.far, !count || nearest.all[0].distance >= HD_NEAREST_FAR);
    if (count)
        assert_near(weights, 1, 1e-9);
}

static void test_neighbours(void **state) {
    scene *s = *state;
    hd_nearest_point points[32] = {0};
    for (int turn = 0; turn < 300; turn++) {
        double range = 1 + 3 * random_unit(s);
        uint32_t count = (uint32_t)turn % 32;
        for (uint32_t p = 0; p < count; p++)
            points[p].features = features_made(s, range);
        hd_features of = features_made(s, range);
        check_nearest(points, count, &of);
    }
}

static void test_distance(void **state) {
    hd_features a = features_made(*state, 2), b = a;
    assert_near(hd_features_distance(&a, &b), 0, 0);
    b.value[HD_FEATURE_INTENSITY] *= 2;
    assert_near(hd_features_distance(&a, &b), 1, 1e-9);
    b.value[HD_FEATURE_SPARSITY] /= 4;
    assert_near(hd_features_distance(&a, &b), sqrt(2), 1e-9);
    assert_near(hd_features_distance(&b, &a), sqrt(2), 1e-9);
}

/* ---- what they say ------------------------------------------------------------------------------- */

static void add(scene *s, double intensity, const char *layout, const char *placement,
                double seconds, double spread) {
    hd_timing t = {seconds, seconds * (1 - spread), seconds * (1 + spread), 7};
    hd_explored e = {.point = hd_micro_usual(),
                     .layout = layout,
                     .placement = placement,
                     .kernels = t,
                     .whole = t,
                     .energy = {.joules = t, .meter = "fake"},
                     .counters = ""};
    e.point.value[HD_DIM_INTENSITY] = intensity;
    hd_push(s->arena, &s->all, e);
}

static const hd_placed_layout soa = {"soa", "host"}, aos = {"aos", "host"};

/* A choice between them where SoA is the rule of thumb: at three points AoS takes `ratio` of its
 * time, with this spread, and moves `moved_there` of its data; here `moved_here`. */
typedef struct choice {
    double ratio, spread, moved_there, moved_here, distance;
    bool departs;
    uint32_t neighbours; /* 0: three */
} choice;

static hd_counted_all count_as(scene *s, double ratio) {
    hd_counted *all = hd_new_array(s->arena, hd_counted, 2);
    all[0] = (hd_counted){soa, {1, 1, 1}};
    all[1] = (hd_counted){aos, {ratio, ratio, ratio}};
    return (hd_counted_all){all, 2};
}

static void check_choice(scene *s, const choice *c) {
    hd_nearest_point points[3] = {0};
    s->all.count = 0;
    for (int p = 0; p < 3; p++) {
        add(s, 1 + p, "soa", "host", 1 + p, c->spread);
        add(s, 1 + p, "aos", "host", (1 + p) * c->ratio, c->spread);
        add(s, 1 + p, "soa", "device", 9, c->spread);
    }
    const hd_study *study = hd_study_new(s->arena, s->all.data, (uint32_t)s->all.count);
    hd_features of = features_made(s, 0), there = of;
    there.value[HD_FEATURE_DIVERGENCE] = exp2(c->distance);
    for (uint32_t p = 0; p < 3; p++)
        points[p] = (hd_nearest_point){&study->points[p], there, count_as(s, c->moved_there)};
    const hd_counted_all here = count_as(s, c->moved_here);
    for (int by = 0; by < HD_OBJECTIVES; by++) {
        hd_nearest nearest;
        hd_interval ratio;
        hd_nearest_find(points, c->neighbours ? c->neighbours : 3, &of, &nearest);
        assert_true(hd_nearest_ratio(&nearest, (hd_objective)by, &aos, &soa, &ratio));
        double expected = by == HD_QUANTITY_EDP ? c->ratio * c->ratio : c->ratio;
        assert_near(ratio.median, expected, 1e-9 * expected);
        assert_true(ratio.low <= ratio.median && ratio.median <= ratio.high);
        hd_placed_layout chosen =
            hd_nearest_choose(s->arena, &nearest, (hd_objective)by, &soa, &here);
        assert_string_equal(chosen.layout, c->departs ? "aos" : "soa");
        assert_string_equal(chosen.placement, "host");
    }
}

static void test_choices(void **state) {
    static const choice choices[] = {
        {0.5, 0.01, 1, 1, 0.1, true},      /* twice as fast, */
        {0.5, 0.01, 1, 1, 2.5, false},     /* but for other kernels, */
        {0.95, 0.2, 1, 1, 0.1, false},     /* or not by more than the spread, */
        {0.995, 0.0001, 1, 1, 0.1, false}, /* or not by what anybody notices, */
        {1.5, 0.01, 1, 0.5, 0.1, false},   /* or slower, whatever it moves, */
        {0.5, 0.01, 1, 2, 0.1, false},     /* or moving more than there */
        {0.5, 0.01, 1, 1, 0.1, false, 1},  /* or one kernel alone says so, */
        {0.5, 0.01, 1, 1, 0.1, true, 2},
        {0.5, 0.01, 2, 2, 0.1, true}, /* or as much more as there, */
        {0.5, 0.01, 3, 1, 0.1, true}, /* or less */
    };
    for (size_t c = 0; c < sizeof choices / sizeof *choices; c++)
        check_choice(*state, &choices[c]);
}

static void test_ranking(void **state) {
    scene *s = *state;
    s->all.count = 0;
    for (int p = 1; p <= 2; p++) {
        add(s, p, "aos", "host", 3, 0.01);
        add(s, p, "soa", "device", 1.5, 0.01);
        add(s, p, "soa", "host", 2, 0.01);
        add(s, p, "aosoa:32", "host", 4, 0.01);
    }
    add(s, 2, "da", "host", 1, 0.01); /* of one point alone, which says little */
    const hd_study *study = hd_study_new(s->arena, s->all.data, (uint32_t)s->all.count);
    hd_nearest_point points[2] = {0};
    hd_features of = features_made(s, 0);
    for (uint32_t p = 0; p < 2; p++)
        points[p] = (hd_nearest_point){.of = &study->points[p], .features = of};
    hd_nearest nearest;
    hd_nearest_find(points, 2, &of, &nearest);
    hd_nearest_ranking ranking = hd_nearest_rank(s->arena, &nearest, HD_QUANTITY_TIME);
    assert_int_equal(ranking.count, 4);
    assert_string_equal(ranking.all[0].variant.layout, "soa");
    assert_string_equal(ranking.all[0].variant.placement, "device");
    assert_near(ranking.all[0].ratio.median, 1, 1e-9);
    assert_near(ranking.all[1].ratio.median, 2 / 1.5, 1e-9);
    assert_near(ranking.all[3].ratio.median, 4 / 1.5, 1e-9);
    hd_micro_point point = hd_micro_usual();
    hd_micro micro;
    assert_int_equal(hd_micro_load(s->arena, &s->folder, &point, &micro), HD_OK);
    hd_judge judge = hd_nearest_judge(s->arena, micro.job->record, &ranking);
    assert_int_equal(judge.layouts.count, 3);
    assert_string_equal(hd_layout_print(s->arena, micro.job->record, judge.layouts.data[0]), "soa");
    nearest.far = true;
    assert_int_equal(hd_nearest_rank(s->arena, &nearest, HD_QUANTITY_TIME).count, 0);
}

/* Costs of copies by hand. */
static void test_counted_cost(void **state) {
    const scene *s = *state;
    const hd_variant_counts counts = {.dram_bytes = 1000};
    hd_nearest_device apart = {"opencl", s->device, false}, together = {"opencl", s->device, true};
    assert_near(hd_counted_cost(&together, &counts, 100, "host", HD_QUANTITY_TIME), 1000, 1e-9);
    assert_near(hd_counted_cost(&together, &counts, 100, "device", HD_QUANTITY_TIME), 1400, 1e-9);
    assert_near(hd_counted_cost(&apart, &counts, 100, "device", HD_QUANTITY_TIME), 4200, 1e-9);
    assert_near(hd_counted_cost(&apart, &counts, 100, "host", HD_QUANTITY_TIME), 17000, 1e-9);
}

static void test_points(void **state) {
    scene *s = *state;
    s->all.count = 0;
    add(s, 1, "aos", "host", 1, 0.01);
    add(s, 2, "aos", "host", 1, 0.01);
    for (size_t i = 0; i < 2; i++)
        s->all.data[i].point.value[HD_DIM_OBJECTS] = 2048;
    const hd_study *study = hd_study_new(s->arena, s->all.data, 2);
    const hd_nearest_device device = {"opencl", s->device, true};
    hd_nearest_point *points;
    assert_int_equal(hd_nearest_points(s->arena, &diag, study, &device, &points), HD_OK);
    double more = points[1].features.value[HD_FEATURE_INTENSITY] -
                  points[0].features.value[HD_FEATURE_INTENSITY];
    assert_true(fabs(more) > 0.9); /* with the operations of loops */
    assert_int_equal(points[0].counted.count, 1);
}

/* A rule each for a device that has a memory of its own and one that shares the host's. The nearest micro-kernels
 * overrule the rule of thumb where most of them take less, and say why they do not. */
static void test_rules(void **state) {
    scene *s = *state;
    hd_micro_point usual = hd_micro_usual();
    hd_micro micro;
    hd_rules_answer a;
    hd_nearest_point points[3] = {0};
    const hd_device *shared;
    s->all.count = 0;
    for (int p = 0; p < 3; p++) {
        add(s, 1 + p, "soa", "device", 1 + p, 0.01);
        add(s, 1 + p, "da", "device", 2 * (1 + p), 0.01);
        add(s, 1 + p, "aosoa:4", "device", 0.5 * (1 + p), 0.01);
    }
    const hd_study *study = hd_study_new(s->arena, s->all.data, (uint32_t)s->all.count);
    assert_int_equal(hd_micro_load(s->arena, &s->folder, &usual, &micro), HD_OK);
    assert_int_equal(hd_device_find(s->arena, &diag, "amd-kaveri", &shared), HD_OK);
#define ASK(device, count, objective)                                                        \
    assert_int_equal(                                                                        \
        hd_rules_ask_with(s->arena, &diag, micro.job, device, points, count, objective, &a), \
        HD_OK)
    ASK(s->device, 0, HD_QUANTITY_TIME);
    assert_true(a.is_counted && !a.integrated);
    assert_int_equal(a.by, HD_RULE_THUMB);
    assert_string_equal(a.chosen.layout, "soa");
    assert_string_equal(a.chosen.placement, "device");
    assert_string_equal(hd_layout_print(s->arena, micro.job->record, a.layout), "soa");
    assert_null(a.rules[HD_RULE_NEAREST].says.layout);
    assert_non_null(strstr(a.rules[HD_RULE_NEAREST].why, "device explore --model v100"));
    ASK(s->device, 0, HD_QUANTITY_ENERGY); /* little is computed */
    assert_string_equal(a.chosen.layout, "da");
    ASK(shared, 0, HD_QUANTITY_ENERGY);
    assert_string_equal(a.chosen.layout, "soa");
    assert_string_equal(a.chosen.placement, "host");
    assert_true(a.integrated);
    for (uint32_t p = 0; p < 3; p++)
        points[p] = (hd_nearest_point){.of = &study->points[p], .features = a.features};
    ASK(s->device, 3, HD_QUANTITY_TIME);
    points[0].features = points[1].features = points[2].features = a.features;
    ASK(s->device, 3, HD_QUANTITY_TIME);
    assert_int_equal(a.by, HD_RULE_NEAREST);
    assert_string_equal(a.chosen.layout, "aosoa:4");
    assert_string_equal(a.rules[HD_RULE_THUMB].says.layout, "soa");
    ASK(s->device, 1, HD_QUANTITY_TIME); /* one alone overrules nothing */
    assert_int_equal(a.by, HD_RULE_THUMB);
    assert_string_equal(a.rules[HD_RULE_NEAREST].says.layout, "soa");
    for (uint32_t p = 0; p < 3; p++)
        points[p].features.value[HD_FEATURE_INTENSITY] *= 8;
    ASK(s->device, 3, HD_QUANTITY_TIME);
    assert_int_equal(a.by, HD_RULE_THUMB);
    assert_non_null(strstr(a.rules[HD_RULE_NEAREST].why, "none is near: the nearest is 3 away"));
#undef ASK
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_rules, begin, end),
        cmocka_unit_test_setup_teardown(test_features, begin, end),
        cmocka_unit_test_setup_teardown(test_neighbours, begin, end),
        cmocka_unit_test_setup_teardown(test_distance, begin, end),
        cmocka_unit_test_setup_teardown(test_choices, begin, end),
        cmocka_unit_test_setup_teardown(test_ranking, begin, end),
        cmocka_unit_test_setup_teardown(test_counted_cost, begin, end),
        cmocka_unit_test_setup_teardown(test_points, begin, end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
