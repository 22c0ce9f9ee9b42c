/* PTX to kir: the shape of what comes out, and what is refused. */
#include "source.h"

#include "frontend/ptx/ast.h"
#include "kernel/kernel.h"

static const char head[] = ".version 8.7\n.target sm_90\n.address_size 64\n";

static void lower(bench *b, const char *text) {
    ptx_module *ptx;
    const char *whole = hd_format(b->arena, "%s%s", head, text);
    b->messages.count = 0;
    b->status = ptx_parse(b->arena, &b->diag, "k.ptx", whole, strlen(whole), &ptx);
    if (!b->status)
        b->status = ptx_lower(b->arena, &b->diag, ptx, &b->module);
}

/* A kernel with this body, of parameters p, q (u64) and n (u32). */
static const char *kernel(bench *b, const char *body) {
    return hd_format(b->arena,
                     ".visible .entry k(.param .u64 p, .param .u64 q, .param .u32 n)\n{\n"
                     ".reg .b32 %%r<20>; .reg .b64 %%d<20>; .reg .f32 %%f<9>; .reg .pred %%p<5>;\n"
                     "%s\nret;\n}\n",
                     body);
}

static const kir_kernel *lowered(bench *b, const char *body) {
    lower(b, kernel(b, body));
    return first_kernel(b);
}

/* ---- addresses ---------------------------------------------------------------------- */

static void an_address_is_a_base_and_scaled_indices(void **state) {
    bench *b = *state;
    const kir_kernel *k = lowered(
        b, "ld.param.u64 %d1, [p]; cvta.to.global.u64 %d2, %d1; mov.u32 %r1, %tid.x;\n"
           "mul.wide.s32 %d3, %r1, 28; add.s64 %d4, %d2, %d3; ld.global.f32 %f1, [%d4+12];\n"
           "cvt.s64.s32 %d5, %r1; mad.lo.s64 %d5, %d5, 4, %d1; st.global.f32 [%d5], %f1;");
    assert_addr(address(k, nth(k, KIR_LOAD, 0)), 12, 28, NULL, 0);
    assert_addr(address(k, nth(k, KIR_STORE, 0)), 0, 4, NULL, 0);
    assert_int_equal(k->insts[address(k, nth(k, KIR_LOAD, 0))->args[0]].op, KIR_PARAM);
    assert_int_equal(k->params[0].type.kind, KIR_PTR);
    assert_int_equal(k->params[0].type.space, KIR_GLOBAL);
    assert_string_equal(k->params[0].element_type, "float");
    assert_int_equal(k->params[1].type.kind, KIR_INT); /* nobody uses it as an address */
}

static void affine_forms_are_those_of_the_source(void **state) {
    bench *b = *state;
    const kir_kernel *k =
        lowered(b, "ld.param.u64 %d1, [p]; ld.param.u32 %r9, [n]; mov.u32 %r1, %ctaid.x;\n"
                   "mov.u32 %r2, %ntid.x; mov.u32 %r3, %tid.x; mad.lo.s32 %r4, %r1, %r2, %r3;\n"
                   "mul.wide.s32 %d2, %r4, 4; add.s64 %d3, %d1, %d2; mov.u32 %r5, 0;\n"
                   "top: ld.global.f32 %f1, [%d3]; st.global.f32 [%d3+4], %f1;\n"
                   "add.s64 %d3, %d3, 64; add.s32 %r5, %r5, 1; setp.lt.s32 %p1, %r5, 8;\n"
                   "@%p1 bra top;");
    hd_binding binding = {.dims = 1, .global = {1024, 1, 1}, .local = {128, 1, 1}};
    const hd_kernel_info *info = hd_kernel_analyse(b->arena, b->module, k, &binding);
    assert_int_equal(info->access_count, 2);
    for (uint32_t a = 0; a < 2; a++) {
        assert_true(info->accesses[a].affine);
        assert_int_equal(info->accesses[a].param, 0);
        assert_string_equal(hd_affine_print(b->arena, k, info->accesses[a].address),
                            a ? "512*group(0) + 4*local(0) + 64*k0 + 4"
                              : "512*group(0) + 4*local(0) + 64*k0");
    }
    assert_int_equal(info->trips[0].count, 8);
}

