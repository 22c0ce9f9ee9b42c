/*
 * CUDA C to kir. Every source goes through twice: with the toolkit's headers, where there
 * is one, and with Heddle's own.
 */
#include "source.h"

#include "kernel/kernel.h"

/* --cuda-path= without a folder asks for Heddle's own header. */
static const char *const modes[] = {"", "--cuda-path="};
#define EACH_MODE(mode) for (size_t mode = 0; mode < sizeof modes / sizeof *modes; mode++)

static const kir_kernel *compile_cuda(bench *b, size_t mode, const char *source) {
    run_front_on(b, source, modes[mode], true);
    return first_kernel(b);
}

/* The n-th call (from 0) of this function. */
static const kir_inst *call_of(const kir_kernel *k, const char *name, uint32_t n) {
    for (uint32_t i = 0; i < k->inst_count; i++)
        if (k->insts[i].op == KIR_CALL && !strcmp(k->insts[i].name, name) && n-- == 0)
            return &k->insts[i];
    fail_msg("kernel %s does not call %s", k->name, name);
    return NULL;
}

static const kir_kernel *kernel_named(const bench *b, const char *name) {
    const kir_kernel *k = kir_find_kernel(b->module, name);
    if (!k)
        fail_msg("there is no kernel %s", name);
    return k;
}

/* ---- the same kernel in both languages -------------------------------------- */

static const char *const pair_opencl =
    "typedef struct body { float x, y, z, m; } body;\n"
    "__kernel void k(__global body *p, __global const float *q, int n) {\n"
    "    int i = get_global_id(0), j = get_global_id(1);\n"
    "    if (i < n)\n"
    "        p[i].x += q[j * n + i];\n"
    "    for (int s = i; s < n; s += get_global_size(0))\n"
    "        p[s].m = q[get_local_id(0) + 4];\n"
    "}\n";
static const char *const pair_cuda =
    "struct body { float x, y, z, m; };\n"
    "__global__ void k(body *p, const float *q, int n) {\n"
    "    int i = blockIdx.x * blockDim.x + threadIdx.x, j = threadIdx.y + blockIdx.y * "
    "blockDim.y;\n"
    "    if (i < n)\n"
    "        p[i].x += q[j * n + i];\n"
    "    for (int s = i; s < n; s += blockDim.x * gridDim.x)\n"
    "        p[s].m = q[threadIdx.x + 4];\n"
    "}\n";

/* The same form; opaque values have other numbers. */
static void assert_same_form(hd_arena *arena, const hd_kernel_info *a, hd_affine x,
                             const hd_kernel_info *b, hd_affine y) {
    const char *left = hd_affine_print(arena, a->kernel, x);
    const char *right = hd_affine_print(arena, b->kernel, y);
    if (strchr(left, '%') && strchr(right, '%'))
        return;
    assert_string_equal(left, right);
}

static void assert_same_access(hd_arena *arena, const hd_kernel_info *a, const hd_kernel_info *b,
                               uint32_t i) {
    const hd_access *x = &a->accesses[i], *y = &b->accesses[i];
    assert_int_equal(x->kind, y->kind);
    assert_int_equal(x->space, y->space);
    assert_int_equal(x->param, y->param);
    assert_int_equal(x->field, y->field);
    assert_int_equal(x->width, y->width);
    assert_int_equal(x->line, y->line);
    assert_int_equal(x->affine, y->affine);
    assert_int_equal(x->guard_count, y->guard_count);
    assert_int_equal(x->conditional, y->conditional);
    assert_int_equal(x->loop, y->loop);
    assert_same_form(arena, a, x->address, b, y->address);
    for (uint32_t g = 0; g < x->guard_count; g++)
        assert_same_form(arena, a, x->guards[g].expr, b, y->guards[g].expr);
}

static void both_languages_give_the_same_accesses(void **state) {
    bench *b = *state;
    bool known[] = {false, false, true};
    int64_t params[] = {0, 0, 1000};
    const hd_binding bindings[] = {{.dims = 2,
                                    .global = {1024, 8, 1},
                                    .local = {64, 4, 1},
                                    .param_count = 3,
                                    .param_known = known,
                                    .params = params},
                                   {.dims = 2,
                                    .global = {1024, 8, 1},
                                    .param_count = 3,
                                    .param_known = known,
                                    .params = params}};
    run_front(b, pair_opencl, NULL);
    first_kernel(b);
    const kir_module *opencl = b->module;
    EACH_MODE(mode) {
        const kir_kernel *cuda = compile_cuda(b, mode, pair_cuda);
        for (size_t i = 0; i < 3; i++) {
            const hd_binding *binding = i < 2 ? &bindings[i] : NULL;
            hd_kernel_info *x = hd_kernel_analyse(b->arena, opencl, opencl->kernels[0], binding);
            hd_kernel_info *y = hd_kernel_analyse(b->arena, b->module, cuda, binding);
            assert_int_equal(x->access_count, 5);
            assert_int_equal(y->access_count, 5);
            for (uint32_t a = 0; a < 5; a++)
                assert_same_access(b->arena, x, y, a);
            assert_int_equal(x->trips[0].kind, y->trips[0].kind);
            assert_int_equal(x->trips[0].count, y->trips[0].count);
        }
    }
}

