/* Control flow, addresses and memory of OpenCL C as kir. */
#include "kernel/kernel.h"
#include "source.h"

#define BODY "struct body { float4 pos; float m[3]; struct { float x, y; } v; int id; };\n"

/* ---- addresses ------------------------------------------------------- */

static void a_member_is_one_address(void **state) {
    bench *b = *state;
    const kir_kernel *k = compile(b, BODY "__kernel void k(__global struct body *p, int n) {\n"
                                          "    int i = get_global_id(0);\n"
                                          "    p[i].id = n;\n"
                                          "    p[i].m[n] = 1.0f;\n"
                                          "    p[i].v.y = 2.0f;\n"
                                          "    p[i].pos = (float4)(3.0f);\n"
                                          "    p->v.x = 4.0f;\n"
                                          "}\n");
    assert_int_equal(count_op(k, KIR_STORE), 5);
    const kir_inst *id = nth(k, KIR_STORE, 0);
    assert_int_equal(id->line, 4);
    assert_int_equal(id->align, 4);
    assert_addr(address(k, id), 36, 48, "body", 36);
    assert_int_equal(arg(k, address(k, id), 0)->op, KIR_PARAM);

    const kir_inst *m = address(k, nth(k, KIR_STORE, 1));
    assert_int_equal(m->arg_count, 3);
    assert_int_equal(m->scale[0], 48);
    assert_int_equal(m->scale[1], 4);
    assert_int_equal(m->offset, 16);
    assert_int_equal(m->field_offset, 16);
    assert_string_equal(m->record, "body");

    assert_addr(address(k, nth(k, KIR_STORE, 2)), 32, 48, "body", 32); /* outermost struct */
    assert_addr(address(k, nth(k, KIR_STORE, 3)), 0, 48, "body", 0);   /* first member */
    assert_addr(address(k, nth(k, KIR_STORE, 4)), 28, 0, "body", 28);
}

static void plain_elements_have_no_record(void **state) {
    bench *b = *state;
    const kir_kernel *k = compile(
        b,
        BODY "__kernel void k(__global struct body *p, __global float *q, __global float3 *v) {\n"
             "    int i = get_global_id(0);\n"
             "    q[i + 2] = 1.0f;\n"
             "    ((__global float *)p)[i] = 2.0f;\n"
             "    v[i] = (float3)(1, 2, 3);\n"
             "    __global struct body *next = &p[i] + 1;\n"
             "    p[i] = *next;\n"
             "}\n");
    assert_addr(address(k, nth(k, KIR_STORE, 0)), 0, 4, NULL, 0);
    assert_addr(address(k, nth(k, KIR_STORE, 1)), 0, 4, NULL, 0);
    const kir_inst *vector = nth(k, KIR_STORE, 2);
    assert_addr(address(k, vector), 0, 16, NULL, 0);
    assert_int_equal(arg(k, vector, 0)->type.lanes, 3);
    const kir_inst *copy = nth(k, KIR_COPY, 0);
    assert_addr(arg(k, copy, 0), 0, 48, NULL, 0);
    assert_addr(arg(k, copy, 1), 48, 48, NULL, 0);
    assert_int_equal(constant(k, copy->args[2]), 48);
}

static void a_step_through_first_members_is_named(void **state) {
    bench *b = *state;
    const kir_kernel *k = compile(b, "struct pt { float x, y; };\n"
                                     "struct box { struct pt corners[2]; float w; };\n"
                                     "struct pair { struct box a, c; };\n"
                                     "__kernel void k(__global struct pair *p, int n) {\n"
                                     "    p[n].a.corners[0].y = 1.0f;\n"
                                     "    p[n].a.corners[n].y = 2.0f;\n"
                                     "    p[n].a.corners[0].x = 3.0f;\n"
                                     "    __local struct box l;\n"
                                     "    l.corners[n].x = 4.0f;\n"
                                     "}\n");
    assert_addr(address(k, nth(k, KIR_STORE, 0)), 4, 40, "pair", 4);
    const kir_inst *inner = address(k, nth(k, KIR_STORE, 1));
    assert_int_equal(inner->scale[1], 8);
    assert_int_equal(inner->field_offset, 4);
    assert_string_equal(inner->record, "pair");
    assert_addr(address(k, nth(k, KIR_STORE, 2)), 0, 40, "pair", 0);
    assert_addr(address(k, nth(k, KIR_STORE, 3)), 0, 8, "box", 0);
}

