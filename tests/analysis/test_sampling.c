/* Which blocks are counted, with made-up times: what counting adds, what the counted ones stand for. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "analysis/sampling.h"

static const double FULL = 0.1; /* seconds that the first blocks of a kernel may take */
static const uint32_t grid[3] = {100, 1, 1}, block[3] = {64, 1, 1};

/* What a run of blocks has taken, and what was said of them. */
typedef struct ran {
    uint64_t blocks, counted, weight;
    double plain, added; /* seconds without counting, and what it has added */
    double truth, estimate;
} ran;

/* The next block, that takes so long and, counted, so many times longer; its count is `count`. */
static void run_block(hd_sampled *d, double seconds, double times, double count, ran *sum) {
    uint64_t weight = hd_sampled_next(d);
    hd_sampled_ran(d, weight > 0, weight ? seconds * times : seconds);
    sum->blocks++;
    sum->counted += weight > 0;
    sum->weight += weight;
    sum->plain += seconds;
    sum->added += weight ? seconds * (times - 1) : 0;
    sum->truth += count;
    sum->estimate += (double)weight * count;
}

static void run_blocks(hd_sampled *d, uint64_t blocks, double seconds, double times, ran *sum) {
    for (uint64_t i = 0; i < blocks; i++)
        run_block(d, seconds, times, 1, sum);
}

static uint64_t next_random(uint64_t *state) {
    *state = *state * 6364136223846793005 + 1442695040888963407;
    return *state >> 33;
}

static void assert_near(double value, double wanted, double share) {
    if (fabs(value - wanted) > share * fabs(wanted))
        fail_msg("%g is not within %g%% of %g", value, 100 * share, wanted);
}

static void without_a_budget_all_are_counted(void **state) {
    (void)state;
    hd_arena *arena = hd_arena_new();
    hd_sampling *s = hd_sampling_new(arena, -1);
    hd_sampled *d = hd_sampling_of(s, "k", grid, block);
    ran sum = {0};
    for (uint32_t launch = 0; launch < 100; launch++) {
        assert_false(hd_sampled_skips(d, 10));
        run_blocks(d, 10, 1, 50, &sum);
        hd_sampled_spent(d, 3);
    }
    assert_int_equal(sum.counted, 1000);
    assert_int_equal(sum.weight, 1000);
    const hd_sampling_share share = hd_sampling_share_of(s, "k");
    assert_int_equal(share.blocks, 1000);
    assert_int_equal(share.counted, 1000);
    assert_true(share.scale == 1);
    assert_true(hd_sampling_share_of(s, "another").scale == 1);
    hd_arena_free(arena);
}

/* 1 ms each, counted: 100 of them. */
static void the_first_blocks_are_all_counted(void **state) {
    (void)state;
    hd_arena *arena = hd_arena_new();
    hd_sampled *d = hd_sampling_of(hd_sampling_new(arena, 0.2), "k", grid, block);
    ran sum = {0};
    run_blocks(d, 99, 1e-3 / 30, 30, &sum);
    assert_int_equal(sum.counted, 99);
    run_blocks(d, 10000, 1e-3 / 30, 30, &sum);
    assert_in_range(sum.counted, 100, 400);
    hd_arena_free(arena);
}

/* Over a long run counting adds no more than the overhead, and what the first blocks took; nor much
 * less, where blocks can be as rare as that asks for. */
static void what_is_added_is_within_the_overhead(void **state) {
    static const double overheads[] = {0.01, 0.05, 0.2, 1, 10}, times[] = {1, 1.1, 3, 30, 300};
    (void)state;
    for (size_t o = 0; o < sizeof overheads / sizeof *overheads; o++)
        for (size_t t = 0; t < sizeof times / sizeof *times; t++) {
            hd_arena *arena = hd_arena_new();
            hd_sampled *d = hd_sampling_of(hd_sampling_new(arena, overheads[o]), "k", grid, block);
            const double seconds = 1e-4, group = (times[t] - 1) / overheads[o];
            ran sum = {0};
            run_blocks(d, 300000, seconds, times[t], &sum);
            double most = overheads[o] * sum.plain + FULL + 2 * seconds * times[t];
            if (group <= 4096 && sum.added > most)
                fail_msg("%g times, %g: %g s are added to %g s", times[t], overheads[o], sum.added,
                         sum.plain);
            if (group >= 10 && group <= 4096)
                assert_true(sum.added > 0.9 * overheads[o] * sum.plain - FULL);
            assert_true(sum.counted >= 300000 / 4096);
            hd_arena_free(arena);
        }
}

