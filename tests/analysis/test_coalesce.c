/* The counter of transactions: examples by hand, random events against tests/oracle,
 * and what blocks, launches and spaces have to do with it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "analysis/coalesce.h"
#include "oracle/coalesce.h"

static const hd_coalesce_counts *counts_of(const hd_tally *counter, uint32_t launch,
                                           uint32_t access) {
    return hd_tally_of(counter, 0, launch, access);
}

static const hd_coalesce_counts *counts_of_launch(const hd_tally *counter, uint32_t launch) {
    return hd_tally_of_launch(counter, 0, launch);
}

enum { MOST_THREADS = 300, ACCESSES = 9, MOST_WORDS = (MOST_THREADS + 63) / 64 };

static const uint32_t widths[ACCESSES] = {1, 2, 4, 8, 16, 3, 12, 32, 200};

static const char *const devices[] = {
    "tesla-m2050",
    "h200",
    "tesla-c1060",
    "warp:64 l1:0 l2:0 w:1,2,3 blocks:8 threads:1024 regs:16384 segment:64",
    "warp:8 l1:0 l2:0 w:1,2,3 blocks:8 threads:1024 regs:16384 segment:16",
    "warp:128 l1:0 l2:0 w:1,2,3 blocks:8 threads:1024 regs:16384",
    "warp:64 l1:0 l2:0 w:1,2,3 blocks:8 threads:1024 regs:16384 coalescing:half-warp"};
enum { DEVICES = sizeof devices / sizeof *devices };

static const hd_device *device_of(hd_arena *arena, const char *name) {
    const hd_device *device = NULL;
    assert_int_equal(hd_device_find(arena, NULL, name, &device), HD_OK);
    return device;
}

/* A launch whose access k has width widths[k]; all in global memory. */
static hd_event_launch launch_of(hd_event_access accesses[ACCESSES], uint32_t number) {
    for (int i = 0; i < ACCESSES; i++)
        accesses[i] = (hd_event_access){.space = KIR_GLOBAL, .width = widths[i], .buffer = -1};
    return (hd_event_launch){
        .number = number, .kernel = "k", .dims = 1, .accesses = accesses, .access_count = ACCESSES};
}

/* ---- by hand -------------------------------------------------------------------- */

/* 32 lanes of `width` bytes, `stride` apart from `base` on. */
static void check_warp(const char *name, uint32_t access, uint64_t base, int64_t stride,
                       uint64_t mask, uint64_t transactions, uint64_t moved, uint64_t used) {
    hd_arena *arena = hd_arena_new();
    hd_event_access accesses[ACCESSES];
    hd_event_launch launch = launch_of(accesses, 0);
    const hd_tally_work counter_work = hd_coalesce_work(arena, device_of(arena, name));
    hd_tally *counter = hd_tally_new(arena, &counter_work, 1);
    hd_sink sink = hd_tally_sink(counter);
    hd_event e = {.access = access,
                  .threads = 32,
                  .mask = &mask,
                  .base = base,
                  .stride = stride,
                  .active = (uint32_t)__builtin_popcountll(mask)};
    sink.launch(sink.self, &launch);
    void *stream = sink.open_block(sink.self, 0);
    sink.event(stream, &e);
    sink.close_block(sink.self, stream, 0, true);
    sink.end_launch(sink.self, true);
    const hd_coalesce_counts *c = counts_of(counter, 0, access);
    assert_int_equal(c->mis, 1);
    assert_int_equal(c->requests, 1);
    assert_int_equal(c->lane_accesses, e.active);
    assert_int_equal(c->transactions, transactions);
    assert_int_equal(c->bytes_moved, moved);
    assert_int_equal(c->bytes_used, used);
    hd_tally_free(counter);
    hd_arena_free(arena);
}

