/* The counter of passes of shared memory's banks: the programming guide's examples by hand, random
 * events against tests/oracle, and which memory counts. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "oracle/banks.h"
#include "sanitized.h"

static const hd_banks_counts *counts_of(const hd_tally *counter, uint32_t launch, uint32_t access) {
    return hd_tally_of(counter, 0, launch, access);
}

static const hd_banks_counts *counts_of_launch(const hd_tally *counter, uint32_t launch) {
    return hd_tally_of_launch(counter, 0, launch);
}

enum { MOST_THREADS = 200, ACCESSES = 7, MOST_WORDS = (MOST_THREADS + 63) / 64 };

static const uint32_t widths[ACCESSES] = {1, 2, 4, 8, 16, 12, 32};

#define SHAPED " l1:0 l2:0 w:1,2,3 blocks:8 threads:1024 regs:16384 segment:64"
static const char *const devices[] = {"h200",
                                      "tesla-c1060",
                                      "radeon-fiji",
                                      "warp:8" SHAPED " banks:4 bank:8",
                                      "warp:128" SHAPED,
                                      "warp:32" SHAPED " banks:1 bank:1"};
enum { DEVICES = sizeof devices / sizeof *devices };

static const hd_device *device_of(hd_arena *arena, const char *name) {
    const hd_device *device = NULL;
    assert_int_equal(hd_device_find(arena, NULL, name, &device), HD_OK);
    return device;
}

/* A launch whose access k has width widths[k], all in this space. */
static hd_event_launch launch_of(hd_event_access accesses[ACCESSES], kir_space space) {
    for (int i = 0; i < ACCESSES; i++)
        accesses[i] = (hd_event_access){.space = space, .width = widths[i], .buffer = -1};
    return (hd_event_launch){.kernel = "k", .accesses = accesses, .access_count = ACCESSES};
}

static void assert_same(const hd_banks_counts *a, const hd_banks_counts *b) {
    assert_int_equal(a->local_requests, b->local_requests);
    assert_int_equal(a->passes, b->passes);
    assert_int_equal(a->conflicts, b->conflicts);
}

/* What one event of an access counts. */
static hd_banks_counts count_of(const char *name, kir_space space, const hd_event *e) {
    hd_arena *arena = hd_arena_new();
    hd_event_access accesses[ACCESSES];
    hd_event_launch launch = launch_of(accesses, space);
    const hd_tally_work counter_work = hd_banks_work(arena, device_of(arena, name));
    hd_tally *counter = hd_tally_new(arena, &counter_work, 1);
    hd_sink sink = hd_tally_sink(counter);
    sink.launch(sink.self, &launch);
    void *stream = sink.open_block(sink.self, 0);
    sink.event(stream, e);
    sink.close_block(sink.self, stream, 0, true);
    sink.end_launch(sink.self, true);
    hd_banks_counts counts = *counts_of(counter, 0, e->access);
    assert_same(counts_of_launch(counter, 0), &counts);
    assert_null(counts_of(counter, 0, ACCESSES));
    assert_null(counts_of_launch(counter, 1));
    hd_tally_free(counter);
    hd_arena_free(arena);
    return counts;
}

/* ---- by hand -------------------------------------------------------------------- */

/* A warp of 32 lanes, `stride` bytes apart. */
static void check_stride(const char *name, uint32_t access, uint64_t base, int64_t stride,
                         uint64_t mask, uint64_t passes, uint64_t conflicts) {
    hd_event e = {.access = access,
                  .threads = 32,
                  .mask = &mask,
                  .base = base,
                  .stride = stride,
                  .active = (uint32_t)__builtin_popcountll(mask)};
    hd_banks_counts counts = count_of(name, KIR_LOCAL, &e);
    assert_same(&counts, &(hd_banks_counts){1, passes, conflicts});
}