static void shared_addresses_of_32_bits_find_their_variable(void **state) {
    bench *b = *state;
    const kir_kernel *k = lowered(
        b, ".shared .align 4 .b8 tile[512];\nmov.u32 %r1, %tid.x; mov.u32 %r2, tile; shl.b32 %r3, "
           "%r1, 2;\nadd.s32 %r4, %r2, %r3; st.shared.u32 [%r4+8], %r1; ld.shared.u32 %r5, "
           "[tile+16];\nld.param.u64 %d1, [p]; st.global.u32 [%d1], %r5;");
    assert_addr(address(k, nth(k, KIR_STORE, 0)), 8, 4, NULL, 0);
    assert_int_equal(arg(k, address(k, nth(k, KIR_STORE, 0)), 0)->op, KIR_STATIC);
    assert_addr(address(k, nth(k, KIR_LOAD, 0)), 16, 0, NULL, 0);
    assert_int_equal(k->statics[0].bytes, 512);
    assert_int_equal(k->statics[0].space, KIR_LOCAL);
}

static void pointers_join_and_are_chosen(void **state) {
    bench *b = *state;
    const kir_kernel *k = lowered(
        b, "ld.param.u64 %d1, [p]; ld.param.u64 %d2, [q]; ld.param.u32 %r1, [n];\n"
           "setp.gt.u32 %p1, %r1, 5; selp.b64 %d3, %d1, %d2, %p1; st.global.u32 [%d3], %r1;\n"
           "mov.u64 %d4, %d1; @%p1 bra over; add.u64 %d4, %d2, 8; over: st.u32 [%d4], %r1;");
    const kir_inst *chosen = address(k, nth(k, KIR_STORE, 0));
    assert_int_equal(chosen->op, KIR_SELECT);
    assert_int_equal(chosen->type.space, KIR_GLOBAL);
    const kir_inst *joined = address(k, nth(k, KIR_STORE, 1));
    assert_int_equal(joined->op, KIR_PHI);
    assert_int_equal(joined->type.kind, KIR_PTR);
    assert_int_equal(joined->type.space, KIR_GLOBAL);
}

static void loaded_pointers_are_made_of_numbers(void **state) {
    bench *b = *state;
    const kir_kernel *k = lowered(b, "ld.param.u64 %d1, [p]; ld.global.u64 %d2, [%d1]; "
                                     "ld.global.u32 %r1, [%d2+4]; st.global.u32 [%d1+8], %r1;");
    const kir_inst *inner = address(k, nth(k, KIR_LOAD, 1));
    assert_addr(inner, 4, 0, NULL, 0);
    assert_int_equal(arg(k, inner, 0)->op, KIR_INTTOPTR);
    assert_int_equal(arg(k, inner, 0)->type.space, KIR_GLOBAL);
}

static void a_pointer_is_also_a_number(void **state) {
    bench *b = *state;
    const kir_kernel *k = lowered(b, "ld.param.u64 %d1, [p]; ld.param.u64 %d2, [q];\n"
                                     "st.global.u64 [%d1], %d2; st.global.u32 [%d2], 1;\n"
                                     "setp.eq.u64 %p1, %d1, 0; @%p1 st.global.u32 [%d2], 2;");
    assert_int_equal(arg(k, nth(k, KIR_STORE, 0), 0)->op, KIR_PTRTOINT);
    assert_int_equal(arg(k, nth(k, KIR_ICMP, 0), 0)->type.kind, KIR_PTR);
}

/* ---- predicates, places, types ---------------------------------------------------------- */