static void lines_of_128_bytes(void **state) {
    (void)state;
    const uint64_t all = 0xffffffff;
    check_warp("tesla-m2050", 2, 0, 4, all, 1, 128, 128);
    check_warp("tesla-m2050", 2, 4, 4, all, 2, 256, 128);
    check_warp("tesla-m2050", 2, 124, -4, all, 1, 128, 128);
    check_warp("tesla-m2050", 2, 64, 0, all, 1, 128, 4);
    check_warp("tesla-m2050", 2, 0, 28, all, 7, 896, 128);
    check_warp("tesla-m2050", 2, 0, 256, all, 32, 4096, 128);
    check_warp("tesla-m2050", 3, 0, 8, all, 2, 256, 256);
    check_warp("tesla-m2050", 4, 0, 16, all, 4, 512, 512);
    check_warp("tesla-m2050", 4, 120, 256, all, 64, 8192, 512);
    check_warp("tesla-m2050", 2, 0, 4, 0x80000000, 1, 128, 4);
}

static void sectors_of_32_bytes(void **state) {
    (void)state;
    const uint64_t all = 0xffffffff;
    check_warp("h200", 2, 0, 4, all, 4, 128, 128);
    check_warp("h200", 2, 4, 4, all, 5, 160, 128);
    check_warp("h200", 2, 0, 28, all, 28, 896, 128);
    check_warp("h200", 0, 0, 1, all, 1, 32, 32);
    check_warp("h200", 4, 0, 0, all, 1, 32, 16);
    check_warp("h200", 2, 0, 4, 0xff, 1, 32, 32);
}

/* The figures of the programming guide's section, and the halves of its rule. */
static void half_warps_of_compute_capability_1_3(void **state) {
    (void)state;
    const uint64_t all = 0xffffffff, half = 0xffff;
    check_warp("tesla-c1060", 2, 0, 4, half, 1, 64, 64);
    check_warp("tesla-c1060", 2, 0, 4, all, 2, 128, 128);
    check_warp("tesla-c1060", 2, 32, 4, half, 1, 128, 64); /* both halves of the segment */
    check_warp("tesla-c1060", 2, 96, 4, half, 2, 64, 64);  /* 32 and 32 of two segments */
    check_warp("tesla-c1060", 2, 100, 4, half, 2, 96, 64); /* 32 and 64 */
    check_warp("tesla-c1060", 2, 0, 4, 0xff, 1, 32, 32);
    check_warp("tesla-c1060", 3, 0, 8, half, 1, 128, 128);
    check_warp("tesla-c1060", 4, 0, 16, half, 2, 256, 256);
    check_warp("tesla-c1060", 0, 0, 1, all, 2, 64, 32);
    check_warp("tesla-c1060", 0, 24, 1, half, 2, 64, 16);
    check_warp("tesla-c1060", 1, 0, 2, half, 1, 32, 32);
    check_warp("tesla-c1060", 1, 48, 2, half, 2, 64, 32);
    check_warp("tesla-c1060", 2, 4096, 0, all, 2, 64, 4);
}

/* ---- at random, against the oracle ------------------------------------------------- */

static uint32_t below(uint32_t n) { return (uint32_t)(random() % n); }

typedef struct made {
    hd_event event;
    uint64_t mask[MOST_WORDS], address[MOST_THREADS];
} made;

static bool stays_active(uint32_t way, uint32_t lane, uint32_t limit) {
    switch (way) {
    case 0: return true;
    case 1: return lane < limit;
    case 2: return lane >= limit;
    case 3: return lane == limit;
    case 4: return lane % 2 == 0;
    default: return below(3) == 0;
    }
}

static void random_mask(made *m) {
    uint32_t way = below(6), limit = below(m->event.threads);
    for (uint32_t lane = 0; lane < m->event.threads; lane++)
        if (stays_active(way, lane, limit)) {
            m->mask[lane / 64] |= (uint64_t)1 << lane % 64;
            m->event.active++;
        }
    if (!m->event.active) {
        m->mask[0] = 1;
        m->event.active = 1;
    }
}

