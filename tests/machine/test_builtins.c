/*
 * Mathematical, common and relational functions: every function of float, double
 * and half, as a scalar and as a vector, with operands that are the same for a
 * whole block and in blocks of which only a part makes the call. Results are
 * compared with long double within the errors of OpenCL's specification, and with
 * PoCL's.
 */
#include "calls.h"
#include "ready.h"

#include <limits.h>
#include <math.h>

typedef long double real;
__extension__ typedef __float128 wide;

/* Of one run: the digits of T, and its range. */
typedef struct format {
    const char *name, *integer;
    uint32_t bytes;
    int digits;  /* of the significand */
    int least;   /* exponent of the least normal number */
    double most; /* the greatest finite one */
    bool on_pocl;
} format;

static const format formats[] = {
    {"float", "int", 4, 24, -126, 0x1.fffffep127, true},
    {"double", "long", 8, 53, -1022, 0x1.fffffffffffffp1023, true},
    {"half", "short", 2, 11, -14, 65504, false},
};

/* ---- oracles ---------------------------------------------------------------------- */

typedef struct operands {
    real x, y, z;
    int n;
    const format *f;
} operands;

typedef real oracle(const operands *o);

#define ORACLE(name, value)                     \
    static real ref_##name(const operands *o) { \
        (void)o;                                \
        return value;                           \
    }
#define SAME(name) ORACLE(name, name##l(o->x))
/* clang-format off */
SAME(acos) SAME(acosh) SAME(asin) SAME(asinh) SAME(atan) SAME(atanh) SAME(cbrt) SAME(ceil)
SAME(cos) SAME(cosh) SAME(erf) SAME(erfc) SAME(exp) SAME(exp2) SAME(exp10) SAME(expm1) SAME(fabs)
SAME(floor) SAME(log) SAME(log2) SAME(log10) SAME(log1p) SAME(logb) SAME(rint) SAME(round) SAME(sin)
SAME(sinh) SAME(sqrt) SAME(tan) SAME(tanh) SAME(tgamma) SAME(trunc)
ORACLE(lgamma, lgammal(o->x))
ORACLE(rsqrt, 1 / sqrtl(o->x))
ORACLE(atan2, atan2l(o->x, o->y))
ORACLE(copysign, copysignl(o->x, o->y))
ORACLE(fdim, fdiml(o->x, o->y))
ORACLE(fmod, fmodl(o->x, o->y))
ORACLE(hypot, hypotl(o->x, o->y))
ORACLE(pow, powl(o->x, o->y))
ORACLE(remainder, remainderl(o->x, o->y))
ORACLE(ldexp, ldexpl(o->x, o->n))
ORACLE(pown, powl(o->x, o->n))
ORACLE(modf, isinf(o->x) ? copysignl(0, o->x) : o->x - truncl(o->x))
ORACLE(degrees, o->x * 180 / M_PIl)
ORACLE(radians, o->x * M_PIl / 180)
ORACLE(asinpi, asinl(o->x) / M_PIl)
ORACLE(acospi, acosl(o->x) / M_PIl)
ORACLE(atanpi, atanl(o->x) / M_PIl)
ORACLE(atan2pi, atan2l(o->x, o->y) / M_PIl)
/* clang-format on */

/* x modulo 2, in (-1, 1]: exact. */
static real turn(real x) {
    real r = fmodl(x, 2);
    return r > 1 ? r - 2 : r <= -1 ? r + 2 : r;
}

static real ref_sinpi(const operands *o) {
    real t = turn(o->x);
    if (t == 0 || t == 1)
        return copysignl(0, o->x);
    t = t > 0.5L ? 1 - t : t < -0.5L ? -1 - t : t;
    return sinl(t * M_PIl);
}

static real ref_cospi(const operands *o) {
    real t = fabsl(turn(o->x));
    return t == 0.5L ? 0 : t > 0.5L ? -sinl((t - 0.5L) * M_PIl) : sinl((0.5L - t) * M_PIl);
}

/* Table of the specification: zeros at whole numbers, infinities at odd halves. */
static real ref_tanpi(const operands *o) {
    real t = turn(o->x);
    if (t == 0)
        return copysignl(0, o->x);
    if (t == 1)
        return copysignl(0, -o->x);
    if (fabsl(t) == 0.5L)
        return t > 0 ? INFINITY : -INFINITY;
    return tanl((t > 0.5L ? t - 1 : t < -0.5L ? t + 1 : t) * M_PIl);
}

static real ref_rootn(const operands *o) {
    if (o->n == 0 || isnan(o->x) || (o->x < 0 && o->n % 2 == 0))
        return NAN;
    real size = powl(fabsl(o->x), 1.0L / o->n);
    return o->n % 2 ? copysignl(size, o->x) : size;
}