static void predicated_loads_are_branched_around(void **state) {
    bench *b = *state;
    const kir_kernel *k =
        lowered(b, "ld.param.u64 %d1, [p]; ld.param.u32 %r1, [n]; mov.u32 %r2, 7;\n"
                   "setp.gt.u32 %p1, %r1, 5; @%p1 ld.global.u32 %r2, [%d1];\n"
                   "@!%p1 add.u32 %r2, %r2, 1; st.global.u32 [%d1], %r2;");
    assert_int_equal(count_op(k, KIR_CONDBR), 1);
    assert_int_equal(nth(k, KIR_LOAD, 0)->block, 1);
    assert_int_equal(count_op(k, KIR_SELECT), 1);
    assert_int_equal(count_op(k, KIR_PHI), 1);
}

static void bits_that_are_floats_are_floats(void **state) {
    bench *b = *state;
    const kir_kernel *k =
        lowered(b, "ld.param.u64 %d1, [p]; ld.global.b32 %r1, [%d1]; add.f32 %r2, %r1, %r1;\n"
                   "st.global.b32 [%d1], %r2; ld.global.v2.b32 {%r3, %r4}, [%d1+8];\n"
                   "mul.f32 %r5, %r3, %r4; st.global.b32 [%d1+16], %r5;");
    assert_int_equal(nth(k, KIR_LOAD, 0)->type.kind, KIR_FLOAT);
    assert_int_equal(nth(k, KIR_LOAD, 1)->type.kind, KIR_FLOAT);
    assert_int_equal(nth(k, KIR_LOAD, 1)->type.lanes, 2);
    assert_int_equal(arg(k, nth(k, KIR_STORE, 0), 0)->type.kind, KIR_FLOAT);
    assert_string_equal(k->params[0].element_type, "float");
}

static void places_are_those_of_the_source(void **state) {
    bench *b = *state;
    lower(b, hd_format(b->arena,
                       "%s.file 1 \"/home/some/k.cu\"\n.file 2 "
                       "\"/usr/local/cuda/include/sm_30_intrinsics.hpp\"\n",
                       kernel(b, ".loc 1 7 5\nld.param.u64 %d1, [p];\n.loc 1 8 9\n"
                                 "ld.global.u32 %r1, [%d1];\n"
                                 ".loc 2 440 9, function_name info, inlined_at 1 9 3\n"
                                 "add.u32 %r1, %r1, 1;\n.loc 1 0 3\nst.global.u32 [%d1], %r1;")));
    const kir_kernel *k = first_kernel(b);
    const kir_inst *load = nth(k, KIR_LOAD, 0);
    assert_int_equal(load->line, 8);
    assert_int_equal(load->column, 9);
    assert_string_equal(b->module->files[load->file].name, "/home/some/k.cu");
    assert_int_equal(nth(k, KIR_ADD, 0)->line, 9); /* where the header's function was called */
    assert_int_equal(nth(k, KIR_STORE, 0)->line, 9);
    assert_int_equal(k->place.line, 7);
    /* A function without lines stands where one with lines calls it. */
    lower(b,
          hd_format(b->arena,
                    ".file 1 \"k.cu\"\n.func put(.reg .u64 a) { st.global.u32 [a], 3; ret; }\n%s",
                    kernel(b, ".loc 1 7 5\nld.param.u64 %d1, [p];\n.loc 1 8 9\ncall put, (%d1);")));
    k = first_kernel(b);
    assert_int_equal(nth(k, KIR_STORE, 0)->line, 8);
    assert_string_equal(b->module->files[nth(k, KIR_STORE, 0)->file].name, "k.cu");
    k = lowered(b, "ld.param.u64 %d1, [p];\nst.global.u32 [%d1], 3;");
    assert_int_equal(nth(k, KIR_STORE, 0)->line, 8); /* of the text itself */
    assert_string_equal(b->module->files[nth(k, KIR_STORE, 0)->file].name, "k.ptx");
}