static void cuda_indices_are_affine_without_a_launch(void **state) {
    bench *b = *state;
    const kir_kernel *k =
        compile_cuda(b, 1,
                     "__global__ void k(float *p) { p[blockDim.x * blockIdx.x + threadIdx.x] = 1;\n"
                     "p[gridDim.x * blockDim.x] = 2; p[blockIdx.x * blockDim.y] = 3; }");
    hd_kernel_info *info = hd_kernel_analyse(b->arena, b->module, k, NULL);
    assert_string_equal(hd_affine_print(b->arena, k, info->accesses[0].address), "4*global(0)");
    assert_true(info->accesses[0].affine);
    assert_string_equal(hd_affine_print(b->arena, k, info->accesses[1].address),
                        "4*global_size(0)");
    assert_false(info->accesses[2].affine); /* sizes of different dimensions */
}

/* ---- memory ------------------------------------------------------------------- */

static void variables_have_their_spaces(void **state) {
    bench *b = *state;
    EACH_MODE(mode) {
        const kir_kernel *k =
            compile_cuda(b, mode,
                         "namespace math { __constant__ float c[3] = {1, 2, 4}; }\n"
                         "__device__ unsigned counter = 7;\n"
                         "__global__ void k(float *p) {\n"
                         "    __shared__ float tile[32];\n"
                         "    extern __shared__ int more[];\n"
                         "    float own[4];\n"
                         "    for (int i = 0; i < 4; i++) own[i] = p[i];\n"
                         "    tile[threadIdx.x] = own[threadIdx.x & 3] + math::c[1];\n"
                         "    more[threadIdx.x] = counter;\n"
                         "    __syncthreads();\n"
                         "    p[0] = tile[31 - threadIdx.x] + more[0];\n"
                         "}\n");
        assert_string_equal(b->module->device, "cuda");
        assert_true(KIR_HAS(b->module, BLOCKS) && KIR_HAS(b->module, PRINTF_COUNTS));
        assert_int_equal(k->params[0].type.space, KIR_GLOBAL);
        assert_int_equal(count_op(k, KIR_BARRIER), 1);
        assert_int_equal(count_op(k, KIR_ALLOCA), 1);
        assert_int_equal(k->static_count, 4);
        const kir_static *c = NULL, *counter = NULL, *tile = NULL, *more = NULL;
        for (uint32_t s = 0; s < 4; s++) {
            const kir_static *v = &k->statics[s];
            c = strcmp(v->name, "math::c") ? c : v;
            counter = strcmp(v->name, "counter") ? counter : v;
            tile = strcmp(v->name, "tile") ? tile : v;
            more = strcmp(v->name, "more") ? more : v;
        }
        assert_non_null(c);
        assert_int_equal(c->space, KIR_CONSTANT);
        assert_int_equal(c->bytes, 12);
        assert_memory_equal(c->init, ((const float[]){1, 2, 4}), 12);
        assert_non_null(counter);
        assert_int_equal(counter->space, KIR_GLOBAL);
        assert_int_equal(counter->init[0], 7);
        assert_true(tile && tile->space == KIR_LOCAL && tile->bytes == 128 && !tile->is_dynamic);
        assert_true(more && more->space == KIR_LOCAL && more->bytes == 0 && more->is_dynamic);
        for (uint32_t i = 0; i < k->inst_count; i++) /* no pointer is left generic */
            assert_false(k->insts[i].type.kind == KIR_PTR && k->insts[i].type.space == KIR_GENERIC);
    }
}

static void vectors_are_loaded_as_one(void **state) {
    bench *b = *state;
    EACH_MODE(mode) {
        const kir_kernel *k = compile_cuda(
            b, mode,
            "struct body { float4 pos; float2 v; float m, pad; };\n"
            "__device__ float4 twice(float4 a) {\n"
            "    return make_float4(2 * a.x, 2 * a.y, a.z, a.w); }\n"
            "__global__ void k(float4 *p, body *q, float3 *r, const uchar4 *s, double4 *t) {\n"
            "    p[1] = twice(p[threadIdx.x]);\n"
            "    body c = q[threadIdx.x];\n"
            "    p[2].y = c.pos.z + c.v.y;\n"
            "    float3 d = r[2];\n"
            "    r[3] = make_float3(d.z, d.y, d.x);\n"
            "    uchar4 e = __ldg(s + 5);\n"
            "    p[3].x = e.w;\n"
            "    double4 f = t[1];\n"
            "    p[3].w = f.w;\n"
            "}\n");
        const kir_inst *load = nth(k, KIR_LOAD, 0);
        assert_true(load->type.kind == KIR_FLOAT && load->type.lanes == 4);
        assert_int_equal(load->align, 16);
        const kir_inst *store = nth(k, KIR_STORE, 0);
        assert_int_equal(arg(k, store, 0)->type.lanes, 4);
        load = nth(k, KIR_LOAD, 1); /* only the members that are read */
        assert_int_equal(load->type.lanes, 4);
        assert_addr(address(k, load), 0, 32, "body", 0);
        load = nth(k, KIR_LOAD, 2);
        assert_int_equal(load->type.lanes, 2);
        assert_addr(address(k, load), 16, 32, "body", 16);
        for (uint32_t i = 3; i < 6; i++) { /* three floats */
            load = nth(k, KIR_LOAD, i);
            assert_int_equal(load->type.lanes, 1);
            assert_addr(address(k, load), 24 + 4 * (i - 3), 0, "float3", 4 * (i - 3));
        }
        load = nth(k, KIR_LOAD, 6);
        assert_true(load->type.bits == 8 && load->type.lanes == 4);
        assert_addr(address(k, load), 20, 0, NULL, 0);
        load = nth(k, KIR_LOAD, 7); /* 16 bytes at most */
        assert_true(load->type.bits == 64 && load->type.lanes == 2);
        assert_addr(address(k, load), 48, 0, NULL, 0);
        assert_int_equal(count_op(k, KIR_LOAD), 8);
        assert_int_equal(count_op(k, KIR_COPY), 0);
        assert_int_equal(count_op(k, KIR_ALLOCA), 0);
        const hd_record *body = kir_find_record(b->module, "body");
        assert_non_null(body);
        assert_int_equal(body->field_count, 4);
        assert_string_equal(body->fields[0].type, "float4");
        assert_null(body->fields[0].record);
        assert_int_equal(k->params[0].element_bytes, 16);
        assert_null(k->params[0].record);
        assert_int_equal(k->params[2].record->size, 12);
    }
}

