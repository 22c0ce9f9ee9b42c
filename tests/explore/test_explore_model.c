/*
 * Exploring device profiles: times and joules of each placement against sums by hand, and what tells
 * discrete arrays from a structure of arrays.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "advise/explore/explore.h"
#include "advise/explore/study.h"

/* 2,048 objects of 20 bytes. */
enum { BYTES = 2048 * 20 };
#define PLAIN                                                                              \
    "warp:32 l1:64k/32 l2:4m/32 blocks:16 threads:1024 regs:65536 segment:32 maxregs:255 " \
    "sms:4 l1tags:128/128 l2tags:128/16 w:1,5.2,14.6"
/* GB/s; nothing but these takes long. */
#define SPEED(dram, link)                                                                 \
    " clock:1000 bandwidth:" dram ",1000," link " rates:1000,1000,1000,1000,100000,1000 " \
    "latency:1,1,1"
#define LAUNCHING 2.5e-6

static void tell(const hd_message *message, void *user) {
    (void)user;
    print_message("%s\n", message->text);
}
static const hd_diag diag = {tell, NULL};

typedef struct explored {
    hd_arena *arena;
    hd_exploration result;
} explored;

static void explore(explored *e, const char *device, const char *const *vary, uint32_t count) {
    const hd_plan_request request = {.vary = vary, .vary_count = count};
    hd_explore_options options = {.backend = "opencl"};
    hd_plan plan;
    e->arena = hd_arena_new();
    assert_int_equal(hd_device_find(e->arena, &diag, device, &options.model), HD_OK);
    assert_int_equal(hd_plan_make(e->arena, &diag, &request, &plan), HD_OK);
    assert_int_equal(hd_explore(e->arena, &diag, NULL, &plan, &options, &e->result), HD_OK);
}

/* The usual kernel in all placements. */
static void explore_placements(explored *e, const char *device) {
    static const char *const vary[] = {"objects=2048", "layout=aos,soa",
                                       "placement=device,host,fine,coarse"};
    explore(e, device, vary, 3);
    assert_int_equal(e->result.count, 8);
}

static const hd_explored *in(const explored *e, const char *layout, const char *placement) {
    for (size_t i = 0; i < e->result.count; i++)
        if (hd_explored_is(&e->result.variants[i], layout, placement))
            return &e->result.variants[i];
    fail_msg("no %s in %s", layout, placement);
    return NULL;
}

static void assert_near(double a, double b) {
    if (fabs(a - b) > 1e-6 * fabs(b))
        fail_msg("%.9g is not %.9g", a, b);
}

static double joules(const hd_energy_of *energy) {
    assert_true(energy->modelled && !energy->why && energy->joules.repeats == 1);
    return energy->joules.median;
}

/* Joules are microjoules of the link's bytes alone. */
static void a_link_is_taken_by_copies_or_by_the_kernel(void **state) {
    (void)state;
    explored e;
    explore_placements(&e, PLAIN SPEED("1000", "0.1") " energy:0,0,0,0,0,1e-9,1000000,0");
    const char *const layouts[] = {"aos", "soa"};
    for (int l = 0; l < 2; l++) {
        const hd_explored *device = in(&e, layouts[l], "device"),
                          *host = in(&e, layouts[l], "host");
        assert_true(device->predicted && device->kernels.repeats == 1);
        /* There and back; and waited for. */
        assert_true(joules(&device->energy) < 1e-12);
        assert_near(joules(&device->whole_energy), 2.0 * BYTES * 1e-6);
        assert_near(device->whole.median - device->kernels.median,
                    2.0 * BYTES / 0.1e9 + 2 * LAUNCHING);
        /* In place nothing is copied. */
        assert_near(host->whole.median, host->kernels.median);
        assert_near(joules(&host->whole_energy), joules(&host->energy));
        assert_near(joules(&in(&e, layouts[l], "fine")->energy), joules(&host->energy));
        assert_near(joules(&in(&e, layouts[l], "coarse")->energy),
                    (double)host->counts.dram_bytes * 1e-6);
    }
    /* Each byte crosses once where neighbours lie side by side; four of five are read, beside the rest of
     * the kernel, which takes next to no time. */
    const hd_explored *soa = in(&e, "soa", "host");
    const double link = 0.8 * BYTES / 0.1e9;
    assert_near(joules(&soa->energy), 1.0 * BYTES * 1e-6);
    assert_true(soa->kernels.median >= link + LAUNCHING);
    assert_true(soa->kernels.median < 1.01 * (link + LAUNCHING));
    /* Of results in records every sector is written, whole. */
    assert_true(joules(&in(&e, "aos", "host")->energy) > 1.5 * joules(&soa->energy));
    hd_arena_free(e.arena);
}

