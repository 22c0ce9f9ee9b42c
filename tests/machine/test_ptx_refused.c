/*
 * What Heddle does not have of PTX is refused with a message that says why, before anything runs;
 * and an assertion that does not hold ends the kernel. Rows as those of ptx_rows.h.
 */
#include "ptx_rows.h"

#define STACK " is not supported: stacks that grow at run time are not supported"
#define DEVICES " is not supported: addresses of several devices are not part of Heddle's machine"
#define PRODUCTS " is not supported: tensor memory is not part of Heddle's machine"
#define REDUCED " is not supported; min and max of f32 are"

static void refused(void **state) {
    (void)state;
    static const failing_row rows[] = {
        {"stacksave.u64 %d;", "stacksave.u64" STACK},
        {"stackrestore.u64 %a;", "stackrestore.u64" STACK},
        {"alloca.u64 %d, 64, 16;", "alloca.u64" STACK},
        {"multimem.ld_reduce.global.add.u32 %w, [%in];",
         "multimem.ld_reduce.global.add.u32" DEVICES},
        {"multimem.st.global.u32 [%in], %x;", "multimem.st.global.u32" DEVICES},
        {"multimem.red.global.add.u32 [%in], %x;", "multimem.red.global.add.u32" DEVICES},
        {"tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [tile], 32;",
         "tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32" PRODUCTS},
        {"tcgen05.wait::ld.sync.aligned;", "tcgen05.wait::ld.sync.aligned" PRODUCTS},
        {"redux.sync.add.f32 %s0, %f, -1;", "redux.sync.add.f32" REDUCED},
        {"redux.sync.min.f64 %e0, %da, -1;", "redux.sync.min.f64" REDUCED},
        {"redux.sync.min.f16 %k0, %k1, -1;", "redux.sync.min.f16" REDUCED},
        {"istypep.texref %p, %a;",
         "istypep.texref is not supported: what an object is, is not known"},
        {"clusterlaunchcontrol.try_cancel.async.shared::cta.mbarrier::complete_tx::bytes.b128 "
         "[tile], "
         "[tile+16];",
         "is not supported: blocks that have been launched are not taken back"},
        {"tensormap.replace.tile.global_address.shared::cta.b1024.b64 [tile], %a;",
         "is not supported: tensor maps are made by the host alone"},
        {"fma.rn.oob.f16x2 %w, %x, %y, %z;",
         "fma.rn.oob.f16x2 is not supported; no NaN stands for"},
        {"cvt.rs.f16x2.f32 %w, %f, %g, %z;", "cvt.rs.f16x2.f32: this conversion is not supported"},
    };
    CHECK_FAILS(rows, HD_EUNSUPPORTED);
}

/* As nvcc declares and calls it. */
static const char declared[] =
    ".extern .func __assertfail(.param .b64 a, .param .b64 b, .param .b32 c, .param .b64 d, .param "
    ".b64 e);\n.global .align 1 .b8 claim[10] = {119, 32, 60, 32, 52, 50, 0};\n"; /* w < 42 */
#define CLAIMS(condition)                                                                     \
    condition " @%p bra holds; mov.u64 %l0, claim; mov.u32 %t1, 12; mov.u64 %l1, 1;"          \
              "{ .param .b64 text; .param .b64 file; .param .b32 line; .param .b64 function;" \
              " .param .b64 size; st.param.b64 [text], %l0; st.param.b64 [file], %l0;"        \
              " st.param.b32 [line], %t1; st.param.b64 [function], %l0;"                      \
              " st.param.b64 [size], %l1;"                                                    \
              " call.uni __assertfail, (text, file, line, function, size); } holds:"          \
              " mov.u32 %w, 5;"

/* With the declarations before the kernel. */
static hd_status claim(const char *body, char *message, uint64_t *out) {
    uint64_t in[THREADS * NUMBERS] = {0};
    hd_arena *arena = hd_arena_new();
    const char *whole = text_of(arena, body), *kernel = strstr(whole, ".visible .entry");
    const char *text = hd_format(arena, "%.*s%s%s", (int)(kernel - whole), whole, declared, kernel);
    hd_status status = try_text(keep, message, text, in, out);
    hd_arena_free(arena);
    return status;
}

static void assertions(void **state) {
    (void)state;
    uint64_t out[THREADS];
    char message[300] = "";
    assert_int_equal(claim(CLAIMS("setp.lt.u32 %p, %t0, 64;"), message, out), HD_OK);
    for (uint32_t t = 0; t < THREADS; t++)
        assert_int_equal(out[t], 5);
    assert_int_equal(claim(CLAIMS("setp.lt.u32 %p, %t0, 42;"), message, out), HD_EINPUT);
    if (!strstr(message, "the assertion 'w < 42' does not hold") ||
        !strstr(message, "thread (42,0,0)"))
        fail_msg("'%s'", message);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(refused),
        cmocka_unit_test(assertions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