static void kernels_go_by_their_names(void **state) {
    bench *b = *state;
    lower(
        b,
        ".visible .entry _Z5scaleIfLi4EEvPT_i(.param .u64 _Z5scaleIfLi4EEvPT_i_param_0) { ret; }\n"
        ".visible .entry _ZN1a4moveEPf(.param .u64 _ZN1a4moveEPf_param_0) { ret; }\n"
        ".visible .entry _Z4overPi(.param .u64 x) { ret; }\n"
        ".visible .entry _Z4overPf(.param .u64 x) { ret; }\n"
        ".visible .entry plain(.param .align 8 .b8 plain_param_0[24]) .reqntid 64, 2 { ret; }\n"
        /* S_ and S0_ are the namespaces around; S1_ is the kernel itself. */
        ".visible .entry _ZN1a1b4fillINS0_5shapeELi3EEEvPT_(.param .u64 x) { ret; }\n"
        ".visible .entry _ZN1a1b4fillINS0_1c4deepELi4EEEvPT_(.param .u64 x) { ret; }\n"
        ".visible .entry _ZN1a1b4fillINS_5outerELi5EEEvPT_(.param .u64 x) { ret; }\n"
        ".visible .entry _ZN1a1b3twoIPNS0_5shapeEEEvPT_(.param .u64 x) { ret; }\n"
        ".visible .entry _ZN1a1b4oddyINS1_5shapeEEEvPT_(.param .u64 x) { ret; }\n"
        ".visible .entry _ZN1a1b3cutINS(.param .u64 x) { ret; }\n"
        ".visible .entry _ZN1a1b4lessINS0(.param .u64 x) { ret; }\n");
    assert_int_equal(b->status, HD_OK);
    static const char *const names[] = {"scale<float, 4>",
                                        "a::move",
                                        "_Z4overPi",
                                        "_Z4overPf",
                                        "plain",
                                        "a::b::fill<a::b::shape, 3>",
                                        "a::b::fill<a::b::c::deep, 4>",
                                        "a::b::fill<a::outer, 5>",
                                        "a::b::two<a::b::shape *>",
                                        "a::b::oddy",
                                        "a::b::cut",
                                        "a::b::less"};
    assert_int_equal(b->module->kernel_count, sizeof names / sizeof *names);
    for (uint32_t i = 0; i < sizeof names / sizeof *names; i++)
        assert_string_equal(b->module->kernels[i]->name, names[i]);
    const kir_kernel *plain = b->module->kernels[4];
    assert_string_equal(plain->params[0].name, "param_0");
    assert_true(plain->params[0].by_value_struct);
    assert_int_equal(plain->params[0].bytes, 24);
    assert_int_equal(plain->required_local[0], 64);
    assert_int_equal(plain->required_local[1], 2);
}

/* ---- control flow -------------------------------------------------------------------------- */

static void calls_are_inlined(void **state) {
    bench *b = *state;
    lower(b,
          hd_format(b->arena,
                    ".func (.param .b32 r) add(.param .b32 a) { .reg .b32 %%x; ld.param.b32 %%x, "
                    "[a]; add.u32 %%x, %%x, 3; st.param.b32 [r], %%x; ret; }\n"
                    ".func (.param .b32 r) mul(.param .b32 a) { .reg .b32 %%x; ld.param.b32 %%x, "
                    "[a]; mul.lo.u32 %%x, %%x, 5; st.param.b32 [r], %%x; ret; }\n%s",
                    kernel(b, "ld.param.u64 %d1, [p]; ld.param.u32 %r1, [n]; mov.u64 %d2, add;\n"
                              "mov.u64 %d3, mul; setp.eq.u32 %p1, %r1, 1; selp.b64 %d2, %d2, %d3, "
                              "%p1;\n{ .param .b32 a; .param .b32 r; st.param.b32 [a], %r1;\n"
                              "ways: .calltargets add, mul; call (r), %d2, (a), ways;\n"
                              "ld.param.b32 %r2, [r]; } st.global.u32 [%d1], %r2;")));
    const kir_kernel *k = first_kernel(b);
    assert_int_equal(nth(k, KIR_SWITCH, 0)->imm_count, 2);
    assert_int_equal(count_op(k, KIR_ADD), 1);
    assert_int_equal(count_op(k, KIR_MUL), 1);
    assert_int_equal(count_op(k, KIR_ALLOCA), 0);
}