static void a_walking_pointer_is_a_phi(void **state) {
    bench *b = *state;
    const kir_kernel *k =
        compile(b, BODY "__kernel void k(__global struct body *p, __global float *q, int n) {\n"
                        "    float sum = 0;\n"
                        "    for (__global struct body *r = p; r < p + n; r++)\n"
                        "        sum += r->pos.x + r->m[1];\n"
                        "    *q = sum;\n"
                        "}\n");
    const kir_inst *first = nth(k, KIR_LOAD, 0), *second = nth(k, KIR_LOAD, 1);
    assert_addr(address(k, first), 0, 0, "body", 0);
    assert_addr(address(k, second), 20, 0, "body", 20);
    assert_int_equal(arg(k, address(k, first), 0)->op, KIR_PHI);
    assert_int_equal(nth(k, KIR_ICMP, 0)->pred, KIR_P_ULT);
}

/* ---- structs --------------------------------------------------------- */

static void helpers_and_structs_by_value_vanish(void **state) {
    bench *b = *state;
    const kir_kernel *k = compile(
        b, "typedef struct { float x, y; } vec2;\n"
           "typedef struct { vec2 at, speed; } particle;\n"
           "vec2 add(vec2 a, vec2 c) { vec2 r; r.x = a.x + c.x; r.y = a.y + c.y; return r; }\n"
           "void push(__global particle *p, float by) { p->speed.x *= by; }\n"
           "void both(float *a, int *c) { *a = 3.0f; *c += 1; }\n"
           "__kernel void k(__global particle *p, vec2 by, int n) {\n"
           "    int i = get_global_id(0);\n"
           "    p[i].at = add(p[i].at, by);\n"
           "    push(&p[i], 2.0f);\n"
           "    float f; int c = n; both(&f, &c);\n"
           "    p[c].at.y = f;\n"
           "}\n");
    assert_int_equal(count_op(k, KIR_CALL), 0);
    assert_int_equal(count_op(k, KIR_ALLOCA), 0);
    assert_int_equal(count_op(k, KIR_COPY), 0);
    assert_int_equal(count_op(k, KIR_LOAD), 5);
    assert_addr(address(k, nth(k, KIR_LOAD, 0)), 0, 16, "particle", 0);
    assert_addr(address(k, nth(k, KIR_LOAD, 1)), 4, 16, "particle", 4);
    const kir_inst *by = address(k, nth(k, KIR_LOAD, 2));
    assert_addr(by, 0, 0, "vec2", 0);
    assert_int_equal(by->type.space, KIR_PRIVATE);
    assert_int_equal(arg(k, by, 0)->op, KIR_PARAM);
    assert_int_equal(arg(k, by, 0)->index, 1);
    assert_addr(address(k, nth(k, KIR_LOAD, 4)), 8, 16, "particle", 8);
    assert_int_equal(nth(k, KIR_LOAD, 4)->line, 4);
    const kir_inst *last = nth(k, KIR_STORE, 3);
    assert_addr(address(k, last), 4, 16, "particle", 4);
    assert_int_equal(last->line, 11);
    assert_int_equal(arg(k, last, 0)->op, KIR_CONST);
}

static void a_struct_read_in_part_loads_only_that(void **state) {
    bench *b = *state;
    const kir_kernel *k =
        compile(b, BODY "__kernel void k(__global struct body *p, __global float *q) {\n"
                        "    struct body mine = p[get_global_id(0)];\n"
                        "    q[0] = mine.m[1] + mine.v.y;\n"
                        "}\n");
    assert_int_equal(count_op(k, KIR_LOAD), 2);
    assert_int_equal(count_op(k, KIR_COPY), 0);
    assert_int_equal(count_op(k, KIR_ALLOCA), 0);
    assert_addr(address(k, nth(k, KIR_LOAD, 0)), 20, 48, "body", 20);
    assert_addr(address(k, nth(k, KIR_LOAD, 1)), 32, 48, "body", 32);
}

