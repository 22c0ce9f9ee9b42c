/* Which instructions are a lane's work. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "kernel/kernel.h"
#include "kernels.h"

/* Sums of a kernel in a form. */
static void count(const char *text, kir_form form, uint32_t operations[HD_OPERATIONS]) {
    hd_arena *arena = hd_arena_new();
    kir_module *module;
    assert_int_equal(kir_parse(arena, NULL, "test.kir", text, &module), HD_OK);
    module->form = form;
    const kir_kernel *kernel = module->kernels[0];
    const hd_flow *flow = hd_flow_analyse(arena, kernel);
    const hd_lane_work work =
        hd_kernel_lane_work(arena, module, kernel, hd_divergence_of_block(arena, kernel, flow));
    memset(operations, 0, HD_OPERATIONS * sizeof *operations);
    for (kir_value v = 0; v < kernel->inst_count; v++)
        hd_count_operations(kernel, &work, v, operations);
    hd_arena_free(arena);
}

/* Integers that a block shares are no lane's work on AMD's GPUs; sums of floats are, and what differs. */
static void shared_integers_are_the_scalar_units(void **state) {
    (void)state;
    static const char text[] =
        KERNEL("k", "  %lane = query local_id i64 %z\n  %i = trunc i32 %lane\n"
                    "  %shared = add i32 %n, %ten\n  %twice = mul i32 %shared, %three\n"
                    "  %own = add i32 %i, %twice\n"
                    "  %half = load f32 %f\n  %sum = fadd f32 %half, %half\n"
                    "  %test = icmp slt i1 %shared, %ten\n  condbr %test, b1, b2\n"
                    "b1:\n  store %own, %f\n  store %sum, %f\n  br b2\nb2:\n  ret\n");
    uint32_t written[HD_OPERATIONS], amd[HD_OPERATIONS];
    count(text, KIR_AS_WRITTEN, written);
    count(text, KIR_FOR_AMD, amd);
    assert_int_equal(written[HD_OPERATION_INTEGER], 4); /* two sums, a product, a comparison */
    assert_int_equal(amd[HD_OPERATION_INTEGER], 1);     /* the lane's own sum */
    assert_int_equal(written[HD_ISSUED_INTEGER], 5);    /* and a branch */
    assert_int_equal(amd[HD_ISSUED_INTEGER], 1);
    assert_int_equal(amd[HD_OPERATION_FP32], 1);
    assert_int_equal(amd[HD_ISSUED_WAIT], written[HD_ISSUED_WAIT]);
    assert_int_equal(amd[HD_ISSUED_WAIT], 1);
    count(text, KIR_FOR_NVIDIA, amd);
    assert_int_equal(amd[HD_OPERATION_INTEGER], 4);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(shared_integers_are_the_scalar_units)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
