/* Divergence against the machine's scheduler on random kernels, and against what should be
 * seen in kernels as people write them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "frontend/frontend.h"
#include "lockstep.h"
#include "random_flow.h"

/* ---- random kernels ------------------------------------------------------------------- */

typedef struct totals {
    uint64_t uniform, partly, of_warp, irreducible, splits, loops;
} totals;

static void check_run(hd_arena *arena, lockstep *m, uint32_t seed) {
    run_lockstep(arena, m);
    if (m->wrong) {
        hd_str text = {.arena = arena};
        kir_print(&text, m->kernel);
        print_message("%s\n%s at %%%u, seed %u, early %d, warps of %u\n", hd_str_text(&text),
                      m->wrong, m->where, seed, m->early_phis, m->warp);
    }
    assert_null(m->wrong);
}

static void check_random(uint32_t *random, bool structured, totals *sum) {
    hd_arena *arena = hd_arena_new();
    uint32_t seed = *random;
    kir_kernel *kernel = random_kernel(arena, random, structured);
    assert_non_null(kernel);
    const hd_flow *flow = hd_flow_analyse(arena, kernel);
    const hd_divergence *claim = hd_divergence_of_block(arena, kernel, flow);
    for (int early = 0; early < 2; early++) {
        lockstep m = {.kernel = kernel, .flow = flow, .claim = claim, .early_phis = early};
        check_run(arena, &m, seed);
        sum->uniform += m.uniform;
        sum->partly += m.partly;
    }
    const hd_binding launch = {.dims = 1, .global = {4 * LANES}, .local = {LANES}};
    const hd_kernel_info *info = hd_kernel_analyse(arena, &(kir_module){0}, kernel, &launch);
    for (uint32_t warp = LANES; warp > 1; warp /= 2) {
        lockstep m = {.kernel = kernel, .flow = info->flow, .info = info, .warp = warp};
        m.claim = hd_divergence_of_warp(arena, info, warp);
        check_run(arena, &m, seed);
        sum->of_warp += m.uniform;
    }
    sum->irreducible += flow->irreducible;
    sum->loops += flow->loop_count;
    for (uint32_t b = 0; b < kernel->block_count; b++)
        sum->splits += claim->splits[b];
    hd_arena_free(arena);
}

static void uniform_values_are_the_same_for_all_lanes(void **state) {
    (void)state;
    totals sum = {0};
    uint32_t random = 1, count = 4000;
    for (uint32_t round = 0; round < count; round++)
        check_random(&random, round % 2, &sum);
    /* The kernels were worth it. */
    assert_true(sum.uniform > 50 * count && sum.partly > 10 * count && sum.of_warp > 75 * count);
    assert_true(sum.irreducible > count / 20 && sum.splits > count && sum.loops > count);
}

/* ---- exactly what is expected ----------------------------------------------------------- */

/* In these kernels a value on a line below 100 is uniform, one on a line from 100 on varying. */
#define HEAD                                                \
    KERNEL_HEAD "  %lane = query local_id i64 %c0 !101:1\n" \
                "  %group = query group_id i64 %c0 !1:1\n"  \
                "  %low = icmp slt i1 %lane, %c3 !102:1\n"

static void check_lines(const char *name, const char *body) {
    hd_arena *arena = hd_arena_new();
    kir_module *module = NULL;
    hd_diag silent = {0};
    const char *text = hd_format(arena, "%s%s}\n", "file \"k.cl\"\n" HEAD, body);
    assert_int_equal(kir_parse(arena, &silent, name, text, &module), HD_OK);
    const kir_kernel *kernel = module->kernels[0];
    const hd_divergence *found =
        hd_divergence_of_block(arena, kernel, hd_flow_analyse(arena, kernel));
    uint32_t checked = 0;
    for (kir_value v = 0; v < kernel->inst_count; v++) {
        const kir_inst *inst = &kernel->insts[v];
        if (!inst->line)
            continue;
        bool is_end = kir_is_terminator(inst->op);
        bool varying = is_end ? found->splits[inst->block] : found->varying[v];
        if (varying != (inst->line >= 100))
            fail_msg("%s: the value of line %u is %s", name, inst->line,
                     varying ? "varying" : "uniform");
        checked++;
    }
    assert_true(checked > 3);
    hd_arena_free(arena);
}