static void whole_structs_are_copied(void **state) {
    bench *b = *state;
    const kir_kernel *k =
        compile(b, BODY "__kernel void k(__global struct body *p, __global struct body *q) {\n"
                        "    int i = get_global_id(0);\n"
                        "    q[i] = p[i];\n"
                        "    __local struct body tile[16];\n"
                        "    tile[get_local_id(0)] = p[i];\n"
                        "    barrier(CLK_LOCAL_MEM_FENCE);\n"
                        "    p[i].v = tile[3].v;\n"
                        "}\n");
    const kir_inst *global = nth(k, KIR_COPY, 0), *local = nth(k, KIR_COPY, 1),
                   *part = nth(k, KIR_COPY, 2);
    assert_int_equal(constant(k, global->args[2]), 48);
    assert_int_equal(arg(k, arg(k, global, 0), 0)->index, 1);
    assert_int_equal(arg(k, arg(k, global, 1), 0)->index, 0);
    assert_int_equal(arg(k, local, 0)->type.space, KIR_LOCAL);
    assert_int_equal(constant(k, part->args[2]), 8);
    assert_addr(arg(k, part, 0), 28, 48, "body", 28);
    assert_addr(arg(k, part, 1), 3 * 48 + 28, 0, "body", 28);
}

/* ---- variables ------------------------------------------------------- */

static void statics_have_space_bytes_and_contents(void **state) {
    bench *b = *state;
    const kir_kernel *k =
        compile(b, "struct pt { short a; float b; };\n"
                   "__constant struct pt corners[3] = {{1, 2.0f}, {3, 4.0f}, {5, 6.0f}};\n"
                   "__kernel void k(__global float *p, int n) {\n"
                   "    __local float tile[64];\n"
                   "    const int small[4] = {7, 8, 9, 10};\n"
                   "    tile[get_local_id(0)] = corners[n].b;\n"
                   "    barrier(CLK_LOCAL_MEM_FENCE);\n"
                   "    p[0] = tile[n] + small[n];\n"
                   "}\n");
    assert_int_equal(k->static_count, 3);
    for (uint32_t i = 0; i < 3; i++) {
        const kir_static *s = &k->statics[i];
        if (!strcmp(s->name, "tile")) {
            assert_int_equal(s->space, KIR_LOCAL);
            assert_int_equal(s->bytes, 256);
            assert_int_equal(s->align, 4);
            assert_null(s->init);
        } else if (!strcmp(s->name, "corners")) {
            assert_int_equal(s->space, KIR_CONSTANT);
            assert_int_equal(s->bytes, 24);
            assert_ptr_equal(s->record, kir_find_record(b->module, "pt"));
            const struct {
                short a;
                float b;
            } want[3] = {{1, 2}, {3, 4}, {5, 6}};
            for (int e = 0; e < 3; e++) {
                assert_memory_equal(s->init + 8 * e, &want[e].a, 2);
                assert_memory_equal(s->init + 8 * e + 4, &want[e].b, 4);
            }
        } else {
            assert_string_equal(s->name, "small");
            assert_memory_equal(s->init, ((int[]){7, 8, 9, 10}), 16);
        }
    }
    const kir_inst *load = nth(k, KIR_LOAD, 0);
    assert_addr(address(k, load), 4, 8, "pt", 4);
    assert_int_equal(address(k, load)->type.space, KIR_CONSTANT);
}

/* LLVM leaves parts of constant vectors as expressions, alone and as lanes of others. */
static void parts_of_constant_vectors_come_through(void **state) {
    bench *b = *state;
    const kir_kernel *k =
        compile(b, "ulong first(uint4 v) { return (v.s0 ^ (ulong)1) * 3; }\n"
                   "__kernel void k(__global ulong *p, __global long4 *q, long4 n) {\n"
                   "    p[0] = first(as_uint4((ushort8)(0x21)));\n"
                   "    q[0] = n | ((as_long4((short16)(1))).s3210 ^ (long4)(1));\n"
                   "}\n");
    assert_int_equal(count_op(k, KIR_STORE), 2);
    assert_int_equal(count_op(k, KIR_EXTRACT), 5);
    assert_int_equal(count_op(k, KIR_INSERT), 4);
}

static void private_arrays_stay_in_memory(void **state) {
    bench *b = *state;
    const kir_kernel *k = compile(b, "__kernel void k(__global float *p, int n) {\n"
                                     "    float bins[8];\n"
                                     "    for (int i = 0; i < 8; i++) bins[i] = 0;\n"
                                     "    bins[n & 7] += p[n];\n"
                                     "    p[0] = bins[p[1] > 0];\n"
                                     "}\n");
    assert_int_equal(count_op(k, KIR_ALLOCA), 1);
    const kir_inst *bins = nth(k, KIR_ALLOCA, 0);
    assert_int_equal(bins->imm[0], 32);
    assert_int_equal(bins->imm[1], 4);
    assert_int_equal(bins->type.space, KIR_PRIVATE);
    assert_int_equal(address(k, nth(k, KIR_STORE, 0))->type.space, KIR_PRIVATE);
    assert_addr(address(k, nth(k, KIR_STORE, 0)), 0, 4, NULL, 0);
}

