/* Warps into blocks and the order of blocks: what they cost by definition, what must stay, and small
 * graphs for which everything is tried. */
#include <stdarg.h>
#include <setjmp.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "order/every_partition.h"
#include "order/orders.h"
#include "order/random_sharing.h"
#include "sanitized.h"

static int make_arena(void **state) {
    *state = hd_arena_new();
    return 0;
}

static int free_arena(void **state) {
    hd_arena_free(*state);
    return 0;
}

/* ---- twins -------------------------------------------------------------------------------------- */

/* Whether block b, as `order` has it, touches net n. */
static bool touches(const hd_sharing *s, const uint32_t *order, uint64_t n, uint32_t b) {
    for (uint32_t p = b * s->block_threads; p < (b + 1) * s->block_threads; p++)
        for (uint64_t i = s->lines.first[n]; i < s->lines.first[n + 1]; i++)
            if (s->lines.thread[i] == order[p])
                return true;
    return false;
}

static uint64_t slow_block_bytes(const hd_sharing *s, const uint32_t *order) {
    uint64_t bytes = 0;
    for (uint64_t n = 0; n < s->lines.count; n++)
        for (uint32_t b = 0; b < s->threads / s->block_threads; b++)
            bytes += touches(s, order, n, b) ? s->lines.weight[n] : 0;
    return bytes;
}

static uint64_t slow_reuse_distances(const hd_sharing *s, const uint32_t *order) {
    uint64_t sum = 0;
    for (uint64_t n = 0; n < s->lines.count; n++) {
        uint32_t last = UINT32_MAX;
        for (uint32_t b = 0; b < s->threads / s->block_threads; b++)
            if (touches(s, order, n, b)) {
                sum += last == UINT32_MAX ? 0 : (uint64_t)s->lines.weight[n] * (b - last);
                last = b;
            }
    }
    return sum;
}

/* ---- what must stay ----------------------------------------------------------------------------- */

/* Each warp of `after`, full or not, is one of `before`, its lanes in their order. */
static void check_warps_stay(hd_arena *arena, const hd_sharing *s, const uint32_t *before,
                             const uint32_t *after) {
    uint32_t *place = hd_new_array(arena, uint32_t, s->threads);
    assert_true(hd_is_permutation(after, s->threads, NULL));
    for (uint32_t p = 0; p < s->threads; p++)
        place[before[p]] = p;
    for (uint32_t p = 0; p < s->threads; p++) {
        uint32_t was = place[after[p]], lane = p % s->block_threads % s->warp;
        assert_int_equal(was % s->block_threads % s->warp, lane);
        if (lane)
            assert_int_equal(was, place[after[p - 1]] + 1);
        bool tail = p % s->block_threads / s->warp == s->block_threads / s->warp;
        assert_int_equal(was % s->block_threads / s->warp == s->block_threads / s->warp, tail);
    }
}

static void check_blocks_stay(hd_arena *arena, const hd_sharing *s, const uint32_t *before,
                              const uint32_t *after) {
    uint32_t *place = hd_new_array(arena, uint32_t, s->threads);
    assert_true(hd_is_permutation(after, s->threads, NULL));
    for (uint32_t p = 0; p < s->threads; p++)
        place[before[p]] = p;
    for (uint32_t p = 0; p < s->threads; p++)
        assert_int_equal(place[after[p]], place[after[p / s->block_threads * s->block_threads]] +
                                              p % s->block_threads);
}

