/* Dominators, post-dominators and loops against their definitions, on random graphs. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "kernel/kernel.h"

enum { MOST = 14 };

typedef struct random_graph {
    uint32_t count, out[MOST], to[MOST][3];
} random_graph;

static uint32_t next_random(uint32_t *state) {
    *state = *state * 1664525u + 1013904223u;
    return *state >> 8;
}

static random_graph make_graph(uint32_t *state) {
    random_graph g = {.count = 1 + next_random(state) % MOST};
    for (uint32_t b = 0; b < g.count; b++) {
        g.out[b] = g.count == 1 ? 0 : next_random(state) % 4;
        for (uint32_t k = 0; k < g.out[b]; k++) /* never back to the entry */
            g.to[b][k] = 1 + next_random(state) % (g.count - 1);
    }
    return g;
}

static kir_kernel *kernel_of(hd_arena *arena, const random_graph *g) {
    hd_str text = {.arena = arena};
    kir_module *module = NULL;
    hd_str_add(&text, "kernel \"g\" {\nb0:\n  %c = const i1 1\n  %n = const i32 1\n");
    for (uint32_t b = 0; b < g->count; b++) {
        const uint32_t *to = g->to[b];
        if (b)
            hd_str_printf(&text, "b%u:\n", b);
        if (g->out[b] == 0)
            hd_str_add(&text, "  ret\n");
        else if (g->out[b] == 1)
            hd_str_printf(&text, "  br b%u\n", to[0]);
        else if (g->out[b] == 2)
            hd_str_printf(&text, "  condbr %%c, b%u, b%u\n", to[0], to[1]);
        else
            hd_str_printf(&text, "  switch %%n, b%u [1: b%u, 2: b%u]\n", to[0], to[1], to[2]);
    }
    hd_str_add(&text, "}\n");
    assert_int_equal(kir_parse(arena, NULL, "g", hd_str_text(&text), &module), HD_OK);
    return module->kernels[0];
}

/* Marks what can be reached from `from` without passing `without` (KIR_NONE: all). */
static void reach(const random_graph *g, uint32_t from, uint32_t without, bool *seen) {
    if (from == without || seen[from])
        return;
    seen[from] = true;
    for (uint32_t k = 0; k < g->out[from]; k++)
        reach(g, g->to[from][k], without, seen);
}

static bool can_reach(const random_graph *g, uint32_t from, uint32_t to, uint32_t without) {
    bool seen[MOST] = {false};
    reach(g, from, without, seen);
    return seen[to];
}

static bool naive_dominates(const random_graph *g, uint32_t a, uint32_t b) {
    return a == b || !can_reach(g, 0, b, a);
}

/* Every path from b that ends, ends after a. */
static bool naive_post_dominates(const random_graph *g, uint32_t a, uint32_t b) {
    for (uint32_t e = 0; e < g->count; e++)
        if (!g->out[e] && can_reach(g, b, e, a))
            return false;
    return true;
}

static bool reaches_exit(const random_graph *g, uint32_t b) {
    for (uint32_t e = 0; e < g->count; e++)
        if (!g->out[e] && can_reach(g, b, e, KIR_NONE))
            return true;
    return false;
}

static void check_dominators(const random_graph *g, const hd_flow *flow) {
    for (uint32_t b = 0; b < g->count; b++) {
        if (!can_reach(g, 0, b, KIR_NONE)) {
            assert_int_equal(flow->idom[b], KIR_NONE);
            continue;
        }
        for (uint32_t a = 0; a < g->count; a++)
            if (can_reach(g, 0, a, KIR_NONE))
                assert_int_equal(hd_flow_dominates(flow, a, b), naive_dominates(g, a, b));
    }
}

static bool climbs_to(const hd_flow *flow, uint32_t b, uint32_t a) {
    while (b != a && b != KIR_NONE)
        b = flow->ipdom[b];
    return b == a;
}

/* Where every block reaches an exit, the tree is exactly the definition. Where some
 * do not, it still has no cycle. */
static void check_post_dominators(const random_graph *g, const hd_flow *flow) {
    bool all_end = true;
    for (uint32_t b = 0; b < g->count; b++)
        all_end &= !can_reach(g, 0, b, KIR_NONE) || reaches_exit(g, b);
    for (uint32_t b = 0; b < g->count; b++) {
        if (!can_reach(g, 0, b, KIR_NONE))
            continue;
        uint32_t steps = 0;
        for (uint32_t p = b; p != KIR_NONE; p = flow->ipdom[p])
            assert_true(++steps <= g->count);
        for (uint32_t a = 0; all_end && a < g->count; a++)
            if (can_reach(g, 0, a, KIR_NONE))
                assert_int_equal(climbs_to(flow, b, a), a == b || naive_post_dominates(g, a, b));
    }
}

/* Block x is in the loop of header h when h has a back edge from some u that x
 * reaches without passing h. */
static bool naive_in_loop(const random_graph *g, uint32_t h, uint32_t x) {
    for (uint32_t u = 0; u < g->count; u++)
        for (uint32_t k = 0; k < g->out[u]; k++)
            if (g->to[u][k] == h && can_reach(g, 0, u, KIR_NONE) && naive_dominates(g, h, u) &&
                (x == h || can_reach(g, x, u, h)) && can_reach(g, 0, x, KIR_NONE) &&
                naive_dominates(g, h, x))
                return true;
    return false;
}