static void what_is_uniform_is_found_to_be(void **state) {
    (void)state;
    check_lines("a loop of all that passed a test: if (lane < 3) for (i = 0; i < n; i++) p[i]",
                "  condbr %low, pre, end !103:1\npre:\n  br head\n"
                "head:\n  %i = phi i64 [%c0, pre], [%i2, body] !2:1\n"
                "  %c = icmp slt i1 %i, %n !3:1\n  condbr %c, body, end !4:1\n"
                "body:\n  %a = addr ptr.global %p + %i*4 !5:1\n  %v = load i64 %a !6:1\n"
                "  %x = xor i64 %v, %lane !104:1\n  %i2 = add i64 %i, %c1 !7:1\n  br head\n"
                "end:\n  ret\n");
    check_lines("a counter of varying trips, not used behind: while (i < lane) i++",
                "  br head\nhead:\n  %i = phi i64 [%c0, b0], [%i2, body] !2:1\n"
                "  %c = icmp slt i1 %i, %lane !103:1\n  condbr %c, body, end !104:1\n"
                "body:\n  %i2 = add i64 %i, %c1 !3:1\n  br head\nend:\n  ret\n");
    check_lines("the same, used behind",
                "  br head\nhead:\n  %i = phi i64 [%c0, b0], [%i2, body] !103:1\n"
                "  %c = icmp slt i1 %i, %lane !104:1\n  condbr %c, body, end !105:1\n"
                "body:\n  %i2 = add i64 %i, %c1 !106:1\n  br head\n"
                "end:\n  %u = add i64 %i, %n !107:1\n  ret\n");
    check_lines("an inner counter of varying trips; the outer one counts for all",
                "  br outer\nouter:\n  %i = phi i64 [%c0, b0], [%i2, next] !2:1\n  br in\n"
                "in:\n  %j = phi i64 [%i, outer], [%j2, in] !3:1\n  %j2 = add i64 %j, %c1 !4:1\n"
                "  %c = icmp slt i1 %j, %lane !103:1\n  condbr %c, in, next !104:1\n"
                "next:\n  %i2 = add i64 %i, %c1 !5:1\n  %d = icmp slt i1 %i2, %n !6:1\n"
                "  condbr %d, outer, end !7:1\nend:\n  %u = add i64 %i2, %n !8:1\n  ret\n");
    check_lines("two ways that meet",
                "  condbr %low, then, other !103:1\nthen:\n  %a = add i64 %n, %c1 !2:1\n  br join\n"
                "other:\n  %b = add i64 %n, %c3 !3:1\n  br join\n"
                "join:\n  %x = phi i64 [%a, then], [%b, other] !104:1\n"
                "  %y = add i64 %n, %n !4:1\n  ret\n");
    check_lines("two ways by a condition that all share",
                "  %c = icmp eq i1 %group, %n !2:1\n  condbr %c, then, other !3:1\n"
                "then:\n  br join\nother:\n  br join\n"
                "join:\n  %x = phi i64 [%c1, then], [%c3, other] !4:1\n  ret\n");
    check_lines("break: for (i = 0; i < n; i++) if (p[lane] == i) break; with the way out shared",
                "  br head\nhead:\n  %i = phi i64 [%c0, b0], [%i2, next] !2:1\n"
                "  %a = addr ptr.global %p + %lane*4 !103:1\n  %v = load i64 %a !104:1\n"
                "  %c = icmp eq i1 %v, %i !105:1\n  condbr %c, end, next !106:1\n"
                "next:\n  %i2 = add i64 %i, %c1 !3:1\n  %d = icmp slt i1 %i2, %n !4:1\n"
                "  condbr %d, head, end !5:1\n"
                "end:\n  %x = phi i64 [%c1, head], [%c3, next] !107:1\n  ret\n");
    check_lines("continue before the step: each lane has its own counter",
                "  br head\nhead:\n  %i = phi i64 [%c0, b0], [%c1, head2], [%i2, next] !103:1\n"
                "  %c = icmp slt i1 %i, %n !104:1\n  condbr %c, head2, end !105:1\n"
                "head2:\n  condbr %low, head, next !106:1\n"
                "next:\n  %i2 = add i64 %i, %c1 !107:1\n  br head\nend:\n  ret\n");
    check_lines("continue to the step: one counter",
                "  br head\nhead:\n  %i = phi i64 [%c0, b0], [%i2, step] !2:1\n"
                "  %c = icmp slt i1 %i, %n !3:1\n  condbr %c, body, end !4:1\n"
                "body:\n  condbr %low, step, more !103:1\nmore:\n  %x = add i64 %i, %n !5:1\n"
                "  br step\nstep:\n  %i2 = add i64 %i, %c1 !6:1\n  br head\nend:\n  ret\n");
    check_lines("a switch that falls through",
                "  switch %lane, other [1: one, 2: two] !103:1\n"
                "one:\n  %a = add i64 %n, %c1 !2:1\n  br two\n"
                "two:\n  %b = phi i64 [%c0, b0], [%a, one] !104:1\n  br join\nother:\n  br join\n"
                "join:\n  %x = phi i64 [%c1, two], [%c3, other] !105:1\n  ret\n");
    check_lines("return in a loop: those who stay are in step, nobody else is behind it",
                "  br head\nhead:\n  %i = phi i64 [%c0, b0], [%i2, next] !2:1\n"
                "  %c = icmp eq i1 %i, %lane !103:1\n  condbr %c, gone, next !104:1\n"
                "gone:\n  ret\nnext:\n  %i2 = add i64 %i, %c1 !3:1\n"
                "  %d = icmp slt i1 %i2, %n !4:1\n  condbr %d, head, end !5:1\nend:\n  ret\n");
    check_lines("two ways into a loop, with one first value",
                "  condbr %low, then, other !103:1\nthen:\n  br head\nother:\n  br head\n"
                "head:\n  %i = phi i64 [%c0, then], [%c0, other], [%i2, head] !2:1\n"
                "  %k = phi i64 [%c1, then], [%c3, other], [%k, head] !104:1\n"
                "  %i2 = add i64 %i, %c1 !3:1\n  %c = icmp slt i1 %i2, %n !4:1\n"
                "  condbr %c, head, end !5:1\nend:\n  ret\n");
    check_lines("a way into the middle of a cycle",
                "  condbr %low, x, y !103:1\nx:\n  %i = phi i64 [%c0, b0], [%j, y] !104:1\n"
                "  %s = add i64 %n, %c1 !2:1\n  br y\n"
                "y:\n  %j = phi i64 [%c0, b0], [%s, x] !105:1\n  %v = load i64 %p !106:1\n"
                "  %d = icmp slt i1 %n, %c3 !3:1\n  condbr %d, x, end !4:1\nend:\n  ret\n");
}

