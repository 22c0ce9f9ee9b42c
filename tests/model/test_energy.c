/* What is counted for the energy model, against sums by hand. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "model/cost.h"
#include "support.h"

static const char kernel[] = "typedef struct pair { float x, y; double z; } pair;\n"
                             "__kernel void add(__global pair *p, int n) {\n"
                             "  int i = get_global_id(0);\n"
                             "  float sum = 0;\n"
                             "  for (int k = 0; k < n; k++) sum += p[i].x;\n"
                             "  p[i].y = sum;\n"
                             "  p[i].z = p[i].z * 3;\n"
                             "}\n";

static const char job[] = "kernel: kernel.cl\n"
                          "buffers: [{name: p, type: pair, count: 1024}]\n"
                          "launches: [{kernel: add, global: [1024], local: [64], repeat: 3,\n"
                          "  args: [{name: p, buffer: p}, {name: n, value: 10}]}]\n";

/* No caches, so that every transaction comes from memory. */
#define PLAIN "warp:32 l1:0 l2:0 w:1,1,1 blocks:8 threads:1536 regs:32768 segment:32"

static hd_energy_counts counts_of(hd_sample *s, const char *device, const char *layout) {
    const hd_device *d;
    hd_cost_model *model;
    hd_layout *l;
    const hd_cost_options options = {0};
    assert_int_equal(hd_device_find(s->arena, &s->diag, device, &d), HD_OK);
    assert_int_equal(hd_cost_model_make(s->arena, &s->diag, s->job, d, &options, &model), HD_OK);
    assert_int_equal(hd_layout_parse(s->arena, &s->diag, s->job->record, layout, &l), HD_OK);
    return hd_cost_energy_counts(s->arena, model, s->job, l);
}

static void operations_are_those_of_all_threads(void **state) {
    (void)state;
    hd_sample s;
    hd_sample_open(&s, kernel, job);
    hd_energy_counts aos = counts_of(&s, PLAIN, "aos"), soa = counts_of(&s, PLAIN, "soa");
    assert_true(aos.fp32 == 3.0 * 1024 * 10 && aos.fp64 == 3.0 * 1024);
    /* a comparison and an addition in each turn, and addresses besides */
    assert_true(aos.integer >= 3.0 * 1024 * 20 && aos.integer <= 3.0 * 1024 * 60);
    assert_true(soa.fp32 == aos.fp32 && soa.fp64 == aos.fp64 && soa.integer == aos.integer);
    assert_true(aos.seconds == 0 && aos.link_bytes == 0);
    hd_sample_close(&s);
}

static void bytes_are_those_of_transactions(void **state) {
    (void)state;
    hd_sample s;
    hd_sample_open(&s, kernel, job);
    hd_energy_counts aos = counts_of(&s, PLAIN, "aos"), soa = counts_of(&s, PLAIN, "soa");
    /* Of each of 3 * 32 warps: x in every turn, y, and z twice. AoS: the 16 bytes of a record lie
     * in one of 16 segments; SoA: 4 segments for floats and 8 for doubles. */
    double warps = 3 * 32, turns = aos.dram_bytes / warps / 32;
    if (turns != 16 * (1 + 1 + 2) && turns != 16 * (10 + 1 + 2)) /* x may be kept in a register */
        fail_msg("%g transactions of a warp", turns);
    double reads = turns / 16 - 3;
    assert_true(soa.dram_bytes == warps * 32 * (4 * reads + 4 + 2 * 8));
    assert_true(aos.l1_bytes == aos.dram_bytes && aos.l2_bytes == aos.dram_bytes);
    /* With caches the same bytes reach the lanes, and fewer come from memory. */
    hd_energy_counts cached = counts_of(&s, "h200", "aos");
    assert_true(cached.l1_bytes == aos.l1_bytes && cached.dram_bytes < aos.dram_bytes);
    assert_true(cached.l2_bytes <= cached.l1_bytes && cached.dram_bytes <= cached.l2_bytes);
    hd_sample_close(&s);
}

static void a_layout_that_moves_less_takes_less(void **state) {
    (void)state;
    hd_sample s;
    hd_sample_open(&s, kernel, job);
    const hd_device *d;
    double aos_joules, soa_joules;
    assert_int_equal(hd_device_find(s.arena, &s.diag, "h200", &d), HD_OK);
    hd_energy_counts aos = counts_of(&s, "h200", "aos"), soa = counts_of(&s, "h200", "soa");
    assert_true(hd_energy_modelled(d, &aos, &aos_joules));
    assert_true(hd_energy_modelled(d, &soa, &soa_joules));
    assert_true(soa_joules < aos_joules);
    hd_sample_close(&s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(operations_are_those_of_all_threads),
        cmocka_unit_test(bytes_are_those_of_transactions),
        cmocka_unit_test(a_layout_that_moves_less_takes_less),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