static void atomics_keep_their_meaning(void **state) {
    bench *b = *state;
    static const struct {
        const char *call;
        kir_rmw rmw;
        uint8_t bits;
        kir_kind kind;
    } calls[] = {
        {"atomicAdd(i, 3)", KIR_RMW_ADD, 32, KIR_INT},
        {"atomicAdd(u, 3u)", KIR_RMW_ADD, 32, KIR_INT},
        {"atomicAdd(ull, 3ull)", KIR_RMW_ADD, 64, KIR_INT},
        {"atomicAdd(f, 3.f)", KIR_RMW_FADD, 32, KIR_FLOAT},
        {"atomicAdd(d, 3.0)", KIR_RMW_FADD, 64, KIR_FLOAT},
        {"atomicAdd_block(f, 3.f)", KIR_RMW_FADD, 32, KIR_FLOAT},
        {"atomicExch(i, 3)", KIR_RMW_XCHG, 32, KIR_INT},
        {"atomicExch(f, 3.f)", KIR_RMW_XCHG, 32, KIR_INT},
        {"atomicMin(i, 3)", KIR_RMW_MIN, 32, KIR_INT},
        {"atomicMin(u, 3u)", KIR_RMW_UMIN, 32, KIR_INT},
        {"atomicMax_system(u, 3u)", KIR_RMW_UMAX, 32, KIR_INT},
        {"atomicMax(ull, 3ull)", KIR_RMW_UMAX, 64, KIR_INT},
        {"atomicMax(ll, 3ll)", KIR_RMW_MAX, 64, KIR_INT},
        {"atomicAnd(i, 3)", KIR_RMW_AND, 32, KIR_INT},
        {"atomicOr(u, 3u)", KIR_RMW_OR, 32, KIR_INT},
        {"atomicXor(ull, 3ull)", KIR_RMW_XOR, 64, KIR_INT},
        {"atomicInc(u, 3u)", KIR_RMW_INC, 32, KIR_INT},
        {"atomicDec_block(u, 3u)", KIR_RMW_DEC, 32, KIR_INT},
        {"atomicCAS(i, 2, 3)", KIR_RMW_CMPXCHG, 32, KIR_INT},
        {"atomicCAS(ull, 2ull, 3ull)", KIR_RMW_CMPXCHG, 64, KIR_INT},
        {"atomicCAS(us, (unsigned short)2, (unsigned short)3)", KIR_RMW_CMPXCHG, 16, KIR_INT},
    };
    size_t count = sizeof calls / sizeof *calls;
    hd_str source = {.arena = b->arena};
    hd_str_add(&source, "__global__ void k(int *i, unsigned *u, long long *ll, unsigned long long\n"
                        "    *ull, float *f, double *d, unsigned short *us) {\n");
    for (size_t c = 0; c < count; c++)
        hd_str_printf(&source, "%s;\n", calls[c].call);
    hd_str_add(&source, "}\n");
    EACH_MODE(mode) {
        const kir_kernel *k = compile_cuda(b, mode, hd_str_text(&source));
        for (uint32_t c = 0; c < count; c++) {
            const kir_inst *atomic = nth(k, KIR_ATOMIC, c);
            if (atomic->index != calls[c].rmw || atomic->type.bits != calls[c].bits ||
                atomic->type.kind != calls[c].kind)
                fail_msg("%s became operation %u on %u bits", calls[c].call, atomic->index,
                         atomic->type.bits);
            assert_int_equal(atomic->line, 3 + c); /* the user's line, not the header's */
            const kir_inst *operand = arg(k, atomic, 1);
            if (operand->op == KIR_CONST && operand->type.kind == KIR_INT)
                assert_int_equal(operand->imm[0], strstr(calls[c].call, "3.f") ? 0x40400000 : 3);
        }
        const kir_inst *cas = nth(k, KIR_ATOMIC, 18); /* address, new value, compare */
        assert_int_equal(constant(k, cas->args[1]), 3);
        assert_int_equal(constant(k, cas->args[2]), 2);
    }
}

/* ---- blocks and warps ------------------------------------------------------------ */

static void assert_call(const kir_kernel *k, const char *name, uint32_t n, uint32_t args) {
    const kir_inst *call = call_of(k, name, n);
    if (call->arg_count != args)
        fail_msg("%s has %u arguments", name, call->arg_count);
}