static void generic_pointers_find_their_space(void **state) {
    bench *b = *state;
    const kir_kernel *k =
        compile(b, "float first(float *p) { return p[1]; }\n"
                   "__kernel void k(__global float *p, __local float *s, int n) {\n"
                   "    float *walk = p;\n"
                   "    for (int i = 0; i < n; i++) *walk++ = first(s);\n"
                   "    float *mixed = n > 3 ? (float *)p : (float *)s;\n"
                   "    mixed[2] = 1.0f;\n"
                   "}\n");
    assert_int_equal(address(k, nth(k, KIR_LOAD, 0))->type.space, KIR_LOCAL);
    const kir_inst *walk = address(k, nth(k, KIR_STORE, 0));
    assert_int_equal(walk->op, KIR_PHI);
    assert_int_equal(walk->type.space, KIR_GLOBAL);
    const kir_inst *mixed = address(k, nth(k, KIR_STORE, 1));
    assert_addr(mixed, 8, 0, NULL, 0);
    assert_int_equal(mixed->type.space, KIR_GENERIC);
    assert_int_equal(count_op(k, KIR_SPACECAST), 2);
}

/* ---- flow ------------------------------------------------------------ */

static void an_early_return_is_one_branch(void **state) {
    bench *b = *state;
    const kir_kernel *k = compile(b, "__kernel void k(__global int *p, int n) {\n"
                                     "    int i = get_global_id(0);\n"
                                     "    if (i >= n) return;\n"
                                     "    p[i] = 1;\n"
                                     "}\n");
    assert_int_equal(k->block_count, 3);
    const kir_inst *branch = nth(k, KIR_CONDBR, 0);
    assert_int_equal(branch->line, 3);
    assert_int_equal(arg(k, branch, 0)->pred, KIR_P_SGE);
    assert_int_equal(branch->to[0], 2);
    assert_int_equal(branch->to[1], 1);
    assert_int_equal(nth(k, KIR_RET, 0)->block, 2);
    assert_int_equal(k->blocks[2].pred_count, 2);
}

static void nested_loops_break_and_continue(void **state) {
    bench *b = *state;
    const kir_kernel *k = compile(b, "__kernel void k(__global float *p, int n) {\n"
                                     "    float sum = 0;\n"
                                     "    for (int i = 0; i < n; i++) {\n"
                                     "        if (p[i] < 0) continue;\n"
                                     "        for (int j = i; j < n; j += 2) {\n"
                                     "            if (p[j] > 9) break;\n"
                                     "            sum += p[j];\n"
                                     "        }\n"
                                     "    }\n"
                                     "    p[n] = sum;\n"
                                     "}\n");
    assert_int_equal(count_op(k, KIR_LOAD), 2); /* p[j] is read once for test and sum */
    assert_int_equal(count_op(k, KIR_CONDBR), 4);
    assert_int_equal(nth(k, KIR_LOAD, 0)->line, 4);
    assert_int_equal(nth(k, KIR_LOAD, 1)->line, 6);
    const kir_inst *outer = nth(k, KIR_PHI, 0);
    assert_int_equal(k->blocks[outer->block].pred_count, 2);
    const kir_inst *skip = nth(k, KIR_CONDBR, 1); /* continue goes to the increment */
    const kir_inst *leave = nth(k, KIR_CONDBR, 3);
    assert_int_equal(skip->line, 4);
    assert_int_equal(leave->line, 6);
    assert_int_equal(skip->to[0], leave->to[0]);
}

