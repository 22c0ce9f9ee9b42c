/* Built-in functions of OpenCL C as kir. */
#include "source.h"

static void work_item_functions_are_queries(void **state) {
    bench *b = *state;
    const kir_kernel *k = compile(
        b, "__kernel void k(__global ulong *p, uint d) {\n"
           "    p[0] = get_global_id(0) + get_local_id(1) + get_group_id(2) + get_global_size(0)\n"
           "         + get_local_size(1) + get_num_groups(2) + get_global_offset(0)\n"
           "         + get_work_dim() + get_global_linear_id() + get_local_linear_id()\n"
           "         + get_enqueued_local_size(d);\n"
           "}\n");
    const struct {
        kir_query query;
        int dimension;
    } want[] = {{KIR_Q_GLOBAL_ID, 0},
                {KIR_Q_LOCAL_ID, 1},
                {KIR_Q_GROUP_ID, 2},
                {KIR_Q_GLOBAL_SIZE, 0},
                {KIR_Q_LOCAL_SIZE, 1},
                {KIR_Q_NUM_GROUPS, 2},
                {KIR_Q_GLOBAL_OFFSET, 0},
                {KIR_Q_WORK_DIM, -1},
                {KIR_Q_GLOBAL_LINEAR_ID, -1},
                {KIR_Q_LOCAL_LINEAR_ID, -1},
                {KIR_Q_ENQUEUED_LOCAL_SIZE, -2}};
    assert_int_equal(count_op(k, KIR_QUERY), 11);
    for (uint32_t i = 0; i < 11; i++) {
        const kir_inst *q = nth(k, KIR_QUERY, i);
        assert_int_equal(q->index, want[i].query);
        assert_int_equal(q->arg_count, want[i].dimension == -1 ? 0 : 1);
        if (want[i].dimension >= 0)
            assert_int_equal(constant(k, q->args[0]), want[i].dimension);
        if (want[i].dimension == -2)
            assert_int_equal(arg(k, q, 0)->op, KIR_PARAM);
    }
    assert_int_equal(count_op(k, KIR_CALL), 0);
}

static void barriers_and_fences_have_flags(void **state) {
    bench *b = *state;
    const kir_kernel *k =
        compile(b, "__kernel void k(__global int *p) {\n"
                   "    barrier(CLK_LOCAL_MEM_FENCE);\n"
                   "    work_group_barrier(CLK_GLOBAL_MEM_FENCE, memory_scope_device);\n"
                   "    mem_fence(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);\n"
                   "    atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, memory_order_acquire,\n"
                   "                           memory_scope_device);\n"
                   "}\n");
    assert_int_equal(constant(k, nth(k, KIR_BARRIER, 0)->args[0]), 1);
    assert_int_equal(constant(k, nth(k, KIR_BARRIER, 1)->args[0]), 2);
    assert_int_equal(constant(k, nth(k, KIR_FENCE, 0)->args[0]), 3);
    assert_int_equal(constant(k, nth(k, KIR_FENCE, 1)->args[0]), 2);
    assert_int_equal(nth(k, KIR_BARRIER, 1)->line, 3);
}

static void assert_atomic(const kir_kernel *k, uint32_t n, kir_rmw rmw, uint8_t bits,
                          uint32_t args) {
    const kir_inst *a = nth(k, KIR_ATOMIC, n);
    assert_int_equal(a->index, rmw);
    assert_int_equal(a->arg_count, args);
    assert_int_equal(a->type.kind == KIR_VOID ? arg(k, a, 1)->type.bits : a->type.bits, bits);
    assert_int_equal(a->align, bits / 8);
}

