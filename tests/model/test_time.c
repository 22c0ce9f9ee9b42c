/* The model of time: each bound alone by hand, how they join, gains, and what a profile must have. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "model/time.h"

/* 10 SMs at 1 GHz; memory 100 GB/s, of which 85 are reached, L2 200, units of 32 lanes. */
#define DEVICE                                                                          \
    "warp:32 l1:48k/128 l2:768k/32 w:1,30,100 blocks:8 threads:1536 regs:32768 sms:10 " \
    "clock:1000 bandwidth:100,200,10 rates:32,16,32,4,128,1 latency:40,200,500 "        \
    "energy:1,2,3,4,50,600,7000,8"

static const hd_device *found(hd_arena *arena, const char *name) {
    const hd_device *device = NULL;
    assert_int_equal(hd_device_find(arena, NULL, name, &device), HD_OK);
    return device;
}

static void assert_near(double a, double b) {
    if (fabs(a - b) > 1e-9 * fabs(b))
        fail_msg("%.17g is not %.17g", a, b);
}

/* 100 blocks of 256 threads: ten for each SM. */
static hd_time_work blocks_of(uint64_t blocks) {
    return (hd_time_work){.runs = 1, .blocks = blocks, .block_threads = 256, .active = 1};
}

static void every_bound_alone(void **state) {
    (void)state;
    hd_arena *arena = hd_arena_new();
    const hd_device *d = found(arena, DEVICE);
    hd_time_work w = blocks_of(100);
    w.dram_bytes = 85e6; /* 1 ms */
    w.dram_rows = 1e6;   /* 64e6 / 85e9 */
    w.l2_bytes = 100e6;  /* 0.5 ms */
    w.l2_partial = 20e6; /* half of them once more: 0.05 ms */
    w.fp32 = 320e6;      /* of 10 SMs x 32 lanes: 1 ms */
    w.fp64 = 320e6;      /* 2 ms */
    w.integer = 640e6;   /* 2 ms */
    w.special = 40e6;    /* 1 ms */
    w.hottest = 3e6;     /* 3 ms */
    const hd_time t = hd_time_of(d, &w);
    assert_near(t.of[HD_BOUND_DRAM], 1e-3 + 64e6 / 85e9);
    assert_near(t.of[HD_BOUND_L2], 0.55e-3);
    assert_near(t.of[HD_BOUND_FP32], 1e-3);
    assert_near(t.of[HD_BOUND_FP64], 2e-3);
    assert_near(t.of[HD_BOUND_INTEGER], 2e-3);
    assert_near(t.of[HD_BOUND_SPECIAL], 1e-3);
    assert_near(t.of[HD_BOUND_ATOMICS], 3e-3);
    assert_near(t.of[HD_BOUND_ISSUE], 1320e6 / 32 / 10 / 1e9);
    assert_near(t.of[HD_BOUND_LAUNCH], 2.5e-6);
    assert_int_equal(t.bound, HD_BOUND_ISSUE);
    double squares = 0;
    for (int b = 0; b < HD_BOUND_LAUNCH; b++)
        squares += t.of[b] * t.of[b];
    assert_near(t.seconds, sqrt(squares) + 2.5e-6);
    assert_near(t.share, t.of[HD_BOUND_ISSUE] / t.seconds);
    assert_true(t.low < t.seconds && t.seconds < t.high);
    hd_arena_free(arena);
}

/* Requests take a word of each lane, transactions their bytes, and each line a clock. */
static void load_store_units(void **state) {
    (void)state;
    hd_arena *arena = hd_arena_new();
    const hd_device *d = found(arena, DEVICE);
    hd_time_work w = blocks_of(100);
    w.requests = 1e6; /* 128 bytes each: a clock */
    w.l1_bytes = 32e6;
    w.lines = 0.5e6;
    assert_near(hd_time_of(d, &w).of[HD_BOUND_L1], 1e6 / 10 / 1e9);
    w.l1_bytes = 1024e6; /* eight clocks */
    assert_near(hd_time_of(d, &w).of[HD_BOUND_L1], 8e6 / 10 / 1e9);
    w.lines = 32e6;
    assert_near(hd_time_of(d, &w).of[HD_BOUND_L1], 32e6 / 10 / 1e9);
    w.passes = 1e6;
    assert_near(hd_time_of(d, &w).of[HD_BOUND_L1], 33e6 / 10 / 1e9);
    hd_arena_free(arena);
}

/* The SM that has most blocks takes longest: 101 blocks are 11 for one of ten. */
static void last_blocks(void **state) {
    (void)state;
    hd_arena *arena = hd_arena_new();
    const hd_device *d = found(arena, DEVICE);
    hd_time_work w = blocks_of(101);
    w.fp32 = 320e6;
    assert_near(hd_time_of(d, &w).of[HD_BOUND_FP32], 1e-3 * 11 * 10 / 101);
    w = blocks_of(1);
    w.fp32 = 320e6;
    assert_near(hd_time_of(d, &w).of[HD_BOUND_FP32], 10e-3);
    hd_arena_free(arena);
}

/* Half of the lanes idle: units and issue take as long as with all. */
static void idle_lanes(void **state) {
    (void)state;
    hd_arena *arena = hd_arena_new();
    const hd_device *d = found(arena, DEVICE);
    hd_time_work w = blocks_of(100);
    w.fp32 = 160e6;
    w.active = 0.5;
    assert_near(hd_time_of(d, &w).of[HD_BOUND_FP32], 1e-3);
    assert_near(hd_time_of(d, &w).of[HD_BOUND_ISSUE], 320e6 / 32 / 10 / 1e9);
    hd_arena_free(arena);
}

