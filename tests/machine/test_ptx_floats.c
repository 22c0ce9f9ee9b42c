/*
 * PTX's arithmetic of floats: in every direction of rounding, against that of the host's own
 * registers (fesetround); signs, properties and selection, bit by bit; and the approximations,
 * against long double within the error that their row of `heddle device list --features` states.
 */
#include "ptx_rows.h"

#include <fenv.h>

/* ---- rounding ------------------------------------------------------------------------ */

typedef enum operation { ADD, SUB, MUL, DIV, FMA, RCP, SQRT } operation;

/* Each operand and result goes through memory, so that nothing moves past fesetround. */
static float float_in(int direction, operation op, float a, float b, float c) {
    volatile float x = a, y = b, z = c, result = 0;
    fesetround(direction);
    switch (op) {
    case ADD: result = x + y; break;
    case SUB: result = x - y; break;
    case MUL: result = x * y; break;
    case DIV: result = x / y; break;
    case FMA: result = fmaf(x, y, z); break;
    case RCP: result = 1 / x; break;
    case SQRT: result = sqrtf(x); break;
    }
    fesetround(FE_TONEAREST);
    return result;
}
static double double_in(int direction, operation op, double a, double b, double c) {
    volatile double x = a, y = b, z = c, result = 0;
    fesetround(direction);
    switch (op) {
    case ADD: result = x + y; break;
    case SUB: result = x - y; break;
    case MUL: result = x * y; break;
    case DIV: result = x / y; break;
    case FMA: result = fma(x, y, z); break;
    case RCP: result = 1 / x; break;
    case SQRT: result = sqrt(x); break;
    }
    fesetround(FE_TONEAREST);
    return result;
}

static float flushed(float f) { return fpclassify(f) == FP_SUBNORMAL ? copysignf(0, f) : f; }
static float saturated(float f) { return isnan(f) || f <= 0 ? 0 : f > 1 ? 1 : f; }

