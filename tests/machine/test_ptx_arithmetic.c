/*
 * Arithmetic of f16, bf16 and f32, alone and in pairs, with what may stand in an instruction's
 * name: .ftz, .sat, .relu, .NaN, .xorsign, .abs, and min and max of three. Against exact arithmetic
 * in long double, rounded once. Names are composed; rows are run as ptx_rows.h says.
 */
#include "ptx_rows.h"

#include <float.h>

#include "oracle/floats.h"

/* ---- instructions ------------------------------------------------------------------------------ */

typedef struct instruction {
    const char *op;
    const char *words; /* ".rn.ftz" */
    uint32_t type;     /* in floats[] */
    bool is_pair;
    uint32_t operands;
} instruction;

static bool has(const instruction *i, const char *word) { return strstr(i->words, word) != NULL; }

static char mode_of(const instruction *i) {
    return has(i, ".rz") ? 'z' : has(i, ".rm") ? 'm' : has(i, ".rp") ? 'p' : 'n';
}

static real flushed(const instruction *i, real x) {
    const bool is_subnormal = fabsl(x) < ldexpl(1, floats[i->type].least);
    return has(i, ".ftz") && is_subnormal ? copysignl(0, x) : x;
}

/* The lesser (greater) of two; -0 is less than 0. */
static real extreme(const instruction *i, real a, real b) {
    const bool is_less = a < b || (a == b && signbit(a) && !signbit(b));
    if (isnan(a) || isnan(b))
        return has(i, ".NaN") || (isnan(a) && isnan(b)) ? (real)NAN : isnan(a) ? b : a;
    return is_less == !strcmp(i->op, "min") ? a : b;
}

static real extreme_of(const instruction *i, const real *x) {
    bool sign = false;
    real best = NAN;
    for (uint32_t k = 0; k < i->operands; k++) {
        const real one = has(i, ".abs") ? fabsl(x[k]) : x[k];
        sign ^= signbit(x[k]) != 0;
        best = k ? extreme(i, best, one) : one;
    }
    return has(i, ".xorsign") && !isnan(best) ? copysignl(best, sign ? -1 : 1) : best;
}

/* a + b; of two neighbours between which the sum is the one whose last bit is set, which says, however
 * it is rounded next, on which side of a shorter number it was. */
static real sum_of(real a, real b) {
    int exponent;
    const real sum = a + b, part = sum - a, rest = (a - (sum - part)) + (b - part);
    if (!isfinite(sum) || rest == 0)
        return sum;
    const bool is_odd = fmodl(ldexpl(frexpl(sum, &exponent), LDBL_MANT_DIG), 2) != 0;
    return is_odd ? sum : nextafterl(sum, rest > 0 ? (real)INFINITY : -(real)INFINITY);
}

/* Products of up to 24 digits are exact. */
static real exact(const instruction *i, const real *x) {
    return !strcmp(i->op, "add")   ? sum_of(x[0], x[1])
           : !strcmp(i->op, "sub") ? sum_of(x[0], -x[1])
           : !strcmp(i->op, "mul") ? x[0] * x[1]
           : !strcmp(i->op, "fma") ? sum_of(x[0] * x[1], x[2])
                                   : extreme_of(i, x);
}

/* A sum that is nothing, of numbers that are something or of other signs, is -0 only downwards. */
static real signed_zero(const instruction *i, const real *x, real sum) {
    const bool is_sum = strchr("asf", i->op[0]) != NULL; /* add, sub, fma */
    real a = x[0], b = !strcmp(i->op, "sub") ? -x[1] : x[1];
    if (!strcmp(i->op, "fma"))
        a = x[0] * x[1], b = x[2];
    if (sum != 0 || !is_sum || (a == 0 && b == 0 && signbit(a) == signbit(b)))
        return sum;
    return mode_of(i) == 'm' ? -0.0L : 0.0L;
}