/* The figures of the guide's section: strides of one, two and three words, and broadcasts. */
static void strided_accesses(void **state) {
    (void)state;
    const uint64_t all = 0xffffffff;
    check_stride("h200", 2, 4096, 4, all, 1, 0);
    check_stride("h200", 2, 4100, 4, all, 1, 0);
    check_stride("h200", 2, 4096, 8, all, 2, 1);
    check_stride("h200", 2, 4096, 12, all, 1, 0);
    check_stride("h200", 2, 4096, 128, all, 32, 31);
    check_stride("h200", 2, 4096, 132, all, 1, 0); /* padded by one word */
    check_stride("h200", 2, 4096, -128, all, 32, 31);
    check_stride("h200", 2, 4096, 0, all, 1, 0);
    check_stride("h200", 0, 4096, 1, all, 1, 0); /* four lanes in each word */
    check_stride("h200", 1, 4096, 2, all, 1, 0);
    check_stride("h200", 2, 4096, 128, 0x5, 2, 1);
}

/* Words of 8 bytes are served in halves of a warp, of 16 bytes in quarters. */
static void wide_words(void **state) {
    (void)state;
    const uint64_t all = 0xffffffff;
    check_stride("h200", 3, 4096, 8, all, 2, 0);
    check_stride("h200", 3, 4096, 16, all, 4, 2);
    check_stride("h200", 3, 4096, 8, 0xffff, 1, 0);
    check_stride("h200", 4, 4096, 16, all, 4, 0);
    check_stride("h200", 4, 4096, 32, all, 8, 4);
    check_stride("h200", 4, 4096, 0, all, 4, 0);
    check_stride("h200", 5, 4096, 12, all, 4, 0);
}

/* 16 banks, half-warps. */
static void banks_of_compute_capability_1_3(void **state) {
    (void)state;
    check_stride("tesla-c1060", 2, 4096, 4, 0xffffffff, 2, 0);
    check_stride("tesla-c1060", 2, 4096, 8, 0xffffffff, 4, 2);
    check_stride("tesla-c1060", 2, 4096, 8, 0xff, 1, 0);
}

/* Lanes that ask for words of their own, two by two in a bank, and for one word. */
static void scattered_accesses(void **state) {
    (void)state;
    uint64_t address[32], mask = 0xffffffff;
    hd_event e = {.access = 2, .threads = 32, .active = 32, .mask = &mask, .address = address};
    for (uint32_t lane = 0; lane < 32; lane++)
        address[lane] = 4 * ((lane * 7) % 16 + (lane & 1 ? 64 : 0));
    hd_banks_counts counts = count_of("h200", KIR_LOCAL, &e);
    assert_same(&counts, &(hd_banks_counts){1, 1, 0}); /* odd lanes have odd banks */
    for (uint32_t lane = 0; lane < 32; lane++)
        address[lane] = lane < 3 ? 4 * 32 * (3 - lane) : 4 * 5;
    counts = count_of("h200", KIR_LOCAL, &e);
    assert_same(&counts, &(hd_banks_counts){1, 3, 2});
    counts = count_of("h200", KIR_GLOBAL, &e);
    assert_same(&counts, &(hd_banks_counts){0});
}

/* ---- at random, against the oracle ------------------------------------------------- */

static uint32_t below(uint32_t n) { return (uint32_t)(random() % n); }

typedef struct made {
    hd_event event;
    uint64_t mask[MOST_WORDS], address[MOST_THREADS];
} made;

static void random_event(made *m) {
    static const int64_t strides[] = {0, 1, 2, 4, 8, 12, 16, 20, 64, 128, 132, 1000, 4096};
    memset(m, 0, sizeof *m);
    hd_event *e = &m->event;
    e->mask = m->mask;
    e->threads = below(2) ? 64 * (1 + below(3)) : 1 + below(MOST_THREADS);
    e->access = below(ACCESSES);
    uint32_t way = below(4), limit = below(e->threads), align = below(4) ? widths[e->access] : 1;
    for (uint32_t lane = 0; lane < e->threads; lane++)
        if (way == 0 || (way == 1 ? lane < limit : way == 2 ? lane >= limit : below(3) == 0)) {
            m->mask[lane / 64] |= (uint64_t)1 << lane % 64;
            e->active++;
        }
    if (!e->active) {
        m->mask[0] = 1;
        e->active = 1;
    }
    e->base = 4096 + below(300) / align * align;
    e->stride = strides[below(13)] * (below(3) ? 1 : -1);
    if (e->stride < 0)
        e->base += 1 << 20;
    if (below(2))
        return;
    e->address = m->address;
    uint32_t window = below(2) ? 200 : 3000;
    for (uint32_t lane = 0; lane < e->threads; lane++)
        m->address[lane] = below(window) / align * align;
}

