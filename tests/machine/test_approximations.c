/*
 * PTX's approximate instructions against MPFR: special values give what PTX ISA says, and
 * all others are within the error that it states for the instruction. Also minimum and
 * maximum, flushing and saturation, which are exact.
 */
#include "kir_calls.h"

#include <float.h>
#include <math.h>
#include <mpfr.h>

enum { COUNT = 4096, BITS = 300 };

typedef _Float16 half;

static double real_at(const char *type, const void *at, uint32_t i) {
    if (!strcmp(type, "f16"))
        return (double)((const half *)at)[i];
    return !strcmp(type, "f32") ? ((const float *)at)[i] : ((const double *)at)[i];
}

static void put_real(const char *type, void *at, uint32_t i, double x) {
    if (!strcmp(type, "f16"))
        ((half *)at)[i] = (half)x;
    else if (!strcmp(type, "f32"))
        ((float *)at)[i] = (float)x;
    else
        ((double *)at)[i] = x;
}

static bool same(double a, double b) {
    return (isnan(a) && isnan(b)) || (a == b && !signbit(a) == !signbit(b));
}

/* ---- approximations --------------------------------------------------------------- */

typedef int exact_fn(mpfr_t to, const mpfr_t x, mpfr_rnd_t mode);

static int reciprocal(mpfr_t to, const mpfr_t x, mpfr_rnd_t mode) {
    return mpfr_ui_div(to, 1, x, mode);
}

typedef struct approximation {
    const char *name;
    exact_fn *exact;
    const char *type;
    double low, high;   /* operands; both 0: of any size, as random bits */
    double relative;    /* error allowed: exponent of 2 of the share of the result, */
    double absolute;    /* or of the error itself; 0: none */
    double specials[6]; /* of -0, +0, -infinity, +infinity, NaN, -1 */
} approximation;

#define INF INFINITY
static const approximation approximations[] = {
    {"native_recip", reciprocal, "f32", 0, 0, -23, 0, {-INF, INF, -0.0, 0, NAN, -1}},
    {"native_sqrt", mpfr_sqrt, "f32", 0, 0, -23, 0, {-0.0, 0, NAN, INF, NAN, NAN}},
    {"native_rsqrt", mpfr_rec_sqrt, "f32", 0, 0, -22.9, 0, {-INF, INF, NAN, 0, NAN, NAN}},
    {"native_sin",
     mpfr_sin,
     "f32",
     -6.2831855,
     6.2831855,
     0,
     -20.5,
     {-0.0, 0, NAN, NAN, NAN, -0.8414709848}},
    {"native_sin",
     mpfr_sin,
     "f32",
     -314.1592,
     314.1592,
     0,
     -14.7,
     {-0.0, 0, NAN, NAN, NAN, -0.8414709848}},
    {"native_cos",
     mpfr_cos,
     "f32",
     -6.2831855,
     6.2831855,
     0,
     -20.5,
     {1, 1, NAN, NAN, NAN, 0.5403023059}},
    {"native_cos",
     mpfr_cos,
     "f32",
     -314.1592,
     314.1592,
     0,
     -14.7,
     {1, 1, NAN, NAN, NAN, 0.5403023059}},
    {"native_exp2", mpfr_exp2, "f32", -149, 128, -22.5, 0, {1, 1, 0, INF, NAN, 0.5}},
    {"native_exp2", mpfr_exp2, "f16", -25, 16, -9.9, 0, {1, 1, 0, INF, NAN, 0.5}},
    {"native_log2", mpfr_log2, "f32", 0.5, 2, 0, -22.6, {-INF, -INF, NAN, INF, NAN, NAN}},
    {"native_log2", mpfr_log2, "f32", 0, 0, -22, 0, {-INF, -INF, NAN, INF, NAN, NAN}},
    {"native_tanh", mpfr_tanh, "f32", -10, 10, -11, 0, {-0.0, 0, -1, 1, NAN, -0.7615941559}},
    {"native_tanh", mpfr_tanh, "f16", -10, 10, 0, -10.987, {-0.0, 0, -1, 1, NAN, -0.7615941559}},
    {"native_recip", reciprocal, "f64", 0, 0, -20, 0, {-INF, INF, -0.0, 0, NAN, -1}},
    {"native_rsqrt", mpfr_rec_sqrt, "f64", 0, 0, -20, 0, {-INF, INF, NAN, 0, NAN, NAN}},
};

static double operand(const approximation *a, uint64_t *seed) {
    double part = (double)(call_random(seed) >> 11) * 0x1p-53;
    if (a->low < a->high)
        return a->low + part * (a->high - a->low);
    bool is_double = !strcmp(a->type, "f64");
    int exponent = (int)(call_random(seed) % (is_double ? 2098 : 277)) - (is_double ? 1074 : 149);
    return ldexp(1 + part, exponent);
}