static void warp_functions_are_calls(void **state) {
    bench *b = *state;
    EACH_MODE(mode) {
        const kir_kernel *k = compile_cuda(
            b, mode,
            "__global__ void k(unsigned *p, int n, float *f, double *d, long long *ll) {\n"
            "  unsigned m = 0xffff; int t = threadIdx.x, same;\n"
            "  p[0] = __ballot_sync(m, t < n); p[1] = __all_sync(m, t); p[2] = __any_sync(m, t);\n"
            "  p[3] = __uni_sync(m, t); p[4] = __match_any_sync(m, t);\n"
            "  p[5] = __match_any_sync(m, ll[0]); p[6] = __match_all_sync(m, t, &same);\n"
            "  p[7] = same; p[8] = __activemask(); __syncwarp(); __syncwarp(7);\n"
            "  p[9] = __reduce_add_sync(m, p[9]); p[10] = __reduce_min_sync(m, t);\n"
            "  p[11] = __reduce_min_sync(m, 5u); p[12] = __reduce_max_sync(m, t);\n"
            "  p[13] = __reduce_max_sync(m, 5u); p[14] = __reduce_and_sync(m, 5u);\n"
            "  p[15] = __reduce_or_sync(m, 5u); p[16] = __reduce_xor_sync(m, 5u);\n"
            "  f[0] = __shfl_sync(m, f[1], 3); f[2] = __shfl_up_sync(m, f[3], 2, 16);\n"
            "  f[4] = __shfl_down_sync(m, f[5], 1, n); p[17] = __shfl_xor_sync(m, t, 8, 4);\n"
            "  d[0] = __shfl_sync(m, d[1], 4);\n"
            "  p[18] = __syncthreads_count(t); p[19] = __syncthreads_and(t);\n"
            "  p[20] = __syncthreads_or(t); __threadfence(); __threadfence_block();\n"
            "  unsigned lane; asm(\"mov.u32 %0, %%laneid;\" : \"=r\"(lane)); p[21] = lane;\n"
            "}\n");
        static const char *const two[] = {
            "warp_ballot",     "warp_all",         "warp_any",        "warp_uni",
            "warp_match_any",  "warp_match_all",   "warp_reduce_add", "warp_match_all_pred",
            "warp_reduce_min", "warp_reduce_umin", "warp_reduce_max", "warp_reduce_umax",
            "warp_reduce_and", "warp_reduce_or",   "warp_reduce_xor"};
        for (size_t i = 0; i < sizeof two / sizeof *two; i++) {
            assert_call(k, two[i], 0, 2);
            assert_int_equal(constant(k, call_of(k, two[i], 0)->args[0]), 0xffff);
        }
        assert_int_equal(arg(k, call_of(k, "warp_match_any", 1), 1)->type.bits, 64);
        assert_int_equal(arg(k, call_of(k, "warp_reduce_add", 0), 1)->op, KIR_LOAD);
        assert_call(k, "active_mask", 0, 0);
        assert_int_equal(constant(k, call_of(k, "warp_sync", 0)->args[0]), -1);
        assert_int_equal(constant(k, call_of(k, "warp_sync", 1)->args[0]), 7);
        const kir_inst *shuffle = call_of(k, "warp_shuffle", 0);
        assert_true(shuffle->arg_count == 4 && shuffle->type.kind == KIR_FLOAT);
        assert_int_equal(constant(k, shuffle->args[3]), 32);
        assert_int_equal(constant(k, call_of(k, "warp_shuffle_up", 0)->args[3]), 16);
        assert_int_equal(arg(k, call_of(k, "warp_shuffle_down", 0), 3)->op, KIR_SUB);
        assert_int_equal(constant(k, call_of(k, "warp_shuffle_xor", 0)->args[3]), 4);
        assert_int_equal(call_of(k, "warp_shuffle", 2)->type.bits, 32); /* a double is two */
        assert_call(k, "barrier_count", 0, 1);
        assert_call(k, "barrier_and", 0, 1);
        assert_call(k, "barrier_or", 0, 1);
        assert_int_equal(count_op(k, KIR_FENCE), 2);
        assert_int_equal(nth(k, KIR_QUERY, 1)->index, KIR_Q_LOCAL_LINEAR_ID);
    }
}

/* ---- functions ----------------------------------------------------------------------- */

/* An expression of float x, y; double d, e; int i, j; unsigned u, v; long long ll;
 * unsigned long long ull, and the call that it becomes ("" for plain instructions). */
