/*
 * The handlers of lanes.c, one by one: each instruction set's version gives what
 * the portable one gives, stores only what it may, and basic ones equal C's own
 * arithmetic.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "machine/lanes/lanes.h"
#include "machine/native/native.h"
#include "machine/native/run_native.h"

extern const vm_lanes vm_lanes_base;
#if defined __x86_64__
extern const vm_lanes vm_lanes_avx2, vm_lanes_avx512;
#endif

enum { LANES = 64, CELL = LANES * 8, CELLS = 4 };

static uint64_t state = 1;
static uint64_t random_bits(void) {
    uint64_t z = (state += 0x9e3779b97f4a7c15u);
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

/* Bits that are small numbers, special floats or anything. */
static uint64_t interesting(void) {
    static const double reals[] = {0.0, -0.0, 1.5, -2.75, 1e10, -1e300, INFINITY, -INFINITY, NAN};
    double real = reals[random_bits() % 9];
    float small = (float)real;
    uint64_t bits = random_bits();
    switch (bits % 5) {
    case 0: return bits >> 8 & 7;
    case 1: memcpy(&bits, &real, 8); return bits;
    case 2:
        memcpy(&bits, &small, 4);
        memcpy((char *)&bits + 4, &small, 4);
        return bits;
    case 3: return UINT64_MAX;
    default: return bits >> (bits >> 58);
    }
}

/* ---- one handler on one frame ------------------------------------------------------------ */

typedef struct scene {
    _Alignas(64) uint8_t frame[CELLS * CELL];
    uint8_t active[LANES];
    vm_span spans[LANES / VM_CHUNK];
    uint32_t span_count;
    bool whole, uniform;
    uint32_t varying[3];
} scene;

static void fill_scene(scene *s, bool conditions) {
    for (uint32_t i = 0; i < sizeof s->frame; i += 8) {
        uint64_t bits = interesting();
        memcpy(s->frame + i, &bits, 8);
    }
    if (conditions) /* cell 1 holds bytes of 0 and 1 */
        for (uint32_t i = 0; i < CELL; i++)
            s->frame[CELL + i] &= 1;
    s->whole = random_bits() % 2;
    s->uniform = random_bits() % 4 == 0;
    uint32_t density = (uint32_t)(random_bits() % 5);
    s->span_count = 0;
    for (uint32_t at = 0; at < LANES; at += VM_CHUNK) {
        bool any = false;
        for (uint32_t j = 0; j < VM_CHUNK; j++) {
            s->active[at + j] = s->whole || random_bits() % 4 < density;
            any |= s->active[at + j];
        }
        if (any)
            s->spans[s->span_count++] = (vm_span){at, at + VM_CHUNK};
    }
    for (uint32_t i = 0; i < 3; i++)
        s->varying[i] = s->uniform || random_bits() % 3 == 0 ? 0 : UINT32_MAX;
}

static void run_scene(scene *s, const vm_lanes *set, uint32_t fn) {
    vm_run r = {.frame = s->frame,
                .active = {s->active, LANES},
                .whole = s->whole,
                .spans = s->spans,
                .span_count = s->span_count,
                .lanes = LANES,
                .padded = LANES};
    vm_op op = {.d = 0,
                .a = CELL,
                .b = 2 * CELL,
                .c = 3 * CELL,
                .sa = s->varying[0],
                .sb = s->varying[1],
                .sc = s->varying[2],
                .uniform = s->uniform,
                .imm = -28,
                .imm2 = 12};
    set->fn[fn](&r, &op);
}

/* ---- comparing ------------------------------------------------------------------------------- */

static bool both_nan(const uint8_t *a, const uint8_t *b, uint32_t width) {
    if (width == 4)
        return isnan(*(const float *)(const void *)a) && isnan(*(const float *)(const void *)b);
    if (width == 8)
        return isnan(*(const double *)(const void *)a) && isnan(*(const double *)(const void *)b);
    return (a[1] & 0x7c) == 0x7c && (b[1] & 0x7c) == 0x7c;
}