/* f_add_z and d_add_z, and so on of z, m and p. */
#define WANT_IN(name, op, letter, direction)                                            \
    WANT(f_##name##_##letter, of_float(float_in(direction, op, n->f, n->g, n->h)))      \
    WANT(d_##name##_##letter, of_double(double_in(direction, op, n->da, n->db, n->dc)))
#define WANT_ROUNDED(name, op)          \
    WANT_IN(name, op, z, FE_TOWARDZERO) \
    WANT_IN(name, op, m, FE_DOWNWARD)   \
    WANT_IN(name, op, p, FE_UPWARD)     \
    WANT_IN(name, op, n, FE_TONEAREST)
WANT_ROUNDED(add, ADD)
WANT_ROUNDED(sub, SUB)
WANT_ROUNDED(mul, MUL)
WANT_ROUNDED(div, DIV)
WANT_ROUNDED(fma, FMA)
WANT_ROUNDED(rcp, RCP)
WANT_ROUNDED(sqrt, SQRT)

WANT(f_add_sat, of_float(saturated(float_in(FE_UPWARD, ADD, n->f, n->g, 0))))
WANT(f_fma_sat, of_float(saturated(float_in(FE_TOWARDZERO, FMA, n->f, n->g, n->h))))
WANT(f_mul_ftz, of_float(flushed(float_in(FE_DOWNWARD, MUL, flushed(n->f), flushed(n->g), 0))))
WANT(f_sub_ftz, of_float(flushed(float_in(FE_TOWARDZERO, SUB, flushed(n->f), flushed(n->g), 0))))

static const row rounded[] = {
    {FLOAT("add.rz.f32 %s0, %f, %g;"), f_add_z},
    {FLOAT("add.rm.f32 %s0, %f, %g;"), f_add_m},
    {FLOAT("add.rp.f32 %s0, %f, %g;"), f_add_p},
    {DOUBLE("add.rz.f64 %e0, %da, %db;"), d_add_z},
    {DOUBLE("add.rm.f64 %e0, %da, %db;"), d_add_m},
    {DOUBLE("add.rp.f64 %e0, %da, %db;"), d_add_p},
    {FLOAT("add.rn.f32 %s0, %f, %g;"), f_add_n},
    {DOUBLE("add.f64 %e0, %da, %db;"), d_add_n},
    {FLOAT("sub.rz.f32 %s0, %f, %g;"), f_sub_z},
    {FLOAT("sub.rm.f32 %s0, %f, %g;"), f_sub_m},
    {FLOAT("sub.rp.f32 %s0, %f, %g;"), f_sub_p},
    {FLOAT("sub.rn.f32 %s0, %f, %g;"), f_sub_n},
    {DOUBLE("sub.rz.f64 %e0, %da, %db;"), d_sub_z},
    {DOUBLE("sub.rm.f64 %e0, %da, %db;"), d_sub_m},
    {DOUBLE("sub.rp.f64 %e0, %da, %db;"), d_sub_p},
    {DOUBLE("sub.f64 %e0, %da, %db;"), d_sub_n},
    {FLOAT("mul.rz.f32 %s0, %f, %g;"), f_mul_z},
    {FLOAT("mul.rm.f32 %s0, %f, %g;"), f_mul_m},
    {FLOAT("mul.rp.f32 %s0, %f, %g;"), f_mul_p},
    {FLOAT("mul.f32 %s0, %f, %g;"), f_mul_n},
    {DOUBLE("mul.rz.f64 %e0, %da, %db;"), d_mul_z},
    {DOUBLE("mul.rm.f64 %e0, %da, %db;"), d_mul_m},
    {DOUBLE("mul.rp.f64 %e0, %da, %db;"), d_mul_p},
    {DOUBLE("mul.rn.f64 %e0, %da, %db;"), d_mul_n},
    {FLOAT("div.rz.f32 %s0, %f, %g;"), f_div_z},
    {FLOAT("div.rm.f32 %s0, %f, %g;"), f_div_m},
    {FLOAT("div.rp.f32 %s0, %f, %g;"), f_div_p},
    {DOUBLE("div.rz.f64 %e0, %da, %db;"), d_div_z},
    {DOUBLE("div.rm.f64 %e0, %da, %db;"), d_div_m},
    {DOUBLE("div.rp.f64 %e0, %da, %db;"), d_div_p},
    {FLOAT("div.rn.f32 %s0, %f, %g;"), f_div_n},
    {DOUBLE("div.rn.f64 %e0, %da, %db;"), d_div_n},
    {FLOAT("fma.rz.f32 %s0, %f, %g, %h;"), f_fma_z},
    {FLOAT("fma.rm.f32 %s0, %f, %g, %h;"), f_fma_m},
    {FLOAT("fma.rp.f32 %s0, %f, %g, %h;"), f_fma_p},
    {DOUBLE("fma.rz.f64 %e0, %da, %db, %dc;"), d_fma_z},
    {DOUBLE("fma.rm.f64 %e0, %da, %db, %dc;"), d_fma_m},
    {DOUBLE("fma.rp.f64 %e0, %da, %db, %dc;"), d_fma_p},
    {FLOAT("mad.rz.f32 %s0, %f, %g, %h;"), f_fma_z},
    {FLOAT("mad.rm.f32 %s0, %f, %g, %h;"), f_fma_m},
    {FLOAT("mad.rp.f32 %s0, %f, %g, %h;"), f_fma_p},
    {FLOAT("mad.rn.f32 %s0, %f, %g, %h;"), f_fma_n},
    {DOUBLE("mad.rz.f64 %e0, %da, %db, %dc;"), d_fma_z},
    {DOUBLE("mad.rm.f64 %e0, %da, %db, %dc;"), d_fma_m},
    {DOUBLE("mad.rp.f64 %e0, %da, %db, %dc;"), d_fma_p},
    {DOUBLE("mad.rn.f64 %e0, %da, %db, %dc;"), d_fma_n},
    {FLOAT("rcp.rz.f32 %s0, %f;"), f_rcp_z},
    {FLOAT("rcp.rm.f32 %s0, %f;"), f_rcp_m},
    {FLOAT("rcp.rp.f32 %s0, %f;"), f_rcp_p},
    {DOUBLE("rcp.rz.f64 %e0, %da;"), d_rcp_z},
    {DOUBLE("rcp.rm.f64 %e0, %da;"), d_rcp_m},
    {DOUBLE("rcp.rp.f64 %e0, %da;"), d_rcp_p},
    {DOUBLE("rcp.rn.f64 %e0, %da;"), d_rcp_n},
    {FLOAT("rcp.rn.f32 %s0, %f;"), f_rcp_n},
    {FLOAT("sqrt.rz.f32 %s0, %f;"), f_sqrt_z},
    {FLOAT("sqrt.rm.f32 %s0, %f;"), f_sqrt_m},
    {FLOAT("sqrt.rp.f32 %s0, %f;"), f_sqrt_p},
    {FLOAT("sqrt.rn.f32 %s0, %f;"), f_sqrt_n},
    {DOUBLE("sqrt.rz.f64 %e0, %da;"), d_sqrt_z},
    {DOUBLE("sqrt.rm.f64 %e0, %da;"), d_sqrt_m},
    {DOUBLE("sqrt.rp.f64 %e0, %da;"), d_sqrt_p},
    {DOUBLE("sqrt.rn.f64 %e0, %da;"), d_sqrt_n},
    {FLOAT("add.rp.sat.f32 %s0, %f, %g;"), f_add_sat},
    {FLOAT("fma.rz.sat.f32 %s0, %f, %g, %h;"), f_fma_sat},
    {FLOAT("mul.rm.ftz.f32 %s0, %f, %g;"), f_mul_ftz},
    {FLOAT("sub.rz.ftz.f32 %s0, %f, %g;"), f_sub_ftz},
};

/* Numbers of either sign near one power of two, as floats and as doubles. */
static void rounded_near(uint32_t single, uint32_t wide) {
    uint64_t in[THREADS * NUMBERS], seed = single;
    for (uint32_t i = 0; i < THREADS * NUMBERS; i++)
        in[i] = (hd_next_random(&seed) & 0x803fffff81ffffff) + ((uint64_t)wide << 32 | single);
    check_rows_on(rounded, sizeof rounded / sizeof *rounded, in);
}

static void directions(void **state) {
    (void)state;
    CHECK(rounded);
    rounded_near(0x3e800000, 0x3fd00000); /* 1/4 */
    rounded_near(0x1f800000, 0x1ff00000); /* products are subnormal */
    rounded_near(0x00000000, 0x00000000); /* they themselves are */
    rounded_near(0x7e000000, 0x7fc00000); /* sums overflow */
}

/* ---- signs, properties, selection -------------------------------------------------------- */

static uint32_t flushed_half(uint32_t half) { return half & 0x7c00 ? half : half & 0x8000; }
static uint32_t flushed_halves(uint32_t pair) {
    return flushed_half(pair & 0xffff) | flushed_half(pair >> 16) << 16;
}

WANT(f_neg_ftz, of_float(-flushed(n->f)))
WANT(d_neg, of_double(-n->da))
WANT(w_neg_half, (n->x & 0xffff) ^ 0x8000)
WANT(w_neg_half_ftz, flushed_half(n->x & 0xffff) ^ 0x8000)
WANT(w_neg_halves, W(n->x ^ 0x80008000))
WANT(w_neg_halves_ftz, W(flushed_halves(n->x) ^ 0x80008000))
WANT(f_abs, of_float(fabsf(n->f)))
WANT(f_abs_ftz, of_float(fabsf(flushed(n->f))))
WANT(d_abs, of_double(fabs(n->da)))
WANT(w_abs_half, n->x & 0x7fff)
WANT(w_abs_half_ftz, flushed_half(n->x & 0x7fff))
WANT(w_abs_halves, n->x & 0x7fff7fff)
WANT(w_abs_halves_ftz, flushed_halves(n->x & 0x7fff7fff))
WANT(w_slct, n->h >= 0 ? n->x : n->y)
WANT(d_slct, n->f >= 0 ? n->b : n->c)
WANT(w_slct_ftz, flushed(n->h) >= 0 ? n->x : n->y)

/* What a number is, by its bits. */
static bool is_in(uint64_t bits, uint32_t digits, uint32_t exponents, const char *what) {
    uint64_t size = bits & ((UINT64_C(1) << (digits + exponents)) - 1);
    uint64_t infinity = ((UINT64_C(1) << exponents) - 1) << digits;
    bool is_subnormal = size && size < UINT64_C(1) << digits;
    return !strcmp(what, "finite")      ? size < infinity
           : !strcmp(what, "infinite")  ? size == infinity
           : !strcmp(what, "number")    ? size <= infinity
           : !strcmp(what, "subnormal") ? is_subnormal
                                        : size < infinity && !is_subnormal; /* so are zeros */
}
#define WANT_IS(what)                             \
    WANT(f_is_##what, is_in(n->x, 23, 8, #what))  \
    WANT(d_is_##what, is_in(n->a, 52, 11, #what))
WANT_IS(finite)
WANT_IS(infinite)
WANT_IS(number)
WANT_IS(normal)
WANT_IS(subnormal)

#define HALF(text) "cvt.u16.u32 %k0, %x; " text " cvt.u32.u16 %w, %k1;"
#define SAYS " selp.u32 %w, 1, 0, %p;"

static void signs_and_properties(void **state) {
    (void)state;
    static const row rows[] = {
        {FLOAT("neg.ftz.f32 %s0, %f;"), f_neg_ftz},
        {DOUBLE("neg.f64 %e0, %da;"), d_neg},
        {HALF("neg.f16 %k1, %k0;"), w_neg_half},
        {HALF("neg.ftz.f16 %k1, %k0;"), w_neg_half_ftz},
        {HALF("neg.bf16 %k1, %k0;"), w_neg_half},
        {"neg.f16x2 %w, %x;", w_neg_halves},
        {"neg.ftz.f16x2 %w, %x;", w_neg_halves_ftz},
        {"neg.bf16x2 %w, %x;", w_neg_halves},
        {FLOAT("abs.f32 %s0, %f;"), f_abs},
        {FLOAT("abs.ftz.f32 %s0, %f;"), f_abs_ftz},
        {DOUBLE("abs.f64 %e0, %da;"), d_abs},
        {HALF("abs.f16 %k1, %k0;"), w_abs_half},
        {HALF("abs.ftz.f16 %k1, %k0;"), w_abs_half_ftz},
        {HALF("abs.bf16 %k1, %k0;"), w_abs_half},
        {"abs.f16x2 %w, %x;", w_abs_halves},
        {"abs.ftz.f16x2 %w, %x;", w_abs_halves_ftz},
        {"abs.bf16x2 %w, %x;", w_abs_halves},
        {"slct.u32.f32 %w, %x, %y, %h;", w_slct},
        {"slct.ftz.u32.f32 %w, %x, %y, %h;", w_slct_ftz},
        {"slct.f64.f32 %e0, %db, %dc, %f; mov.b64 %d, %e0;", d_slct},
        {"testp.finite.f32 %p, %f;" SAYS, f_is_finite},
        {"testp.finite.f64 %p, %da;" SAYS, d_is_finite},
        {"testp.infinite.f32 %p, %f;" SAYS, f_is_infinite},
        {"testp.infinite.f64 %p, %da;" SAYS, d_is_infinite},
        {"testp.number.f32 %p, %f;" SAYS, f_is_number},
        {"testp.number.f64 %p, %da;" SAYS, d_is_number},
        {"testp.normal.f32 %p, %f;" SAYS, f_is_normal},
        {"testp.normal.f64 %p, %da;" SAYS, d_is_normal},
        {"testp.subnormal.f32 %p, %f;" SAYS, f_is_subnormal},
        {"testp.subnormal.f64 %p, %da;" SAYS, d_is_subnormal},
    };
    CHECK(rows);
    uint64_t in[THREADS * NUMBERS], seed = 2;
    for (uint32_t i = 0; i < THREADS * NUMBERS; i++) /* subnormal halves beside others */
        in[i] = hd_next_random(&seed) & (i / NUMBERS % 2 ? 0xffffffff83ff3fff : 0xffffffff3fff83ff);
    check_rows_on(rows, sizeof rows / sizeof *rows, in);
}

/* ---- halves ------------------------------------------------------------------------------ */

static float half_at(uint32_t pair, uint32_t k) {
    const uint16_t bits = (uint16_t)(pair >> 16 * k);
    _Float16 half;
    memcpy(&half, &bits, sizeof half);
    return (float)half;
}
static float bf16_at(uint32_t pair, uint32_t k) {
    const uint32_t bits = pair >> 16 * k << 16;
    float f;
    memcpy(&f, &bits, sizeof f);
    return f;
}
static bool is_less_half(const numbers *n, uint32_t k) {
    return half_at(flushed_halves(n->x), k) < half_at(flushed_halves(n->y), k);
}

WANT(w_is_less, is_less_half(n, 0))
WANT(w_are_less, is_less_half(n, 0) | is_less_half(n, 1) << 1)
WANT(w_set_less, (is_less_half(n, 0) ? 0x3c00 : 0) | (is_less_half(n, 1) ? 0x3c000000 : 0))
/* halves in, and a float beside them and out */
WANT(f_add_half, of_float(float_in(FE_TONEAREST, ADD, half_at(n->x, 0), n->g, 0)))
WANT(f_add_bf16, of_float(float_in(FE_TOWARDZERO, ADD, bf16_at(n->x, 0), n->g, 0)))
WANT(f_sub_half, of_float(float_in(FE_DOWNWARD, SUB, half_at(n->x, 0), n->g, 0)))
WANT(f_fma_half, of_float(float_in(FE_TONEAREST, FMA, half_at(n->x, 0), half_at(n->x, 1), n->g)))
WANT(f_fma_bf16,
     of_float(saturated(float_in(FE_UPWARD, FMA, bf16_at(n->x, 0), bf16_at(n->x, 1), n->g))))

#define HALVES "mov.b32 {%k0, %k1}, %x; mov.b32 {%k2, %k3}, %y; "

static void halves(void **state) {
    (void)state;
    static const row rows[] = {
        {HALVES "setp.lt.ftz.f16 %p, %k0, %k2;" SAYS, w_is_less},
        {"setp.lt.ftz.f16x2 %p|%q, %x, %y;" SAYS " @%q or.b32 %w, %w, 2;", w_are_less},
        {"set.lt.ftz.f16x2.f16x2 %w, %x, %y;", w_set_less},
        {FLOAT(HALVES "add.f32.f16 %s0, %k0, %g;"), f_add_half},
        {FLOAT(HALVES "add.rz.f32.bf16 %s0, %k0, %g;"), f_add_bf16},
        {FLOAT(HALVES "sub.rm.f32.f16 %s0, %k0, %g;"), f_sub_half},
        {FLOAT(HALVES "fma.rn.f32.f16 %s0, %k0, %k1, %g;"), f_fma_half},
        {FLOAT(HALVES "fma.rp.sat.f32.bf16 %s0, %k0, %k1, %g;"), f_fma_bf16},
    };
    CHECK(rows);
    uint64_t in[THREADS * NUMBERS], seed = 9;
    for (uint32_t i = 0; i < THREADS * NUMBERS; i++) /* subnormal halves; and small ones */
        in[i] = hd_next_random(&seed) & (i / NUMBERS % 2 ? 0x83ff83ff : 0xbfffbfff);
    check_rows_on(rows, sizeof rows / sizeof *rows, in);
}

/* ---- to shorter floats ---------------------------------------------------------------------------------- */

/* The upper 19 bits of a float: `more` is added to what goes. */
static uint64_t to_tf32(uint32_t bits, uint32_t more, bool clamps, bool is_relu) {
    uint32_t size = bits & 0x7fffffff, sign = bits & 0x80000000;
    if (size > 0x7f800000)
        return 0x7fffffff;
    size = (size == 0x7f800000 ? size : size + more) & 0xffffe000;
    if (clamps && size >= 0x7f800000)
        size = 0x7f7fe000;
    return is_relu && sign ? 0 : sign | size;
}
static uint32_t to_even(uint32_t bits) { return 0xfff + (bits >> 13 & 1); }

WANT(w_tf32_rna, to_tf32(n->x, 0x1000, false, false))
WANT(w_tf32_rna_clamped, to_tf32(n->x, 0x1000, true, false))
WANT(w_tf32_rn, to_tf32(n->x, to_even(n->x), false, false))
WANT(w_tf32_rz, to_tf32(n->x, 0, false, false))
WANT(w_tf32_rn_relu, to_tf32(n->x, to_even(n->x), false, true))
WANT(w_tf32_rn_clamped, to_tf32(n->x, to_even(n->x), true, false))
WANT(w_tf32_rz_both, to_tf32(n->x, 0, true, true))

/* The same of f16 and bf16: a float that is too far out is the last number, and no infinity. */
static float kept_within(float f, float most) { return fabsf(f) > most ? copysignf(most, f) : f; }
static uint32_t half_of(float f) {
    const _Float16 half = (_Float16)kept_within(f, 65504);
    uint16_t bits;
    memcpy(&bits, &half, sizeof bits);
    return isnan(f) ? 0x7fff : bits;
}
static uint32_t bf16_of(float f) {
    uint32_t bits;
    f = kept_within(f, 0x1.fep127f);
    memcpy(&bits, &f, sizeof bits);
    return isnan(f) ? 0x7fff : (bits + 0x7fff + (bits >> 16 & 1)) >> 16;
}
WANT(w_half_clamped, half_of(n->f))
WANT(w_bf16_clamped, bf16_of(n->f))
WANT(w_halves_clamped, half_of(n->g) | half_of(n->f) << 16)
WANT(w_bf16_pair_clamped, bf16_of(n->g) | bf16_of(n->f) << 16)

/* A NaN of 16 bits as 0x7fff. */
#define OF_16(text, infinity)                                                            \
    text " cvt.u32.u16 %w, %k0; and.b32 %t1, %w, 0x7fff; setp.gt.u32 %p, %t1, " infinity \
         "; @%p mov.u32 %w, 0x7fff;"
#define OF_PAIR(text, infinity)                                                              \
    text " and.b32 %t2, %t1, 0x7fff; setp.gt.u32 %p, %t2, " infinity                         \
         "; @%p or.b32 %t1, %t1, 0xffff;"                                                    \
         "@%p and.b32 %t1, %t1, 0xffff7fff; shr.u32 %t2, %t1, 16; and.b32 %t3, %t2, 0x7fff;" \
         "setp.gt.u32 %p, %t3, " infinity "; @%p mov.u32 %t2, 0x7fff; shl.b32 %t2, %t2, 16;" \
         "and.b32 %t1, %t1, 0xffff; or.b32 %w, %t1, %t2;"

#define TF32(text) FLOAT(text " mov.b32 %s0, %t1;")

static void conversions(void **state) {
    (void)state;
    static const row rows[] = {
        {TF32("cvt.rna.tf32.f32 %t1, %f;"), w_tf32_rna},
        {TF32("cvt.rna.satfinite.tf32.f32 %t1, %f;"), w_tf32_rna_clamped},
        {TF32("cvt.rn.tf32.f32 %t1, %f;"), w_tf32_rn},
        {TF32("cvt.rz.tf32.f32 %t1, %f;"), w_tf32_rz},
        {TF32("cvt.rn.relu.tf32.f32 %t1, %f;"), w_tf32_rn_relu},
        {TF32("cvt.rn.satfinite.tf32.f32 %t1, %f;"), w_tf32_rn_clamped},
        {TF32("cvt.rz.satfinite.relu.tf32.f32 %t1, %f;"), w_tf32_rz_both},
        {OF_16("cvt.rn.satfinite.f16.f32 %k0, %f;", "0x7c00"), w_half_clamped},
        {OF_16("cvt.rn.satfinite.bf16.f32 %k0, %f;", "0x7f80"), w_bf16_clamped},
        {OF_PAIR("cvt.rn.satfinite.f16x2.f32 %t1, %f, %g;", "0x7c00"), w_halves_clamped},
        {OF_PAIR("cvt.rn.satfinite.bf16x2.f32 %t1, %f, %g;", "0x7f80"), w_bf16_pair_clamped},
    };
    CHECK(rows);
    uint64_t in[THREADS * NUMBERS], seed = 7;
    for (uint32_t i = 0; i < THREADS * NUMBERS; i++) { /* in the middle of two, or next to it */
        uint64_t random = hd_next_random(&seed);
        uint32_t middle = 0x1000 + (uint32_t)(random >> 40) % 3 - 1;
        in[i] = (random & 0xffffe000) | middle;
        if (i % 8 == 0)
            in[i] = (random & 0x80000000) | 0x7f7fe000 | middle; /* the last before infinity */
    }
    check_rows_on(rows, sizeof rows / sizeof *rows, in);
}

/* ---- approximations ---------------------------------------------------------------------- */

typedef long double real;
typedef real exact_fn(const numbers *n);

/* Of operands 2^low up to 2^high, of both signs or none; %x, %y and %z are such floats, and %a,
 * %b and %c such doubles. */
typedef struct near_row {
    const char *body;
    exact_fn *exact;
    bool is_double;
    real bound;
    bool is_absolute; /* the bound is, and not relative to the result */
    int low, high;
    bool is_signed;
} near_row;

static double operand(uint64_t *seed, const near_row *r) {
    double part = 1 + (double)(hd_next_random(seed) >> 12) * 0x1p-52;
    int exponent = r->low + (int)(hd_next_random(seed) % (uint64_t)(r->high - r->low));
    double size = ldexp(part, exponent);
    return r->is_signed && hd_next_random(seed) & 1 ? -size : size;
}

static void make_operands(const near_row *r, uint64_t seed, uint64_t *in) {
    for (uint32_t i = 0; i < THREADS * NUMBERS; i++) {
        double number = operand(&seed, r);
        float single = (float)number;
        uint32_t bits;
        memcpy(&bits, &single, sizeof bits);
        memcpy(&in[i], &number, sizeof in[i]);
        if (!r->is_double)
            in[i] = bits;
    }
}

static real number_of_bits(const near_row *r, uint64_t bits) {
    float single;
    double wide;
    uint32_t low = (uint32_t)bits;
    memcpy(&single, &low, sizeof single);
    memcpy(&wide, &bits, sizeof wide);
    return r->is_double ? (real)wide : (real)single;
}

static void check_near(const near_row *r, uint64_t seed) {
    uint64_t in[THREADS * NUMBERS], out[THREADS];
    hd_arena *arena = hd_arena_new();
    make_operands(r, seed, in);
    run_text(r->body, text_of(arena, r->body), in, out);
    for (uint32_t t = 0; t < THREADS; t++) {
        numbers n = numbers_of(in + t * NUMBERS, t);
        real got = number_of_bits(r, out[t]), exact = r->exact(&n);
        if (!(fabsl(got - exact) <= r->bound * (r->is_absolute ? 1 : fabsl(exact))))
            fail_msg("%s\nof %La, %La: %La, too far from %La", r->body, number_of_bits(r, n.a),
                     number_of_bits(r, n.b), got, exact);
    }
    hd_arena_free(arena);
}

/* What the approximations of doubles take of one. */
static double upper_half(double d) {
    uint64_t bits;
    memcpy(&bits, &d, sizeof bits);
    bits &= 0xffffffff00000000;
    memcpy(&d, &bits, sizeof d);
    return d;
}

static float nearest_bf16(float f) {
    uint32_t bits;
    memcpy(&bits, &f, sizeof bits);
    bits = (bits + 0x7fff + (bits >> 16 & 1)) & 0xffff0000;
    memcpy(&f, &bits, sizeof f);
    return f;
}

#define EXACTLY(name, expression)                             \
    static real name(const numbers *n) { return expression; }
EXACTLY(rcp_of, 1 / (real)n->f)
EXACTLY(rcp_of_double, 1 / (real)upper_half(n->da))
EXACTLY(rsqrt_of, 1 / sqrtl((real)n->f))
EXACTLY(rsqrt_of_double, 1 / sqrtl((real)upper_half(n->da)))
EXACTLY(sqrt_of, sqrtl((real)n->f))
EXACTLY(quotient, (real)n->f / n->g)
EXACTLY(sin_of, sinl((real)n->f))
EXACTLY(cos_of, cosl((real)n->f))
EXACTLY(lg2_of, log2l((real)n->f))
EXACTLY(ex2_of, exp2l((real)n->f))
EXACTLY(tanh_of, tanhl((real)n->f))
/* The operand of halves is rounded to one first, as the kernel does. */
EXACTLY(ex2_of_half, exp2l((real)(float)(_Float16)n->f))
EXACTLY(tanh_of_half, tanhl((real)(float)(_Float16)n->f))
EXACTLY(ex2_of_bf16, exp2l((real)nearest_bf16(n->f)))
EXACTLY(tanh_of_bf16, tanhl((real)nearest_bf16(n->f)))

#define NEAR(text) text " mov.b32 %w, %s0;"
#define NEAR_DOUBLE(text) text " mov.b64 %d, %e0;"
#define NEAR_HALF(text) "cvt.rn.f16.f32 %k0, %f; " text " cvt.f32.f16 %s0, %k1; mov.b32 %w, %s0;"
#define NEAR_BF16(text) "cvt.rn.bf16.f32 %k0, %f; " text " cvt.u32.u16 %w, %k1; shl.b32 %w, %w, 16;"

static void approximations(void **state) {
    (void)state;
    static const near_row rows[] = {
        {NEAR("rcp.approx.f32 %s0, %f;"), rcp_of, false, 0x1p-23L, false, -125, 125, true},
        {NEAR("rcp.approx.ftz.f32 %s0, %f;"), rcp_of, false, 0x1p-23L, false, -125, 125, true},
        {NEAR_DOUBLE("rcp.approx.ftz.f64 %e0, %da;"), rcp_of_double, true, 0x1p-20L, false, -1020,
         1020, true},
        {NEAR("rsqrt.approx.f32 %s0, %f;"), rsqrt_of, false, 0x1.12p-23L, false, -125, 127, false},
        {NEAR_DOUBLE("rsqrt.approx.ftz.f64 %e0, %da;"), rsqrt_of_double, true, 0x1p-20L, false,
         -1020, 1020, false},
        {NEAR("sqrt.approx.f32 %s0, %f;"), sqrt_of, false, 0x1p-23L, false, -125, 127, false},
        {NEAR("sqrt.approx.ftz.f32 %s0, %f;"), sqrt_of, false, 0x1p-23L, false, -125, 127, false},
        {NEAR("div.approx.f32 %s0, %f, %g;"), quotient, false, 0x1p-24L, false, -60, 60, true},
        {NEAR("div.approx.ftz.f32 %s0, %f, %g;"), quotient, false, 0x1p-24L, false, -60, 60, true},
        {NEAR("div.full.f32 %s0, %f, %g;"), quotient, false, 0x1p-24L, false, -62, 62, true},
        {NEAR("sin.approx.f32 %s0, %f;"), sin_of, false, 0x1.6ap-21L, true, -20, 2, true},
        {NEAR("sin.approx.ftz.f32 %s0, %f;"), sin_of, false, 0x1.3ap-15L, true, 2, 8, true},
        {NEAR("cos.approx.f32 %s0, %f;"), cos_of, false, 0x1.6ap-21L, true, -20, 2, true},
        {NEAR("cos.approx.ftz.f32 %s0, %f;"), cos_of, false, 0x1.3ap-15L, true, 2, 8, true},
        {NEAR("lg2.approx.f32 %s0, %f;"), lg2_of, false, 0x1p-22L, false, 1, 127, false},
        {NEAR("lg2.approx.ftz.f32 %s0, %f;"), lg2_of, false, 0x1p-22L, false, -125, -1, false},
        {NEAR("lg2.approx.f32 %s0, %f;"), lg2_of, false, 0x1p-22L, true, -1, 1, false},
        {NEAR("ex2.approx.f32 %s0, %f;"), ex2_of, false, 0x1.6ap-23L, false, -10, 6, true},
        {NEAR("ex2.approx.ftz.f32 %s0, %f;"), ex2_of, false, 0x1.6ap-23L, false, -10, 6, true},
        {NEAR_HALF("ex2.approx.f16 %k1, %k0;"), ex2_of_half, false, 0x1.12p-10L, false, -9, 3,
         true},
        {NEAR("tanh.approx.f32 %s0, %f;"), tanh_of, false, 0x1p-11L, false, -20, 6, true},
        {NEAR_HALF("tanh.approx.f16 %k1, %k0;"), tanh_of_half, false, 0x1.02p-11L, true, -9, 6,
         true},
        {NEAR_BF16("ex2.approx.ftz.bf16 %k1, %k0;"), ex2_of_bf16, false, 0x1p-7L, false, -9, 5,
         true},
        {NEAR_BF16("tanh.approx.bf16 %k1, %k0;"), tanh_of_bf16, false, 0x1p-8L, true, -9, 6, true},
    };
    for (uint64_t seed = 0; seed < 4; seed++)
        for (size_t r = 0; r < sizeof rows / sizeof *rows; r++)
            check_near(&rows[r], seed);
}

/* ---- the ends of approximations, which PTX ISA lists -------------------------------------- */

static double flushed_double(double d) {
    return fpclassify(d) == FP_SUBNORMAL ? copysign(0, d) : d;
}
/* Any NaN in a float's form; of all else the upper half, and the lower one is zero. */
static uint64_t upper_bits(double d) {
    return isnan(d) ? 0x7fffffff : of_double(flushed_double(d)) >> 32;
}

WANT(f_rcp, of_float(1 / n->f))
WANT(f_rcp_ftz, of_float(flushed(1 / flushed(n->f))))
WANT(d_rcp_ftz, upper_bits(1 / flushed_double(n->da)))
WANT(f_rsqrt, of_float(1 / sqrtf(n->f)))
WANT(f_rsqrt_ftz, of_float(1 / sqrtf(flushed(n->f))))
WANT(d_rsqrt_ftz, upper_bits(1 / sqrt(flushed_double(n->da))))
WANT(f_sqrt, of_float(sqrtf(n->f)))
WANT(f_sqrt_ftz, of_float(sqrtf(flushed(n->f))))
/* Divisors beyond 2^126 make zeros, and NaN of infinities. */
static float fast_quotient(float a, float b) {
    bool is_far = fabsf(b) > 0x1p126f && fabsf(b) < INFINITY;
    return is_far ? a * copysignf(0, b) : a / b;
}
WANT(f_div_approx, of_float(fast_quotient(n->f, n->g)))
WANT(f_div_approx_ftz, of_float(flushed(fast_quotient(flushed(n->f), flushed(n->g)))))
WANT(f_div_full, of_float(n->f / n->g))
WANT(f_sin, isfinite(n->f) ? of_float(n->f * 0) : 0x7fffffff)
WANT(f_cos, isfinite(n->f) ? 0x3f800000 : 0x7fffffff)
WANT(f_lg2, of_float(log2f(n->f)))
WANT(f_lg2_ftz, of_float(log2f(flushed(n->f))))
WANT(f_ex2, of_float(exp2f(n->f)))
WANT(f_tanh, of_float(tanhf(n->f)))

#define UPPER(text)                                                                   \
    text " mov.b64 {%t1, %w}, %e0; testp.notanumber.f64 %p, %e0; @%p mov.u32 %t1, 0;" \
         "@%p mov.u32 %w, 0x7fffffff; setp.ne.u32 %q, %t1, 0; @%q mov.u32 %w, 1;"

/* The zeros, infinities and NaN come first; then powers of two, even ones, whose reciprocals and
 * roots are exact. */
static const uint32_t float_ends[] = {0x00000000, 0x80000000, 0x7f800000, 0xff800000, 0x7fc00000,
                                      0x00200000, 0x80200000, 0x3f800000, 0x3e800000, 0x40800000,
                                      0xbf800000, 0x7e800000, 0x7f000000, 0xff000000};
static const uint32_t double_ends[] = {0x00000000, 0x80000000, 0x7ff00000, 0xfff00000, 0x7ff80000,
                                       0x00040000, 0x80040000, 0x3ff00000, 0x3fd00000, 0x40100000,
                                       0xbff00000, 0x7fd00000, 0x7ff00000, 0x7fe00000};
enum { ENDS = sizeof float_ends / sizeof *float_ends, SPECIAL_ENDS = 5, EVEN_ENDS = 12 };

static void ends_of_approximations(void **state) {
    (void)state;
    static const row of_floats[] = {
        {FLOAT("rcp.approx.f32 %s0, %f;"), f_rcp},
        {FLOAT("rcp.approx.ftz.f32 %s0, %f;"), f_rcp_ftz},
        {FLOAT("rsqrt.approx.f32 %s0, %f;"), f_rsqrt},
        {FLOAT("rsqrt.approx.ftz.f32 %s0, %f;"), f_rsqrt_ftz},
        {FLOAT("sqrt.approx.f32 %s0, %f;"), f_sqrt},
        {FLOAT("sqrt.approx.ftz.f32 %s0, %f;"), f_sqrt_ftz},
        {FLOAT("lg2.approx.f32 %s0, %f;"), f_lg2},
        {FLOAT("lg2.approx.ftz.f32 %s0, %f;"), f_lg2_ftz},
        {FLOAT("ex2.approx.f32 %s0, %f;"), f_ex2},
    };
    static const row of_doubles[] = {
        {UPPER("rcp.approx.ftz.f64 %e0, %da;"), d_rcp_ftz},
        {UPPER("rsqrt.approx.ftz.f64 %e0, %da;"), d_rsqrt_ftz},
    };
    static const row of_specials[] = {
        {FLOAT("sin.approx.f32 %s0, %f;"), f_sin},
        {FLOAT("cos.approx.f32 %s0, %f;"), f_cos},
        {FLOAT("tanh.approx.f32 %s0, %f;"), f_tanh},
    };
    static const row quotients[] = {
        {FLOAT("div.approx.f32 %s0, %f, %g;"), f_div_approx},
        {FLOAT("div.approx.ftz.f32 %s0, %f, %g;"), f_div_approx_ftz},
        {FLOAT("div.full.f32 %s0, %f, %g;"), f_div_full},
    };
    uint64_t in[THREADS * NUMBERS] = {0};
    for (uint32_t t = 0; t < THREADS; t++)
        in[t * NUMBERS] = float_ends[t % EVEN_ENDS];
    check_rows_on(of_floats, sizeof of_floats / sizeof *of_floats, in);
    for (uint32_t t = 0; t < THREADS; t++)
        in[t * NUMBERS] = float_ends[t % SPECIAL_ENDS];
    check_rows_on(of_specials, sizeof of_specials / sizeof *of_specials, in);
    for (uint32_t t = 0; t < THREADS; t++)
        in[t * NUMBERS] = (uint64_t)double_ends[t % ENDS] << 32;
    check_rows_on(of_doubles, sizeof of_doubles / sizeof *of_doubles, in);
    for (uint32_t first = 0; first < ENDS * ENDS; first += THREADS) {
        for (uint32_t t = 0; t < THREADS; t++) {
            in[t * NUMBERS] = float_ends[(first + t) % ENDS];
            in[t * NUMBERS + 1] = float_ends[(first + t) / ENDS % ENDS];
        }
        check_rows_on(quotients, sizeof quotients / sizeof *quotients, in);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(directions),     cmocka_unit_test(signs_and_properties),
        cmocka_unit_test(halves),         cmocka_unit_test(conversions),
        cmocka_unit_test(approximations), cmocka_unit_test(ends_of_approximations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
