/* The worked examples of Peng et al., and prices that can be computed by hand. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "model/cost_internal.h"
#include "support.h"

static hd_cost_model *model_of(hd_sample *s, const char *device_name, hd_cost_options options) {
    const hd_device *device;
    hd_cost_model *model;
    assert_int_equal(hd_device_find(s->arena, &s->diag, device_name, &device), HD_OK);
    assert_int_equal(hd_cost_model_make(s->arena, &s->diag, s->job, device, &options, &model),
                     HD_OK);
    return model;
}

static hd_cost_vector price(hd_sample *s, hd_cost_model *model, const char *notation) {
    hd_layout *layout;
    assert_int_equal(hd_layout_parse(s->arena, &s->diag, s->job->record, notation, &layout), HD_OK);
    return hd_cost_of_layout(s->arena, model, layout, NULL, NULL);
}

static const hd_cost_line *line_of(const hd_cost_line *lines, size_t count, const char *field) {
    for (size_t i = 0; i < count; i++)
        if (lines[i].access->record && lines[i].access->field >= 0 &&
            !strcmp(lines[i].access->record->fields[lines[i].access->field].name, field))
            return &lines[i];
    fail_msg("no access to field %s", field);
    return NULL;
}

/* Section IV-B2: a char, an int, a char and a short take 12 bytes with padding. */
static void structure_size(void **state) {
    (void)state;
    hd_sample s;
    hd_sample_read(&s, "tests/model/jobs/structure-size.yaml");
    assert_int_equal(s.job->record->size, 12);
    hd_cluster all = {.mask = 15, .order = {0, 1, 2, 3}, .count = 4, .tile = HD_TILE_AOS};
    uint64_t run[HD_MAX_FIELDS];
    assert_int_equal(hd_cluster_tile(s.job->record, &all, run), 12);
    assert_int_equal(run[1], 4);
    assert_int_equal(run[3], 10);
    hd_sample_close(&s);
}

static double distance(const hd_cost_model *model, const hd_layout *layout, const interval *between,
                       bool l1) {
    uint32_t line = l1 ? model->device->l1.line : model->device->l2.line;
    double sum = 0;
    for (uint32_t i = 0; i < between->count; i++) {
        const touched *item = &between->items[i];
        sum += cost_given_bytes(item, l1);
        for (uint32_t c = 0; c < layout->count && item->laid_out; c++) {
            cluster_geometry g;
            cost_cluster_geometry(model->record, &layout->clusters[c], model->soa_from, &g);
            sum += cost_fetched_bytes(model->record, &g, item->fields, line ? line : 128) *
                   (l1 ? item->per_l1 : item->per_l2);
        }
    }
    return sum;
}

/* Instruction distance (section IV-B5) in bytes from `first` to `second`, for L1 and L2. False when
 * `first` is none of the earlier accesses that could have brought the data of `second`. */
static bool cost_distance(const hd_cost_model *model, const hd_layout *layout,
                          const hd_access *first, const hd_access *second, double *l1, double *l2) {
    for (uint32_t i = 0; i < model->uses.count; i++) {
        const use *u = &model->uses.data[i];
        for (uint32_t j = 0; u->access == second && j < u->before_count; j++)
            if (model->uses.data[u->before[j].use].access == first) {
                *l1 = distance(model, layout, &u->before[j].between, true);
                *l2 = distance(model, layout, &u->before[j].between, false);
                return true;
            }
    }
    return false;
}

/* Section IV-B5: 1024 blocks of 256 threads, 8 on an SM; Arr1[i].x, Arr2[i].z,
 * Arr2[i].w, Arr2[i].z, Arr1[i].y: 32768 bytes for L1, 4194304 for L2. */
static void instruction_distance(void **state) {
    (void)state;
    hd_sample s;
    hd_sample_read(&s, "tests/model/jobs/instruction-distance.yaml");
    hd_cost_model *model =
        model_of(&s, "warp:32 l1:64k/128 l2:768k/32 w:1,30,100 blocks:8 threads:2048 regs:65536",
                 (hd_cost_options){.registers = 16});
    const hd_layout *aos = hd_layout_aos(s.arena, s.job->record);
    hd_cost_line *lines;
    size_t count;
    hd_cost_of_layout(s.arena, model, aos, &lines, &count);
    double l1, l2;
    assert_true(cost_distance(model, aos, line_of(lines, count, "x")->access,
                              line_of(lines, count, "y")->access, &l1, &l2));
    assert_true(l1 == 32768);
    assert_true(l2 == 4194304);
    hd_sample_close(&s);
}