static real ref_powr(const operands *o) {
    bool none = o->x < 0 || isnan(o->x) || isnan(o->y) || (o->x == 0 && o->y == 0) ||
                (isinf(o->x) && o->y == 0) || (o->x == 1 && isinf(o->y));
    return none ? (real)NAN : powl(fabsl(o->x), o->y);
}

static real ref_fmin(const operands *o) {
    return isnan(o->x) ? o->y : isnan(o->y) ? o->x : o->y < o->x ? o->y : o->x;
}

static real ref_fmax(const operands *o) {
    return isnan(o->x) ? o->y : isnan(o->y) ? o->x : o->y > o->x ? o->y : o->x;
}

static real ref_maxmag(const operands *o) {
    return fabsl(o->x) > fabsl(o->y) ? o->x : fabsl(o->y) > fabsl(o->x) ? o->y : ref_fmax(o);
}

static real ref_minmag(const operands *o) {
    return fabsl(o->x) < fabsl(o->y) ? o->x : fabsl(o->y) < fabsl(o->x) ? o->y : ref_fmin(o);
}

/* x between the other two, which are put in order. */
static real ref_clamp(const operands *o) {
    real low = o->y < o->z ? o->y : o->z, high = o->y < o->z ? o->z : o->y;
    return o->x < low ? low : o->x > high ? high : o->x;
}

static real ref_min(const operands *o) { return o->y < o->x ? o->y : o->x; }
static real ref_max(const operands *o) { return o->x < o->y ? o->y : o->x; }
static real ref_step(const operands *o) { return o->y < o->x ? 0 : 1; }
static real ref_sign(const operands *o) {
    return isnan(o->x) ? 0 : o->x > 0 ? 1 : o->x < 0 ? -1 : o->x;
}

/* The product is exact. A sum that is not gets an odd last bit, between the two numbers that
 * it lies between, so that rounding it to fewer bits is rounding the exact one. */
static wide sum_to_odd(wide a, wide b) {
    wide sum = a + b, part = sum - a, rest = (a - (sum - part)) + (b - part);
    __extension__ unsigned __int128 bits;
    memcpy(&bits, &sum, sizeof bits);
    if (rest == 0 || bits & 1)
        return sum;
    bits += (rest > 0) == (sum > 0) ? 1 : -1;
    memcpy(&sum, &bits, sizeof bits);
    return sum;
}

static real ref_fma(const operands *o) {
    wide product = (wide)o->x * (wide)o->y, exact = product + (wide)o->z;
    if (isfinite(o->x) && isfinite(o->y) && isfinite(o->z))
        exact = sum_to_odd(product, (wide)o->z);
    return o->f->bytes == 4   ? (real)(float)exact
           : o->f->bytes == 8 ? (real)(double)exact
                              : (real)(float)(_Float16)exact;
}

static real ref_fract(const operands *o) {
    real most = 1 - ldexpl(1, -o->f->digits);
    if (isinf(o->x) || o->x == 0)
        return copysignl(0, o->x);
    real part = o->x - floorl(o->x);
    return part > most ? most : part;
}

static real ref_frexp(const operands *o) {
    int unused;
    return frexpl(o->x, &unused);
}

static real ref_frexp_exponent(const operands *o) {
    int exponent = 0;
    if (isfinite(o->x))
        frexpl(o->x, &exponent);
    return exponent;
}

static real ref_ilogb(const operands *o) {
    return o->x == 0 ? INT_MIN : isfinite(o->x) ? ilogbl(o->x) : INT_MAX;
}

/* x - remainder is a multiple of y; whole 256 times y have been taken off first. */
static real ref_quotient(const operands *o) {
    if (!isfinite(o->x) || isnan(o->y) || o->y == 0 || isinf(o->y))
        return 0;
    real x = fmodl(fabsl(o->x), 256 * fabsl(o->y)), y = fabsl(o->y);
    real whole = fmodl(rintl((x - remainderl(x, y)) / y), 128);
    return signbit(o->x) != signbit(o->y) ? -whole : whole;
}

static real ref_nextafter(const operands *o) {
    if (isnan(o->x) || isnan(o->y))
        return NAN;
    if (o->x == o->y)
        return o->y;
    real least = ldexpl(1, o->f->least - o->f->digits + 1);
    if (o->x == 0)
        return copysignl(least, o->y);
    if (isinf(o->x))
        return copysignl(o->f->most, o->x);
    int exponent;
    real part = frexpl(fabsl(o->x), &exponent);
    bool grows = (o->x < o->y) == (o->x > 0);
    exponent -= !grows && part == 0.5L; /* below a power of two they are closer */
    real step = ldexpl(1, exponent - o->f->digits);
    step = step < least ? least : step;
    real next = fabsl(o->x) + (grows ? step : -step);
    return copysignl(next > o->f->most ? (real)INFINITY : next, o->x);
}