static uint64_t one_result(const instruction *i, const uint64_t *bits) {
    const float_type *t = &floats[i->type];
    real x[3];
    for (uint32_t k = 0; k < i->operands; k++)
        x[k] = flushed(i, float_of(t, bits[k] & UINT64_MAX >> (64 - t->bits)));
    real d = rounded(t, signed_zero(i, x, exact(i, x)), mode_of(i));
    if (has(i, ".sat"))
        d = isnan(d) || d <= 0 ? 0 : d > 1 ? 1 : d;
    if (has(i, ".relu"))
        d = d < 0 || d == 0 ? 0 : d;
    return bits_of_float(t, flushed(i, d));
}

static uint64_t result_of(const numbers *n) {
    const instruction *i = n->of;
    const uint32_t width = floats[i->type].bits;
    uint64_t d = 0;
    for (uint32_t k = 0; k <= i->is_pair; k++) {
        const uint64_t bits[] = {n->a >> k * width, n->b >> k * width, n->c >> k * width};
        d |= one_result(i, bits) << k * width;
    }
    return d;
}

/* ---- running ------------------------------------------------------------------------------------- */

/* Each part of %l1 of so many bits, a NaN as the one, to %d. */
static const char *parts_of(hd_arena *arena, const instruction *i) {
    hd_str text = {.arena = arena};
    const uint32_t width = floats[i->type].bits;
    const uint64_t all = (UINT64_C(1) << (width - 1)) - 1;
    const uint64_t infinity = i->type == F16 ? 0x7c00 : i->type == BF16 ? 0x7f80 : 0x7f800000;
    hd_str_add(&text, "mov.u64 %d, 0;\n");
    for (uint32_t k = 0; k <= i->is_pair; k++)
        hd_str_printf(&text,
                      "shr.u64 %%l2, %%l1, %u; and.b64 %%l2, %%l2, %llu; and.b64 %%l3, %%l2, %llu;"
                      "setp.gt.u64 %%p, %%l3, %llu; @%%p mov.u64 %%l2, %llu;"
                      "shl.b64 %%l2, %%l2, %u; or.b64 %%d, %%d, %%l2;\n",
                      k * width, (unsigned long long)(2 * all + 1), (unsigned long long)all,
                      (unsigned long long)infinity, (unsigned long long)all, k * width);
    return hd_str_text(&text);
}

static const char *body_of(hd_arena *arena, const instruction *i) {
    const bool is_f32 = i->type == F32;
    const char *name = hd_format(arena, "%s%s.%s%s", i->op, i->words, floats[i->type].name,
                                 i->is_pair ? "x2" : "");
    /* where operands are, the result goes, and how it comes to %l1 */
    const char *from = i->is_pair ? (is_f32 ? "%a, %b, %c" : "%x, %y, %z")
                                  : (is_f32 ? "%f, %g, %h" : "%k0, %k1, %k2");
    const char *to = i->is_pair ? (is_f32 ? "%l1" : "%t1") : (is_f32 ? "%s0" : "%k3");
    const char *moved = i->is_pair ? (is_f32 ? "" : "cvt.u64.u32 %l1, %t1;")
                        : is_f32   ? "mov.b32 %t1, %s0; cvt.u64.u32 %l1, %t1;"
                                   : "cvt.u64.u16 %l1, %k3;";
    const char *end = strrchr(from, ',');
    const int length = i->operands == 3 ? (int)strlen(from) : (int)(end - from);
    return hd_format(arena,
                     "cvt.u16.u32 %%k0, %%x; cvt.u16.u32 %%k1, %%y; cvt.u16.u32 %%k2, %%z;\n"
                     "%s %s, %.*s; %s\n%s",
                     name, to, length, from, moved, parts_of(arena, i));
}

/* Zeros, ones, infinities, NaNs, subnormal numbers, and numbers of like sizes, in each part. */
static uint64_t part_of(const float_type *t, uint64_t *seed) {
    const uint64_t random = hd_next_random(seed), all = (UINT64_C(1) << (t->bits - 1)) - 1;
    const uint64_t sign = random >> 63 << (t->bits - 1);
    const uint64_t infinity = all >> (t->digits - 1) << (t->digits - 1);
    const uint64_t one = bits_of_float(t, 1);
    switch (random % 16) {
    case 0: return sign;
    case 1: return sign | one;
    case 2: return sign | infinity;
    case 3: return sign | infinity | 1;
    case 4: return sign | (random >> 8 & (all ^ infinity)); /* subnormal */
    case 5: return sign | (infinity - 1);                   /* the greatest */
    case 6: return sign | ((random >> 8) % 4 + (all ^ infinity));
    default:
        return sign |
               (one + ((random >> 8) % 8 << (t->digits - 1)) + (random >> 20 & (all ^ infinity)));
    }
}