static void random_addresses(made *m, uint32_t width) {
    static const int64_t strides[] = {0, 1, 4, 8, 12, 16, 28, 32, 64, 100, 128, 256, 1000, 4096};
    static const uint32_t windows[] = {16, 200, 3000, 1 << 20};
    uint32_t align = below(3) ? width : 1, window = windows[below(4)];
    m->event.base = 4096 + below(300) / align * align;
    m->event.stride = below(4) ? strides[below(14)] : (int64_t)below(300);
    if (below(3) == 0) {
        m->event.stride = -m->event.stride;
        m->event.base += (uint64_t)1 << 24;
    }
    if (below(2))
        return;
    bool upwards = below(2); /* mostly */
    m->event.address = m->address;
    for (uint32_t lane = 0; lane < m->event.threads; lane++)
        m->address[lane] =
            4096 + (upwards && below(8) ? lane * (uint64_t)align : below(window) / align * align);
}

static void random_event(made *m) {
    memset(m, 0, sizeof *m);
    m->event.mask = m->mask;
    m->event.threads = below(3) ? 64 * (1 + below(4)) : 1 + below(MOST_THREADS);
    m->event.access = below(ACCESSES);
    random_mask(m);
    random_addresses(m, widths[m->event.access]);
}

static void add_expected(hd_coalesce_counts *sum, const hd_device *device, const hd_event *e) {
    oracle_counts o = oracle_coalesce(device, e, widths[e->access]);
    sum->mis++;
    sum->lane_accesses += e->active;
    sum->requests += o.requests;
    sum->transactions += o.transactions;
    sum->bytes_moved += o.bytes_moved;
    sum->bytes_used += o.bytes_used;
}

static void assert_same(const hd_coalesce_counts *a, const hd_coalesce_counts *b) {
    assert_int_equal(a->mis, b->mis);
    assert_int_equal(a->requests, b->requests);
    assert_int_equal(a->lane_accesses, b->lane_accesses);
    assert_int_equal(a->transactions, b->transactions);
    assert_int_equal(a->bytes_moved, b->bytes_moved);
    assert_int_equal(a->bytes_used, b->bytes_used);
}

/* Tiles of which some have one lane elsewhere, each at several places and more than once. */
static void patterns_that_differ_in_a_lane(void **state) {
    (void)state;
    hd_arena *arena = hd_arena_new();
    hd_event_access accesses[ACCESSES];
    hd_event_launch launch = launch_of(accesses, 0);
    const hd_device *device = device_of(arena, "h200");
    const hd_tally_work counter_work = hd_coalesce_work(arena, device);
    hd_tally *counter = hd_tally_new(arena, &counter_work, 1);
    hd_sink sink = hd_tally_sink(counter);
    hd_coalesce_counts expected = {0};
    sink.launch(sink.self, &launch);
    void *stream = sink.open_block(sink.self, 0);
    for (uint32_t round = 0; round < 64; round++) {
        made m = {.event = {.threads = 256, .active = 256, .mask = m.mask, .address = m.address}};
        memset(m.mask, 0xff, 256 / 8);
        for (uint32_t lane = 0; lane < 256; lane++)
            m.address[lane] = 4096 + round / 8 % 2 * 4 + lane / 16 * 1024 + lane % 16 * 4;
        if (round / 2 % 2)
            m.address[100] += 1 << 20;
        sink.event(stream, &m.event);
        add_expected(&expected, device, &m.event);
    }
    sink.close_block(sink.self, stream, 0, true);
    sink.end_launch(sink.self, true);
    assert_same(hd_tally_of(counter, 0, 0, 0), &expected);
    hd_tally_free(counter);
    hd_arena_free(arena);
}