ORACLE(lgamma_sign, o->x < 0 && fmodl(floorl(o->x), 2) != 0 ? -1 : 1)
ORACLE(nan, (real)NAN)
ORACLE(isequal, o->x == o->y)
ORACLE(isnotequal, !(o->x == o->y))
ORACLE(isgreater, o->x > o->y)
ORACLE(isgreaterequal, o->x >= o->y)
ORACLE(isless, o->x < o->y)
ORACLE(islessequal, o->x <= o->y)
ORACLE(islessgreater, o->x<o->y || o->x> o->y)
ORACLE(isordered, !isnan(o->x) && !isnan(o->y))
ORACLE(isunordered, isnan(o->x) || isnan(o->y))
ORACLE(isnan, isnan(o->x) ? 1 : 0)
ORACLE(isinf, isinf(o->x) ? 1 : 0)
ORACLE(isfinite, isfinite(o->x) ? 1 : 0)
ORACLE(isnormal, isfinite(o->x) && fabsl(o->x) >= ldexpl(1, o->f->least))
ORACLE(signbit, signbit(o->x) ? 1 : 0)
ORACLE(whole, floorl(o->x))
ORACLE(truncated, truncl(o->x))

/* ---- the functions ---------------------------------------------------------------- */

/* What is left out of a comparison. */
enum {
    NOT_POCL = 1, /* PoCL 3.1 does not do what the specification says */
    ZEROS = 2,    /* either zero will do */
    POSITIVE = 4, /* the specification says nothing of negative numbers */
    NUMBERS = 8   /* nor of NaN */
};

typedef struct function {
    const char *text;
    char result;
    oracle *oracle;
    double ulps[2]; /* of float and double */
    int flags;
} function;