static bool is_right(const instruction *i) {
    const float_type *t = &floats[i->type];
    uint64_t in[THREADS * NUMBERS], out[THREADS], seed = i->type + strlen(i->words);
    bool right = true;
    hd_arena *arena = hd_arena_new();
    const row r = {body_of(arena, i), result_of, i};
    const char *text = text_of(arena, r.body);
    for (uint32_t round = 0; round < 4 && right; round++) {
        for (uint32_t k = 0; k < THREADS * NUMBERS; k++)
            in[k] = part_of(t, &seed) | part_of(t, &seed) << (t->bits % 64);
        right =
            !try_text(say, (void *)(uintptr_t)r.body, text, in, out) && is_as_wanted(&r, in, out);
    }
    hd_arena_free(arena);
    return right;
}

static void check(const instruction *rows, size_t count) {
    size_t wrong = 0;
    for (size_t i = 0; i < count; i++)
        wrong += !is_right(&rows[i]);
    if (wrong)
        fail_msg("%zu of %zu are wrong", wrong, count);
}

/* Of a number and of a pair. */
#define BOTH(op, words, type, count)                                  \
    {op, words, type, false, count}, { op, words, type, true, count }
#define OF_SUMS(op)                                                                          \
    BOTH(op, "", F16, 2), BOTH(op, ".rn", F16, 2), BOTH(op, ".ftz", F16, 2),                 \
        BOTH(op, ".sat", F16, 2), BOTH(op, ".rn.ftz.sat", F16, 2), BOTH(op, ".rn", BF16, 2), \
        BOTH(op, ".rn", F32, 2), BOTH(op, ".rz", F32, 2), BOTH(op, ".rm.ftz", F32, 2),       \
        BOTH(op, ".rp", F32, 2), {op, ".rz.ftz.sat", F32, false, 2}

static void sums_and_products(void **state) {
    (void)state;
    static const instruction rows[] = {
        OF_SUMS("add"),
        OF_SUMS("sub"),
        OF_SUMS("mul"),
        BOTH("fma", ".rn", F16, 3),
        BOTH("fma", ".rn.ftz", F16, 3),
        BOTH("fma", ".rn.sat", F16, 3),
        BOTH("fma", ".rn.ftz.relu", F16, 3),
        BOTH("fma", ".rn.relu", F16, 3),
        BOTH("fma", ".rn", BF16, 3),
        BOTH("fma", ".rn.relu", BF16, 3),
    };
    check(rows, sizeof rows / sizeof *rows);
}

#define OF_EXTREMES(op)                                                                          \
    BOTH(op, "", F16, 2), BOTH(op, ".ftz", F16, 2), BOTH(op, ".NaN", F16, 2),                    \
        BOTH(op, ".xorsign.abs", F16, 2), BOTH(op, ".ftz.NaN.xorsign.abs", F16, 2),              \
        BOTH(op, "", BF16, 2), BOTH(op, ".NaN", BF16, 2), BOTH(op, ".NaN.xorsign.abs", BF16, 2), \
        {op, "", F32, false, 2}, {op, ".ftz", F32, false, 2}, {op, ".NaN", F32, false, 2},       \
        {op, ".ftz.xorsign.abs", F32, false, 2}, {op, ".NaN.xorsign.abs", F32, false, 2},        \
        {op, "", F32, false, 3}, {op, ".ftz.NaN", F32, false, 3}, {op, ".abs", F32, false, 3},   \
        {op, ".ftz.NaN.abs", F32, false, 3}

static void extremes(void **state) {
    (void)state;
    static const instruction rows[] = {OF_EXTREMES("min"), OF_EXTREMES("max")};
    check(rows, sizeof rows / sizeof *rows);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sums_and_products),
        cmocka_unit_test(extremes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
