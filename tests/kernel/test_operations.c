/* What instructions become on a GPU, and where a warp waits for memory. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "kernel/kernel.h"

static void tell(const hd_message *message, void *user) {
    (void)user;
    print_message("%u:%u: %s\n", message->place.line, message->place.column, message->text);
}
static const hd_diag diag = {tell, NULL};

typedef struct counted {
    uint32_t of[HD_OPERATIONS];
} counted;

/* Of a kernel with this body: %i is a thread's number, %in and %out are pointers, %tile is local. */
static counted count_for(const char *body, kir_form form) {
    hd_arena *arena = hd_arena_new();
    const char *text =
        hd_format(arena,
                  "kernel \"k\" {\n    param \"in\" ptr.global bytes 8\n    param \"out\" "
                  "ptr.global bytes 8\n"
                  "    static \"tile\" local bytes 4096 align 4\n"
                  "b0:\n  %%in = param ptr.global 0\n  %%out = param ptr.global 1\n"
                  "  %%tile = static ptr.local 0\n  %%z = const i32 0\n  %%two = const f32 2.0\n"
                  "  %%i = query local_id i32 %%z\n  %%a = addr ptr.global %%in + %%i*4\n"
                  "  %%x = load f32 %%a\n%s  ret\n}\n",
                  body);
    kir_module *module = NULL;
    counted c = {{0}};
    assert_int_equal(kir_parse(arena, &diag, "test.kir", text, &module), HD_OK);
    const kir_kernel *kernel = module->kernels[0];
    module->form = form;
    const hd_divergence *of_block =
        hd_divergence_of_block(arena, kernel, hd_flow_analyse(arena, kernel));
    const hd_lane_work work = hd_kernel_lane_work(arena, module, kernel, of_block);
    for (uint32_t b = 0; b < kernel->block_count; b++)
        for (uint32_t i = 0; i < kernel->blocks[b].inst_count; i++)
            hd_count_operations(kernel, &work, kernel->blocks[b].insts[i], c.of);
    hd_arena_free(arena);
    return c;
}

static counted count(const char *body) { return count_for(body, KIR_AS_WRITTEN); }

/* Beyond those of a kernel that only loads %x. */
static uint32_t more(const char *body, hd_operation kind) {
    return count(body).of[kind] - count("").of[kind];
}

static void units(void **state) {
    (void)state;
    const char *product = "  %p = fmul f32 %x, %x\n  %s = fadd f32 %p, %two\n";
    assert_int_equal(more("  %s = fadd f32 %x, %two\n", HD_ISSUED_FP32), 1);
    assert_int_equal(more(product, HD_ISSUED_FP32), 1); /* a fused multiply-add */
    assert_int_equal(more(product, HD_OPERATION_FP32), 2);
    assert_int_equal(more("  %s = fneg f32 %x\n", HD_ISSUED_FP32), 0);
    assert_int_equal(more("  %s = fdiv f32 %two, %x\n", HD_ISSUED_FP32), 8);
    assert_int_equal(more("  %s = fdiv f32 %two, %x\n", HD_ISSUED_SPECIAL), 1);
    assert_int_equal(more("  %s = call \"native_exp\" f32 %x\n", HD_ISSUED_SPECIAL), 1);
    assert_int_equal(more("  %s = call \"exp\" f32 %x\n", HD_ISSUED_FP32), 6);
    assert_int_equal(more("  %s = call \"fmax\" f32 %x, %two\n", HD_ISSUED_FP32), 1);
    assert_int_equal(more("  %d = fpext f64 %x\n  %s = fadd f64 %d, %d\n", HD_ISSUED_FP64), 1);
    assert_int_equal(more("  %l = zext i64 %i\n  %s = mul i64 %l, %l\n", HD_ISSUED_INTEGER), 4);
    assert_int_equal(more("  %s = udiv i32 %i, %i\n", HD_ISSUED_INTEGER), 16);
    assert_int_equal(more("  %b = addr ptr.global %in + 16\n", HD_ISSUED_INTEGER), 0);
}

/* Loads that do not need each other are one wait. */
static void waits(void **state) {
    (void)state;
    assert_int_equal(count("").of[HD_ISSUED_WAIT], 1);
    assert_int_equal(
        more("  %b = addr ptr.global %out + %i*4\n  %y = load f32 %b\n", HD_ISSUED_WAIT), 0);
    assert_int_equal(more("  %n = bitcast i32 %x\n  %b = addr ptr.global %out + %n*4\n"
                          "  %y = load f32 %b\n",
                          HD_ISSUED_WAIT),
                     1);
    assert_int_equal(more("  %n = bitcast i32 %x\n  %b = addr ptr.global %out + %n*4\n"
                          "  %y = load i32 %b\n  %c = addr ptr.global %in + %y*4\n"
                          "  %w = load f32 %c\n  %d = addr ptr.global %in + %n*4 + 64\n"
                          "  %v = load f32 %d\n",
                          HD_ISSUED_WAIT),
                     2);
    assert_int_equal(more("  %n = bitcast i32 %x\n  %b = addr ptr.local %tile + %n*4\n"
                          "  %y = load f32 %b\n",
                          HD_ISSUED_WAIT),
                     0); /* local memory is near */
    assert_int_equal(more("  br b1\nb1:\n  %b = addr ptr.global %out + %i*4\n  %y = load f32 %b\n",
                          HD_ISSUED_WAIT),
                     1); /* another piece of code */
    assert_int_equal(more("  store %x, %a\n", HD_ISSUED_WAIT), 0);
}

/* Integers that a block shares are no lane's work on AMD's GPUs; sums of floats are, and what differs. */
static void scalar_unit(void **state) {
    (void)state;
    const char *body = "  %n = query num_groups i32 %z\n  %shared = add i32 %n, %n\n"
                       "  %product = mul i32 %shared, %n\n  %own = add i32 %i, %product\n"
                       "  %test = icmp slt i1 %shared, %n\n  %s = fadd f32 %two, %two\n"
                       "  condbr %test, b1, b2\nb1:\n  br b2\nb2:\n";
    const counted written = count(body), amd = count_for(body, KIR_FOR_AMD);
    const counted nvidia = count_for(body, KIR_FOR_NVIDIA), none = count_for("", KIR_FOR_AMD);
    assert_int_equal(more(body, HD_OPERATION_INTEGER), 4);
    assert_int_equal(more(body, HD_ISSUED_INTEGER), 5); /* and a branch */
    assert_int_equal(amd.of[HD_OPERATION_INTEGER] - none.of[HD_OPERATION_INTEGER], 1);
    assert_int_equal(amd.of[HD_ISSUED_INTEGER] - none.of[HD_ISSUED_INTEGER], 1);
    assert_int_equal(amd.of[HD_OPERATION_FP32], written.of[HD_OPERATION_FP32]);
    assert_int_equal(amd.of[HD_ISSUED_WAIT], written.of[HD_ISSUED_WAIT]);
    assert_memory_equal(&nvidia, &written, sizeof nvidia);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(units), cmocka_unit_test(waits),
                                       cmocka_unit_test(scalar_unit)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