static void a_loop_condition_with_and_is_two_branches(void **state) {
    bench *b = *state;
    const kir_kernel *k = compile(b, "__kernel void k(__global float *p, int n) {\n"
                                     "    for (int i = 0; i < n && p[i] > 0; i++) p[i] -= 1;\n"
                                     "    int j = 0;\n"
                                     "    while (p[j] < 3 || p[j + 1] < 4) p[j++] += 1;\n"
                                     "}\n");
    assert_int_equal(count_op(k, KIR_CONDBR), 4);
    assert_int_equal(count_op(k, KIR_PHI), 2);
    for (uint32_t i = 0; i < 4; i++) {
        kir_op op = arg(k, nth(k, KIR_CONDBR, i), 0)->op;
        assert_true(op == KIR_ICMP || op == KIR_FCMP);
    }
    assert_int_equal(nth(k, KIR_CONDBR, 0)->to[1], nth(k, KIR_CONDBR, 1)->to[1]);
    assert_int_equal(nth(k, KIR_CONDBR, 2)->to[0], nth(k, KIR_CONDBR, 3)->to[0]);
}

static void nested_loops_stay_apart(void **state) {
    bench *b = *state;
    const kir_kernel *k = compile(b, "__kernel void k(volatile __global int *p, int n) {\n"
                                     "    do {\n"
                                     "        do { p[0] = 1; } while (p[1]);\n"
                                     "    } while (p[2]);\n"
                                     "    bool go = true;\n"
                                     "    while (go) {\n"
                                     "        if (p[3]) continue;\n"
                                     "        go = p[4] > n;\n"
                                     "    }\n"
                                     "}\n");
    hd_flow *flow = hd_flow_analyse(b->arena, k);
    assert_false(flow->irreducible);
    assert_int_equal(flow->loop_count, 3);
    assert_int_equal(flow->loops[0].depth, 1);
    assert_int_equal(flow->loops[1].depth, 2);
    assert_int_equal(flow->loops[2].depth, 1);
}

static void a_switch_keeps_its_cases_in_order(void **state) {
    bench *b = *state;
    const kir_kernel *k = compile(b, "__kernel void k(__global int *p) {\n"
                                     "    switch (p[0]) {\n"
                                     "    case 3:\n"
                                     "    case -1: p[1] = 10; break;\n"
                                     "    case 8: p[1] = 20;\n"
                                     "    default: p[2] = 30;\n"
                                     "    }\n"
                                     "}\n");
    const kir_inst *s = nth(k, KIR_SWITCH, 0);
    assert_int_equal(s->imm_count, 3);
    assert_int_equal(s->to_count, 4);
    assert_int_equal(s->imm[0], 3);
    assert_int_equal(s->imm[1], 0xffffffff);
    assert_int_equal(s->imm[2], 8);
    assert_int_equal(s->to[1], s->to[2]);
    assert_int_equal(nth(k, KIR_STORE, 0)->block, s->to[1]);
    assert_int_equal(nth(k, KIR_STORE, 1)->block, s->to[3]);
    assert_int_equal(nth(k, KIR_STORE, 2)->block, s->to[0]); /* falls through */
    assert_int_equal(k->blocks[s->to[0]].pred_count, 2);
    assert_int_equal(nth(k, KIR_STORE, 2)->line, 6);
}

static void only_the_chosen_arm_loads(void **state) {
    bench *b = *state;
    const kir_kernel *k = compile(b, "__kernel void k(__global float *p, __local float *s) {\n"
                                     "    __local float t[4];\n"
                                     "    int i = get_local_id(0);\n"
                                     "    t[i] = i == 0 ? s[0] : 0.0f;\n"
                                     "    barrier(CLK_LOCAL_MEM_FENCE);\n"
                                     "    p[i] = i ? t[0] : t[1];\n"
                                     "    if (i == 0 && p[8] > 0) p[9] = 1;\n"
                                     "}\n");
    assert_int_equal(count_op(k, KIR_LOAD), 4);
    for (uint32_t n = 0; n < 4; n++)
        assert_int_not_equal(nth(k, KIR_LOAD, n)->block, nth(k, KIR_STORE, 0)->block);
    assert_int_not_equal(nth(k, KIR_LOAD, 1)->block, nth(k, KIR_LOAD, 2)->block);
    assert_int_equal(count_op(k, KIR_SELECT), 0);
}