/* The least error that the type itself makes, of results that are nearly 0. */
static double least_step(const char *type) {
    return !strcmp(type, "f16") ? 0x1p-24 : !strcmp(type, "f32") ? 0x1p-149 : 0x1p-1074;
}

static void check_error(const approximation *a, double x, double got, mpfr_t exact) {
    mpfr_t error;
    mpfr_init2(error, BITS);
    double most = !strcmp(a->type, "f16") ? 65504 : !strcmp(a->type, "f32") ? FLT_MAX : DBL_MAX;
    bool beyond = fabs(mpfr_get_d(exact, MPFR_RNDN)) > most;
    if (!(beyond && isinf(got))) {
        mpfr_sub_d(error, exact, got, MPFR_RNDN);
        double size = fabs(mpfr_get_d(error, MPFR_RNDN));
        double allowed = a->absolute != 0 ? exp2(a->absolute)
                                          : exp2(a->relative) * fabs(mpfr_get_d(exact, MPFR_RNDN));
        if (!(size <= allowed || size <= least_step(a->type)))
            fail_msg("%s(%a) in %s: %a is off by 2^%.2f, 2^%.2f is allowed", a->name, x, a->type,
                     got, log2(size), log2(allowed));
    }
    mpfr_clear(error);
}

static void check(const approximation *a) {
    static const double specials[] = {-0.0, 0, -INFINITY, INFINITY, NAN, -1};
    static uint64_t in[COUNT], out[COUNT];
    const void *const pointers[] = {in};
    kir_call call = {a->name, a->type, {a->type}, false};
    uint64_t seed = 7;
    for (uint32_t i = 0; i < COUNT; i++)
        put_real(a->type, in, i, i < 6 ? specials[i] : operand(a, &seed));
    call_run(&call, CALL_BY_ALL, COUNT, pointers, out);
    mpfr_t x, exact;
    mpfr_inits2(BITS, x, exact, (mpfr_ptr)0);
    for (uint32_t i = 0; i < COUNT; i++) {
        double value = real_at(a->type, in, i), got = real_at(a->type, out, i);
        if (i < 5) {
            if (!same(got, a->specials[i]))
                fail_msg("%s(%a) in %s: %a, should be %a", a->name, value, a->type, got,
                         a->specials[i]);
        } else if (i == 5) {
            assert_true(isnan(a->specials[i]) ? isnan(got) : fabs(got - a->specials[i]) < 1e-3);
        } else {
            mpfr_set_d(x, value, MPFR_RNDN);
            a->exact(exact, x, MPFR_RNDN);
            check_error(a, value, got, exact);
        }
    }
    mpfr_clears(x, exact, (mpfr_ptr)0);
    /* By some lanes, and of operands that all share: the same. */
    static uint64_t again[CALL_LANES];
    for (call_way way = CALL_BY_SOME; way < CALL_WAYS; way++) {
        call_run(&call, way, CALL_LANES, pointers, again);
        for (uint32_t i = 0; i < CALL_LANES; i++)
            assert_true(same(real_at(a->type, again, i),
                             call_is_skipped(way, i) ? 0 : real_at(a->type, out, i)));
    }
}

static void approximations_are_near(void **state) {
    (void)state;
    for (size_t a = 0; a < sizeof approximations / sizeof *approximations; a++)
        check(&approximations[a]);
}

/* ---- exact ones ------------------------------------------------------------------- */

typedef struct layout {
    const char *type;
    uint32_t bits, exponent_bits;
} layout;
static const layout layouts[] = {{"f16", 16, 5}, {"f32", 32, 8}, {"f64", 64, 11}};

static uint64_t ones(uint32_t count) { return UINT64_MAX >> (64 - count); }
static bool is_nan_in(const layout *l, uint64_t x) {
    uint64_t size = x & ones(l->bits - 1);
    return size > (ones(l->exponent_bits) << (l->bits - 1 - l->exponent_bits));
}

/* Place in the order of all numbers: -infinity ... -0, +0 ... infinity. */
static int64_t rank_of(const layout *l, uint64_t x) {
    int64_t size = (int64_t)(x & ones(l->bits - 1));
    return x >> (l->bits - 1) & 1 ? -1 - size : size;
}

static uint64_t want_extreme(const layout *l, bool greatest, bool nan_wins, uint64_t a,
                             uint64_t b) {
    if (is_nan_in(l, a) || is_nan_in(l, b)) {
        if (nan_wins || (is_nan_in(l, a) && is_nan_in(l, b)))
            return ones(l->bits - 1);
        return is_nan_in(l, a) ? b : a;
    }
    return (rank_of(l, a) < rank_of(l, b)) != greatest ? a : b;
}