/* Both stages on one graph, begun with a shuffled order. */
static void check(hd_arena *arena, const random_shape *shape, uint64_t seed) {
    const hd_sharing s = random_sharing(arena, shape, seed);
    size_t bytes = (s.threads + 1) * sizeof(uint32_t);
    uint32_t *before = random_order(arena, s.threads, seed ^ 1);
    uint32_t *grown = hd_new_array(arena, uint32_t, s.threads + 1);
    uint32_t *order = hd_new_array(arena, uint32_t, s.threads + 1);
    uint32_t *again = hd_new_array(arena, uint32_t, s.threads + 1);
    memcpy(grown, before, bytes);
    memcpy(order, before, bytes);
    assert_int_equal(hd_cluster_warps(NULL, &s, &(hd_stages){0}, grown), HD_OK);
    assert_int_equal(hd_cluster_warps(NULL, &s, &(hd_stages){.refine = true}, order), HD_OK);
    check_warps_stay(arena, &s, before, grown);
    check_warps_stay(arena, &s, before, order);
    assert_int_equal(hd_block_bytes(&s, order), slow_block_bytes(&s, order));
    assert_true(hd_block_bytes(&s, grown) <= hd_block_bytes(&s, before));
    assert_true(hd_block_bytes(&s, order) <= hd_block_bytes(&s, grown));

    memcpy(again, order, bytes);
    hd_schedule_blocks(&s, again);
    check_blocks_stay(arena, &s, order, again);
    assert_int_equal(hd_reuse_distances(&s, again), slow_reuse_distances(&s, again));
    assert_true(hd_reuse_distances(&s, again) <= hd_reuse_distances(&s, order));
    assert_int_equal(hd_block_bytes(&s, again), hd_block_bytes(&s, order));

    memcpy(grown, before, bytes);
    assert_int_equal(hd_cluster_warps(NULL, &s, &(hd_stages){.refine = true}, grown), HD_OK);
    hd_schedule_blocks(&s, grown);
    assert_memory_equal(grown, again, bytes);
}

static void random_graphs(void **state) {
    uint64_t seed = 7;
    for (int i = 0; i < 60; i++) {
        random_shape shape = {.blocks = 1 + random_below(&seed, 9),
                              .block_threads = 1 + random_below(&seed, 30),
                              .warp = 1u << random_below(&seed, 4),
                              .steps = 1 + random_below(&seed, 5),
                              .per_segment = 1 + random_below(&seed, 6),
                              .far = 1 + random_below(&seed, 40)};
        shape.elements = 1 + random_below(&seed, 3 * shape.blocks * shape.block_threads);
        uint64_t own = hd_next_random(&seed);
        if (IS_TRIED(i, 3))
            check(*state, &shape, own);
    }
}

static void one_thread_and_nothing_shared(void **state) {
    const random_shape one = {1, 1, 32, 1, 1, 1, 1, 0};
    check(*state, &one, 1);
    const hd_sharing s = {.threads = 32, .block_threads = 8, .warp = 4, .lines = {0}};
    uint64_t first = 0;
    uint32_t order[32], before[32];
    hd_sharing none = s;
    none.lines.first = &first;
    for (uint32_t i = 0; i < 32; i++)
        before[i] = order[i] = 31 - i;
    assert_int_equal(hd_cluster_warps(NULL, &none, &(hd_stages){.refine = true}, order), HD_OK);
    hd_schedule_blocks(&none, order);
    assert_memory_equal(order, before, sizeof order); /* nothing is better than as it was */
}

/* ---- by hand ------------------------------------------------------------------------------------ */

/* Four warps of one thread, lines ab, bc, cd, da; blocks of two. */
static void a_ring(void **state) {
    uint64_t first[] = {0, 2, 4, 6, 8};
    uint32_t thread[] = {0, 1, 1, 2, 2, 3, 0, 3}, weight[] = {10, 10, 10, 10};
    const hd_sharing s = {
        .threads = 4,
        .block_threads = 2,
        .warp = 1,
        .lines = {.count = 4, .first = first, .thread = thread, .weight = weight}};
    uint32_t order[] = {0, 2, 1, 3};
    (void)state;
    assert_int_equal(hd_block_bytes(&s, order), 80);
    assert_int_equal(hd_cluster_warps(NULL, &s, &(hd_stages){.refine = true}, order), HD_OK);
    assert_int_equal(hd_block_bytes(&s, order), 60);
}

/* A path of blocks, shuffled: the least sum is one step for each line. */
static void a_path(void **state) {
    enum { BLOCKS = 64 };
    hd_arena *arena = *state;
    uint64_t first[BLOCKS];
    uint32_t thread[2 * BLOCKS], weight[BLOCKS];
    for (uint32_t n = 0; n < BLOCKS; n++) {
        first[n] = 2 * n;
        thread[2 * n] = n;
        thread[2 * n + 1] = n + 1;
        weight[n] = 3;
    }
    const hd_sharing s = {
        .threads = BLOCKS,
        .block_threads = 1,
        .warp = 32,
        .lines = {.count = BLOCKS - 1, .first = first, .thread = thread, .weight = weight}};
    uint32_t *order = random_order(arena, BLOCKS, 5);
    hd_schedule_blocks(&s, order);
    assert_int_equal(hd_reuse_distances(&s, order), 3 * (BLOCKS - 1));
}

