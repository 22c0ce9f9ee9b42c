/* Ways between accesses against those of really unrolled loops, in random kernels. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "kernel/random_flow.h"
#include "oracle/layout_graph.h"

typedef struct twin {
    unrolled u;
    uint64_t *weight; /* [block] */
    bool exact;       /* every loop runs, and has one block to leave from */
} twin;

static uint32_t block_of_access(const twin *t, uint32_t access) {
    return t->u.info->kernel->insts[t->u.info->accesses[access].inst].block;
}

/* Bytes from the start of its block to an access, and up to and with it. */
static uint64_t bytes_before(const twin *t, uint32_t access, bool with) {
    uint64_t sum = 0;
    for (uint32_t i = 0; i < access + with; i++)
        if (block_of_access(t, i) == block_of_access(t, access) &&
            t->u.info->accesses[i].space == KIR_GLOBAL)
            sum += t->u.info->accesses[i].width;
    return sum;
}

/* OUT_from[to] for these copies, given IN. */
static uint64_t out_at(const twin *t, const uint64_t *in, const block_copy *from, uint32_t i,
                       const block_copy *to, uint32_t k) {
    if (code_of(&t->u, from) == code_of(&t->u, to) && i <= k)
        return bytes_before(t, k, true) - bytes_before(t, i, true);
    uint64_t start = in[code_of(&t->u, to)];
    return start == HD_UNREACHABLE ? start : start + bytes_before(t, k, true);
}

static int32_t common(const twin *t, uint32_t a, uint32_t b) {
    int32_t l = innermost(&t->u, a);
    while (l >= 0 && !stands_in(&t->u, l, b))
        l = unrolled_loop(&t->u, l)->parent;
    return l;
}

/* The longest way between any two copies. */
static uint64_t longest_way(twin *t, uint32_t i, uint32_t k) {
    block_copy from = {block_of_access(t, i), {0}};
    uint64_t longest = 0;
    bool any = false;
    do {
        const uint64_t *in =
            solve(&t->u, &from, t->weight[from.block] - bytes_before(t, i, true), t->weight);
        block_copy to = {block_of_access(t, k), {0}};
        do {
            uint64_t bytes = out_at(t, in, &from, i, &to, k);
            if (bytes == HD_UNREACHABLE)
                continue;
            any = true;
            longest = bytes > longest ? bytes : longest;
        } while (next_copy(&t->u, &to));
    } while (next_copy(&t->u, &from));
    return any ? longest : HD_UNREACHABLE;
}

static uint64_t way_by_rule(twin *t, uint32_t i, uint32_t k) {
    block_copy from = {block_of_access(t, i), {0}}, to = last_copy(&t->u, block_of_access(t, k));
    const uint64_t *in =
        solve(&t->u, &from, t->weight[from.block] - bytes_before(t, i, true), t->weight);
    return out_at(t, in, &from, i, &to, k);
}

/* Whether anything leads there when all loops stay. */
static bool is_passed(const twin *t, uint32_t access) {
    unrolled whole = t->u;
    whole.keep_all = true;
    const block_copy entry = {0, {0}};
    const uint64_t *in = solve(&whole, &entry, 0, t->weight);
    uint32_t block = block_of_access(t, access);
    return !block || in[block * whole.copies] != HD_UNREACHABLE;
}

static uint32_t compare_kernel(hd_arena *arena, twin *t) {
    const hd_kernel_info *info = t->u.info;
    hd_ways *ways = hd_ways_make(arena, info, t->u.lengths);
    uint32_t compared = 0;
    t->weight = hd_new_array(arena, uint64_t, info->flow->block_count);
    for (uint32_t i = 0; i < info->access_count; i++)
        if (info->accesses[i].space == KIR_GLOBAL)
            t->weight[block_of_access(t, i)] += info->accesses[i].width;
    for (uint32_t i = 0; i < info->access_count; i++)
        assert_int_equal(hd_ways_passes(ways, i), is_passed(t, i));
    for (uint32_t i = 0; i < info->access_count; i++)
        for (uint32_t k = 0; k < info->access_count; k++) {
            if (!hd_ways_passes(ways, i) || !hd_ways_passes(ways, k))
                continue;
            t->u.around = common(t, block_of_access(t, i), block_of_access(t, k));
            uint64_t bytes = hd_ways_bytes(ways, i, k);
            assert_int_equal(bytes, way_by_rule(t, i, k));
            if (t->exact && i != k)
                assert_int_equal(bytes, longest_way(t, i, k));
            compared++;
        }
    return compared;
}

/* Any test that every iteration passes may count. */
static void choose_tests(hd_kernel_info *info, uint32_t *random) {
    for (uint32_t l = 0; l < info->flow->loop_count; l++) {
        const hd_loop *loop = &info->flow->loops[l];
        hd_trip *trip = &info->trips[l];
        trip->test = KIR_NONE;
        for (uint32_t e = 0; e < loop->exit_count && !(trip->test != KIR_NONE); e++) {
            uint32_t block = loop->exits[e];
            bool each_time = info->flow->loop_of[block] == (int32_t)l;
            trip->after_body = false;
            for (uint32_t k = 0; k < loop->latch_count; k++) {
                each_time = each_time && hd_flow_dominates(info->flow, block, loop->latches[k]);
                trip->after_body |= block == loop->latches[k];
            }
            *random = *random * 1664525u + 1013904223u;
            if (each_time && (*random >> 9) % 4)
                trip->test = block;
        }
    }
}

static twin twin_of(hd_arena *arena, const kir_kernel *kernel, uint32_t *random, uint32_t least) {
    kir_module *module = hd_new(arena, kir_module);
    hd_kernel_info *info = hd_kernel_analyse(arena, module, kernel, NULL);
    choose_tests(info, random);
    uint32_t loops = info->flow->loop_count, depth = 0;
    uint64_t *lengths = hd_new_array(arena, uint64_t, loops);
    twin t = {.u = {arena, info, lengths, 5, 1, -1}, .exact = least > 0};
    for (uint32_t l = 0; l < loops; l++) {
        *random = *random * 1664525u + 1013904223u;
        lengths[l] = least + (*random >> 9) % (5 - least);
        depth = info->flow->loops[l].depth > depth ? info->flow->loops[l].depth : depth;
        t.exact = t.exact && info->flow->loops[l].exit_count == 1;
    }
    assert_true(depth <= MOST_DEPTH);
    for (uint32_t d = 0; d < depth && !info->flow->irreducible; d++)
        t.u.copies *= (uint32_t)t.u.most;
    return t;
}

static void random_kernels(void **state) {
    (void)state;
    uint32_t random = 11, compared = 0, exact = 0, irreducible = 0;
    for (int i = 0; i < 600; i++) {
        hd_arena *arena = hd_arena_new();
        const kir_kernel *kernel = random_kernel(arena, &random, i % 4 != 3);
        assert_non_null(kernel);
        twin t = twin_of(arena, kernel, &random, i % 2);
        exact += t.exact && t.u.info->flow->loop_count > 1;
        irreducible += t.u.info->flow->irreducible;
        if (t.u.copies <= 125)
            compared += compare_kernel(arena, &t);
        hd_arena_free(arena);
    }
    printf("%u pairs, %u exact, %u irreducible\n", compared, exact, irreducible);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(random_kernels)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