static const struct expression {
    const char *text, *call;
} expressions[] = {
    {"sinf(x)", "sin"},
    {"sin(d)", "sin"},
    {"sin(x)", "sin"},
    {"std::cos(x)", "cos"},
    {"tanf(x)", "tan"},
    {"__sinf(x)", "native_sin"},
    {"__cosf(x)", "native_cos"},
    {"__tanf(x)", "native_tan"},
    {"__expf(x)", "native_exp"},
    {"__exp10f(x)", "native_exp10"},
    {"__logf(x)", "native_log"},
    {"__log2f(x)", "native_log2"},
    {"__log10f(x)", "native_log10"},
    {"__powf(x, y)", "native_powr"},
    {"__fdividef(x, y)", "native_divide"},
    {"expf(x)", "exp"},
    {"exp2f(x)", "exp2"},
    {"exp10f(x)", "exp10"},
    {"expm1(d)", "expm1"},
    {"logf(x)", "log"},
    {"log1pf(x)", "log1p"},
    {"powf(x, y)", "pow"},
    {"pow(d, e)", "pow"},
    {"sqrtf(x)", "sqrt"},
    {"std::sqrt(d)", "sqrt"},
    {"rsqrtf(x)", "rsqrt"},
    {"rsqrt(d)", "rsqrt"},
    {"cbrtf(x)", "cbrt"},
    {"rcbrtf(x)", "rcbrt"},
    {"hypotf(x, y)", "hypot"},
    {"rhypotf(x, y)", "rhypot"},
    {"norm3df(x, y, x)", "norm3d"},
    {"rnorm4d(d, e, d, e)", "rnorm4d"},
    {"fmaf(x, y, x)", "fma"},
    {"fma(d, e, d)", "fma"},
    {"fminf(x, y)", "fmin"},
    {"fmax(d, e)", "fmax"},
    {"min(x, y)", "fmin"},
    {"max(x, d)", "fmax"},
    {"fabsf(x)", "fabs"},
    {"fmodf(x, y)", "fmod"},
    {"remainderf(x, y)", "remainder"},
    {"floorf(x)", "floor"},
    {"ceil(d)", "ceil"},
    {"truncf(x)", "trunc"},
    {"roundf(x)", "round"},
    {"rintf(x)", "rint"},
    {"nearbyint(d)", "rint"},
    {"copysignf(x, y)", "copysign"},
    {"fdimf(x, y)", "fdim"},
    {"ldexpf(x, i)", "ldexp"},
    {"scalbnf(x, i)", "ldexp"},
    {"ilogbf(x)", "ilogb"},
    {"logbf(x)", "logb"},
    {"nextafterf(x, y)", "nextafter"},
    {"erff(x)", "erf"},
    {"erfcf(x)", "erfc"},
    {"erfinvf(x)", "erfinv"},
    {"erfcinv(d)", "erfcinv"},
    {"erfcxf(x)", "erfcx"},
    {"normcdff(x)", "normcdf"},
    {"normcdfinv(d)", "normcdfinv"},
    {"tgammaf(x)", "tgamma"},
    {"lgamma(d)", "lgamma"},
    {"j0f(x)", "j0"},
    {"y1(d)", "y1"},
    {"jnf(i, x)", "jn"},
    {"sinpif(x)", "sinpi"},
    {"acoshf(x)", "acosh"},
    {"atan2f(x, y)", "atan2"},
    {"tanhf(x)", "tanh"},
    {"isnan(x)", "isnan"},
    {"isinf(d)", "isinf"},
    {"signbit(x)", "signbit"},
    {"__popc(u)", "popcount"},
    {"__popcll(ull)", "popcount"},
    {"__clz(i)", "clz"},
    {"__clzll(ll)", "clz"},
    {"__ffs(i)", "ctz"},
    {"__brev(u)", "bit_reverse"},
    {"__brevll(ull)", "bit_reverse"},
    {"__byte_perm(u, v, 0x3210)", "byte_perm"},
    {"__mulhi(i, j)", "mul_hi"},
    {"__umulhi(u, v)", "u_mul_hi"},
    {"__umul64hi(ull, ull)", "u_mul_hi"},
    {"__hadd(i, j)", "hadd"},
    {"__urhadd(u, v)", "u_rhadd"},
    {"__sad(i, j, u)", "abs_diff"},
    {"__usad(u, v, u)", "u_abs_diff"},
    {"__saturatef(x)", "fmin"},
    {"__fadd_rz(x, y)", "add_rz"},
    {"__dmul_ru(d, e)", "mul_ru"},
    {"__fmaf_rd(x, y, x)", "fma_rd"},
    {"__fmaf_rn(x, y, x)", "fma"},
    {"__fsqrt_rn(x)", "sqrt"},
    {"__frcp_rz(x)", "div_rz"},
    {"__float2int_rn(x)", "convert_int_sat_rte"},
    {"__double2uint_rd(d)", "convert_uint_sat_rtn"},
    {"__float2ll_ru(x)", "convert_long_sat_rtp"},
    {"__int2float_rz(i)", "convert_float_rtz"},
    {"__uint2float_ru(u)", "u_convert_float_rtp"},
    {"__double2float_rd(d)", "convert_float_rtn"},
    {"lrintf(x)", "convert_long_sat_rte"},
    {"llroundf(x)", "round"},
    {"__fadd_rn(x, y)", ""},
    {"__fdiv_rn(x, y)", ""},
    {"__frcp_rn(x)", ""},
    {"__int2float_rn(i)", ""},
    {"__double2float_rn(d)", ""},
    {"__float_as_int(x)", ""},
    {"__int_as_float(i)", ""},
    {"__longlong_as_double(ll)", ""},
    {"__hiloint2double(i, j)", ""},
    {"__double2hiint(d)", ""},
    {"__mul24(i, j)", ""},
    {"__umul24(u, v)", ""},
    {"min(i, j)", ""},
    {"max(u, v)", ""},
    {"abs(i)", ""},
    {"__funnelshift_l(u, v, 7u)", ""},
    {"__funnelshift_rc(u, v, u)", ""},
    {"__dp4a(i, j, 3)", ""},
    {"__ldcg(&p->x)", ""},
    {"__ldg(&p->d)", ""},
};
enum { EXPRESSIONS = sizeof expressions / sizeof *expressions };