static void add_expected(hd_banks_counts *sum, const hd_device *device, const hd_event *e) {
    hd_banks_counts one = oracle_banks(device, e, widths[e->access]);
    sum->local_requests += one.local_requests;
    sum->passes += one.passes;
    sum->conflicts += one.conflicts;
}

/* One event after the other: what the table keeps from those before must not show. */
static void random_events_equal_the_oracle(void **state) {
    (void)state;
    srandom(7);
    for (int d = 0; d < DEVICES; d++) {
        hd_arena *arena = hd_arena_new();
        hd_event_access accesses[ACCESSES];
        hd_event_launch launch = launch_of(accesses, KIR_LOCAL);
        const hd_device *device = device_of(arena, devices[d]);
        const hd_tally_work counter_work = hd_banks_work(arena, device);
        hd_tally *counter = hd_tally_new(arena, &counter_work, 1);
        hd_sink sink = hd_tally_sink(counter);
        hd_banks_counts expected[ACCESSES] = {{0}}, all = {0};
        sink.launch(sink.self, &launch);
        for (uint64_t round = 0; round < (SANITIZED ? 40 : 200); round++) {
            made m;
            void *stream = sink.open_block(sink.self, round);
            for (uint32_t events = below(8); events > 0; events--) {
                random_event(&m);
                for (uint32_t again = below(4) ? 4 : 0; again < 5; again++) {
                    sink.event(stream, &m.event); /* the same pattern elsewhere */
                    add_expected(&expected[m.event.access], device, &m.event);
                    add_expected(&all, device, &m.event);
                    m.event.base += below(3) * widths[m.event.access] + (below(9) == 0);
                }
            }
            sink.close_block(sink.self, stream, round, true);
        }
        sink.end_launch(sink.self, true);
        for (uint32_t a = 0; a < ACCESSES; a++)
            assert_same(counts_of(counter, 0, a), &expected[a]);
        assert_same(counts_of_launch(counter, 0), &all);
        assert_true(all.conflicts > 0);
        hd_tally_free(counter);
        hd_arena_free(arena);
    }
}

/* Addresses and widths that no kernel has, as a damaged trace might. */
static void addresses_at_the_end_of_memory(void **state) {
    (void)state;
    static const int64_t strides[] = {1, -1, INT64_MAX, INT64_MIN, 1 << 30};
    hd_arena *arena = hd_arena_new();
    for (int d = 0; d < DEVICES; d++) {
        hd_event_access accesses[ACCESSES];
        hd_event_launch launch = launch_of(accesses, KIR_LOCAL);
        accesses[2].width = UINT32_MAX;
        accesses[3].width = 0;
        const hd_tally_work counter_work = hd_banks_work(arena, device_of(arena, devices[d]));
        hd_tally *counter = hd_tally_new(arena, &counter_work, 1);
        hd_sink sink = hd_tally_sink(counter);
        sink.launch(sink.self, &launch);
        void *stream = sink.open_block(sink.self, 0);
        uint64_t mask = 0xffffffff;
        for (int i = 0; i < 5; i++)
            for (uint32_t access = 0; access < ACCESSES; access++) {
                hd_event e = {.access = access, .threads = 32, .active = 32, .mask = &mask};
                e.stride = strides[i];
                e.base = UINT64_MAX - 3;
                sink.event(stream, &e);
                e.base = 3;
                sink.event(stream, &e);
            }
        sink.close_block(sink.self, stream, 0, true);
        sink.end_launch(sink.self, true);
        assert_true(counts_of_launch(counter, 0)->local_requests >= 70);
        hd_tally_free(counter);
    }
    hd_arena_free(arena);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(strided_accesses),
        cmocka_unit_test(wide_words),
        cmocka_unit_test(banks_of_compute_capability_1_3),
        cmocka_unit_test(scattered_accesses),
        cmocka_unit_test(random_events_equal_the_oracle),
        cmocka_unit_test(addresses_at_the_end_of_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