static void atomics_of_opencl_1(void **state) {
    bench *b = *state;
    const kir_kernel *k =
        compile(b, "#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable\n"
                   "#pragma OPENCL EXTENSION cl_khr_int64_extended_atomics : enable\n"
                   "struct cell { int a; volatile uint n; };\n"
                   "__kernel void k(__global struct cell *c, volatile __global int *p,\n"
                   "                volatile __local uint *u, volatile __global long *l,\n"
                   "                volatile __global float *f) {\n"
                   "    int i = get_global_id(0);\n"
                   "    atomic_add(p + i, 3); atomic_inc(&c[i].n); atomic_dec(p);\n"
                   "    atomic_min(p, 4); atomic_max(u, 5u); atom_add(l, 7L); atom_max(l, 1L);\n"
                   "    p[1] = atomic_cmpxchg(p, 8, 9); atomic_xchg(f, 2.0f); atomic_or(u, 1u);\n"
                   "}\n");
    assert_atomic(k, 0, KIR_RMW_ADD, 32, 2);
    assert_addr(address(k, nth(k, KIR_ATOMIC, 0)), 0, 4, NULL, 0);
    assert_atomic(k, 1, KIR_RMW_ADD, 32, 2);
    assert_int_equal(constant(k, nth(k, KIR_ATOMIC, 1)->args[1]), 1);
    assert_addr(address(k, nth(k, KIR_ATOMIC, 1)), 4, 8, "cell", 4);
    assert_atomic(k, 2, KIR_RMW_SUB, 32, 2);
    assert_atomic(k, 3, KIR_RMW_MIN, 32, 2);
    assert_atomic(k, 4, KIR_RMW_UMAX, 32, 2);
    assert_int_equal(address(k, nth(k, KIR_ATOMIC, 4))->type.space, KIR_LOCAL);
    assert_atomic(k, 5, KIR_RMW_ADD, 64, 2);
    assert_atomic(k, 6, KIR_RMW_MAX, 64, 2);
    assert_atomic(k, 7, KIR_RMW_CMPXCHG, 32, 3);
    assert_int_equal(constant(k, nth(k, KIR_ATOMIC, 7)->args[1]), 9); /* the new value */
    assert_int_equal(constant(k, nth(k, KIR_ATOMIC, 7)->args[2]), 8); /* the expected one */
    assert_atomic(k, 8, KIR_RMW_XCHG, 32, 2);
    assert_int_equal(nth(k, KIR_ATOMIC, 8)->type.kind, KIR_FLOAT);
    assert_atomic(k, 9, KIR_RMW_OR, 32, 2);
}

static void atomics_of_opencl_2(void **state) {
    bench *b = *state;
    const kir_kernel *k = compile(
        b, "__kernel void k(__global atomic_int *a, __global atomic_uint *u, __global int *p,\n"
           "                __global atomic_flag *g) {\n"
           "    atomic_fetch_add(a, 3);\n"
           "    atomic_fetch_min_explicit(u, 4u, memory_order_relaxed, memory_scope_device);\n"
           "    int e = 3;\n"
           "    if (atomic_compare_exchange_strong(a, &e, 5)) p[0] = e;\n"
           "    atomic_store(a, 6);\n"
           "    p[1] = atomic_load(a) + atomic_exchange(a, 7);\n"
           "    if (atomic_flag_test_and_set(g)) atomic_flag_clear(g);\n"
           "    atomic_init(a, 1);\n"
           "}\n");
    assert_atomic(k, 0, KIR_RMW_ADD, 32, 2);
    assert_int_equal(address(k, nth(k, KIR_ATOMIC, 0))->type.space, KIR_GLOBAL);
    assert_atomic(k, 1, KIR_RMW_UMIN, 32, 2);
    assert_atomic(k, 2, KIR_RMW_CMPXCHG, 32, 3);
    const kir_inst *exchange = nth(k, KIR_ATOMIC, 2);
    assert_int_equal(constant(k, exchange->args[1]), 5);
    assert_int_equal(arg(k, exchange, 2)->op, KIR_LOAD);
    assert_int_equal(nth(k, KIR_ICMP, 0)->pred, KIR_P_EQ);
    assert_ptr_equal(arg(k, nth(k, KIR_ICMP, 0), 0), exchange);
    assert_atomic(k, 3, KIR_RMW_STORE, 32, 2);
    assert_atomic(k, 4, KIR_RMW_LOAD, 32, 1);
    assert_atomic(k, 5, KIR_RMW_XCHG, 32, 2);
    assert_atomic(k, 6, KIR_RMW_XCHG, 32, 2);
    assert_atomic(k, 7, KIR_RMW_STORE, 32, 2);
    assert_int_equal(count_op(k, KIR_ATOMIC), 8);
    const kir_inst *init = nth(k, KIR_STORE, count_op(k, KIR_STORE) - 1);
    assert_int_equal(init->line, 10);
}

static void llvms_own_atomics(void **state) {
    bench *b = *state;
    const kir_kernel *k = compile(
        b, "__kernel void k(__global atomic_int *a, __global int *p, __global float *f) {\n"
           "    __opencl_atomic_fetch_max(a, 3, memory_order_relaxed, memory_scope_device);\n"
           "    int e = p[1];\n"
           "    p[0] = __opencl_atomic_compare_exchange_strong(a, &e, 5, memory_order_relaxed,\n"
           "               memory_order_relaxed, memory_scope_device);\n"
           "    p[2] = __opencl_atomic_load(a, memory_order_acquire, memory_scope_device);\n"
           "    __opencl_atomic_store(a, 9, memory_order_release, memory_scope_device);\n"
           "}\n");
    assert_atomic(k, 0, KIR_RMW_MAX, 32, 2);
    assert_atomic(k, 1, KIR_RMW_CMPXCHG, 32, 3);
    assert_int_equal(constant(k, nth(k, KIR_ATOMIC, 1)->args[1]), 5);
    assert_atomic(k, 2, KIR_RMW_LOAD, 32, 1);
    assert_atomic(k, 3, KIR_RMW_STORE, 32, 2);
}