static void functions_have_opencl_names_where_they_can(void **state) {
    bench *b = *state;
    hd_str source = {.arena = b->arena};
    hd_str_add(&source, "#include <cmath>\nstruct every { float x, y; double d, e; int i, j;\n"
                        "unsigned u, v; long long ll; unsigned long long ull; };\n");
    for (size_t i = 0; i < EXPRESSIONS; i++)
        hd_str_printf(
            &source,
            "extern \"C\" __global__ void k%zu(every *p) { float x = p->x, y = p->y; "
            "double d = p->d, e = p->e; int i = p->i, j = p->j; unsigned u = p->u, v = p->v; "
            "long long ll = p->ll; unsigned long long ull = p->ull; p->ull = %s; "
            "(void)(x + y + d + e + i + j + u + v + ll + ull); }\n",
            i, expressions[i].text);
    EACH_MODE(mode) {
        compile_cuda(b, mode, hd_str_text(&source));
        for (size_t i = 0; i < EXPRESSIONS; i++) {
            const kir_kernel *k = kernel_named(b, hd_format(b->arena, "k%zu", i));
            if (!*expressions[i].call && count_op(k, KIR_CALL))
                fail_msg("%s became a call of %s", expressions[i].text, nth(k, KIR_CALL, 0)->name);
            if (*expressions[i].call)
                call_of(k, expressions[i].call, 0);
        }
    }
}

static void results_through_pointers_are_stores(void **state) {
    bench *b = *state;
    EACH_MODE(mode) {
        const kir_kernel *k =
            compile_cuda(b, mode,
                         "__global__ void k(float *p, int *q) { float s, c;\n"
                         "sincosf(p[0], &s, &c); p[1] = s * c;\n"
                         "sincosf(p[2], p + 3, p + 4); p[5] = frexpf(p[6], q); }\n");
        call_of(k, "sin", 1);
        call_of(k, "cos", 1);
        assert_int_equal(call_of(k, "frexp", 0)->arg_count, 2);
        uint32_t global = 0;
        for (uint32_t i = 0; i < k->inst_count; i++)
            global +=
                k->insts[i].op == KIR_STORE && address(k, &k->insts[i])->type.space == KIR_GLOBAL;
        assert_int_equal(global, 5);
        assert_int_equal(count_op(k, KIR_ALLOCA), 1); /* frexp's own */
    }
}

static void printing_and_asserting_are_calls(void **state) {
    bench *b = *state;
    EACH_MODE(mode) {
        const kir_kernel *k = compile_cuda(b, mode,
                                           "#include <stdio.h>\n#include <assert.h>\n"
                                           "__global__ void k(int *p, float x) {\n"
                                           "    printf(\"%d %f %s\\n\", p[0], x, \"so\");\n"
                                           "    printf(\"none\\n\");\n"
                                           "    assert(p[1] > 2);\n"
                                           "    if (p[2]) __trap();\n"
                                           "}\n");
        const kir_inst *print = call_of(k, "printf", 0);
        assert_int_equal(print->arg_count, 4);
        assert_int_equal(arg(k, print, 0)->op, KIR_STATIC);
        assert_string_equal((const char *)k->statics[arg(k, print, 0)->index].init, "%d %f %s\n");
        assert_int_equal(arg(k, print, 1)->op, KIR_LOAD);
        assert_int_equal(arg(k, print, 2)->type.bits, 64); /* a float is printed as a double */
        assert_int_equal(arg(k, print, 3)->type.space, KIR_CONSTANT);
        assert_int_equal(print->line, 4);
        assert_int_equal(call_of(k, "printf", 1)->arg_count, 1);
        const kir_inst *failed = call_of(k, "assert_fail", 0);
        assert_int_equal(failed->arg_count, 4);
        assert_string_equal((const char *)k->statics[arg(k, failed, 0)->index].init, "p[1] > 2");
        assert_int_equal(constant(k, failed->args[2]), 6);
        assert_int_equal(failed->line, 6);
        assert_int_equal(call_of(k, "trap", 0)->line, 7);
        assert_int_equal(count_op(k, KIR_ALLOCA), 0);
    }
}

/* ---- kernels and their parameters --------------------------------------------------------- */

static void kernels_of_many_files_are_all_there(void **state) {
    enum { FILES = 40 };
    bench *b = *state;
    hd_str source = {.arena = b->arena};
    for (int i = 0; i < FILES; i++)
        hd_str_printf(&source,
                      "#line 1 \"part%d.cu\"\n"
                      "__global__ void k%d(int *p) { p[threadIdx.x] = %d; }\n",
                      i, i, i);
    compile_cuda(b, 0, hd_str_text(&source));
    assert_int_equal(b->module->kernel_count, FILES);
}