static void a_load_is_repeated_only_after_a_change(void **state) {
    bench *b = *state;
    const kir_kernel *k = compile(b, "__kernel void k(__global float *p, __global float *q) {\n"
                                     "    int i = get_global_id(0);\n"
                                     "    int j = get_global_id(0);\n"
                                     "    q[0] = p[i] + p[j];\n"
                                     "    if (i) q[1] = p[i];\n"
                                     "    q[2] = q[1];\n"
                                     "    barrier(CLK_GLOBAL_MEM_FENCE);\n"
                                     "    q[3] = q[1];\n"
                                     "}\n");
    assert_int_equal(count_op(k, KIR_QUERY), 1);
    assert_int_equal(count_op(k, KIR_LOAD), 4);
    assert_int_equal(nth(k, KIR_LOAD, 0)->line, 4); /* both of line 4 */
    assert_int_equal(nth(k, KIR_LOAD, 1)->line, 5); /* q[0] may be p[i] */
    assert_int_equal(nth(k, KIR_LOAD, 2)->line, 6); /* line 5 stores on one way only */
    assert_int_equal(nth(k, KIR_LOAD, 3)->line, 8); /* after the barrier */
}

static void loops_are_neither_unrolled_nor_emptied(void **state) {
    bench *b = *state;
    const kir_kernel *k = compile(b, "__kernel void k(__global float *p) {\n"
                                     "    float sum = 0;\n"
                                     "    for (int j = 0; j < 4; j++) sum += p[7] * p[j];\n"
                                     "    p[get_global_id(0)] = sum;\n"
                                     "}\n");
    assert_int_equal(count_op(k, KIR_LOAD), 2); /* p[7] stays in the loop */
    assert_int_equal(nth(k, KIR_LOAD, 0)->block, nth(k, KIR_LOAD, 1)->block);
    assert_int_equal(count_op(k, KIR_FMULADD), 1);
}

static void volatile_and_every_kernel_come_through(void **state) {
    bench *b = *state;
    compile(b, "__kernel void one(volatile __global int *p) { p[0]; p[1] = 1; p[1] = 2; }\n"
               "__kernel void two(__global int *p) { p[0]; }\n");
    assert_int_equal(b->module->kernel_count, 2);
    const kir_kernel *one = kir_find_kernel(b->module, "one");
    assert_int_equal(count_op(one, KIR_LOAD), 1);
    assert_true(nth(one, KIR_LOAD, 0)->is_volatile);
    assert_true(nth(one, KIR_STORE, 0)->is_volatile);
    assert_int_equal(count_op(one, KIR_STORE), 2);
    assert_int_equal(count_op(kir_find_kernel(b->module, "two"), KIR_LOAD), 0);
}

/* ---- the whole form -------------------------------------------------- */

static void text_form_of_a_lowered_kernel_parses_back(void **state) {
    bench *b = *state;
    compile(b, BODY "__constant float table[3] = {1, 2, 3};\n"
                    "__kernel void k(__global struct body *p, struct body one, int n) {\n"
                    "    for (int i = 0; i < n; i++)\n"
                    "        switch (n) {\n"
                    "        case 1: p[i].pos *= table[i % 3]; break;\n"
                    "        default: p[i] = one;\n"
                    "        }\n"
                    "}\n");
    hd_str first = {.arena = b->arena}, second = {.arena = b->arena};
    kir_print_module(&first, b->module);
    kir_module *again = NULL;
    if (kir_parse(b->arena, &b->diag, "text", hd_str_text(&first), &again))
        fail_msg("line %u: %s\n%s", b->messages.data[0].line, b->messages.data[0].text,
                 hd_str_text(&first));
    kir_print_module(&second, again);
    assert_string_equal(hd_str_text(&first), hd_str_text(&second));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(a_member_is_one_address),
        TEST(plain_elements_have_no_record),
        TEST(a_step_through_first_members_is_named),
        TEST(a_walking_pointer_is_a_phi),
        TEST(helpers_and_structs_by_value_vanish),
        TEST(a_struct_read_in_part_loads_only_that),
        TEST(whole_structs_are_copied),
        TEST(statics_have_space_bytes_and_contents),
        TEST(parts_of_constant_vectors_come_through),
        TEST(private_arrays_stay_in_memory),
        TEST(generic_pointers_find_their_space),
        TEST(an_early_return_is_one_branch),
        TEST(nested_loops_break_and_continue),
        TEST(a_loop_condition_with_and_is_two_branches),
        TEST(nested_loops_stay_apart),
        TEST(a_switch_keeps_its_cases_in_order),
        TEST(only_the_chosen_arm_loads),
        TEST(a_load_is_repeated_only_after_a_change),
        TEST(loops_are_neither_unrolled_nor_emptied),
        TEST(volatile_and_every_kernel_come_through),
        TEST(text_form_of_a_lowered_kernel_parses_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