/* Also of launches of a block each, of which only counted ones take time besides. */
static void what_is_spent_besides_blocks_is_within_the_overhead(void **state) {
    (void)state;
    hd_arena *arena = hd_arena_new();
    hd_sampled *d = hd_sampling_of(hd_sampling_new(arena, 0.2), "k", grid, block);
    ran sum = {0};
    for (uint32_t launch = 0; launch < 200000; launch++) {
        if (hd_sampled_skips(d, 1)) {
            hd_sampled_ran(d, false, 1e-5);
            sum.plain += 1e-5;
            continue;
        }
        run_block(d, 1e-5, 5, 1, &sum);
        hd_sampled_spent(d, 6e-5);
        sum.added += 6e-5;
    }
    assert_true(sum.added <= 0.2 * sum.plain + FULL + 2 * (5e-5 + 6e-5));
    assert_true(sum.added >= 0.15 * sum.plain);
    hd_arena_free(arena);
}

/* Blocks become a thousand times heavier, and light again; and faster while they run. */
static void blocks_that_change_stay_within_the_overhead(void **state) {
    (void)state;
    hd_arena *arena = hd_arena_new();
    hd_sampled *d = hd_sampling_of(hd_sampling_new(arena, 0.2), "k", grid, block);
    ran sum = {0};
    for (uint32_t phase = 0; phase < 10; phase++)
        run_blocks(d, 50000, phase % 2 ? 1e-3 : 1e-6, 30, &sum);
    assert_true(sum.added <= 0.22 * sum.plain + FULL);
    assert_true(sum.added >= 0.1 * sum.plain);
    d = hd_sampling_of(hd_sampling_new(arena, 0.2), "k", grid, block);
    sum = (ran){0};
    for (uint32_t i = 0; i < 100000; i++)
        run_block(d, i < 50000 ? 1e-4 : 1e-5, i < 50000 ? 4 : 20, 1, &sum);
    assert_true(sum.added <= 0.3 * sum.plain + FULL);
    hd_arena_free(arena);
}

/* One of a thousand takes a thousand times longer, as blocks do where the system makes something
 * else meanwhile. */
static void outliers_do_not_stop_it(void **state) {
    (void)state;
    hd_arena *arena = hd_arena_new();
    hd_sampling *s = hd_sampling_new(arena, 0.2);
    hd_sampled *d = hd_sampling_of(s, "k", grid, block);
    uint64_t random = 7;
    ran sum = {0}, later = {0};
    for (uint32_t i = 0; i < 400000; i++) {
        double seconds = next_random(&random) % 1000 ? 1e-5 : 1e-2;
        run_block(d, seconds, 20, 1, i < 200000 ? &sum : &later);
    }
    /* One of (20 - 1) / 0.2 = 95, were there none. */
    assert_in_range(sum.counted, 200000 / 400, 200000 / 20);
    assert_in_range(later.counted, 200000 / 400, 200000 / 20);
    hd_arena_free(arena);
}