static void vector_loads_align_to_their_elements(void **state) {
    bench *b = *state;
    const kir_kernel *k =
        compile(b, "__kernel void k(__global float *p, __local float *s, __global half *h) {\n"
                   "    int i = get_global_id(0);\n"
                   "    vstore4(vload4(i, p), i, s);\n"
                   "    vstore3(vload3(i, p + 1), 2, s);\n"
                   "    p[i] = vload_half(i, h);\n"
                   "    vstore_half2((float2)(p[i], 1.0f), i, h);\n"
                   "    vstorea_half4((float4)(p[i]), i, h);\n"
                   "}\n");
    const kir_inst *load = nth(k, KIR_LOAD, 0), *store = nth(k, KIR_STORE, 0);
    assert_int_equal(load->type.lanes, 4);
    assert_int_equal(load->align, 4);
    assert_addr(address(k, load), 0, 16, NULL, 0);
    assert_int_equal(address(k, load)->type.space, KIR_GLOBAL);
    assert_addr(address(k, store), 0, 16, NULL, 0);
    assert_int_equal(address(k, store)->type.space, KIR_LOCAL);
    for (uint32_t lane = 0; lane < 3; lane++) { /* three elements of 4 bytes, no padding */
        assert_int_equal(nth(k, KIR_LOAD, 1 + lane)->type.lanes, 1);
        assert_addr(address(k, nth(k, KIR_LOAD, 1 + lane)), 4 + 4 * lane, 12, NULL, 0);
        assert_addr(address(k, nth(k, KIR_STORE, 1 + lane)), 24 + 4 * lane, 0, NULL, 0);
    }
    const kir_inst *half = nth(k, KIR_LOAD, 4);
    assert_int_equal(half->type.bits, 16);
    assert_addr(address(k, half), 0, 2, NULL, 0);
    assert_int_equal(count_op(k, KIR_FPEXT), 1);
    const kir_inst *half2 = nth(k, KIR_STORE, 5), *half4 = nth(k, KIR_STORE, 6);
    assert_addr(address(k, half2), 0, 4, NULL, 0);
    assert_int_equal(half2->align, 2);
    assert_int_equal(arg(k, half2, 0)->op, KIR_FPTRUNC);
    assert_addr(address(k, half4), 0, 8, NULL, 0);
    assert_int_equal(half4->align, 8);
}

static void vector_values(void **state) {
    bench *b = *state;
    const kir_kernel *k = compile(b, "__kernel void k(__global float4 *p, __global int3 *q) {\n"
                                     "    float4 v = p[0];\n"
                                     "    v.y = v.w;\n"
                                     "    p[1] = v.wzyx;\n"
                                     "    q[0] = q[1] > (int3)(0);\n"
                                     "    p[2] = (float4)(2.0f);\n"
                                     "    p[3] = as_float4(as_uint4(v) & 7u);\n"
                                     "}\n");
    assert_int_equal(nth(k, KIR_EXTRACT, 0)->type.kind, KIR_FLOAT);
    assert_int_equal(constant(k, nth(k, KIR_EXTRACT, 0)->args[1]), 3);
    assert_int_equal(constant(k, nth(k, KIR_INSERT, 0)->args[2]), 1);
    const kir_inst *shuffle = nth(k, KIR_SHUFFLE, 0);
    assert_int_equal(shuffle->imm_count, 4);
    for (uint64_t i = 0; i < 4; i++)
        assert_int_equal(shuffle->imm[i], 3 - i);
    assert_int_equal(nth(k, KIR_ICMP, 0)->type.lanes, 3);
    assert_int_equal(nth(k, KIR_ICMP, 0)->type.bits, 1);
    assert_int_equal(nth(k, KIR_SEXT, 0)->type.bits, 32);
    const kir_inst *two = arg(k, nth(k, KIR_STORE, 2), 0);
    assert_int_equal(two->op, KIR_CONST);
    assert_int_equal(two->imm_count, 4);
    assert_int_equal(two->imm[3], 0x40000000);
    assert_int_equal(count_op(k, KIR_BITCAST), 2);
}