static bool is_same(const scene *a, const scene *b, uint32_t *at) {
    for (uint32_t i = 0; i < CELL; i += 8) {
        if (!memcmp(a->frame + i, b->frame + i, 8))
            continue;
        *at = i;
        for (uint32_t width = 2; width <= 8; width *= 2) {
            bool nans = true;
            for (uint32_t k = 0; k < 8; k += width)
                nans &= !memcmp(a->frame + i + k, b->frame + i + k, width) ||
                        both_nan(a->frame + i + k, b->frame + i + k, width);
            if (nans)
                goto next;
        }
        return false;
    next:;
    }
    return true;
}

static bool takes_conditions(uint32_t fn) {
    return (fn >= FN_SELECT_I8 && fn <= FN_SELECT_I64) || fn == FN_SIGN_I8;
}

static void compare_set(const vm_lanes *set) {
    for (uint32_t fn = 0; fn < FN_COUNT; fn++)
        for (uint32_t i = 0; i < 200; i++) {
            scene portable, other;
            uint32_t at = 0;
            state = fn * 1000 + i;
            fill_scene(&portable, takes_conditions(fn));
            other = portable;
            run_scene(&portable, &vm_lanes_base, fn);
            run_scene(&other, set, fn);
            if (!is_same(&portable, &other, &at))
                fail_msg("handler %u of %s differs from the portable one at byte %u, case %u", fn,
                         set->name, at, i);
        }
}

static void sets_agree(void **unused) {
    (void)unused;
    compare_set(vm_lanes_choose());
#if defined __x86_64__
    if (vm_lanes_choose() == &vm_lanes_avx512)
        compare_set(&vm_lanes_avx2);
#endif
}

/* ---- native code against the handlers ------------------------------------------------------------ */

/* Which operands vary, of the versions of an operation that are compiled. */
enum { VERSIONS = 5 };
static const uint32_t versions[VERSIONS][3] = {
    {0, 0, 0}, {1, 1, 1}, {1, 0, 1}, {0, 1, 0}, {1, 1, 0}};

/* A node for each version of each operation, and behind all of them one that may read any cell. */
static vm_program program_of_all(hd_arena *arena) {
    vm_program p = {.node_count = FN_COUNT * VERSIONS + 1,
                    .op_count = FN_COUNT * VERSIONS + 1,
                    .lanes = LANES,
                    .padded = LANES,
                    .frame_bytes = CELLS * CELL};
    p.nodes = hd_new_array(arena, vm_node, p.node_count);
    p.ops = hd_new_array(arena, vm_op, p.op_count);
    vm_edge *edges = hd_new_array(arena, vm_edge, p.node_count);
    p.range_count = p.node_count;
    for (uint32_t n = 0; n + 1 < p.node_count; n++) {
        const uint32_t *varying = versions[n % VERSIONS];
        p.ops[n] = (vm_op){.d = 0,
                           .a = CELL,
                           .b = 2 * CELL,
                           .c = 3 * CELL,
                           .sa = varying[0] ? UINT32_MAX : 0,
                           .sb = varying[1] ? UINT32_MAX : 0,
                           .sc = varying[2] ? UINT32_MAX : 0,
                           .uniform = n % VERSIONS == 0,
                           .code = (uint16_t)(n / VERSIONS),
                           .imm = -28,
                           .imm2 = 12};
        edges[n] = (vm_edge){.to = p.node_count - 1, .range = p.range_count++};
        p.nodes[n] = (vm_node){.first = n, .count = 1, .edges = &edges[n], .edge_count = 1};
    }
    p.ops[p.op_count - 1].code = VM_CODE_ANY;
    p.nodes[p.node_count - 1] =
        (vm_node){.first = p.op_count - 1, .count = 1, .end = VM_END_RETURN};
    return p;
}

static void run_native(scene *s, vm_native_fn *fn) {
    uint64_t bits[LANES / 64] = {0};
    for (uint32_t l = 0; l < LANES; l++)
        bits[l / 64] |= (uint64_t)s->active[l] << l % 64;
    vm_run r = {.frame = s->frame,
                .bits = bits,
                .words = LANES / 64,
                .spans = s->spans,
                .span_count = s->span_count,
                .lanes = LANES,
                .padded = LANES,
                .calls = vm_native_calls};
    fn(&r);
}