static bool in_list(const uint32_t *list, uint32_t count, uint32_t x) {
    for (uint32_t i = 0; i < count; i++)
        if (list[i] == x)
            return true;
    return false;
}

static void check_loops(const random_graph *g, const hd_flow *flow) {
    uint32_t headers = 0;
    for (uint32_t h = 0; h < g->count; h++)
        headers += naive_in_loop(g, h, h);
    assert_int_equal(headers, flow->loop_count);
    for (uint32_t l = 0; l < flow->loop_count; l++) {
        const hd_loop *loop = &flow->loops[l];
        for (uint32_t x = 0; x < g->count; x++) {
            bool inside = in_list(loop->blocks, loop->block_count, x), leaves = false;
            assert_int_equal(inside, naive_in_loop(g, loop->header, x));
            for (uint32_t k = 0; k < g->out[x]; k++)
                leaves |= !in_list(loop->blocks, loop->block_count, g->to[x][k]);
            assert_int_equal(in_list(loop->exits, loop->exit_count, x), inside && leaves);
        }
        assert_true(loop->parent < (int32_t)l);
        if (loop->parent >= 0)
            assert_true(in_list(flow->loops[loop->parent].blocks,
                                flow->loops[loop->parent].block_count, loop->header));
    }
    for (uint32_t x = 0; x < g->count; x++) { /* the innermost is the smallest that holds it */
        int32_t best = -1;
        for (uint32_t l = 0; l < flow->loop_count; l++)
            if (in_list(flow->loops[l].blocks, flow->loops[l].block_count, x) &&
                (best < 0 || flow->loops[l].block_count < flow->loops[best].block_count))
                best = (int32_t)l;
        assert_int_equal(flow->loop_of[x], best);
    }
}

/* A cycle through no back edge: x reaches itself over edges that are none. */
static bool naive_irreducible(const random_graph *g) {
    random_graph rest = {.count = g->count};
    for (uint32_t b = 0; b < g->count; b++)
        for (uint32_t k = 0; k < g->out[b]; k++)
            if (can_reach(g, 0, b, KIR_NONE) && !naive_dominates(g, g->to[b][k], b))
                rest.to[b][rest.out[b]++] = g->to[b][k];
    for (uint32_t b = 0; b < g->count; b++)
        for (uint32_t k = 0; k < rest.out[b]; k++)
            if (can_reach(&rest, rest.to[b][k], b, KIR_NONE))
                return true;
    return false;
}

/* Each reachable block once; before its successors, but for back edges; loops in one run. */
static void check_order(const random_graph *g, const hd_flow *flow) {
    uint32_t rank[MOST];
    memset(rank, 0xff, sizeof rank);
    for (uint32_t i = 0; i < flow->rpo_count; i++) {
        assert_int_equal(rank[flow->rpo[i]], KIR_NONE);
        rank[flow->rpo[i]] = i;
    }
    for (uint32_t b = 0; b < g->count; b++) {
        assert_int_equal(rank[b] != KIR_NONE, can_reach(g, 0, b, KIR_NONE));
        for (uint32_t k = 0; !flow->irreducible && rank[b] != KIR_NONE && k < g->out[b]; k++)
            if (!naive_dominates(g, g->to[b][k], b))
                assert_true(rank[b] < rank[g->to[b][k]]);
    }
    for (uint32_t l = 0; l < flow->loop_count; l++)
        for (uint32_t i = 0; i < flow->loops[l].block_count; i++)
            assert_int_equal(rank[flow->loops[l].blocks[i]], rank[flow->loops[l].header] + i);
}

static void random_graphs_agree_with_the_definitions(void **state) {
    (void)state;
    uint32_t random = 7, irreducible = 0, loops = 0, endless = 0;
    for (int round = 0; round < 800; round++) {
        hd_arena *arena = hd_arena_new();
        random_graph g = make_graph(&random);
        hd_flow *flow = hd_flow_analyse(arena, kernel_of(arena, &g));
        check_dominators(&g, flow);
        check_post_dominators(&g, flow);
        check_loops(&g, flow);
        check_order(&g, flow);
        assert_int_equal(flow->irreducible, naive_irreducible(&g));
        irreducible += flow->irreducible;
        loops += flow->loop_count;
        endless += !reaches_exit(&g, 0);
        hd_arena_free(arena);
    }
    assert_true(irreducible > 50 && loops > 200 && endless > 10); /* the graphs were worth it */
}

static void an_endless_loop_keeps_post_dominators(void **state) {
    (void)state;
    hd_arena *arena = hd_arena_new();
    kir_module *module = NULL;
    const char *text = "kernel \"k\" {\nentry: %c = const i1 1\n condbr %c, spin, work\n"
                       "spin: br again\nagain: br spin\nwork: condbr %c, left, right\n"
                       "left: br join\nright: br join\njoin: ret\n}";
    assert_int_equal(kir_parse(arena, NULL, "t", text, &module), HD_OK);
    hd_flow *flow = hd_flow_analyse(arena, module->kernels[0]);
    assert_int_equal(flow->ipdom[0], KIR_NONE);
    assert_int_equal(flow->ipdom[1], 2);
    assert_int_equal(flow->ipdom[3], 6);
    assert_int_equal(flow->ipdom[4], 6);
    assert_int_equal(flow->loop_count, 1);
    assert_int_equal(flow->loops[0].exit_count, 0);
    hd_arena_free(arena);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_graphs_agree_with_the_definitions),
        cmocka_unit_test(an_endless_loop_keeps_post_dominators),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