static void private_memory_becomes_values(void **state) {
    bench *b = *state;
    const kir_kernel *k =
        lowered(b, ".local .align 8 .b8 own[32]; ld.param.u64 %d1, [p]; ld.param.u32 %r1, [n];\n"
                   "mov.u64 %d5, own; cvta.local.u64 %d6, %d5; st.local.u64 [%d5+8], %d1;\n"
                   "setp.gt.u32 %p1, %r1, 4; @%p1 st.u32 [%d6+16], %r1; ld.u64 %d2, [%d6+8];\n"
                   "ld.local.u32 %r2, [%d5+16]; st.u32 [%d2+4], %r2;");
    assert_int_equal(count_op(k, KIR_ALLOCA), 0);
    assert_int_equal(count_op(k, KIR_STORE), 1);
    assert_addr(address(k, nth(k, KIR_STORE, 0)), 4, 0, NULL, 0);
    assert_int_equal(arg(k, address(k, nth(k, KIR_STORE, 0)), 0)->op, KIR_PARAM);
    k = lowered(b, ".local .align 8 .b8 own[32]; ld.param.u64 %d1, [p]; ld.param.u32 %r1, [n];\n"
                   "mov.u64 %d5, own; st.local.u32 [%d5], %r1; mul.wide.u32 %d3, %r1, 4;\n"
                   "add.u64 %d4, %d5, %d3; ld.local.u32 %r2, [%d4]; st.global.u32 [%d1], %r2;");
    assert_int_equal(count_op(k, KIR_ALLOCA), 1); /* an index that is not known */
    assert_int_equal(count_op(k, KIR_STORE), 2);
    k = lowered(b, ".local .align 8 .b8 own[32]; ld.param.u64 %d1, [p]; ld.param.u32 %r1, [n];\n"
                   "st.local.u32 [own], %r1; st.local.u16 [own+2], 7; ld.local.u32 %r2, [own];\n"
                   "st.global.u32 [%d1], %r2;");
    assert_int_equal(count_op(k, KIR_STORE), 3); /* bytes that overlap */
}

/* ---- matrices -------------------------------------------------------------------------------- */

static void matrices_are_calls(void **state) {
    bench *b = *state;
    const kir_kernel *k = lowered(
        b, ".reg .b32 %x<9>, %y<9>; .shared .align 16 .b8 tile[1024]; ld.param.u64 %d1, [p];\n"
           "cp.async.ca.shared.global [tile], [%d1], 8;\n"
           "cp.async.cg.shared.global.L2::128B [tile+16], [%d1+16], 16, 4;\n"
           "cp.async.wait_all; mov.u32 %r1, tile;\n"
           "ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%x0, %x1, %x2, %x3}, [%r1+64];\n"
           "ldmatrix.sync.aligned.m8n8.x2.trans.shared::cta.b16 {%y0, %y1}, [tile];\n"
           "mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16 {%x4, %x5}, {%x0, %x1, %x2, %x3}, "
           "{%y0, %y1}, {%x0, %x1};\n"
           "mma.sync.aligned.m16n8k32.row.col.satfinite.s32.u8.s8.s32 {%x0, %x1, %x2, %x3}, {%x0, "
           "%x1, %x2, %x3}, {%x4, %x5}, {%x0, %x1, %x2, %x3};\n"
           "stmatrix.sync.aligned.m8n8.x1.shared.b16 [tile+128], {%x2};");
    static const char *const names[] = {"ldmatrix_x4", "ldmatrix_x2_trans", "mma_m16n8k16_f16_f16",
                                        "mma_m16n8k32_s32_u8_s8_sat", "stmatrix_x1"};
    assert_int_equal(count_op(k, KIR_CALL), 5);
    for (uint32_t i = 0; i < 5; i++)
        assert_string_equal(nth(k, KIR_CALL, i)->name, names[i]);
    assert_int_equal(count_op(k, KIR_COPY), 2);
    assert_int_equal(count_op(k, KIR_FILL), 1); /* what the second one does not copy */
    const kir_inst *from = arg(k, nth(k, KIR_CALL, 0), 0);
    assert_int_equal(from->type.space, KIR_LOCAL);
    assert_int_equal(nth(k, KIR_CALL, 0)->type.lanes, 4);
    assert_int_equal(arg(k, nth(k, KIR_CALL, 3), 1)->type.lanes, 2);
}