static void kernels_have_the_names_of_the_source(void **state) {
    bench *b = *state;
    EACH_MODE(mode) {
        compile_cuda(b, mode,
                     "#include <cuda_runtime.h>\n#include <cstdint>\n#include <vector>\n"
                     "#include <stdio.h>\n#include <string>\n"
                     "template <typename T> struct pair { T a, b; };\n"
                     "template <typename T, int N> __global__ void scale(T *p, pair<T> by) {\n"
                     "    p[threadIdx.x % N] *= by.b; }\n"
                     "template __global__ void scale<float, 8>(float *, pair<float>);\n"
                     "namespace deep { namespace er {\n"
                     "__global__ void inner(uint8_t *p) { *p = 1; } } }\n"
                     "namespace { __global__ void hidden(int *p) { *p = 1; } }\n"
                     "__global__ void over(int *p) { *p = 1; }\n"
                     "__global__ void over(float *p) { *p = 1; }\n"
                     "extern \"C\" __global__ void plain(bool yes, char c, size_t n,\n"
                     "                                  pair<double> *q) {\n"
                     "    q[n].b = yes ? c : 1; }\n"
                     "struct host_only { std::string name; std::vector<int> list; };\n"
                     "static void check(cudaError_t e) {\n"
                     "    if (e != cudaSuccess) printf(\"%s\\n\", cudaGetErrorString(e)); }\n"
                     "int main() {\n"
                     "    std::vector<double> host(8);\n"
                     "    double *p;\n"
                     "    check(cudaMalloc(&p, 64));\n"
                     "    check(cudaMemcpy(p, host.data(), 64, cudaMemcpyHostToDevice));\n"
                     "    scale<double, 4><<<dim3(1), dim3(8), 0>>>(p, pair<double>{1, 2});\n"
                     "    cudaEvent_t start; cudaEventCreate(&start); cudaEventRecord(start);\n"
                     "    check(cudaDeviceSynchronize());\n"
                     "    cudaFree(p);\n"
                     "}\n");
        assert_int_equal(b->module->kernel_count, 7);
        const kir_kernel *scale = kernel_named(b, "scale<float, 8>");
        assert_string_equal(scale->params[0].type_name, "float *");
        assert_string_equal(scale->params[1].name, "by");
        assert_true(scale->params[1].by_value_struct);
        assert_string_equal(scale->params[1].record->name, "pair<float>");
        assert_int_equal(scale->place.line, 7);
        assert_int_equal(kernel_named(b, "scale<double, 4>")->params[0].element_bytes, 8);
        kernel_named(b, "deep::er::inner");
        kernel_named(b, "hidden");
        kernel_named(b, "_Z4overPi");
        kernel_named(b, "_Z4overPf");
        const kir_kernel *plain = kernel_named(b, "plain");
        assert_true(plain->params[0].type.bits == 8 && plain->params[0].bytes == 1);
        assert_int_equal(plain->params[2].type.bits, 64);
        assert_int_equal(plain->params[3].record->size, 16);
        assert_addr(address(plain, nth(plain, KIR_STORE, 0)), 8, 16, "pair<double>", 8);
        assert_null(kir_find_record(b->module, "host_only"));
        assert_int_equal(b->module->file_count, 1); /* no header of the system */
    }
}

static void variables_of_templates_have_plain_names(void **state) {
    bench *b = *state;
    compile_cuda(b, 1,
                 "enum kind { small, large };\nnamespace ns { enum class mode { off, on }; }\n"
                 "template <typename T, int N, kind K, ns::mode M, bool B>\n"
                 "__global__ void k(T (*p)[16], const T *q, T *r) {\n"
                 "    __shared__ T As[N], B16[N];\n"
                 "    { __shared__ T inner; inner = q[1]; r[2] = inner; }\n"
                 "    { __shared__ T inner; inner = q[3]; r[4] = inner; }\n"
                 "    As[threadIdx.x] = B16[threadIdx.x] = p[0][1] + r[0]; __syncthreads();\n"
                 "    r[1] = As[3] + B16[2]; }\n"
                 "template __global__ void k<float, 16, large, ns::mode::on, true>(float (*)[16], "
                 "const float *, float *);\n");
    const kir_kernel *k = kernel_named(b, "k<float, 16, (kind)1, (ns::mode)1, true>");
    assert_int_equal(k->static_count, 4);
    assert_string_equal(k->statics[0].name, "inner");
    assert_string_equal(k->statics[1].name, "inner");
    assert_string_equal(k->statics[2].name, "B16");
    assert_string_equal(k->statics[3].name, "As");
}

/* ---- what is refused ----------------------------------------------------------------------- */