static void memory_and_calls(void **state) {
    (void)state;
    check_lines("memory",
                "  %own = alloca ptr.private 64 align 8 !2:1\n  %a = load i64 %own !103:1\n"
                "  %b = load i64 %p !3:1\n  %q = addr ptr.global %p + %lane*4 !104:1\n"
                "  %c = load i64 %q !105:1\n  %d = atomic add i64 %p, %n !106:1\n"
                "  %g = spacecast ptr.generic %own !4:1\n  %e = load i64 %g !107:1\n"
                "  %h = spacecast ptr.generic %p !5:1\n  %f = load i64 %h !6:1\n  ret\n");
    check_lines("calls",
                "  %a = call \"popcount\" i64 %n !2:1\n  %b = call \"popcount\" i64 %lane !103:1\n"
                "  %c = call \"u_mul_hi\" i64 %n, %group !3:1\n"
                "  %d = call \"warp_ballot\" i64 %n !104:1\n"
                "  %e = call \"no_such_function\" i64 %n !105:1\n"
                "  %f = call \"barrier_or\" i64 %lane !4:1\n"
                "  %g = call \"u_convert_float_rtz\" f32 %n !5:1\n  ret\n");
}

/* ---- kernels as people write them ----------------------------------------------------------- */

/* The values of a line of an example that are loaded; all of them agree, or the test fails. */
static bool loads_uniformly(const char *file, const char *kernel_name, uint32_t line) {
    hd_arena *arena = hd_arena_new();
    const char *root = getenv("HEDDLE_SOURCE");
    kir_module *module = NULL;
    char *path = hd_format(arena, "%s/examples/%s", root ? root : ".", file);
    assert_int_equal(hd_frontend(arena, NULL, path, "", &module), HD_OK);
    const kir_kernel *kernel = kir_find_kernel(module, kernel_name);
    const hd_divergence *found =
        hd_divergence_of_block(arena, kernel, hd_flow_analyse(arena, kernel));
    uint32_t loads = 0, uniform = 0;
    for (kir_value v = 0; v < kernel->inst_count; v++)
        if (kernel->insts[v].op == KIR_LOAD && kernel->insts[v].line == line) {
            loads++;
            uniform += !found->varying[v] && !found->varying[kernel->insts[v].args[0]];
        }
    if (!loads || (uniform && uniform < loads))
        fail_msg("%s:%u: %u of %u loads are uniform", file, line, uniform, loads);
    hd_arena_free(arena);
    return uniform;
}

static void inner_loops_of_the_examples_are_uniform(void **state) {
    (void)state;
    assert_true(loads_uniformly("nbody/nbody.cl", "attract", 27));
    assert_false(loads_uniformly("nbody/nbody.cl", "attract", 24));
    assert_true(loads_uniformly("kmeans/kmeans.cl", "assign", 41));
    assert_false(loads_uniformly("kmeans/kmeans.cl", "assign", 33));
    assert_true(loads_uniformly("lavamd/lavamd.cl", "forces", 64));
    assert_true(loads_uniformly("lavamd/lavamd.cl", "forces", 78));
    assert_false(loads_uniformly("bitonic/bitonic.cl", "stage", 25));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(uniform_values_are_the_same_for_all_lanes),
        cmocka_unit_test(what_is_uniform_is_found_to_be),
        cmocka_unit_test(memory_and_calls),
        cmocka_unit_test(inner_loops_of_the_examples_are_uniform),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