/* 32 rows of A are two mma's; neighbours along k are one access where they are neighbours. */
static void wmma_is_mma_and_plain_accesses(void **state) {
    bench *b = *state;
    const kir_kernel *k = lowered(
        b, ".reg .b32 %x<9>, %y<9>, %z<9>; ld.param.u64 %d1, [p]; ld.param.u64 %d2, [q];\n"
           "wmma.load.a.sync.aligned.row.m32n8k16.global.s8 {%x0, %x1, %x2, %x3}, [%d1];\n"
           "wmma.load.b.sync.aligned.row.m32n8k16.global.s8 {%y0}, [%d1+512];\n"
           "mov.u32 %z0, 0; wmma.mma.sync.aligned.row.row.m32n8k16.s32.s8.s8.s32 {%z0, %z1, %z2, "
           "%z3, %z4, %z5, %z6, %z7}, {%x0, %x1, %x2, %x3}, {%y0}, {%z0, %z0, %z0, %z0, %z0, %z0, "
           "%z0, %z0};\n"
           "wmma.store.d.sync.aligned.row.m32n8k16.global.s32 [%d2], {%z0, %z1, %z2, %z3, %z4, "
           "%z5, %z6, %z7}, 8;");
    assert_int_equal(count_op(k, KIR_CALL), 2);
    assert_string_equal(nth(k, KIR_CALL, 0)->name, "mma_m16n8k16_s32_s8");
    assert_int_equal(count_op(k, KIR_LOAD), 4 + 4);
    assert_int_equal(nth(k, KIR_LOAD, 0)->type.lanes, 4);
    assert_int_equal(nth(k, KIR_LOAD, 4)->type.lanes, 1);
    assert_int_equal(count_op(k, KIR_STORE), 4);
    assert_int_equal(address(k, nth(k, KIR_LOAD, 0))->type.space, KIR_GLOBAL);
    assert_string_equal(k->params[1].element_type, "int");
}

/* ---- what is refused ------------------------------------------------------------------------- */

static void refuses(bench *b, const char *text, hd_status status, const char *message,
                    unsigned line) {
    lower(b, text);
    assert_int_equal(b->status, status);
    assert_int_equal(b->messages.count, 1);
    if (!strstr(b->messages.data[0].text, message))
        fail_msg("'%s' does not say '%s'", b->messages.data[0].text, message);
    assert_int_equal(b->messages.data[0].line, line);
    assert_string_equal(b->messages.data[0].file, "k.ptx");
}