/* One event after the other: what the table keeps from those before must not show. */
static void random_events_equal_the_oracle(void **state) {
    (void)state;
    srandom(5);
    for (int d = 0; d < DEVICES; d++) {
        hd_arena *arena = hd_arena_new();
        hd_event_access accesses[ACCESSES];
        hd_event_launch launch = launch_of(accesses, 3);
        const hd_device *device = device_of(arena, devices[d]);
        const hd_tally_work counter_work = hd_coalesce_work(arena, device);
        hd_tally *counter = hd_tally_new(arena, &counter_work, 1);
        hd_sink sink = hd_tally_sink(counter);
        hd_coalesce_counts expected[ACCESSES] = {{0}}, all = {0};
        sink.launch(sink.self, &launch);
        for (int round = 0; round < 300; round++) {
            made m;
            void *stream = sink.open_block(sink.self, (uint64_t)round);
            for (uint32_t events = below(3); events > 0; events--) {
                random_event(&m);
                for (uint32_t again = below(4) ? 4 : 0; again < 5; again++) {
                    sink.event(stream, &m.event); /* the same pattern elsewhere */
                    add_expected(&expected[m.event.access], device, &m.event);
                    add_expected(&all, device, &m.event);
                    m.event.base += below(3) * widths[m.event.access] + (below(9) == 0);
                }
            }
            sink.close_block(sink.self, stream, (uint64_t)round, true);
            for (uint32_t a = 0; a < ACCESSES; a++)
                assert_same(counts_of(counter, 3, a), &expected[a]);
        }
        sink.end_launch(sink.self, true);
        assert_same(counts_of_launch(counter, 3), &all);
        hd_tally_free(counter);
        hd_arena_free(arena);
    }
}

/* Requests that differ in one thing only, more of them than the table holds: each must get
 * its own counts. */
enum { ALIKE = 1000, LONGEST_WORD = 300 };

static hd_event one_of_many(uint32_t way, uint32_t i, uint64_t *mask) {
    *mask = way == 0 ? i + 1 : 0xffff0fff;
    return (hd_event){.access = way == 1 ? i % LONGEST_WORD : 4,
                      .threads = 32,
                      .active = (uint32_t)__builtin_popcountll(*mask),
                      .mask = mask,
                      .base = 65536 + (way == 2 ? i : 0),
                      .stride = way == 3 ? i : 200};
}

static void requests_that_look_alike(void **state) {
    (void)state;
    hd_arena *arena = hd_arena_new();
    const hd_device *device = device_of(arena, "warp:32 l1:0 l2:0 w:1,2,3 blocks:8 threads:1024 "
                                               "regs:16384 segment:1024");
    hd_event_access accesses[LONGEST_WORD] = {{0}};
    for (uint32_t i = 0; i < LONGEST_WORD; i++)
        accesses[i] = (hd_event_access){.space = KIR_GLOBAL, .width = i + 1};
    hd_event_launch launch = {.accesses = accesses, .access_count = LONGEST_WORD};
    const hd_tally_work counter_work = hd_coalesce_work(arena, device);
    hd_tally *counter = hd_tally_new(arena, &counter_work, 1);
    hd_sink sink = hd_tally_sink(counter);
    oracle_counts sum = {0};
    sink.launch(sink.self, &launch);
    void *stream = sink.open_block(sink.self, 0);
    for (uint32_t way = 0; way < 4; way++)
        for (uint32_t i = 0; i < ALIKE; i++) {
            uint64_t mask;
            hd_event e = one_of_many(way, i, &mask);
            sink.event(stream, &e);
            oracle_counts one = oracle_coalesce(device, &e, accesses[e.access].width);
            sum.transactions += one.transactions;
            sum.bytes_used += one.bytes_used;
        }
    sink.close_block(sink.self, stream, 0, true);
    assert_int_equal(counts_of_launch(counter, 0)->transactions, sum.transactions);
    assert_int_equal(counts_of_launch(counter, 0)->bytes_used, sum.bytes_used);
    hd_tally_free(counter);
    hd_arena_free(arena);
}

/* ---- blocks, launches, spaces ---------------------------------------------------------- */

static void send(hd_sink *sink, void *stream, uint32_t access, uint64_t base, int64_t stride) {
    uint64_t mask[2] = {UINT64_MAX, UINT64_MAX};
    hd_event e = {.access = access,
                  .threads = 128,
                  .active = 128,
                  .mask = mask,
                  .base = base,
                  .stride = stride};
    sink->event(stream, &e);
}