static void mathematics_are_calls_by_plain_name(void **state) {
    bench *b = *state;
    const kir_kernel *k =
        compile(b, "__kernel void k(__global float *p, __global double *d, __global float4 *v) {\n"
                   "    p[0] = mad(p[1], p[2], p[3]);\n"
                   "    p[4] = p[1] * p[2] + p[3];\n"
                   "    v[0] = native_sin(v[1]);\n"
                   "    d[0] = pow(d[1], 2.0);\n"
                   "    p[5] = dot(v[1], v[2]);\n"
                   "    printf(\"%f\", p[5]);\n"
                   "}\n");
    static const char *const names[] = {"mad", "native_sin", "pow", "dot", "printf"};
    assert_int_equal(count_op(k, KIR_CALL), 5);
    for (uint32_t i = 0; i < 5; i++)
        assert_string_equal(nth(k, KIR_CALL, i)->name, names[i]);
    assert_int_equal(nth(k, KIR_CALL, 0)->arg_count, 3);
    assert_int_equal(nth(k, KIR_CALL, 1)->type.lanes, 4);
    assert_int_equal(nth(k, KIR_CALL, 2)->type.bits, 64);
    assert_int_equal(nth(k, KIR_CALL, 3)->type.lanes, 1);
    assert_int_equal(count_op(k, KIR_FMULADD), 1);
    assert_int_equal(nth(k, KIR_FMULADD, 0)->line, 3);
}

static void signedness_is_resolved(void **state) {
    bench *b = *state;
    const kir_kernel *k =
        compile(b, "__kernel void k(__global int *p, __global uint *u, __global uint4 *v) {\n"
                   "    p[0] = max(p[1], p[2]);\n"
                   "    u[0] = min(u[1], u[2]);\n"
                   "    v[0] = clamp(v[1], 1u, 5u);\n"
                   "    u[3] = abs(p[3]);\n"
                   "    p[4] = mul_hi(p[5], p[6]);\n"
                   "    u[4] = mul_hi(u[5], u[6]);\n"
                   "    p[7] = mad24(p[8], p[9], p[10]);\n"
                   "    p[11] = select(p[12], p[13], u[7]);\n"
                   "}\n");
    static const kir_pred preds[] = {KIR_P_SGT, KIR_P_ULT, KIR_P_UGT,
                                     KIR_P_ULT, KIR_P_SGT, KIR_P_NE};
    assert_int_equal(count_op(k, KIR_ICMP), 6);
    assert_int_equal(count_op(k, KIR_SELECT), 6);
    for (uint32_t i = 0; i < 6; i++)
        assert_int_equal(nth(k, KIR_ICMP, i)->pred, preds[i]);
    assert_int_equal(nth(k, KIR_ICMP, 2)->type.lanes, 4);
    assert_string_equal(nth(k, KIR_CALL, 0)->name, "mul_hi");
    assert_string_equal(nth(k, KIR_CALL, 1)->name, "u_mul_hi");
    assert_int_equal(count_op(k, KIR_CALL), 2);
    assert_int_equal(count_op(k, KIR_MUL), 1);
    const kir_inst *choice = nth(k, KIR_SELECT, 5); /* select(no, yes, condition) */
    assert_int_equal(address(k, arg(k, choice, 1))->offset, 13 * 4);
    assert_int_equal(address(k, arg(k, choice, 2))->offset, 12 * 4);
}

static void conversions_become_instructions(void **state) {
    bench *b = *state;
    const kir_kernel *k =
        compile(b, "__kernel void k(__global int *p, __global float *f, __global uint4 *u,\n"
                   "                __global float4 *v, __global uchar *c) {\n"
                   "    f[0] = convert_float(p[0]);\n"
                   "    v[0] = convert_float4(u[0]);\n"
                   "    p[1] = convert_int_rte(f[1]);\n"
                   "    c[0] = convert_uchar_sat(p[2]);\n"
                   "    c[1] = convert_uchar_sat(f[2]);\n"
                   "    c[2] = convert_uchar(p[3]);\n"
                   "}\n");
    assert_int_equal(count_op(k, KIR_SITOFP), 1);
    assert_int_equal(count_op(k, KIR_UITOFP), 1);
    assert_int_equal(nth(k, KIR_UITOFP, 0)->type.lanes, 4);
    assert_string_equal(nth(k, KIR_CALL, 0)->name, "rint");
    assert_ptr_equal(arg(k, nth(k, KIR_FPTOSI, 0), 0), nth(k, KIR_CALL, 0));
    const kir_inst *low = nth(k, KIR_SELECT, 0), *high = nth(k, KIR_SELECT, 1);
    assert_int_equal(constant(k, low->args[1]), 0);
    assert_int_equal(constant(k, high->args[1]), 255);
    assert_ptr_equal(arg(k, high, 2), low);
    assert_string_equal(nth(k, KIR_CALL, 1)->name, "convert_uchar_sat");
    assert_int_equal(count_op(k, KIR_TRUNC), 2);
}