/* A warp waits 100 times for memory; six blocks of 256 threads fit an SM by their threads, four with
 * 32 registers, three with 40,000 bytes of its shared memory. */
static void latency(void **state) {
    (void)state;
    hd_arena *arena = hd_arena_new();
    const hd_device *d = found(arena, DEVICE " shared:128k");
    hd_time_work w = blocks_of(120);
    w.waits = 120 * 256 * 100.0;
    assert_int_equal(hd_time_blocks_per_sm(d, &w), 6);
    assert_near(hd_time_of(d, &w).of[HD_BOUND_LATENCY], 2 * 100 * 500 * 1.3 / 1e9);
    w.l1_hits = 0.5, w.l2_hits = 0.5;
    assert_near(hd_time_of(d, &w).of[HD_BOUND_LATENCY], 2 * 100 * 120 * 1.3 / 1e9);
    w.registers = 32;
    assert_int_equal(hd_time_blocks_per_sm(d, &w), 4);
    assert_near(hd_time_of(d, &w).of[HD_BOUND_LATENCY], 3 * 100 * 120 * 1.3 / 1e9);
    w.shared = 40000;
    assert_int_equal(hd_time_blocks_per_sm(d, &w), 3);
    w = blocks_of(5); /* fewer than fit: one round, however few */
    w.waits = 5 * 256 * 100.0;
    assert_near(hd_time_of(d, &w).of[HD_BOUND_LATENCY], 100 * 500 * 1.3 / 1e9);
    w.barriers = 5 * 256 * 10.0;
    assert_near(hd_time_of(d, &w).of[HD_BOUND_LATENCY],
                (100 * 500 * 1.3 + 10 * 30 + 10 * 40 * 0.2 / 2) / 1e9);
    hd_arena_free(arena);
}

static void launches_add_up(void **state) {
    (void)state;
    hd_arena *arena = hd_arena_new();
    const hd_device *d = found(arena, DEVICE);
    hd_time_work works[3] = {blocks_of(100), blocks_of(100), {0}};
    works[0].dram_bytes = 85e6;
    works[1].fp32 = 640e6;
    works[1].runs = 4; /* in all */
    const hd_time first = hd_time_of(d, &works[0]), second = hd_time_of(d, &works[1]);
    const hd_time all = hd_time_of_all(d, works, 3);
    assert_near(second.of[HD_BOUND_LAUNCH], 10e-6);
    assert_near(all.seconds, first.seconds + second.seconds);
    assert_int_equal(all.bound, HD_BOUND_ISSUE); /* as long as fp32 */
    assert_near(all.share, 2e-3 / all.seconds);
    double joules;
    works[0].energy.dram_bytes = 1e6;
    assert_true(hd_time_joules(d, works, 2, &all, &joules));
    assert_near(joules, 1e6 * 600e-12 + 8 * all.seconds);
    hd_arena_free(arena);
}

/* What is surely faster is so both ways round, and what hardly differs is not told apart. */
static void gains(void **state) {
    (void)state;
    const hd_time slow = {.seconds = 4}, fast = {.seconds = 1}, near = {.seconds = 1.05};
    const hd_time_gain up = hd_time_gain_of(&slow, &fast), down = hd_time_gain_of(&fast, &slow);
    assert_near(up.times, 4);
    assert_true(1 < up.low && up.low < 4 && 4 < up.high);
    assert_near(down.high, 1 / up.low);
    assert_near(down.low, 1 / up.high);
    const hd_time_gain some = hd_time_gain_of(&near, &fast);
    assert_true(some.low < 1 && 1 < some.high);
    /* On a device that few measured it is twice as far off. */
    const hd_time elsewhere = {.seconds = 1, .doubt = 2};
    const hd_time_gain wide = hd_time_gain_of(&slow, &elsewhere);
    assert_near(log(wide.high / wide.times), 2 * log(up.high / up.times));
    const hd_time_gain none = hd_time_gain_of(&fast, &fast);
    assert_true(none.times == 1 && none.low == 1 && none.high == 1);
}

static void profiles_without_speeds(void **state) {
    (void)state;
    hd_arena *arena = hd_arena_new();
    const hd_device *d;
    assert_true(hd_time_is_known(found(arena, "h200")));
    d = found(arena, "warp:32 l1:0 l2:768k/32 w:1,30,100 blocks:8 threads:1536 regs:32768 sms:10");
    assert_false(hd_time_is_known(d));
    assert_non_null(strstr(hd_time_unknown(arena, d), "add clock:"));
    for (int b = 0; b < HD_BOUNDS; b++) {
        assert_true(strlen(hd_time_bound_title((hd_time_bound)b)) > 1);
        assert_true(strlen(hd_time_bound_rate((hd_time_bound)b)) > 1);
    }
    hd_arena_free(arena);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_bound_alone),
        cmocka_unit_test(load_store_units),
        cmocka_unit_test(last_blocks),
        cmocka_unit_test(idle_lanes),
        cmocka_unit_test(latency),
        cmocka_unit_test(launches_add_up),
        cmocka_unit_test(gains),
        cmocka_unit_test(profiles_without_speeds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
