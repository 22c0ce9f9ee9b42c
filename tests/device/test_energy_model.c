/* Modelled energy: sums by hand, profiles with and without figures. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "device/energy_model.h"

#define DEVICE "warp:32 l1:48k/128 l2:768k/32 w:1,30,100 blocks:8 threads:1536 regs:32768"

static const hd_device *found(hd_arena *arena, const char *name) {
    const hd_device *device = NULL;
    assert_int_equal(hd_device_find(arena, NULL, name, &device), HD_OK);
    return device;
}

static void assert_near(double a, double b) {
    if (fabs(a - b) > 1e-12 * fabs(b))
        fail_msg("%.17g is not %.17g", a, b);
}

static void every_count_has_its_figure(void **state) {
    (void)state;
    hd_arena *arena = hd_arena_new();
    const hd_device *d = found(arena, DEVICE " energy:1,20,300,4,50,600,7000,8");
    static const struct {
        hd_energy_counts counts;
        double joules;
    } cases[] = {{{.fp32 = 3}, 3e-12},
                 {{.fp64 = 3}, 60e-12},
                 {{.integer = 3}, 900e-12},
                 {{.l1_bytes = 3}, 12e-12},
                 {{.l2_bytes = 3}, 150e-12},
                 {{.dram_bytes = 3}, 1800e-12},
                 {{.link_bytes = 3}, 21e-9},
                 {{.seconds = 3}, 24},
                 {{1, 1, 1, 1, 1, 1, 1, 1e-12}, 7983e-12}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        double joules;
        assert_true(hd_energy_modelled(d, &cases[i].counts, &joules));
        assert_near(joules, cases[i].joules);
    }
    hd_arena_free(arena);
}

static void idle_power_is_subtracted_when_asked(void **state) {
    (void)state;
    hd_arena *arena = hd_arena_new();
    const hd_device *d = found(arena, DEVICE " energy:1e12,0,0,0,0,1,0,8");
    const hd_energy_counts counts = {.fp32 = 6, .seconds = 2};
    hd_energy with = hd_energy_of_model(arena, d, &counts, false);
    hd_energy without = hd_energy_of_model(arena, d, &counts, true);
    assert_true(with.modelled && without.modelled && !with.missing);
    assert_near(with.joules, 22);
    assert_near(without.joules, 6);
    assert_near(with.watts, 11);
    assert_near(without.watts, 11);
    assert_near(without.idle_watts, 8);
    assert_true(!with.idle_subtracted && without.idle_subtracted);
    hd_arena_free(arena);
}

static void a_profile_without_figures_says_so(void **state) {
    (void)state;
    hd_arena *arena = hd_arena_new();
    double joules;
    const hd_device *d = found(arena, DEVICE);
    assert_false(hd_energy_modelled(d, &(hd_energy_counts){.seconds = 1}, &joules));
    hd_energy energy = hd_energy_of_model(arena, d, &(hd_energy_counts){.seconds = 1}, false);
    assert_string_equal(energy.missing,
                        "modelled energy is not known for synthetic: add energy: to its profile");
    hd_arena_free(arena);
}

static void every_shipped_profile_has_figures(void **state) {
    (void)state;
    hd_arena *arena = hd_arena_new();
    const hd_device **all;
    size_t count;
    assert_int_equal(hd_device_list(arena, NULL, &all, &count), HD_OK);
    for (size_t i = 0; i < count; i++)
        if (!hd_device_has_energy(all[i]))
            fail_msg("%s has none", all[i]->name);
    hd_arena_free(arena);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_count_has_its_figure),
        cmocka_unit_test(idle_power_is_subtracted_when_asked),
        cmocka_unit_test(a_profile_without_figures_says_so),
        cmocka_unit_test(every_shipped_profile_has_figures),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