static void refused_with_name_and_line(void **state) {
    bench *b = *state;
    static const struct {
        const char *body, *message;
        unsigned line;
    } bad[] = {
        {"\nfrobnicate.b32 %r1, %r2;", "there is no instruction frobnicate.b32", 8},
        {"istypep.texref %p1, %d1;", "istypep.texref is not supported", 7},
        {"\n\ntcgen05.wait::ld.sync.aligned;", "tcgen05.wait::ld.sync.aligned is not supported", 9},
        {"call (%r1), %d1, (%r2), proto;\nproto: .callprototype (.param .b32 _) _ (.param .b32 _);",
         "through a pointer", 7},
        {"wmma.load.a.sync.aligned.row.m8n8k32.s4 {%r1}, [%d1];",
         "wmma.load.a.sync.aligned.row.m8n8k32.s4 is not supported; m16n16k16", 7},
        {"wmma.load.a.sync.aligned.row.m16n16k16.tf32 {%r1}, [%d1];", "m16n16k8 of tf32", 7},
        {"stmatrix.sync.aligned.m16n8.x1.trans.shared.b8 [%r1], {%r2};", "matrices of m8n8 are", 7},
        {"redux.sync.max.f64 %d1, %d2, -1;", "min and max of f32 are", 7},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        refuses(b, kernel(b, bad[i].body), HD_EUNSUPPORTED, bad[i].message, bad[i].line);
    refuses(b, kernel(b, "add.u32 %r1, %nothing, 1;"), HD_EINPUT, "%nothing", 7);
    refuses(b, kernel(b, "bra nowhere;"), HD_EINPUT, "there is no label nowhere", 7);
    refuses(b, kernel(b, "popc.f32 %r1, %r2;"), HD_EINPUT, "there is no popc of this type", 7);
    refuses(b, kernel(b, "wmma.load.a.sync.aligned.row.m16n16k16.s8 {%r1, %r2, %r3}, [%d1];"),
            HD_EINPUT, "the fragment has 2 registers, not 3", 7);
    refuses(b, kernel(b, "bra 7;"), HD_EINPUT, "bra needs a label", 7);
    refuses(b,
            ".func h();\n.func f(.param .b8 s[8]) { call h, (); ret; }\n"
            ".func g() { .param .b8 t[8]; call f, (t); ret; }\n"
            ".func h() { call g, (); ret; }\n"
            ".visible .entry k() { .param .b8 u[8]; call f, (u); ret; }\n",
            HD_EUNSUPPORTED, "recursion with structs by value is not supported: f -> h -> g -> f",
            6);
    refuses(b, ".extern .func g();\n.visible .entry k() {\ncall g, (); ret; }\n", HD_EUNSUPPORTED,
            "function g is declared in line 4 and has a body nowhere", 6);
    refuses(b,
            ".extern .func cudaLaunchDeviceV2();\n.entry k() {\ncall cudaLaunchDeviceV2; ret; }\n",
            HD_EUNSUPPORTED, "cudaLaunchDeviceV2 is of the device's own runtime (cudadevrt)", 6);
    refuses(b,
            kernel(b, "}\n.extern .global .u32 x;\n.entry l() {.reg .u32 %r1;\n"
                      "ld.global.u32 %r1, [x]; st.global.u32 [x], %r1;"),
            HD_EUNSUPPORTED, "variable x is declared in line 8 and defined nowhere", 10);
    lower(b, ".func f() { ret; }\n");
    assert_int_equal(b->status, HD_EINPUT);
    assert_non_null(strstr(b->messages.data[0].text, "there is no kernel in this file"));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(an_address_is_a_base_and_scaled_indices),
        TEST(affine_forms_are_those_of_the_source),
        TEST(shared_addresses_of_32_bits_find_their_variable),
        TEST(pointers_join_and_are_chosen),
        TEST(loaded_pointers_are_made_of_numbers),
        TEST(a_pointer_is_also_a_number),
        TEST(predicated_loads_are_branched_around),
        TEST(bits_that_are_floats_are_floats),
        TEST(places_are_those_of_the_source),
        TEST(kernels_go_by_their_names),
        TEST(calls_are_inlined),
        TEST(private_memory_becomes_values),
        TEST(matrices_are_calls),
        TEST(wmma_is_mma_and_plain_accesses),
        TEST(refused_with_name_and_line),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