/* Section IV-H: A runs 100 × 128 times in a thread at degree 1, B 100 × 100 times
 * at degree 2. With 1 and 3 per access, then 3 and 1, layout 2 is the better. */
static void cost_vectors(void **state) {
    (void)state;
    hd_sample s;
    hd_sample_read(&s, "tests/model/jobs/cost-vectors.yaml");
    hd_cost_model *model =
        model_of(&s, "warp:1 l1:0 l2:768k/32 w:1,30,100 blocks:8 threads:2048 regs:65536",
                 (hd_cost_options){.loops = HD_LOOPS_PENG});
    hd_cost_line *lines;
    size_t count;
    hd_cost_of_layout(s.arena, model, hd_layout_aos(s.arena, s.job->record), &lines, &count);
    const hd_cost_line *a = line_of(lines, count, "x"), *b = line_of(lines, count, "y");
    assert_true(a->executions == 327680000);
    assert_true(b->executions == 256000000);
    uint32_t degree_a = hd_cost_degree(&a->cost), degree_b = hd_cost_degree(&b->cost);
    assert_int_equal(degree_a, 1);
    assert_int_equal(degree_b, 2);
    hd_cost_vector first = {{0}}, second = {{0}};
    first.v[degree_a] = a->executions * 1;
    first.v[degree_b] = b->executions * 3;
    second.v[degree_a] = a->executions * 3;
    second.v[degree_b] = b->executions * 1;
    assert_true(first.v[0] == 0 && first.v[1] == 327680000 && first.v[2] == 768000000);
    assert_true(second.v[0] == 0 && second.v[1] == 983040000 && second.v[2] == 256000000);
    assert_true(hd_cost_compare(&first, &second) > 0);
    assert_true(hd_cost_compare(&second, &first) < 0);
    hd_sample_close(&s);
}

static int order(double a0, double a1, double a2, double b0, double b1, double b2) {
    hd_cost_vector a = {{a0, a1, a2}}, b = {{b0, b1, b2}};
    assert_int_equal(hd_cost_compare(&a, &b), -hd_cost_compare(&b, &a));
    double ratio = hd_cost_ratio(&a, &b);
    int compared = hd_cost_compare(&a, &b);
    assert_true(compared < 0 ? ratio < 1 : compared > 0 ? ratio > 1 : fabs(ratio - 1) < 1e-8);
    return compared;
}

/* An entry counts 9.9 / ln 100 times as much as the one before it. */
static void order_of_cost_vectors(void **state) {
    (void)state;
    assert_true(order(0, 0, 2, 0, 0, 1) > 0);
    assert_true(order(0, 1, 1, 0, 0, 2) < 0); /* of the same size the later one counts */
    /* A larger entry that differs more is not lost behind a small one that differs less. */
    assert_true(order(100000, 100, 1, 1000, 100, 1.01) > 0);
    assert_true(order(1000, 1, 0, 10, 2, 0) > 0);
    assert_true(order(3, 1, 0, 1, 2, 0) < 0); /* 5.150 and 5.2995 */
    assert_true(order(4, 1, 0, 1, 2, 0) > 0); /* 6.150 */
    assert_true(order(1, 1, 1e12, 2, 2, 1e12) == 0);
    const hd_cost_vector nothing = {{0}}, some = {{0, 1}};
    assert_true(hd_cost_ratio(&nothing, &nothing) == 1);
    assert_true(isinf(hd_cost_ratio(&some, &nothing)));
    assert_true(fabs(hd_cost_mean(&some) - 9.9 / log(100)) < 1e-6);
    /* What is added to both changes nothing. */
    for (int i = 0; i < 1000; i++) {
        hd_cost_vector a, b, more;
        for (int d = 0; d <= HD_MAX_DEGREE; d++) {
            a.v[d] = i * 7919 % (d + 13);
            b.v[d] = i * 104729 % (d + 11);
            more.v[d] = i * 1299709 % (d + 17);
        }
        int before = hd_cost_compare(&a, &b);
        hd_cost_add(&a, &more);
        hd_cost_add(&b, &more);
        assert_int_equal(hd_cost_compare(&a, &b), before);
    }
}