#define EXACT {0, 0}
static const function functions[] = {
    {"acos(x)", 'T', ref_acos, {4, 4}},
    {"acosh(x)", 'T', ref_acosh, {4, 4}},
    {"acospi(x)", 'T', ref_acospi, {5, 5}},
    {"asin(x)", 'T', ref_asin, {4, 4}},
    {"asinh(x)", 'T', ref_asinh, {4, 4}},
    {"asinpi(x)", 'T', ref_asinpi, {5, 5}},
    {"atan(x)", 'T', ref_atan, {5, 5}},
    {"atan2(x, y)", 'T', ref_atan2, {6, 6}},
    {"atanh(x)", 'T', ref_atanh, {5, 5}},
    {"atanpi(x)", 'T', ref_atanpi, {5, 5}},
    {"atan2pi(x, y)", 'T', ref_atan2pi, {6, 6}},
    {"cbrt(x)", 'T', ref_cbrt, {2, 2}},
    {"ceil(x)", 'T', ref_ceil, EXACT},
    {"copysign(x, y)", 'T', ref_copysign, EXACT},
    {"cos(x)", 'T', ref_cos, {4, 4}},
    {"cosh(x)", 'T', ref_cosh, {4, 4}},
    {"cospi(x)", 'T', ref_cospi, {4, 4}},
    {"erfc(x)", 'T', ref_erfc, {16, 16}},
    {"erf(x)", 'T', ref_erf, {16, 16}},
    {"exp(x)", 'T', ref_exp, {3, 3}},
    {"exp2(x)", 'T', ref_exp2, {3, 3}},
    {"exp10(x)", 'T', ref_exp10, {3, 3}},
    {"expm1(x)", 'T', ref_expm1, {3, 3}},
    {"fabs(x)", 'T', ref_fabs, EXACT},
    {"fdim(x, y)", 'T', ref_fdim, {0.5, 0.5}},
    {"floor(x)", 'T', ref_floor, EXACT},
    {"fma(x, y, z)", 'T', ref_fma, EXACT, ZEROS},
    {"fmax(x, y)", 'T', ref_fmax, EXACT, ZEROS},
    {"fmin(x, y)", 'T', ref_fmin, EXACT, ZEROS},
    {"fmod(x, y)", 'T', ref_fmod, EXACT},
    {"fract_part(x)", 'T', ref_fract, {0.5, 0.5}, ZEROS},
    {"fract_whole(x)", 'T', ref_whole, EXACT},
    {"frexp_part(x)", 'T', ref_frexp, EXACT},
    {"frexp_exponent(x)", 'I', ref_frexp_exponent, EXACT},
    {"hypot(x, y)", 'T', ref_hypot, {4, 4}},
    {"ilogb(x)", 'I', ref_ilogb, EXACT},
    {"ldexp(x, n)", 'T', ref_ldexp, {0.5, 0.5}},
    {"lgamma(x)", 'T', ref_lgamma, {16, 16}, POSITIVE},
    {"lgamma_r_value(x)", 'T', ref_lgamma, {16, 16}, POSITIVE},
    {"lgamma_r_sign(x)", 'I', ref_lgamma_sign, EXACT, POSITIVE},
    {"log(x)", 'T', ref_log, {3, 3}},
    {"log2(x)", 'T', ref_log2, {3, 3}},
    {"log10(x)", 'T', ref_log10, {3, 3}},
    {"log1p(x)", 'T', ref_log1p, {2, 2}},
    {"logb(x)", 'T', ref_logb, EXACT},
    {"maxmag(x, y)", 'T', ref_maxmag, EXACT, ZEROS},
    {"minmag(x, y)", 'T', ref_minmag, EXACT, ZEROS},
    {"modf_part(x)", 'T', ref_modf, EXACT, ZEROS},
    {"modf_whole(x)", 'T', ref_truncated, EXACT},
    {"nextafter(x, y)", 'T', ref_nextafter, EXACT},
    {"pow(x, y)", 'T', ref_pow, {16, 16}},
    {"pown(x, n)", 'T', ref_pown, {16, 16}},
    {"powr(x, y)", 'T', ref_powr, {16, 16}},
    {"remainder(x, y)", 'T', ref_remainder, EXACT},
    {"remquo_part(x, y)", 'T', ref_remainder, EXACT, ZEROS},
    {"remquo_quotient(x, y)", 'I', ref_quotient, EXACT},
    {"rint(x)", 'T', ref_rint, EXACT},
    {"rootn(x, n)", 'T', ref_rootn, {16, 16}},
    {"round(x)", 'T', ref_round, EXACT},
    {"rsqrt(x)", 'T', ref_rsqrt, {2, 2}},
    {"sin(x)", 'T', ref_sin, {4, 4}},
    {"sincos_sine(x)", 'T', ref_sin, {4, 4}},
    {"sincos_cosine(x)", 'T', ref_cos, {4, 4}},
    {"sinh(x)", 'T', ref_sinh, {4, 4}},
    {"sinpi(x)", 'T', ref_sinpi, {4, 4}},
    {"sqrt(x)", 'T', ref_sqrt, {0.5, 0.5}},
    {"tan(x)", 'T', ref_tan, {5, 5}},
    {"tanh(x)", 'T', ref_tanh, {5, 5}},
    {"tanpi(x)", 'T', ref_tanpi, {6, 6}},
    {"tgamma(x)", 'T', ref_tgamma, {16, 16}},
    {"trunc(x)", 'T', ref_trunc, EXACT},
    {"nan(bits_of(x))", 'T', ref_nan, EXACT},
    /* common */
    {"clamp(x, fmin(y, z), fmax(y, z))", 'T', ref_clamp, EXACT, ZEROS | NUMBERS},
    {"degrees(x)", 'T', ref_degrees, {2, 2}},
    {"radians(x)", 'T', ref_radians, {2, 2}},
    {"max(x, y)", 'T', ref_max, EXACT, ZEROS | NUMBERS},
    {"min(x, y)", 'T', ref_min, EXACT, ZEROS | NUMBERS},
    {"step(x, y)", 'T', ref_step, EXACT},
    {"sign(x)", 'T', ref_sign, EXACT},
    /* relational */
    {"isequal(x, y)", 'R', ref_isequal, EXACT},
    {"isnotequal(x, y)", 'R', ref_isnotequal, EXACT},
    {"isgreater(x, y)", 'R', ref_isgreater, EXACT},
    {"isgreaterequal(x, y)", 'R', ref_isgreaterequal, EXACT},
    {"isless(x, y)", 'R', ref_isless, EXACT},
    {"islessequal(x, y)", 'R', ref_islessequal, EXACT},
    {"islessgreater(x, y)", 'R', ref_islessgreater, EXACT},
    {"isordered(x, y)", 'R', ref_isordered, EXACT},
    {"isunordered(x, y)", 'R', ref_isunordered, EXACT},
    {"isnan(x)", 'R', ref_isnan, EXACT},
    {"isinf(x)", 'R', ref_isinf, EXACT},
    {"isfinite(x)", 'R', ref_isfinite, EXACT},
    {"isnormal(x)", 'R', ref_isnormal, EXACT},
    {"signbit(x)", 'R', ref_signbit, EXACT},
};

enum { FUNCTIONS = sizeof functions / sizeof *functions };

static const char prelude[] = "T fract_part(T x) { T w; return fract(x, &w); }\n"
                              "T fract_whole(T x) { T w; fract(x, &w); return w; }\n"
                              "T frexp_part(T x) { N e; return frexp(x, &e); }\n"
                              "N frexp_exponent(T x) { N e; frexp(x, &e); return e; }\n"
                              "T lgamma_r_value(T x) { N s; return lgamma_r(x, &s); }\n"
                              "N lgamma_r_sign(T x) { N s; lgamma_r(x, &s); return s; }\n"
                              "T modf_part(T x) { T w; return modf(x, &w); }\n"
                              "T modf_whole(T x) { T w; modf(x, &w); return w; }\n"
                              "T remquo_part(T x, T y) { N q; return remquo(x, y, &q); }\n"
                              "N remquo_quotient(T x, T y) { N q; remquo(x, y, &q); return q; }\n"
                              "T sincos_sine(T x) { T c; return sincos(x, &c); }\n"
                              "T sincos_cosine(T x) { T c; sincos(x, &c); return c; }\n";