static void blocks_add_up_in_any_order(void **state) {
    (void)state;
    hd_arena *arena = hd_arena_new();
    hd_event_access accesses[ACCESSES];
    const hd_tally_work counter_work = hd_coalesce_work(arena, device_of(arena, "tesla-m2050"));
    hd_tally *counter = hd_tally_new(arena, &counter_work, 1);
    hd_sink sink = hd_tally_sink(counter);
    for (uint32_t number = 2; number < 8; number += 2) { /* not all launches are heard */
        hd_event_launch launch = launch_of(accesses, number);
        accesses[3].space = KIR_LOCAL;
        accesses[4].space = KIR_CONSTANT;
        accesses[0].space = KIR_GENERIC; /* what is in no buffer is global */
        sink.launch(sink.self, &launch);
        void *first = sink.open_block(sink.self, 0), *second = sink.open_block(sink.self, 1);
        void *stopped = sink.open_block(sink.self, 2);
        send(&sink, first, 2, 0, 4 * (int64_t)number);
        send(&sink, second, 2, 0, 4);
        send(&sink, second, 3, 0, 8);
        send(&sink, first, 4, 0, 0);
        send(&sink, first, 0, 0, 1);
        send(&sink, stopped, 2, 0, 4);
        sink.close_block(sink.self, second, 1, true);
        sink.close_block(sink.self, stopped, 2, false);
        sink.close_block(sink.self, first, 0, true);
        sink.end_launch(sink.self, true);
    }
    assert_null(counts_of_launch(counter, 0));
    assert_null(counts_of_launch(counter, 3));
    assert_null(counts_of(counter, 8, 0));
    assert_null(counts_of(counter, 2, ACCESSES));
    assert_int_equal(counts_of(counter, 2, 2)->transactions, 8 + 4);
    assert_int_equal(counts_of(counter, 4, 2)->transactions, 16 + 4);
    assert_int_equal(counts_of(counter, 6, 2)->transactions, 24 + 4);
    assert_int_equal(counts_of(counter, 6, 2)->mis, 2);
    const hd_coalesce_counts *local = counts_of(counter, 2, 3);
    assert_int_equal(local->requests, 4);
    assert_int_equal(local->lane_accesses, 128);
    assert_int_equal(local->transactions + local->bytes_moved + local->bytes_used, 0);
    const hd_coalesce_counts *all = counts_of_launch(counter, 2);
    assert_int_equal(all->mis, 3);
    assert_int_equal(all->transactions, 8 + 4 + 4);
    assert_int_equal(counts_of(counter, 2, 4)->transactions, 4); /* constant: not in all */
    hd_tally_free(counter);
    hd_arena_free(arena);
}

/* Addresses that no buffer has, as a damaged trace might. */
static void addresses_at_the_end_of_memory(void **state) {
    (void)state;
    hd_arena *arena = hd_arena_new();
    static const int64_t strides[] = {1, -1, INT64_MAX, INT64_MIN, 1 << 30};
    for (int d = 0; d < DEVICES; d++) {
        hd_event_access accesses[ACCESSES];
        hd_event_launch launch = launch_of(accesses, 0);
        accesses[2].width = UINT32_MAX;
        accesses[3].width = 0;
        const hd_tally_work counter_work = hd_coalesce_work(arena, device_of(arena, devices[d]));
        hd_tally *counter = hd_tally_new(arena, &counter_work, 1);
        hd_sink sink = hd_tally_sink(counter);
        sink.launch(sink.self, &launch);
        void *stream = sink.open_block(sink.self, 0);
        for (int i = 0; i < 5; i++)
            for (uint32_t access = 0; access < ACCESSES; access++) {
                send(&sink, stream, access, UINT64_MAX - 3, strides[i]);
                send(&sink, stream, access, 3, strides[i]);
            }
        sink.close_block(sink.self, stream, 0, true);
        sink.end_launch(sink.self, true);
        assert_int_equal(counts_of_launch(counter, 0)->mis, 90);
        hd_tally_free(counter);
    }
    hd_arena_free(arena);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lines_of_128_bytes),
        cmocka_unit_test(sectors_of_32_bytes),
        cmocka_unit_test(half_warps_of_compute_capability_1_3),
        cmocka_unit_test(patterns_that_differ_in_a_lane),
        cmocka_unit_test(random_events_equal_the_oracle),
        cmocka_unit_test(requests_that_look_alike),
        cmocka_unit_test(blocks_add_up_in_any_order),
        cmocka_unit_test(addresses_at_the_end_of_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