/* One 4-byte field of three at the thread's own index: SoAoS 2/3, SoA 1/3. */
static void one_field_of_three(void **state) {
    (void)state;
    hd_sample s;
    hd_sample_read(&s, "tests/model/jobs/one-field-of-three.yaml");
    static const char *const devices[] = {"tesla-m2050", "tesla-k20c"};
    for (int d = 0; d < 2; d++) {
        hd_cost_model *model = model_of(&s, devices[d], (hd_cost_options){.loops = HD_LOOPS_PENG});
        hd_cost_vector aos = price(&s, model, "aos"), pair = price(&s, model, "{a,b}{c}"),
                       soa = price(&s, model, "soa");
        assert_true(aos.v[0] == 2048 * 3 * 100.0);
        assert_true(pair.v[0] * 3 == aos.v[0] * 2);
        assert_true(soa.v[0] * 3 == aos.v[0]);
    }
    hd_sample_close(&s);
}

/* Two fields of one element in a row: the second hits L1 in AoS, misses apart. */
static void neighbours_hit(void **state) {
    (void)state;
    hd_sample s;
    hd_sample_read(&s, "tests/model/jobs/neighbours.yaml");
    hd_cost_model *model = model_of(&s, "tesla-m2050", (hd_cost_options){.loops = HD_LOOPS_PENG});
    hd_cost_vector aos = price(&s, model, "aos"), soa = price(&s, model, "soa");
    assert_true(fabs(aos.v[0] - 2048 * (2 * 100.0 + 2 * 1.0)) < 1e-6);
    assert_true(fabs(soa.v[0] - 2048 * (100.0 + 100.0)) < 1e-6);
    hd_sample_close(&s);
}

/* Scattered accesses that no warp ever makes cost nothing; the struct's typedef names it. */
static void what_never_runs_is_free(void **state) {
    (void)state;
    hd_sample s;
    hd_sample_read(&s, "tests/model/jobs/never-runs.yaml");
    hd_cost_model *model = model_of(&s, "h200", (hd_cost_options){.loops = HD_LOOPS_PENG});
    hd_cost_vector aos = price(&s, model, "aos");
    assert_string_equal(s.job->record->name, "r_tag");
    assert_true(aos.v[0] == 0);
    hd_sample_close(&s);
}

static void blocks_per_sm(void **state) {
    (void)state;
    const hd_device device = {
        .max_blocks = 8, .max_threads = 1536, .registers = 32768, .max_registers = 63};
    assert_int_equal(hd_blocks_per_sm(&device, 256, 20), 6);  /* by threads */
    assert_int_equal(hd_blocks_per_sm(&device, 64, 20), 8);   /* by blocks */
    assert_int_equal(hd_blocks_per_sm(&device, 256, 32), 4);  /* by registers */
    assert_int_equal(hd_blocks_per_sm(&device, 1024, 63), 1); /* at least one */
}

static void lengths_of_unknown_loops(void **state) {
    (void)state;
    hd_trip constant = {.kind = HD_TRIP_CONSTANT, .count = 12};
    hd_trip unknown = {.kind = HD_TRIP_UNKNOWN};
    hd_trip group = {.kind = HD_TRIP_UNKNOWN, .hint = HD_HINT_WORK_GROUP};
    hd_trip range = {.kind = HD_TRIP_UNKNOWN, .hint = HD_HINT_NDRANGE};
    hd_cost_options peng = {.loops = HD_LOOPS_PENG}, kofler = {.loops = HD_LOOPS_KOFLER};
    hd_cost_options seven = {.loops = HD_LOOPS_NUMBER, .length = 7};
    assert_int_equal(hd_loop_length(&constant, &kofler), 12);
    assert_int_equal(hd_loop_length(&unknown, &peng), 100);
    assert_int_equal(hd_loop_length(&group, &kofler), 256);
    assert_int_equal(hd_loop_length(&range, &kofler), 1000000);
    assert_int_equal(hd_loop_length(&unknown, &kofler), 512000);
    assert_int_equal(hd_loop_length(&unknown, &seven), 7);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(structure_size),
        cmocka_unit_test(instruction_distance),
        cmocka_unit_test(cost_vectors),
        cmocka_unit_test(order_of_cost_vectors),
        cmocka_unit_test(one_field_of_three),
        cmocka_unit_test(neighbours_hit),
        cmocka_unit_test(blocks_per_sm),
        cmocka_unit_test(lengths_of_unknown_loops),
        cmocka_unit_test(what_never_runs_is_free),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