static void native_agrees(void **unused) {
    (void)unused;
    hd_arena *arena = hd_arena_new();
    const vm_native_library *llvm = vm_native_open();
    assert_non_null(llvm);
    vm_program p = program_of_all(arena);
    vm_native_text text = vm_native_write(arena, &p, false);
    size_t bytes = 0;
    char *message = NULL;
    void *object = llvm->compile(text.ir, text.length, &bytes, &message);
    if (!object)
        fail_msg("%s", message);
    vm_native_fn **fn = hd_new_array(arena, vm_native_fn *, text.range_count);
    void *handle = llvm->load(object, bytes, text.range_count, text.has, (void **)fn, &message);
    if (!handle)
        fail_msg("%s", message);
    uint32_t known = 0;
    for (uint32_t n = 0; n + 1 < p.node_count; n++) {
        uint32_t code = n / VERSIONS, at = 0;
        vm_signature signature = {0};
        assert_int_equal(vm_native_knows((uint16_t)code, &signature), fn[n] != NULL);
        known += fn[n] != NULL;
        for (uint32_t i = 0; i < 100 && fn[n]; i++) {
            scene portable, native;
            state = n * 1000 + i;
            fill_scene(&portable, takes_conditions(code));
            portable.uniform = p.ops[n].uniform;
            portable.whole = portable.whole && !portable.uniform;
            for (uint32_t k = 0; k < 3; k++)
                portable.varying[k] = versions[n % VERSIONS][k] ? UINT32_MAX : 0;
            for (uint32_t k = 0; k < signature.operands; k++) {
                uint8_t *cell = portable.frame + (k + 1) * CELL, type = signature.type[k];
                uint32_t width = type == VM_BIT ? 1 : vm_elem_bytes((vm_elem)type);
                for (uint32_t j = width; j < CELL && !portable.varying[k]; j += width)
                    memcpy(cell + j, cell, width); /* a uniform cell has one value */
            }
            native = portable;
            run_scene(&portable, &vm_lanes_base, code);
            run_native(&native, fn[n]);
            if (!is_same(&portable, &native, &at))
                fail_msg("native code of handler %u, version %u, differs at byte %u, case %u", code,
                         n % VERSIONS, at, i);
        }
    }
    assert_true(known > FN_COUNT * VERSIONS * 9 / 10);
    llvm->unload(handle);
    free(object);
    hd_arena_free(arena);
}

/* Lanes that are not active keep what they have. */
static void masks_are_kept(void **unused) {
    (void)unused;
    for (uint32_t i = 0; i < 2000; i++) {
        scene before, after;
        state = i;
        fill_scene(&before, false);
        before.uniform = before.whole = false;
        after = before;
        run_scene(&after, vm_lanes_choose(), FN_ADD_I32);
        const int32_t *was = (const int32_t *)(const void *)before.frame;
        const int32_t *is = (const int32_t *)(const void *)after.frame;
        const uint32_t *a = (const uint32_t *)(const void *)(before.frame + CELL);
        const uint32_t *b = (const uint32_t *)(const void *)(before.frame + 2 * CELL);
        bool in_span[LANES] = {false};
        for (uint32_t k = 0; k < before.span_count; k++)
            in_span[before.spans[k].from] = true;
        for (uint32_t l = 0; l < LANES; l++) {
            /* a uniform operand's cell has an element for each lane of a chunk */
            uint32_t sum =
                a[before.varying[0] ? l : l % VM_CHUNK] + b[before.varying[1] ? l : l % VM_CHUNK];
            bool stored = in_span[l / VM_CHUNK * VM_CHUNK] && before.active[l];
            assert_int_equal(is[l], stored ? (int32_t)sum : was[l]);
        }
    }
}

/* ---- against C ------------------------------------------------------------------------------- */

