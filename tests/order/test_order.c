/*
 * Threads into warps: what the stages say against recounting, what must stay, and small launches for
 * which every way to form warps is tried.
 */
#include <stdarg.h>
#include <setjmp.h>
#include <stddef.h>
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

static const hd_stages all_stages = {
    .threads = true, .warps = true, .blocks = true, .refine = true, .workers = 2};

/* ---- twins -------------------------------------------------------------------------------------- */

/* Transactions warp by warp: the segments that its lanes touch in a step. */
static uint64_t slow_transactions(const hd_sharing *s, const uint32_t *order) {
    uint64_t transactions = s->alone;
    for (uint32_t first = 0; first < s->threads;) {
        uint32_t end = first + 1;
        while (end < s->threads && hd_sharing_warp_of(s, end) == hd_sharing_warp_of(s, first))
            end++;
        for (uint64_t n = 0; n < s->requests.count; n++) {
            bool touched = false;
            for (uint64_t i = s->requests.first[n]; i < s->requests.first[n + 1]; i++)
                for (uint32_t p = first; p < end; p++)
                    touched |= order[p] == s->requests.thread[i];
            transactions += touched ? s->requests.weight[n] : 0;
        }
        first = end;
    }
    return transactions;
}

/* ---- random launches ---------------------------------------------------------------------------- */

static void check_order(hd_arena *arena, const hd_sharing *s, uint64_t seed) {
    uint32_t *before = random_order(arena, s->threads, seed);
    uint32_t *order = hd_new_array(arena, uint32_t, s->threads + 1);
    uint32_t *again = hd_new_array(arena, uint32_t, s->threads + 1);
    size_t bytes = s->threads * sizeof *order;
    hd_sharing_cost was = hd_sharing_count(s, before);
    assert_int_equal(was.transactions, slow_transactions(s, before));

    memcpy(order, before, bytes);
    hd_refine_threads(s, 2, order);
    assert_true(hd_is_permutation(order, s->threads, NULL));
    hd_sharing_cost refined = hd_sharing_count(s, order);
    assert_int_equal(refined.transactions, slow_transactions(s, order));
    assert_true(refined.transactions <= was.transactions);
    assert_true(refined.transactions + refined.issues <= was.transactions + was.issues);

    memcpy(order, before, bytes);
    assert_int_equal(hd_order_threads(NULL, s, &all_stages, order), HD_OK);
    assert_true(hd_is_permutation(order, s->threads, NULL));
    hd_stages one_worker = all_stages;
    one_worker.workers = 1;
    memcpy(again, before, bytes);
    assert_int_equal(hd_order_threads(NULL, s, &one_worker, again), HD_OK);
    assert_memory_equal(order, again, bytes);

    hd_stages whole = all_stages;
    whole.whole_blocks = true;
    memcpy(order, before, bytes);
    assert_int_equal(hd_order_threads(NULL, s, &whole, order), HD_OK);
    assert_true(hd_is_permutation(order, s->threads, NULL));
    uint32_t *place = hd_new_array(arena, uint32_t, s->threads + 1);
    for (uint32_t p = 0; p < s->threads; p++)
        place[before[p]] = p;
    for (uint32_t p = 0; p < s->threads; p++)
        assert_int_equal(place[order[p]], place[order[p / s->block_threads * s->block_threads]] +
                                              p % s->block_threads);
}

static void random_launches(void **state) {
    uint64_t seed = 11;
    for (int i = 0; i < 60; i++) {
        random_shape shape = {.blocks = 1 + random_below(&seed, 6),
                              .block_threads = 1 + random_below(&seed, 40),
                              .warp = 1u << random_below(&seed, 5),
                              .steps = 1 + random_below(&seed, 5),
                              .per_segment = 1 + random_below(&seed, 6),
                              .far = 1 + random_below(&seed, 30),
                              .steps_differ = random_below(&seed, 2)};
        shape.elements = 1 + random_below(&seed, 3 * shape.blocks * shape.block_threads);
        uint64_t own = hd_next_random(&seed);
        if (!IS_TRIED(i, 3))
            continue;
        const hd_sharing s = random_sharing(*state, &shape, own);
        check_order(*state, &s, own ^ 1);
    }
}

/* Each of them alone: no nets, one block, one thread. */
static void the_least(void **state) {
    const random_shape shapes[] = {{1, 1, 32, 1, 1, 1, 1, 0},   /* one thread */
                                   {1, 50, 32, 2, 4, 60, 5, 0}, /* one block */
                                   {9, 1, 32, 2, 4, 9, 5, 0}};  /* warps of one thread */
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        const hd_sharing s = random_sharing(*state, &shapes[i], i);
        check_order(*state, &s, i);
    }
    hd_sharing none = random_sharing(*state, &shapes[1], 1);
    none.requests = none.lines = (hd_nets){.first = hd_new_array(*state, uint64_t, 1)};
    check_order(*state, &none, 3);
}

/* ---- the bound ---------------------------------------------------------------------------------- */

static uint64_t transactions_of(void *user, const uint32_t *order) {
    return hd_sharing_count(user, order).transactions;
}

/* 12 threads in warps of 4, of which there are 5775 ways; and 8 in warps of 4. */
static void bound(void **state) {
    enum { LAUNCHES = SANITIZED ? 20 : 200 };
    double over[LAUNCHES];
    uint64_t tried;
    for (uint32_t l = 0; l < LAUNCHES; l++) {
        const random_shape shape = {.blocks = 1,
                                    .block_threads = l % 4 ? 12 : 8,
                                    .warp = 4,
                                    .steps = 1 + l % 5,
                                    .per_segment = 2 + l % 3,
                                    .elements = 12 + l % 17,
                                    .far = 2 + l % 7};
        hd_sharing s = random_sharing(*state, &shape, l);
        uint32_t order[12];
        for (uint32_t i = 0; i < s.threads; i++)
            order[i] = i;
        uint64_t least = least_of_partitions(*state, s.threads, 4, transactions_of, &s, &tried);
        assert_int_equal(tried, s.threads == 12 ? 5775 : 35);
        assert_int_equal(hd_order_threads(NULL, &s, &all_stages, order), HD_OK);
        over[l] = (double)hd_sharing_count(&s, order).transactions / (double)least - 1;
        assert_true(over[l] >= 0);
    }
    qsort(over, LAUNCHES, sizeof *over, ascending_doubles);
    print_message(
        "transactions over the optimum: %.1f%% (median), %.1f%% (9 of 10), %.1f%% (worst) "
        "of %d launches\n",
        100 * over[LAUNCHES / 2], 100 * over[LAUNCHES * 9 / 10], 100 * over[LAUNCHES - 1],
        LAUNCHES);
    assert_true(over[LAUNCHES / 2] <= 0.05);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(random_launches, make_arena, free_arena),
        cmocka_unit_test_setup_teardown(the_least, make_arena, free_arena),
        cmocka_unit_test_setup_teardown(bound, make_arena, free_arena)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