/* ---- everything tried --------------------------------------------------------------------------- */

typedef struct small {
    const hd_sharing *sharing;
    uint32_t unit; /* threads that stay together */
    uint32_t order[64];
    uint64_t (*cost)(const hd_sharing *sharing, const uint32_t *order);
} small;

static uint64_t cost_of_units(void *user, const uint32_t *units) {
    small *s = user;
    for (uint32_t p = 0; p < s->sharing->threads; p++)
        s->order[p] = units[p / s->unit] * s->unit + p % s->unit;
    return s->cost(s->sharing, s->order);
}

static void least_of_orders(small *s, uint32_t *units, uint32_t at, uint32_t count,
                            uint64_t *least) {
    if (at == count) {
        uint64_t cost = cost_of_units(s, units);
        *least = cost < *least ? cost : *least;
        return;
    }
    for (uint32_t i = at; i < count; i++) {
        uint32_t unit = units[i];
        units[i] = units[at];
        units[at] = unit;
        least_of_orders(s, units, at + 1, count, least);
        units[at] = units[i];
        units[i] = unit;
    }
}

static void bound(const char *what, double *over, uint32_t count) {
    qsort(over, count, sizeof *over, ascending_doubles);
    print_message(
        "%s: over the optimum by %.1f%% (median), %.1f%% (9 of 10), %.1f%% (worst) of %u\n", what,
        100 * over[count / 2], 100 * over[count * 9 / 10], 100 * over[count - 1], count);
    assert_true(over[count / 2] <= 0.05);
}

static void bound_of_warps(void **state) {
    enum { GRAPHS = SANITIZED ? 10 : 60 };
    double over[GRAPHS];
    uint64_t tried;
    for (uint32_t g = 0; g < GRAPHS; g++) {
        const random_shape shape = {3, 8, 2, 3, 2 + g % 3, 40 + g, 6 + g % 9, 0};
        const hd_sharing s = random_sharing(*state, &shape, g);
        small all = {.sharing = &s, .unit = 2, .cost = hd_block_bytes};
        uint64_t least = least_of_partitions(*state, 12, 4, cost_of_units, &all, &tried);
        assert_int_equal(tried, 5775);
        uint32_t order[24];
        for (uint32_t i = 0; i < 24; i++)
            order[i] = i;
        assert_int_equal(hd_cluster_warps(NULL, &s, &(hd_stages){.refine = true}, order), HD_OK);
        over[g] = (double)hd_block_bytes(&s, order) / (double)least - 1;
        assert_true(over[g] >= 0);
    }
    bound("warps into blocks", over, GRAPHS);
}

static void bound_of_blocks(void **state) {
    enum { GRAPHS = SANITIZED ? 5 : 30, BLOCKS = 7 };
    double over[GRAPHS];
    for (uint32_t g = 0; g < GRAPHS; g++) {
        const random_shape shape = {BLOCKS, 4, 4, 3, 2, 40 + g, 8 + g % 9, 0};
        const hd_sharing s = random_sharing(*state, &shape, g);
        small all = {.sharing = &s, .unit = 4, .cost = hd_reuse_distances};
        uint32_t units[BLOCKS], order[BLOCKS * 4];
        uint64_t least = UINT64_MAX;
        for (uint32_t i = 0; i < BLOCKS; i++)
            units[i] = i;
        for (uint32_t i = 0; i < BLOCKS * 4; i++)
            order[i] = i;
        least_of_orders(&all, units, 0, BLOCKS, &least);
        hd_schedule_blocks(&s, order);
        over[g] = least ? (double)hd_reuse_distances(&s, order) / (double)least - 1 : 0;
        assert_true(over[g] >= 0);
    }
    bound("order of blocks", over, GRAPHS);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(random_graphs, make_arena, free_arena),
        cmocka_unit_test_setup_teardown(one_thread_and_nothing_shared, make_arena, free_arena),
        cmocka_unit_test(a_ring),
        cmocka_unit_test_setup_teardown(a_path, make_arena, free_arena),
        cmocka_unit_test_setup_teardown(bound_of_warps, make_arena, free_arena),
        cmocka_unit_test_setup_teardown(bound_of_blocks, make_arena, free_arena)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