/* ---- operands --------------------------------------------------------------------- */

static real read_number(const format *f, const void *at) {
    float single;
    double full;
    _Float16 half;
    switch (f->bytes) {
    case 2: memcpy(&half, at, 2); return (real)(float)half;
    case 4: memcpy(&single, at, 4); return single;
    default: memcpy(&full, at, 8); return full;
    }
}

static void write_number(const format *f, void *at, double value) {
    float single = (float)value;
    _Float16 half = (_Float16)value;
    memcpy(at,
           f->bytes == 2   ? (void *)&half
           : f->bytes == 4 ? (void *)&single
                           : (void *)&value,
           f->bytes);
}

static double special(const format *f, uint32_t k) {
    const double tiny = ldexp(1, f->least - f->digits + 1), normal = ldexp(1, f->least);
    const double below_one = 1 - ldexp(1, -f->digits), above_one = 1 + ldexp(1, 1 - f->digits);
    const double values[] = {0,         -0.0,      1,          -1,      0.5,
                             -0.5,      2,         -2,         1.5,     -2.5,
                             3,         -3,        0.25,       -7,      10,
                             INFINITY,  -INFINITY, NAN,        f->most, -f->most,
                             tiny,      -tiny,     normal,     -normal, normal - tiny,
                             below_one, above_one, -below_one, M_PI,    -M_PI / 2,
                             M_PI / 4,  88.7,      -103.9,     709.7,   -745.1,
                             1000.5,    -100000,   127,        128,     1 / 3.0};
    return values[k % (sizeof values / sizeof *values)];
}
enum { SPECIALS = 40 };

/* Any bits; small numbers; whole numbers and halves; numbers of all sizes near 1. */
static void random_number(const format *f, uint64_t *state, void *at) {
    uint64_t bits = calls_random(state), kind = calls_random(state) % 4;
    double small = (double)(int64_t)bits * 0x1p-61;
    if (kind == 0)
        memcpy(at, &bits, f->bytes);
    else if (kind == 1)
        write_number(f, at, small);
    else if (kind == 2)
        write_number(f, at, (double)((int64_t)(bits % 257) - 128) / 2);
    else
        write_number(f, at, small * ldexp(1, (int)(bits % 40) - 20));
}

static int integer(uint32_t i, uint64_t *state) {
    static const int specials[] = {0, 1,  -1,  2,    -2,   3,       -3,     4,
                                   5, -7, 127, -149, 1000, INT_MAX, INT_MIN};
    if (i < 1500)
        return specials[i % 15];
    return (int)(calls_random(state) % 61) - 30;
}

/* Every special number with every other one, then random ones. */
static call_input make_input(const format *f) {
    call_input in = calls_input_new(f->bytes);
    uint64_t state = f->bytes;
    for (uint32_t i = 0; i < CALLS_COUNT; i++) {
        uint8_t *x[3];
        for (uint32_t k = 0; k < 3; k++) {
            x[k] = (uint8_t *)calls_operand(&in, f->bytes, k) + (size_t)i * f->bytes;
            random_number(f, &state, x[k]);
        }
        if (i < SPECIALS * SPECIALS) {
            write_number(f, x[0], special(f, i / SPECIALS));
            write_number(f, x[1], special(f, i % SPECIALS));
            write_number(f, x[2], special(f, i * 7 % 37));
        }
        ((int *)calls_operand(&in, f->bytes, 3))[i] = integer(i, &state);
    }
    return in;
}

static operands operands_of(const format *f, const call_input *in, uint32_t i) {
    operands o = {.f = f, .n = ((int *)calls_operand(in, f->bytes, 3))[i]};
    real *const numbers[] = {&o.x, &o.y, &o.z};
    for (uint32_t k = 0; k < 3; k++)
        *numbers[k] =
            read_number(f, (uint8_t *)calls_operand(in, f->bytes, k) + (size_t)i * f->bytes);
    return o;
}

/* ---- comparing -------------------------------------------------------------------- */

/* How far `got` is from the exact value, in units of the last place of that. */
static double ulps_from(const format *f, real got, real want) {
    if (isnan(want) || isnan(got))
        return isnan(want) && isnan(got) ? 0 : INFINITY;
    if (isinf(want) && got == want)
        return 0;
    int exponent;
    if (fabsl(want) > f->most) { /* beyond the range by less than half an ulp, or infinite */
        if (isinf(got) && signbit(got) == signbit(want))
            return 0;
        want = copysignl(f->most, want);
    }
    if (isinf(got)) /* what would be the next number */
        got = copysignl(f->most * 2.0L, got);
    frexpl(want, &exponent);
    if (want == 0 || exponent - 1 < f->least)
        exponent = f->least + 1;
    return (double)fabsl((got - want) / ldexpl(1, exponent - f->digits));
}