/* Weights are blocks wherever a group ends; the scale mends the rest. */
static void weights_sum_to_the_blocks(void **state) {
    (void)state;
    hd_arena *arena = hd_arena_new();
    hd_sampling *s = hd_sampling_new(arena, 0.2);
    hd_sampled *d = hd_sampling_of(s, "k", grid, block);
    ran sum = {0};
    uint64_t group_end = 0, ends = 0, group = 0;
    for (uint32_t i = 0; i < 100000; i++) {
        uint64_t before = sum.weight;
        run_block(d, 1e-4, 30, 1, &sum);
        if (sum.weight != before) { /* the one of its group that is counted */
            assert_true(sum.blocks > group_end);
            group = sum.weight - before;
            assert_true(sum.blocks <= group_end + group);
            group_end += group;
        }
        if (sum.blocks == group_end) {
            assert_int_equal(sum.weight, sum.blocks);
            ends++;
        }
        const hd_sampling_share share = hd_sampling_share_of(s, "k");
        assert_int_equal(share.blocks, sum.blocks);
        assert_int_equal(share.counted, sum.counted);
        assert_near(share.scale * (double)sum.weight, (double)sum.blocks, 1e-12);
    }
    assert_true(ends > 500);
    assert_true(group > 50);
    hd_arena_free(arena);
}

/* A launch of n blocks is skipped just where n calls of hd_sampled_next() give 0 within a group. */
static void skipping_is_what_next_says(void **state) {
    (void)state;
    hd_arena *arena = hd_arena_new();
    hd_sampling *s = hd_sampling_new(arena, 0.2), *twin = hd_sampling_new(arena, 0.2);
    hd_sampled *d = hd_sampling_of(s, "k", grid, block),
               *e = hd_sampling_of(twin, "k", grid, block);
    uint64_t random = 1, skipped = 0, taken = 0, weight = 0, blocks = 0;
    for (uint32_t launch = 0; launch < 20000; launch++) {
        uint64_t count = next_random(&random) % 7 + 1;
        bool skips = hd_sampled_skips(d, count);
        skipped += skips;
        taken += !skips;
        blocks += count;
        for (uint64_t b = 0; b < count; b++) {
            uint64_t wanted = hd_sampled_next(e), given = skips ? 0 : hd_sampled_next(d);
            assert_int_equal(given, wanted);
            weight += given;
            double seconds = wanted ? 30e-4 : 1e-4;
            hd_sampled_ran(d, wanted > 0, seconds);
            hd_sampled_ran(e, wanted > 0, seconds);
        }
    }
    assert_true(skipped > 15000);
    assert_true(taken > 500);
    const hd_sampling_share one = hd_sampling_share_of(s, "k"),
                            other = hd_sampling_share_of(twin, "k");
    assert_int_equal(one.blocks, blocks);
    assert_int_equal(other.blocks, blocks);
    assert_int_equal(one.counted, other.counted);
    assert_near((double)weight, (double)blocks, 0.01);
    assert_near(one.scale * (double)weight, (double)blocks, 1e-12);
    hd_arena_free(arena);
}

/* The mean over many kernels is the sum that is estimated: of counts at random, of counts that have
 * a period, and of those that grow. */
static void estimates_have_no_bias(void **state) {
    enum { KERNELS = 3000, BLOCKS = 2000 };
    (void)state;
    for (uint32_t what = 0; what < 3; what++) {
        hd_arena *arena = hd_arena_new();
        hd_sampling *s = hd_sampling_new(arena, 0.2);
        uint64_t random = 99;
        ran sum = {0};
        double worst = 0;
        for (uint32_t k = 0; k < KERNELS; k++) {
            hd_sampled *d = hd_sampling_of(s, hd_format(arena, "kernel %u", k), grid, block);
            ran own = {0};
            for (uint32_t b = 0; b < BLOCKS; b++) {
                double u = (double)(next_random(&random) % 1000) / 1000;
                double count = what == 0 ? 1000 * u * u * u : what == 1 ? b % 16 == 3 : b;
                run_block(d, 1e-3, 10, count, &own);
            }
            sum.truth += own.truth;
            sum.estimate += own.estimate;
            sum.counted += own.counted;
            worst = fmax(worst, fabs(own.estimate / own.truth - 1));
        }
        assert_true(sum.counted < KERNELS * BLOCKS / 10);
        assert_true(worst > 0.03); /* of one kernel it is an estimate */
        assert_near(sum.estimate, sum.truth, 0.01);
        hd_arena_free(arena);
    }
}

/* A kernel that is launched at many sizes, once each, has one full part; the others are sampled as
 * those were for which it is known what counting costs. */