static void results_through_pointers_are_stores(void **state) {
    bench *b = *state;
    const kir_kernel *k = compile(b, "struct wave { float s, c; };\n"
                                     "__kernel void k(__global struct wave *p, float x) {\n"
                                     "    int i = get_global_id(0);\n"
                                     "    p[i].s = sincos(x, &p[i].c);\n"
                                     "}\n");
    const kir_inst *call = nth(k, KIR_CALL, 0);
    assert_string_equal(call->name, "sincos");
    assert_int_equal(arg(k, call, 1)->op, KIR_ALLOCA);
    assert_int_equal(count_op(k, KIR_STORE), 2);
    assert_addr(address(k, nth(k, KIR_STORE, 0)), 4, 8, "wave", 4);
    assert_addr(address(k, nth(k, KIR_STORE, 1)), 0, 8, "wave", 0);
}

static void group_copies_stay_calls(void **state) {
    bench *b = *state;
    const kir_kernel *k = compile(b, "__kernel void k(__global float *p, __local float *s) {\n"
                                     "    event_t e = async_work_group_copy(s, p, 64, 0);\n"
                                     "    wait_group_events(1, &e);\n"
                                     "    prefetch(p, 16);\n"
                                     "    p[0] = s[1];\n"
                                     "}\n");
    assert_string_equal(nth(k, KIR_CALL, 0)->name, "async_work_group_copy");
    assert_int_equal(arg(k, nth(k, KIR_CALL, 0), 0)->type.space, KIR_LOCAL);
    assert_int_equal(nth(k, KIR_CALL, 0)->type.bits, 64);
    assert_int_equal(constant(k, nth(k, KIR_CALL, 0)->args[4]), 4); /* bytes of an element */
    assert_string_equal(nth(k, KIR_CALL, 1)->name, "wait_group_events");
    assert_string_equal(nth(k, KIR_CALL, 2)->name, "prefetch");
}

static void group_copies_say_how_large_elements_are(void **state) {
    bench *b = *state;
    const kir_kernel *k =
        compile(b, "__kernel void k(__global uchar *c, __global double *d, __global float *p,\n"
                   "                __local float4 *s, __local float3 *t, __local uchar *u,\n"
                   "                __local double *w) {\n"
                   "    async_work_group_copy(s, (__global float4 *)p, 4, 0);\n"
                   "    async_work_group_copy((__global float3 *)p, t, 4, 0);\n"
                   "    async_work_group_copy(u, c, 4, 0);\n"
                   "    async_work_group_strided_copy(w, d, 4, 2, 0);\n"
                   "}\n");
    static const int64_t bytes[] = {16, 16, 1, 8};
    for (uint32_t i = 0; i < 4; i++)
        assert_int_equal(constant(k, nth(k, KIR_CALL, i)->args[4 + (i == 3)]), bytes[i]);
}

static void scans_tell_unsigned_integers(void **state) {
    bench *b = *state;
    const kir_kernel *k = compile(b, "__kernel void k(__global int *p, __global uint *u) {\n"
                                     "    p[0] = work_group_scan_inclusive_max(p[1]);\n"
                                     "    u[0] = work_group_scan_inclusive_max(u[1]);\n"
                                     "    u[2] = work_group_scan_exclusive_min(u[3]);\n"
                                     "}\n");
    assert_string_equal(nth(k, KIR_CALL, 0)->name, "work_group_scan_inclusive_max");
    assert_string_equal(nth(k, KIR_CALL, 1)->name, "u_work_group_scan_inclusive_max");
    assert_string_equal(nth(k, KIR_CALL, 2)->name, "u_work_group_scan_exclusive_min");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(work_item_functions_are_queries),
        TEST(barriers_and_fences_have_flags),
        TEST(atomics_of_opencl_1),
        TEST(atomics_of_opencl_2),
        TEST(llvms_own_atomics),
        TEST(vector_loads_align_to_their_elements),
        TEST(vector_values),
        TEST(mathematics_are_calls_by_plain_name),
        TEST(signedness_is_resolved),
        TEST(conversions_become_instructions),
        TEST(results_through_pointers_are_stores),
        TEST(group_copies_stay_calls),
        TEST(group_copies_say_how_large_elements_are),
        TEST(scans_tell_unsigned_integers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