#define EXPECT(fn, T, A, value)                                                    \
    for (uint32_t i = 0; i < 500; i++) {                                           \
        scene s;                                                                   \
        state = i;                                                                 \
        fill_scene(&s, false);                                                     \
        s.whole = true;                                                            \
        s.uniform = false;                                                         \
        s.span_count = 1;                                                          \
        s.spans[0] = (vm_span){0, LANES};                                          \
        s.varying[0] = s.varying[1] = UINT32_MAX;                                  \
        run_scene(&s, vm_lanes_choose(), fn);                                      \
        for (uint32_t l = 0; l < LANES; l++) {                                     \
            A a = ((const A *)(const void *)(s.frame + CELL))[l];                  \
            A b = ((const A *)(const void *)(s.frame + 2 * CELL))[l];              \
            T is = ((const T *)(const void *)s.frame)[l], should = (T)(value);     \
            (void)b;                                                               \
            if (memcmp(&is, &should, sizeof is) && (is == is || should == should)) \
                fail_msg("%s: lane %u of case %u", #fn, l, i);                     \
        }                                                                          \
    }

static void equal_to_c(void **unused) {
    (void)unused;
    EXPECT(FN_SUB_I8, uint8_t, uint8_t, a - b)
    EXPECT(FN_MUL_I16, uint16_t, uint16_t, (uint32_t)a *b)
    EXPECT(FN_MUL_I64, uint64_t, uint64_t, a *b)
    EXPECT(FN_UDIV_I32, uint32_t, uint32_t, b ? a / b : 0)
    EXPECT(FN_SREM_I64, int64_t, int64_t, b == -1 ? 0 : b ? a % b : a)
    EXPECT(FN_SHL_I8, uint8_t, uint8_t, a << (b & 7))
    EXPECT(FN_LSHR_I64, uint64_t, uint64_t, a >> (b & 63))
    EXPECT(FN_ASHR_I16, int16_t, int16_t, a >> (b & 15))
    EXPECT(FN_SLT_I8, uint8_t, int8_t, a < b)
    EXPECT(FN_UGE_I16, uint8_t, uint16_t, a >= b)
    EXPECT(FN_SGT_I64, uint8_t, int64_t, a > b)
    EXPECT(FN_ULE_I32, uint8_t, uint32_t, a <= b)
    EXPECT(FN_FADD_F32, float, float, a + b)
    EXPECT(FN_FDIV_F64, double, double, a / b)
    EXPECT(FN_FMUL_F32, float, float, a *b)
    EXPECT(FN_SQRT_F32, float, float, sqrtf(a))
    EXPECT(FN_OLT_F32, uint8_t, float, a < b)
    EXPECT(FN_ONE_F64, uint8_t, double, a<b || a> b)
    EXPECT(FN_UEQ_F32, uint8_t, float, !(a < b || a > b))
    EXPECT(FN_UFGE_F64, uint8_t, double, !(a < b))
    EXPECT(FN_UNO_F32, uint8_t, float, isnan(a) || isnan(b))
    EXPECT(FN_SEXT_I8_I32, int32_t, int8_t, a)
    EXPECT(FN_ZEXT_I16_I64, uint64_t, uint16_t, a)
    EXPECT(FN_TRUNC_I64_I16, uint16_t, uint64_t, a)
    EXPECT(FN_SI64_F32, float, int64_t, a)
    EXPECT(FN_UI32_F64, double, uint32_t, a)
    EXPECT(FN_F64_SI32, int32_t, double,
           isnan(a)      ? 0
           : a >= 0x1p31 ? INT32_MAX
           : a < -0x1p31 ? INT32_MIN
                         : (int32_t)a)
    EXPECT(FN_F32_UI8, uint8_t, float, isnan(a) || a <= -1 ? 0 : a >= 256 ? 255 : (uint8_t)a)
    EXPECT(FN_FLOOR_F32, float, float, floorf(a))
    EXPECT(FN_FTRUNC_F64, double, double, trunc(a))
    EXPECT(FN_FABS_F32, float, float, fabsf(a))
}

static void check_masks(const vm_lanes *set) {
    enum { MOST = 192 };
    for (uint32_t i = 0; i < 500; i++) {
        uint8_t wanted[MOST], condition[MOST], bytes[MOST + 1];
        uint64_t active[MOST / 64] = {0}, yes[MOST / 64], no[MOST / 64];
        uint32_t padded = VM_CHUNK * (1 + i % (MOST / VM_CHUNK)), in_yes = 0;
        state = i;
        for (uint32_t l = 0; l < MOST; l++) {
            wanted[l] = random_bits() & 1;
            condition[l] = random_bits() & (wanted[l] ? 1 : 255);
            active[l / 64] |= (uint64_t)(l < padded && wanted[l]) << l % 64;
        }
        bytes[padded] = 77;
        set->unpack(active, padded, bytes);
        assert_int_equal(bytes[padded], 77);
        uint32_t count = set->split(active, condition, padded, yes, no);
        for (uint32_t l = 0; l < hd_align_up(padded, 64); l++) {
            bool is_active = l < padded && wanted[l];
            if (l < padded)
                assert_int_equal(bytes[l], is_active);
            assert_int_equal(yes[l / 64] >> l % 64 & 1, is_active && condition[l]);
            assert_int_equal(no[l / 64] >> l % 64 & 1, is_active && !condition[l]);
            in_yes += is_active && condition[l];
        }
        assert_int_equal(count, in_yes);
    }
}

static void bits_of_masks(void **unused) {
    (void)unused;
    check_masks(&vm_lanes_base);
    check_masks(vm_lanes_choose());
}

static void surveys(void **unused) {
    (void)unused;
    for (uint32_t i = 0; i < 2000; i++) {
        uint64_t address[100], stride = random_bits() % 9 * 4 - 16;
        state = i;
        uint32_t lanes = 1 + (uint32_t)(random_bits() % 100);
        for (uint32_t l = 0; l < lanes; l++)
            address[l] = 4096 + l * stride;
        if (random_bits() % 2)
            address[random_bits() % lanes] += 8;
        vm_survey s;
        vm_lanes_choose()->survey(address, lanes, &s);
        uint64_t least = UINT64_MAX, greatest = 0, bits = 0;
        bool strided = true;
        for (uint32_t l = 0; l < lanes; l++) {
            least = address[l] < least ? address[l] : least;
            greatest = address[l] > greatest ? address[l] : greatest;
            bits |= address[l];
            strided &= l < 2 || address[l] - address[l - 1] == address[1] - address[0];
        }
        assert_true(s.least == least && s.greatest == greatest && s.all_bits == bits);
        assert_int_equal(s.strided, strided);
        if (lanes > 1 && strided)
            assert_true((uint64_t)s.stride == address[1] - address[0]);
    }
}

static void check_strided(const vm_lanes *lanes) {
    uint64_t address[128], bits[2];
    for (uint32_t i = 0; i < 4000; i++) {
        uint64_t base = random_bits() % 4096, stride = random_bits() % 9 * 4 - 16;
        uint32_t padded = 16 * (1 + (uint32_t)(random_bits() % 8));
        bool expected = true;
        bits[0] = random_bits() | (random_bits() % 2 ? UINT64_MAX : 0);
        bits[1] = random_bits() & random_bits();
        for (uint32_t l = 0; l < padded; l++) {
            bool is_active = bits[l / 64] >> l % 64 & 1, is_off = random_bits() % 100 == 0;
            address[l] = base + l * stride + (is_off || !is_active ? random_bits() | 1 << 20 : 0);
            expected &= !is_active || address[l] == base + l * stride;
        }
        assert_int_equal(lanes->strided(address, bits, padded, base, stride), expected);
    }
}

static void strides(void **unused) {
    (void)unused;
    check_strided(&vm_lanes_base);
    check_strided(vm_lanes_choose());
}

static void check_permute(const vm_lanes *lanes) {
    for (uint32_t i = 0; i < 1000; i++) {
        uint32_t value[32], from[32], expected[32];
        for (uint32_t l = 0; l < 32; l++) {
            value[l] = (uint32_t)random_bits();
            from[l] = (uint32_t)(random_bits() % 32);
        }
        for (uint32_t l = 0; l < 32; l++)
            expected[l] = value[from[l]];
        lanes->permute(value, from, value);
        assert_memory_equal(value, expected, sizeof value);
    }
}

static void permutations(void **unused) {
    (void)unused;
    check_permute(&vm_lanes_base);
    check_permute(vm_lanes_choose());
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sets_agree),     cmocka_unit_test(native_agrees),
        cmocka_unit_test(masks_are_kept), cmocka_unit_test(equal_to_c),
        cmocka_unit_test(bits_of_masks),  cmocka_unit_test(surveys),
        cmocka_unit_test(strides),        cmocka_unit_test(permutations)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