static const struct refusal {
    const char *source;
    hd_status status;
    unsigned line;
    const char *says;
} refusals[] = {
    {"__device__ void f() {}\n", HD_EINPUT, 0, "mark a function with __global__"},
    {"template <typename T> __global__ void k(T *p) { *p = 1; }\n", HD_EINPUT, 0,
     "instantiate a template"},
    {"__device__ int f(int x) { return x ? f(x - 1) : 1; }\n"
     "__global__ void k(int *p) { *p = f(*p); }\n",
     HD_EUNSUPPORTED, 1, "recursion is not supported: f calls itself here; write it as a loop"},
    {"namespace tree {\ntemplate <class T> __device__ T odd(T n);\n"
     "template <class T> __device__ T even(T n) { return n ? odd<T>(n - 1) : 1; }\n"
     "template <class T> __device__ T odd(T n) {\n    return n ? even<T>(n - 1) : 0; }\n}\n"
     "__global__ void k(int *p) { *p = tree::even<int>(*p); }\n",
     HD_EUNSUPPORTED, 5,
     "tree::odd<int> calls tree::even<int>, which has called it, here; write it as a loop"},
    {"namespace shapes {\ntemplate <class T>\nstruct B {\n    T x;\n"
     "    __device__ virtual T f(T v) const { return v + x; }\n};\n}\n"
     "struct C : shapes::B<float> {\n"
     "    __device__ float f(float v) const override { return v; }\n};\n"
     "__global__ void k(float *p) {\n    shapes::B<float> b; C c; const shapes::B<float> *a = &b;\n"
     "    if (*p > 1) a = &c;\n    *p = a->f(*p); }\n",
     HD_EUNSUPPORTED, 3, "class shapes::B has virtual functions, which are not supported"},
    {"struct P { float x; __device__ float f() const { return x; }\n"
     "    __device__ float g() const { return -x; } };\n"
     "__global__ void k(P *p, float *q) {\n    float (P::*m)() const = *q > 1 ? &P::f : &P::g;\n"
     "    *q = (p->*m)(); }\n",
     HD_EUNSUPPORTED, 4, "pointers to member functions are not supported"},
    {"__device__ ulong4 operator+(ulong4, ulong4);\n__global__ void k(ulong4 *p) {\n"
     "    p[0] = p[1] + p[2]; }\n",
     HD_EUNSUPPORTED, 3, "function operator+ has no body in this file"},
    {"namespace a { struct b { int x; __device__ int get(ulong4) const; }; }\n"
     "__global__ void k(a::b *p, ulong4 *q) {\n    p->x = p->get(*q); }\n",
     HD_EUNSUPPORTED, 3, "function a::b::get has no body in this file"},
    {"struct a { __device__ virtual int f() { return 1; } };\n"
     "__global__ void k(a **p, int *q) {\n    *q = (*p)->f(); }\n",
     HD_EUNSUPPORTED, 3, "function pointers and virtual functions are not supported"},
    {"__device__ int (*f)(int);\n__global__ void k(int *q) {\n    *q = f(3); }\n", HD_EUNSUPPORTED,
     3, "function pointer"},
    {"__device__ int f() { int r; asm(\"nonsense.u32 %0, 1;\" : \"=r\"(r)); return r; }\n"
     "__global__ void k(int *p) {\n    *p = f(); }\n",
     HD_EUNSUPPORTED, 1, "there is no instruction nonsense.u32"},
    {"__global__ void k(int *p) {\n    asm(\"elsewhere: bra elsewhere;\"); *p = 1; }\n",
     HD_EUNSUPPORTED, 2,
     "inline assembly (elsewhere: bra elsewhere;): it ends with a jump, so that nothing comes "
     "behind it"},
    {"__device__ int fancy(int a) {\n    int r; asm(\"what.u32 %0, %1;\" : \"=r\"(r) : \"r\"(a)); "
     "return r; }\n"
     "__global__ void k(int *p) { *p = fancy(*p); }\n",
     HD_EUNSUPPORTED, 2,
     "inline assembly (what.u32 %0, %1;): there is no instruction what.u32 that Heddle knows"},
    {"__device__ int missing(int);\n__global__ void k(int *p) {\n    *p = missing(1); }\n",
     HD_EUNSUPPORTED, 3, "function missing has no body"},
    {"extern __device__ int x;\n__global__ void k(int *p) {\n    *p = x; }\n", HD_EUNSUPPORTED, 3,
     "variable x is defined in another file"},
    {"__global__ void k(int *p) {\n    *p = undeclared; }\n", HD_EINPUT, 2, "undeclared"},
};

static void what_is_not_taken_is_named_with_its_place(void **state) {
    bench *b = *state;
    for (size_t i = 0; i < sizeof refusals / sizeof *refusals; i++) {
        const struct refusal *r = &refusals[i];
        run_front_on(b, r->source, modes[1], true);
        const seen_message *first = NULL;
        for (size_t m = 0; m < b->messages.count && !first; m++)
            if (b->messages.data[m].severity == HD_ERROR)
                first = &b->messages.data[m];
        if (!first || !strstr(first->text, r->says))
            fail_msg("expected '%s', got '%s'", r->says, first ? first->text : "nothing");
        assert_null(b->module);
        assert_int_equal(b->status, r->status);
        assert_int_equal(first->line, r->line);
        assert_string_equal(first->file, b->path);
    }
}

static void a_toolkit_that_is_not_there_is_an_error(void **state) {
    bench *b = *state;
    run_front_on(b, "__global__ void k(int *p) { *p = 1; }", "--cuda-path=/no/such/toolkit", true);
    assert_int_equal(b->status, HD_EINPUT);
    assert_int_equal(b->messages.count, 1);
    assert_non_null(strstr(b->messages.data[0].text, "/no/such/toolkit"));
    assert_non_null(strstr(b->messages.data[0].text, "--cuda-path="));
}

static void options_and_headers_of_the_user_count(void **state) {
    bench *b = *state;
    EACH_MODE(mode) {
        run_front_on(b,
                     "#if __CUDA_ARCH__ != 750 || N != 3 || !YES || TWICE(4) != 8\n#error no\n"
                     "#endif\ntemplate <typename T> __global__ void k(T *p) { p[N] = 1; }\n"
                     "template __global__ void k(int *);\n",
                     hd_format(b->arena,
                               "--cuda-gpu-arch=sm_75 -DN=3 -D YES '-DTWICE(x)=(2*(x))' %s",
                               modes[mode]),
                     true);
        assert_string_equal(first_kernel(b)->name, "k<int>");
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(both_languages_give_the_same_accesses),
        TEST(cuda_indices_are_affine_without_a_launch),
        TEST(variables_have_their_spaces),
        TEST(vectors_are_loaded_as_one),
        TEST(atomics_keep_their_meaning),
        TEST(warp_functions_are_calls),
        TEST(functions_have_opencl_names_where_they_can),
        TEST(results_through_pointers_are_stores),
        TEST(printing_and_asserting_are_calls),
        TEST(kernels_of_many_files_are_all_there),
        TEST(kernels_have_the_names_of_the_source),
        TEST(variables_of_templates_have_plain_names),
        TEST(what_is_not_taken_is_named_with_its_place),
        TEST(a_toolkit_that_is_not_there_is_an_error),
        TEST(options_and_headers_of_the_user_count),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