static real result_of(const format *f, const function *fn, const uint8_t *out, uint32_t slot,
                      uint32_t i) {
    if (fn->result == 'T')
        return read_number(f, out + (size_t)slot * CALLS_SLOT + (size_t)i * f->bytes);
    return (int32_t)calls_bits(out, slot, i, 4);
}

static bool is_left_out(const function *fn, const operands *o) {
    bool nan = isnan(o->x) || isnan(o->y) || isnan(o->z);
    return (fn->flags & NUMBERS && nan) || (fn->flags & POSITIVE && (nan || signbit(o->x)));
}

/* The errors that are allowed. A half is a rounded float, or a product of one with a half. */
static double allowed(const format *f, const function *fn) {
    return f->bytes == 2 ? (fn->ulps[0] > 0 ? 1.5 : 0) : fn->ulps[f->bytes == 8];
}

static bool zeros_differ(const function *fn, real a, real b) {
    return fn->result == 'T' && !(fn->flags & ZEROS) && !allowed(&formats[0], fn) && a == 0 &&
           b == 0 && signbit(a) != signbit(b);
}

typedef struct verdict {
    uint32_t wrong;
    double worst; /* ulps */
} verdict;

static void judge(verdict *v, const format *f, const function *fn, const operands *o, real got,
                  real want, double limit, const char *whom) {
    double off = fn->result == 'T' ? ulps_from(f, got, want) : got == want ? 0 : INFINITY;
    v->worst = off > v->worst ? off : v->worst;
    if (off <= limit && !zeros_differ(fn, got, want))
        return;
    if (v->wrong++ < 4)
        print_error("%s of %s: x = %La, y = %La, z = %La, n = %d: %La, %s %La (%g ulp)\n", fn->text,
                    f->name, o->x, o->y, o->z, o->n, got, whom, want, off);
}

static uint32_t compare_with_oracles(const format *f, const call_input *in, const call_run *run) {
    uint32_t wrong = 0;
    for (uint32_t k = 0; k < FUNCTIONS; k++) {
        verdict v = {0}, pocl = {0};
        for (uint32_t i = 0; i < CALLS_COUNT; i++) {
            operands o = operands_of(f, in, i);
            if (is_left_out(&functions[k], &o))
                continue;
            real got = result_of(f, &functions[k], run->machine, k, i);
            judge(&v, f, &functions[k], &o, got, functions[k].oracle(&o), allowed(f, &functions[k]),
                  "should be");
            if (run->pocl && !(functions[k].flags & NOT_POCL))
                judge(&pocl, f, &functions[k], &o, got,
                      result_of(f, &functions[k], run->pocl, k, i), 2 * allowed(f, &functions[k]),
                      "but on PoCL");
        }
        wrong += v.wrong + pocl.wrong;
    }
    return wrong;
}

/* ---- tests ------------------------------------------------------------------------ */

static call_plan plan_of(const format *f, const call *calls, uint32_t width, call_mode mode) {
    return (call_plan){.type = f->name,
                       .bytes = f->bytes,
                       .integer = f->integer,
                       .calls = calls,
                       .count = FUNCTIONS,
                       .prelude = prelude,
                       .width = width,
                       .mode = mode};
}

static const call *calls_of_functions(hd_arena *arena) {
    call *calls = hd_new_array(arena, call, FUNCTIONS);
    for (uint32_t k = 0; k < FUNCTIONS; k++)
        calls[k] = (call){functions[k].text, functions[k].result, NULL};
    return calls;
}

static void scalars(const format *f) {
    hd_arena *arena = hd_arena_new();
    call_input in = make_input(f);
    call_plan plan = plan_of(f, calls_of_functions(arena), 1, CALLS_PLAIN);
    call_run run;
    calls_run(&run, &plan, &in, f->on_pocl);
    calls_check_operands(&run, &plan, &in);
    uint32_t wrong = compare_with_oracles(f, &in, &run);
    hd_sample_close(&run.sample);
    hd_arena_free(arena);
    free(in.data);
    assert_int_equal(wrong, 0);
}

static void floats_are_within_their_errors(void **state) {
    (void)state;
    scalars(&formats[0]);
}
static void doubles_are_within_their_errors(void **state) {
    (void)state;
    scalars(&formats[1]);
}
static void halves_are_within_their_errors(void **state) {
    (void)state;
    scalars(&formats[2]);
}

/* What a scalar comparison answers, as a component of a vector does. */
static uint64_t as_component(uint64_t scalar, uint32_t bytes) {
    return scalar ? UINT64_MAX >> (64 - 8 * bytes) : 0;
}

/* Every result of `run` has the bits of the plain scalar one; where no call was made, those
 * that the buffer was filled with. */