static void sizes_share_the_budget(void **state) {
    (void)state;
    hd_arena *arena = hd_arena_new();
    hd_sampling *s = hd_sampling_new(arena, 0.2);
    ran first = {0}, sum = {0};
    run_blocks(hd_sampling_of(s, "k", grid, block), 2000, 1e-4, 30, &first);
    for (uint32_t i = 0; i < 3000; i++) {
        const uint32_t size[3] = {4 + i % 8, 1 + i, 1};
        hd_sampled *d = hd_sampling_of(s, "k", size, block);
        if (hd_sampled_skips(d, size[0])) {
            sum.blocks += size[0];
            sum.plain += size[0] * 1e-4;
            for (uint32_t b = 0; b < size[0]; b++)
                hd_sampled_ran(d, false, 1e-4);
        } else {
            run_blocks(d, size[0], 1e-4, 30, &sum);
        }
    }
    assert_true(sum.added < 0.4 * sum.plain); /* which blocks are counted is chance here */
    assert_near((double)sum.weight, (double)sum.blocks, 0.3);
    const hd_sampling_share share = hd_sampling_share_of(s, "k");
    assert_int_equal(share.blocks, first.blocks + sum.blocks);
    assert_int_equal(share.counted, first.counted + sum.counted);

    /* Those of few blocks together say what counting costs. */
    static const double overheads[] = {0.2, 10};
    for (size_t o = 0; o < 2; o++) {
        s = hd_sampling_new(arena, overheads[o]);
        sum = (ran){0};
        for (uint32_t i = 0; i < 10000; i++)
            run_blocks(hd_sampling_of(s, "k", (const uint32_t[]){1 + i, 1, 1}, block), 4, 1e-2, 30,
                       &sum);
        assert_true(sum.added < 1.5 * overheads[o] * sum.plain + 4 * FULL);
        assert_true(sum.counted > 50);
    }
    hd_arena_free(arena);
}

/* A size that comes when there is room for it has a full part of its own. */
static void a_size_within_the_budget_is_counted_in_full(void **state) {
    (void)state;
    hd_arena *arena = hd_arena_new();
    hd_sampling *s = hd_sampling_new(arena, 0.2);
    ran sum = {0}, other = {0};
    run_blocks(hd_sampling_of(s, "k", grid, block), 100000, 1e-4, 1.01, &sum);
    run_blocks(hd_sampling_of(s, "k", block, grid), 20, 1e-4, 30, &other);
    assert_int_equal(other.counted, 20);
    hd_arena_free(arena);
}

static void what_takes_turns_is_counted_in_whole(void **state) {
    (void)state;
    hd_arena *arena = hd_arena_new();
    hd_sampling *s = hd_sampling_new(arena, 0.2);
    hd_sampled *d = hd_sampling_of(s, "k", grid, block);
    ran sum = {0};
    run_blocks(d, 5000, 1e-4, 30, &sum);
    hd_sampled_count_all(d, 100);
    const hd_sampling_share share = hd_sampling_share_of(s, "k");
    assert_int_equal(share.blocks, 5100);
    assert_int_equal(share.counted, sum.counted + 100);
    assert_near(share.scale * (double)(sum.weight + 100), 5100, 1e-12);
    hd_arena_free(arena);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(without_a_budget_all_are_counted),
        cmocka_unit_test(the_first_blocks_are_all_counted),
        cmocka_unit_test(what_is_added_is_within_the_overhead),
        cmocka_unit_test(what_is_spent_besides_blocks_is_within_the_overhead),
        cmocka_unit_test(blocks_that_change_stay_within_the_overhead),
        cmocka_unit_test(outliers_do_not_stop_it),
        cmocka_unit_test(weights_sum_to_the_blocks),
        cmocka_unit_test(skipping_is_what_next_says),
        cmocka_unit_test(estimates_have_no_bias),
        cmocka_unit_test(sizes_share_the_budget),
        cmocka_unit_test(a_size_within_the_budget_is_counted_in_full),
        cmocka_unit_test(what_takes_turns_is_counted_in_whole),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