static uint64_t want_flush(const layout *l, uint64_t x) {
    uint64_t exponent = x >> (l->bits - 1 - l->exponent_bits) & ones(l->exponent_bits);
    return exponent ? x : x & UINT64_C(1) << (l->bits - 1);
}

static uint64_t want_saturate(const layout *l, uint64_t x) {
    uint64_t one = ones(l->exponent_bits - 1) << (l->bits - 1 - l->exponent_bits);
    if (is_nan_in(l, x) || rank_of(l, x) < 0)
        return 0;
    return x > one ? one : x;
}

typedef uint64_t exact_bits_fn(const layout *l, uint64_t a, uint64_t b);
static uint64_t least(const layout *l, uint64_t a, uint64_t b) {
    return want_extreme(l, false, false, a, b);
}
static uint64_t most(const layout *l, uint64_t a, uint64_t b) {
    return want_extreme(l, true, false, a, b);
}
static uint64_t least_nan(const layout *l, uint64_t a, uint64_t b) {
    return want_extreme(l, false, true, a, b);
}
static uint64_t most_nan(const layout *l, uint64_t a, uint64_t b) {
    return want_extreme(l, true, true, a, b);
}
static uint64_t flushed(const layout *l, uint64_t a, uint64_t b) {
    (void)b;
    return want_flush(l, a);
}
static uint64_t saturated(const layout *l, uint64_t a, uint64_t b) {
    (void)b;
    return want_saturate(l, a);
}

static uint64_t interesting(const layout *l, uint64_t *seed, uint32_t i) {
    uint64_t infinity = ones(l->exponent_bits) << (l->bits - 1 - l->exponent_bits);
    uint64_t normal = UINT64_C(1) << (l->bits - 1 - l->exponent_bits);
    uint64_t one = ones(l->exponent_bits - 1) << (l->bits - 1 - l->exponent_bits);
    const uint64_t special[] = {0,
                                1,
                                normal,
                                normal - 1,
                                one,
                                one - 1,
                                one + 1,
                                infinity,
                                infinity - 1,
                                infinity | 1,
                                ones(l->bits - 1)};
    uint64_t sign = (call_random(seed) & 1) << (l->bits - 1);
    return i % 4 ? special[call_random(seed) % (sizeof special / sizeof *special)] | sign
                 : call_random(seed) & ones(l->bits);
}

static void check_exact(const char *name, const layout *l, uint32_t arity, exact_bits_fn *want) {
    static uint64_t in[2][COUNT], out[COUNT];
    const void *const pointers[] = {in[0], in[1]};
    kir_call call = {name, l->type, {l->type, arity > 1 ? l->type : NULL}, false};
    uint64_t seed = l->bits;
    for (uint32_t i = 0; i < COUNT; i++)
        for (uint32_t n = 0; n < arity; n++)
            call_put(in[n], l->bits / 8, i, interesting(l, &seed, i));
    for (call_way way = CALL_BY_ALL; way < CALL_WAYS; way++) {
        uint32_t count = way == CALL_BY_ALL ? COUNT : CALL_LANES;
        call_run(&call, way, count, pointers, out);
        for (uint32_t i = 0; i < count; i++) {
            uint64_t a = call_bits(in[0], l->bits / 8, i), b = call_bits(in[1], l->bits / 8, i);
            uint64_t right = call_is_skipped(way, i) ? 0 : want(l, a, arity > 1 ? b : 0);
            uint64_t got = call_bits(out, l->bits / 8, i);
            bool any_nan = is_nan_in(l, right) && is_nan_in(l, got) && !strstr(name, "_nan");
            if (got != right && !any_nan)
                fail_msg("%s of 0x%llx, 0x%llx in %s: 0x%llx, should be 0x%llx", name,
                         (unsigned long long)a, (unsigned long long)b, l->type,
                         (unsigned long long)got, (unsigned long long)right);
        }
    }
}

static void exact_functions(void **state) {
    (void)state;
    for (int l = 0; l < 3; l++) {
        check_exact("fmin", &layouts[l], 2, least);
        check_exact("fmax", &layouts[l], 2, most);
        check_exact("fmin_nan", &layouts[l], 2, least_nan);
        check_exact("fmax_nan", &layouts[l], 2, most_nan);
        check_exact("flush", &layouts[l], 1, flushed);
        check_exact("saturate", &layouts[l], 1, saturated);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(approximations_are_near),
                                       cmocka_unit_test(exact_functions)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