static void check_same(const format *f, const call_plan *plan, const call_run *run,
                       const call_run *plain) {
    for (uint32_t k = 0; k < FUNCTIONS; k++) {
        bool relation = functions[k].result == 'R';
        uint32_t own = functions[k].result == 'T' || (relation && plan->width > 1) ? f->bytes : 4;
        uint32_t other = functions[k].result == 'T' ? f->bytes : 4;
        for (uint32_t i = 0; i < CALLS_COUNT; i++) {
            uint64_t want = calls_bits(plain->machine, k, i, other);
            if (relation && plan->width > 1)
                want = as_component(want, f->bytes);
            if (plan->mode == CALLS_DIVERGENT && i / plan->width % 3 == 1)
                want = 0xaaaaaaaaaaaaaaaa >> (64 - 8 * own);
            uint64_t got = calls_bits(run->machine, k, i, own);
            if (got != want)
                fail_msg("%s of %s%u, mode %d, number %u: 0x%llx, alone 0x%llx", functions[k].text,
                         f->name, plan->width, plan->mode, i, (unsigned long long)got,
                         (unsigned long long)want);
        }
    }
}

static void check_ways(const format *f, const uint32_t *widths, const call_mode *modes,
                       uint32_t count) {
    hd_arena *arena = hd_arena_new();
    const call *calls = calls_of_functions(arena);
    call_input in = make_input(f);
    call_plan plan = plan_of(f, calls, 1, CALLS_PLAIN);
    call_run plain, run;
    calls_run(&plain, &plan, &in, false);
    for (uint32_t w = 0; w < count; w++) {
        call_plan other = plan_of(f, calls, widths[w], modes[w]);
        calls_run(&run, &other, &in, false);
        calls_check_operands(&run, &other, &in);
        check_same(f, &other, &run, &plain);
        hd_sample_close(&run.sample);
    }
    hd_sample_close(&plain.sample);
    hd_arena_free(arena);
    free(in.data);
}

static void vectors_are_scalars_side_by_side(void **state) {
    (void)state;
    const call_mode modes[] = {CALLS_PLAIN, CALLS_DIVERGENT, CALLS_UNIFORM, CALLS_PLAIN,
                               CALLS_PLAIN};
    check_ways(&formats[0], (const uint32_t[]){2, 3, 4, 8, 16}, modes, 5);
    check_ways(&formats[1], (const uint32_t[]){4, 3}, modes, 2);
    check_ways(&formats[2], (const uint32_t[]){3, 2}, modes, 2);
}

static void equal_operands_and_few_lanes_change_nothing(void **state) {
    (void)state;
    const uint32_t widths[] = {1, 1};
    const call_mode modes[] = {CALLS_UNIFORM, CALLS_DIVERGENT};
    for (size_t f = 0; f < 3; f++)
        check_ways(&formats[f], widths, modes, 2);
}

static void check_loop(const format *f, uint32_t width) {
    hd_arena *arena = hd_arena_new();
    call_input in = make_input(f);
    calls_check_loop(plan_of(f, calls_of_functions(arena), width, CALLS_LOOP), &in);
    hd_arena_free(arena);
    free(in.data);
}

static void lanes_that_left_a_loop_keep_their_results(void **state) {
    (void)state;
    check_loop(&formats[0], 1);
    check_loop(&formats[0], 3);
    check_loop(&formats[1], 1);
    check_loop(&formats[2], 2);
}

/* ---- functions that are others ---------------------------------------------------- */

/* Each line: a call, and another with the same result. */
static void check_pairs(const format *f, uint32_t width, const char *const (*pairs)[2],
                        uint32_t count) {
    hd_arena *arena = hd_arena_new();
    call *calls = hd_new_array(arena, call, 2 * count);
    for (uint32_t k = 0; k < 2 * count; k++)
        calls[k] = (call){pairs[k / 2][k % 2], 'T', NULL};
    call_input in = make_input(f);
    call_plan plan = plan_of(f, calls, width, CALLS_PLAIN);
    plan.count = 2 * count;
    call_run run;
    calls_run(&run, &plan, &in, false);
    for (uint32_t k = 0; k < count; k++)
        for (uint32_t i = 0; i < CALLS_COUNT / width * width; i++)
            if (calls_bits(run.machine, 2 * k, i, f->bytes) !=
                calls_bits(run.machine, 2 * k + 1, i, f->bytes))
                fail_msg("number %u of %s: %s is not %s", i, f->name, pairs[k][0], pairs[k][1]);
    hd_sample_close(&run.sample);
    hd_arena_free(arena);
    free(in.data);
}
#define CHECK_PAIRS(f, width, pairs) check_pairs(f, width, pairs, sizeof pairs / sizeof *pairs)