/* Joules are microjoules of memory's bytes alone. */
static void shared_memory_is_copied_in_memory(void **state) {
    (void)state;
    explored e;
    explore_placements(&e, PLAIN SPEED("0.1", "0") " energy:0,0,0,0,0,1000000,0,0");
    const hd_explored *device = in(&e, "aos", "device"), *host = in(&e, "aos", "host");
    assert_near(joules(&device->whole_energy) - joules(&device->energy), 4.0 * BYTES * 1e-6);
    assert_true(device->whole.median - device->kernels.median > 4.0 * BYTES / 0.1e9);
    assert_near(joules(&host->energy), joules(&device->energy));
    assert_near(host->whole.median, device->kernels.median);
    assert_near(joules(&in(&e, "aos", "coarse")->energy), joules(&host->energy));
    assert_true(joules(&in(&e, "aos", "fine")->energy) >= joules(&host->energy));
    hd_arena_free(e.arena);
}

static void idle_power_is_drawn_for_the_time(void **state) {
    (void)state;
    explored e, idle;
    explore_placements(&e, PLAIN SPEED("1000", "10") " energy:1,1,1,1,1,1,1,0");
    explore_placements(&idle, PLAIN SPEED("1000", "10") " energy:1,1,1,1,1,1,1,7");
    for (size_t i = 0; i < e.result.count; i++) {
        const hd_explored *v = &e.result.variants[i];
        const hd_explored *other = in(&idle, v->layout, v->placement);
        assert_near(joules(&other->energy) - joules(&v->energy), 7 * v->kernels.median);
        assert_near(joules(&other->whole_energy) - joules(&v->whole_energy), 7 * v->whole.median);
    }
    const uint32_t count = (uint32_t)idle.result.count;
    const hd_study *study =
        hd_study_new(e.arena, hd_explored_runs(e.arena, idle.result.variants, count), count);
    hd_interval watts;
    assert_true(study->predicted && study->modelled);
    assert_true(hd_study_value(study, study->variants, HD_QUANTITY_POWER, &watts));
    assert_true(watts.median > 7);
    assert_true(study->findings[0].verdict != HD_FINDING_UNKNOWN); /* power */
    assert_true(study->findings[2].verdict != HD_FINDING_UNKNOWN); /* layout with placement */
    hd_arena_free(e.arena);
    hd_arena_free(idle.arena);
}

/* Without speeds: joules without idle power, no times, and device memory alone. */
static void a_profile_without_speeds_has_no_times(void **state) {
    (void)state;
    static const char *const vary[] = {"objects=2048", "layout=soa"};
    explored e;
    explore(&e, PLAIN " energy:1,1,1,1,1,1,1,7", vary, 2);
    assert_int_equal(e.result.count, 1);
    assert_true(!e.result.variants[0].kernels.repeats && !e.result.variants[0].whole.repeats);
    assert_true(joules(&e.result.variants[0].energy) > 0);
    hd_arena_free(e.arena);
}

/* SoA's kernels compute where its arrays begin, from the number of elements; those of discrete arrays are
 * given them. NVIDIA's GPUs of that time do it in each lane, and AMD's once for all of a warp. */
static void discrete_arrays_differ_by_arithmetic(void **state) {
    (void)state;
    static const char *const vary[] = {"objects=2048", "layout=soa,da", "placement=device"};
    explored e;
    explore(&e, "tesla-k20c", vary, 3);
    const hd_explored *soa = in(&e, "soa", "device"), *da = in(&e, "da", "device");
    assert_true(soa->counts.operations[HD_OPERATION_INTEGER] >
                da->counts.operations[HD_OPERATION_INTEGER] + 2048 * 4);
    assert_int_equal(soa->counts.operations[HD_OPERATION_FP32],
                     da->counts.operations[HD_OPERATION_FP32]);
    assert_int_equal(soa->counts.l1_bytes, da->counts.l1_bytes);
    assert_true(joules(&da->energy) < joules(&soa->energy));
    hd_arena_free(e.arena);
    explore(&e, "radeon-fiji", vary, 3);
    assert_int_equal(in(&e, "soa", "device")->counts.operations[HD_OPERATION_INTEGER],
                     in(&e, "da", "device")->counts.operations[HD_OPERATION_INTEGER]);
    hd_arena_free(e.arena);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_link_is_taken_by_copies_or_by_the_kernel),
        cmocka_unit_test(shared_memory_is_copied_in_memory),
        cmocka_unit_test(idle_power_is_drawn_for_the_time),
        cmocka_unit_test(a_profile_without_speeds_has_no_times),
        cmocka_unit_test(discrete_arrays_differ_by_arithmetic),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