static void the_inaccurate_forms_are_accurate(void **state) {
    (void)state;
#define FORMS(name) {"half_" #name "(x)", #name "(x)"}, {"native_" #name "(x)", #name "(x)"}
    static const char *const pairs[][2] = {FORMS(cos),
                                           FORMS(exp),
                                           FORMS(exp2),
                                           FORMS(exp10),
                                           FORMS(log),
                                           FORMS(log2),
                                           FORMS(log10),
                                           FORMS(rsqrt),
                                           FORMS(sin),
                                           FORMS(sqrt),
                                           FORMS(tan),
                                           {"half_powr(x, y)", "powr(x, y)"},
                                           {"native_powr(x, y)", "powr(x, y)"},
                                           {"half_divide(x, y)", "x / y"},
                                           {"native_divide(x, y)", "x / y"},
                                           {"half_recip(x)", "1 / x"},
                                           {"native_recip(x)", "1 / x"}};
    CHECK_PAIRS(&formats[0], 1, pairs);
    CHECK_PAIRS(&formats[0], 4, pairs);
}

static void scalar_operands_count_for_every_component(void **state) {
    (void)state;
    static const char *const pairs[][2] = {
        {"fmin(x, y.y)", "fmin(x, (T)(y.y))"},
        {"fmax(x, y.y)", "fmax(x, (T)(y.y))"},
        {"min(x, y.y)", "min(x, (T)(y.y))"},
        {"max(x, y.y)", "max(x, (T)(y.y))"},
        {"clamp(x, y.x, z.y)", "clamp(x, (T)(y.x), (T)(z.y))"},
        {"mix(x, y, z.y)", "mix(x, y, (T)(z.y))"},
        {"step(x.y, y)", "step((T)(x.y), y)"},
        {"smoothstep(x.x, y.y, z)", "smoothstep((T)(x.x), (T)(y.y), z)"},
        {"ldexp(x, n.y)", "ldexp(x, (N)(n.y))"}};
    for (size_t f = 0; f < 3; f++)
        CHECK_PAIRS(&formats[f], f == 1 ? 2 : 4, pairs);
}

/* ---- functions with errors that depend on their operands -------------------------- */

static double epsilon(const format *f) { return ldexp(1, 1 - f->digits); }

/* The spec leaves the accuracy of these open; they are sums of rounded products. */
static void check_sums(const format *f) {
    static const call calls[] = {{"mad(x, y, z)", 'T', NULL},
                                 {"mix(x, y, z)", 'T', NULL},
                                 {"smoothstep(-fabs(x) - (S)1, fabs(y), z)", 'T', NULL}};
    call_input in = make_input(f);
    call_plan plan = plan_of(f, calls, 1, CALLS_PLAIN);
    plan.count = 3;
    call_run run;
    calls_run(&run, &plan, &in, f->on_pocl);
    const function plain = {.result = 'T'};
    for (uint32_t i = 0; i < CALLS_COUNT; i++) {
        operands o = operands_of(f, &in, i);
        if (!(fabsl(o.x) < 100 && fabsl(o.y) < 100 && fabsl(o.z) < 100))
            continue;
        real low = -fabsl(o.x) - 1, high = fabsl(o.y), t = (o.z - low) / (high - low);
        t = t < 0 ? 0 : t > 1 ? 1 : t;
        const real want[] = {o.x * o.y + o.z, o.x + (o.y - o.x) * o.z, t * t * (3 - 2 * t)};
        const real size[] = {fabsl(o.x * o.y) + fabsl(o.z),
                             fabsl(o.x) + (fabsl(o.x) + fabsl(o.y)) * fabsl(o.z),
                             1 + (fabsl(o.z) + fabsl(low)) / (high - low)};
        for (uint32_t k = 0; k < 3; k++) {
            real limit = 4 * epsilon(f) * size[k] + ldexp(1, f->least - f->digits + 2);
            real got = result_of(f, &plain, run.machine, k, i);
            real pocl = run.pocl ? result_of(f, &plain, run.pocl, k, i) : got;
            if (!(fabsl(got - want[k]) <= limit && fabsl(got - pocl) <= 2 * limit))
                fail_msg("%s of %s: x = %La, y = %La, z = %La: %La, should be %La, on PoCL %La",
                         calls[k].text, f->name, o.x, o.y, o.z, got, want[k], pocl);
        }
    }
    hd_sample_close(&run.sample);
    free(in.data);
}

static void sums_are_near_the_exact_ones(void **state) {
    (void)state;
    for (size_t f = 0; f < 3; f++)
        check_sums(&formats[f]);
}

int main(void) {
    stand_ready();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(floats_are_within_their_errors),
        cmocka_unit_test(doubles_are_within_their_errors),
        cmocka_unit_test(halves_are_within_their_errors),
        cmocka_unit_test(vectors_are_scalars_side_by_side),
        cmocka_unit_test(equal_operands_and_few_lanes_change_nothing),
        cmocka_unit_test(lanes_that_left_a_loop_keep_their_results),
        cmocka_unit_test(the_inaccurate_forms_are_accurate),
        cmocka_unit_test(scalar_operands_count_for_every_component),
        cmocka_unit_test(sums_are_near_the_exact_ones),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
