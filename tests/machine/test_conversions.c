/*
 * Every conversion between numbers, in every direction of rounding, and the arithmetic of
 * f16, bf16, f32 and f64 in those that PTX has, against MPFR: special values, numbers in
 * the middle between two others and next to it, and random bits.
 */
#include "kir_calls.h"

#include <math.h>
#include <mpfr.h>

enum { COUNT = 1024, BITS = 400 };

/* ---- formats ---------------------------------------------------------------------- */

typedef struct format {
    const char *type; /* in kir */
    const char *name; /* of the conversion to it */
    int precision, least, most;
    uint32_t exponent_bits;
} format;

static const format f16 = {"f16", "half", 11, -14, 15, 5};
static const format bf16 = {"i16", "bf16", 8, -126, 127, 8};
static const format f32 = {"f32", "float", 24, -126, 127, 8};
static const format f64 = {"f64", "double", 53, -1022, 1023, 11};
static const format tf32 = {"f32", "tf32", 11, -126, 127, 8};
static const format e4m3 = {"i8", "e4m3", 4, -6, 8, 4};
static const format e5m2 = {"i8", "e5m2", 3, -14, 15, 5};

/* Digit by digit. */
static double decode(const format *f, uint64_t bits) {
    int low = f->precision - 1;
    uint64_t exponent = bits >> low & ((1u << f->exponent_bits) - 1);
    uint64_t rest = bits & ((UINT64_C(1) << low) - 1);
    bool negative = bits >> (low + (int)f->exponent_bits) & 1;
    double size = ldexp((double)rest, f->least - low);
    if (exponent == (1u << f->exponent_bits) - 1 && f != &e4m3)
        size = rest ? (double)NAN : (double)INFINITY;
    else if (f == &e4m3 && (bits & 0x7f) == 0x7f)
        size = NAN;
    else if (exponent)
        size = ldexp((double)(rest + (UINT64_C(1) << low)), f->least - low + (int)exponent - 1);
    return negative ? -size : size;
}

/* Of a number that the format has. */
static uint64_t encode(const format *f, double x) {
    uint64_t sign = (uint64_t)!!signbit(x) << (f->precision - 1 + (int)f->exponent_bits);
    uint64_t all = ((UINT64_C(1) << f->exponent_bits) - 1) << (f->precision - 1);
    if (isnan(x))
        return all | UINT64_C(1) << (f->precision - 2);
    if (isinf(x))
        return sign | all;
    if (x == 0)
        return sign;
    int exponent;
    double part = frexp(fabs(x), &exponent); /* [1/2, 1) */
    int place = exponent - 1 < f->least ? f->least : exponent - 1;
    uint64_t digits = (uint64_t)ldexp(part, exponent - place + f->precision - 1);
    return sign | (((uint64_t)(place - f->least) << (f->precision - 1)) + digits);
}

/* Where its bits stand in kir's value. */
static uint64_t bits_of_result(const format *f, uint64_t bits) {
    return f == &tf32 ? bits >> 13 : bits;
}

typedef struct rounding {
    const char *suffix, *short_suffix;
    mpfr_rnd_t mode;
} rounding;
static const rounding roundings[] = {{"_rte", "", MPFR_RNDN},
                                     {"_rtz", "_rz", MPFR_RNDZ},
                                     {"_rtp", "_ru", MPFR_RNDU},
                                     {"_rtn", "_rd", MPFR_RNDD}};
enum { ROUNDINGS = 4 };

/* The nearest number of the format in a direction; `exact` has been found without error. */
static double rounded(const format *f, mpfr_t exact, mpfr_rnd_t mode) {
    mpfr_exp_t least = mpfr_get_emin(), most = mpfr_get_emax();
    mpfr_t x;
    mpfr_init2(x, f->precision);
    int inexact = mpfr_set(x, exact, mode);
    mpfr_set_emin(f->least - f->precision + 2);
    mpfr_set_emax(f->most + 1);
    inexact = mpfr_check_range(x, inexact, mode);
    mpfr_subnormalize(x, inexact, mode);
    double result = mpfr_get_d(x, MPFR_RNDN);
    mpfr_set_emin(least);
    mpfr_set_emax(most);
    mpfr_clear(x);
    return result;
}

static bool same(double a, double b) {
    return (isnan(a) && isnan(b)) || (a == b && !signbit(a) == !signbit(b));
}

/* ---- operands --------------------------------------------------------------------- */

/* A number of `from`: special bits, a number of `to`, the middle of two, next to that, or any. */
static uint64_t operand(const format *from, const format *to, uint64_t *seed, uint32_t i) {
    uint32_t width = (uint32_t)from->precision + from->exponent_bits;
    uint64_t all = UINT64_MAX >> (64 - width), any = call_random(seed) & all;
    uint64_t top = UINT64_C(1) << (width - 1);
    uint64_t one = encode(from, 1), infinity = encode(from, INFINITY);
    const uint64_t special[] = {0,
                                top,
                                1,
                                top | 1,
                                infinity,
                                infinity - 1,
                                infinity | top,
                                all,
                                one,
                                one - 1,
                                one + 1,
                                encode(from, ldexp(1, from->least)),
                                encode(from, ldexp(1, from->least)) - 1,
                                infinity | 1};
    if (i < sizeof special / sizeof *special)
        return special[i];
    uint64_t other =
        call_random(seed) & (UINT64_MAX >> (64 - to->precision - (int)to->exponent_bits));
    double base = decode(to, other), next = decode(to, other ^ 1);
    if (i % 5 == 0 || !isfinite(base) || !isfinite(next))
        return any;
    double x = i % 5 == 1 ? base : base / 2 + next / 2;
    if (from->precision < 53 && fabs(x) > ldexp(2 - ldexp(1, 1 - from->precision), from->most))
        return any;
    uint64_t bits = encode(from, x);
    return i % 5 == 3 ? bits + 1 : i % 5 == 4 ? bits - 1 : bits;
}

/* ---- floats to floats ------------------------------------------------------------- */

static void run(const kir_call *call, call_way way, const void *const *in, void *out) {
    call_run(call, way, way == CALL_BY_ALL ? COUNT : CALL_LANES, in, out);
}
static uint32_t count_of(call_way way) { return way == CALL_BY_ALL ? COUNT : CALL_LANES; }

static void check_float(const char *name, bool is_instruction, const format *from, const format *to,
                        mpfr_rnd_t mode) {
    static uint64_t in[COUNT], out[COUNT];
    const void *const pointers[] = {in};
    kir_call call = {name, to->type, {from->type}, is_instruction};
    uint32_t bytes = call_bytes(from->type);
    uint64_t seed = (uint64_t)mode + (uint64_t)from->precision;
    for (uint32_t i = 0; i < COUNT; i++)
        call_put(in, bytes, i, operand(from, to, &seed, i));
    mpfr_t x;
    mpfr_init2(x, BITS);
    for (call_way way = CALL_BY_ALL; way < CALL_WAYS; way++) {
        run(&call, way, pointers, out);
        for (uint32_t i = 0; i < count_of(way); i++) {
            double a = decode(from, call_bits(in, bytes, i));
            mpfr_set_d(x, a, MPFR_RNDN);
            double want = call_is_skipped(way, i) ? 0 : rounded(to, x, mode);
            uint64_t bits = call_bits(out, call_bytes(to->type), i);
            double got = decode(to, bits_of_result(to, bits));
            if (!same(got, want))
                fail_msg("%s from %s of %a: %a, should be %a", name, from->type, a, got, want);
        }
    }
    mpfr_clear(x);
}

static void floats_to_floats(void **state) {
    (void)state;
    static const format *const sources[] = {&f16, &f32, &f64};
    static const format *const targets[] = {&f16, &bf16, &f32, &f64};
    for (int s = 0; s < 3; s++)
        for (int t = 0; t < 4; t++)
            for (int r = 0; r < ROUNDINGS; r++) {
                char name[32];
                snprintf(name, sizeof name, "convert_%s%s", targets[t]->name, roundings[r].suffix);
                check_float(name, false, sources[s], targets[t], roundings[r].mode);
                snprintf(name, sizeof name, "float_to_bf16%s", roundings[r].short_suffix);
                if (targets[t] == &bf16)
                    check_float(name, false, sources[s], &bf16, roundings[r].mode);
            }
    for (int s = 0; s < 3; s++) {
        check_float("convert_half", false, sources[s], &f16, MPFR_RNDN);
        for (int t = 0; t < 3; t++)
            if (s != t)
                check_float(s < t ? "fpext" : "fptrunc", true, sources[s], sources[t], MPFR_RNDN);
    }
}

/* Of two that are equally near, the one away from zero. */
static double rounded_away(const format *f, mpfr_t x) {
    double low = rounded(f, x, MPFR_RNDZ), high = rounded(f, x, MPFR_RNDA);
    mpfr_t near, far;
    mpfr_inits2(BITS, near, far, (mpfr_ptr)0);
    mpfr_sub_d(near, x, low, MPFR_RNDN);
    mpfr_sub_d(far, x, isinf(high) ? copysign(ldexp(1, f->most + 1), high) : high, MPFR_RNDN);
    double result = mpfr_cmpabs(near, far) < 0 ? low : high;
    mpfr_clears(near, far, (mpfr_ptr)0);
    return result;
}

static void floats_to_tf32(void **state) {
    (void)state;
    check_float("round_to_tf32_rn", false, &f32, &tf32, MPFR_RNDN);
    check_float("round_to_tf32_rz", false, &f32, &tf32, MPFR_RNDZ);
    static uint32_t in[COUNT], out[COUNT];
    const void *const pointers[] = {in};
    kir_call call = {"round_to_tf32", "f32", {"f32"}, false};
    uint64_t seed = 3;
    for (uint32_t i = 0; i < COUNT; i++)
        in[i] = (uint32_t)operand(&f32, &tf32, &seed, i);
    call_run(&call, CALL_BY_ALL, COUNT, pointers, out);
    mpfr_t x;
    mpfr_init2(x, BITS);
    for (uint32_t i = 0; i < COUNT; i++) {
        double a = decode(&f32, in[i]);
        mpfr_set_d(x, a, MPFR_RNDN);
        double want = isfinite(a) && a != 0 ? rounded_away(&tf32, x) : a;
        if (!same(decode(&tf32, out[i] >> 13), want) || (!isnan(want) && out[i] & 0x1fff))
            fail_msg("round_to_tf32(%a): 0x%08x, should be %a", a, out[i], want);
    }
    mpfr_clear(x);
}

/* ---- integers to floats ----------------------------------------------------------- */

static uint64_t integer_near(const format *to, uint32_t bits, uint64_t *seed, uint32_t i) {
    uint64_t x = call_integer(seed, i), top = call_random(seed) % bits;
    if (i % 3)
        return x;
    /* A number of one digit more than the format, or next to it. */
    uint64_t ones = to->precision < 63 ? call_random(seed) >> (63 - to->precision) : x;
    return (ones << (top < 63 ? top : 0)) + call_random(seed) % 3 - 1;
}

static void check_integer(const char *name, bool is_instruction, uint32_t bits, bool is_signed,
                          const format *to, mpfr_rnd_t mode) {
    static uint64_t in[COUNT], out[COUNT];
    const void *const pointers[] = {in};
    char type[8];
    snprintf(type, sizeof type, "i%u", bits);
    kir_call call = {name, to->type, {type}, is_instruction};
    uint64_t seed = bits;
    for (uint32_t i = 0; i < COUNT; i++)
        call_put(in, bits / 8, i, integer_near(to, bits, &seed, i));
    mpfr_t x;
    mpfr_init2(x, BITS);
    for (call_way way = CALL_BY_ALL; way < CALL_WAYS; way++) {
        run(&call, way, pointers, out);
        for (uint32_t i = 0; i < count_of(way); i++) {
            uint64_t a = call_bits(in, bits / 8, i);
            if (is_signed)
                mpfr_set_sj(x, (intmax_t)kir_sign_extend(a, bits), MPFR_RNDN);
            else
                mpfr_set_uj(x, a, MPFR_RNDN);
            double want = call_is_skipped(way, i) ? 0 : rounded(to, x, mode);
            double got = decode(to, call_bits(out, call_bytes(to->type), i));
            if (!same(got, want))
                fail_msg("%s of 0x%llx in %s: %a, should be %a", name, (unsigned long long)a, type,
                         got, want);
        }
    }
    mpfr_clear(x);
}

static void integers_to_floats(void **state) {
    (void)state;
    static const format *const targets[] = {&f16, &bf16, &f32, &f64};
    for (uint32_t bits = 8; bits <= 64; bits *= 2)
        for (int is_signed = 0; is_signed < 2; is_signed++)
            for (int t = 0; t < 4; t++) {
                for (int r = 0; r < ROUNDINGS; r++) {
                    char name[32];
                    snprintf(name, sizeof name, "%sconvert_%s%s", is_signed ? "" : "u_",
                             targets[t]->name, roundings[r].suffix);
                    check_integer(name, false, bits, is_signed, targets[t], roundings[r].mode);
                }
                if (targets[t] != &bf16)
                    check_integer(is_signed ? "sitofp" : "uitofp", true, bits, is_signed,
                                  targets[t], MPFR_RNDN);
            }
}

/* ---- floats to integers ----------------------------------------------------------- */

typedef struct integer_type {
    const char *name;
    uint32_t bits;
    bool is_signed;
} integer_type;
static const integer_type integers[] = {
    {"char", 8, true}, {"uchar", 8, false}, {"short", 16, true}, {"ushort", 16, false},
    {"int", 32, true}, {"uint", 32, false}, {"long", 64, true},  {"ulong", 64, false}};

/* Rounded, then brought into the type's range. */
static uint64_t saturated(const integer_type *t, mpfr_t x, mpfr_rnd_t mode) {
    mpfr_t whole, low, high;
    mpfr_inits2(BITS, whole, low, high, (mpfr_ptr)0);
    mpfr_rint(whole, x, mode);
    mpfr_set_ui_2exp(high, 1, t->bits - t->is_signed, MPFR_RNDN);
    mpfr_sub_ui(high, high, 1, MPFR_RNDN);
    mpfr_set_si_2exp(low, t->is_signed ? -1 : 0, t->bits - 1, MPFR_RNDN);
    if (mpfr_cmp(whole, high) > 0)
        mpfr_set(whole, high, MPFR_RNDN);
    if (mpfr_cmp(whole, low) < 0)
        mpfr_set(whole, low, MPFR_RNDN);
    uint64_t result = t->is_signed ? (uint64_t)mpfr_get_sj(whole, MPFR_RNDN)
                                   : (uint64_t)mpfr_get_uj(whole, MPFR_RNDN);
    mpfr_clears(whole, low, high, (mpfr_ptr)0);
    return result & (UINT64_MAX >> (64 - t->bits));
}

/* Numbers about which rounding and saturation decide: halves, and the ends of the range. */
static uint64_t operand_for_integer(const format *from, const integer_type *t, uint64_t *seed,
                                    uint32_t i) {
    double end = ldexp(1, (int)t->bits - (i & 8 ? 1 : 0)), x;
    int64_t near = (int64_t)(call_random(seed) % 9) - 4;
    switch (i % 4) {
    case 0: return operand(from, &f16, seed, i);
    case 1: x = (double)(call_random(seed) % 2000) / 4 - 250; break;
    case 2: x = (i & 16 ? -end : end) + (double)near / 2; break;
    default: return operand(from, from, seed, i + 100);
    }
    mpfr_t exact;
    mpfr_init2(exact, BITS);
    mpfr_set_d(exact, x, MPFR_RNDN);
    uint64_t bits = encode(from, rounded(from, exact, MPFR_RNDZ));
    mpfr_clear(exact);
    return bits;
}

static void check_to_integer(const format *from, const integer_type *t, const rounding *r,
                             bool of_ptx) {
    static uint64_t in[COUNT], out[COUNT];
    const void *const pointers[] = {in};
    char name[40], type[8];
    snprintf(name, sizeof name, "convert_%s_sat%s%s", t->name, of_ptx ? "_nan" : "", r->suffix);
    snprintf(type, sizeof type, "i%u", t->bits);
    kir_call call = {name, type, {from->type}, false};
    uint32_t bytes = call_bytes(from->type);
    uint64_t seed = t->bits;
    for (uint32_t i = 0; i < COUNT; i++)
        call_put(in, bytes, i, operand_for_integer(from, t, &seed, i));
    mpfr_t x;
    mpfr_init2(x, BITS);
    uint64_t of_nan = of_ptx && (t->bits == 64 || from == &f64) ? UINT64_C(1) << (t->bits - 1) : 0;
    for (call_way way = CALL_BY_ALL; way < CALL_WAYS; way++) {
        run(&call, way, pointers, out);
        for (uint32_t i = 0; i < count_of(way); i++) {
            double a = decode(from, call_bits(in, bytes, i));
            mpfr_set_d(x, a, MPFR_RNDN);
            uint64_t want = call_is_skipped(way, i) ? 0
                            : isnan(a)              ? of_nan
                                                    : saturated(t, x, r->mode);
            if (call_bits(out, t->bits / 8, i) != want)
                fail_msg("%s from %s of %a: 0x%llx, should be 0x%llx", name, from->type, a,
                         (unsigned long long)call_bits(out, t->bits / 8, i),
                         (unsigned long long)want);
        }
    }
    mpfr_clear(x);
}

static void floats_to_integers(void **state) {
    (void)state;
    static const format *const sources[] = {&f16, &f32, &f64};
    static const rounding plain = {"", "", MPFR_RNDZ};
    for (int s = 0; s < 3; s++)
        for (size_t t = 0; t < sizeof integers / sizeof *integers; t++) {
            check_to_integer(sources[s], &integers[t], &plain, false);
            for (int r = 0; r < ROUNDINGS; r++)
                check_to_integer(sources[s], &integers[t], &roundings[r], true);
        }
}

/* Whole numbers that stay floats. */
static void check_whole(const char *name, const format *f, mpfr_rnd_t mode) {
    static uint64_t in[COUNT], out[COUNT];
    const void *const pointers[] = {in};
    kir_call call = {name, f->type, {f->type}, false};
    uint32_t bytes = call_bytes(f->type);
    uint64_t seed = (uint64_t)mode;
    for (uint32_t i = 0; i < COUNT; i++)
        call_put(in, bytes, i, operand_for_integer(f, &integers[4], &seed, i));
    call_run(&call, CALL_BY_ALL, COUNT, pointers, out);
    mpfr_t x;
    mpfr_init2(x, BITS);
    for (uint32_t i = 0; i < COUNT; i++) {
        double a = decode(f, call_bits(in, bytes, i)), got = decode(f, call_bits(out, bytes, i));
        mpfr_set_d(x, a, MPFR_RNDN);
        mpfr_rint(x, x, mode);
        if (!same(got, mpfr_get_d(x, MPFR_RNDN)))
            fail_msg("%s of %a in %s: %a", name, a, f->type, got);
    }
    mpfr_clear(x);
}

static void floats_to_whole_floats(void **state) {
    (void)state;
    static const format *const types[] = {&f16, &f32, &f64};
    for (int t = 0; t < 3; t++) {
        check_whole("rint", types[t], MPFR_RNDN);
        check_whole("trunc", types[t], MPFR_RNDZ);
        check_whole("ceil", types[t], MPFR_RNDU);
        check_whole("floor", types[t], MPFR_RNDD);
    }
}

/* ---- eight bits ------------------------------------------------------------------- */

/* Everything too large, and infinity, is the greatest number. */
static double rounded_finite(const format *f, double a) {
    double most = f == &e4m3 ? 448 : 57344;
    mpfr_t x;
    mpfr_init2(x, BITS);
    mpfr_set_d(x, isfinite(a) ? a : 0, MPFR_RNDN);
    double result = rounded(f, x, MPFR_RNDN);
    mpfr_clear(x);
    if (isnan(a))
        return a;
    return isinf(a) || fabs(result) > most ? copysign(most, a) : isfinite(a) && a == 0 ? a : result;
}

static void check_pairs(const char *name, const format *f) {
    static uint32_t a[COUNT], b[COUNT];
    static uint16_t out[COUNT];
    const void *const pointers[] = {a, b};
    kir_call call = {name, "i16", {"f32", "f32"}, false};
    uint64_t seed = 5;
    for (uint32_t i = 0; i < COUNT; i++) {
        a[i] = (uint32_t)operand(&f32, f, &seed, i);
        b[i] = (uint32_t)operand(&f32, f, &seed, COUNT - i);
    }
    call_run(&call, CALL_BY_ALL, COUNT, pointers, out);
    for (uint32_t i = 0; i < COUNT; i++) {
        double high = rounded_finite(f, decode(&f32, a[i]));
        double low = rounded_finite(f, decode(&f32, b[i]));
        if (!same(decode(f, out[i] >> 8), high) || !same(decode(f, out[i] & 0xff), low))
            fail_msg("%s of %a, %a: 0x%04x", name, decode(&f32, a[i]), decode(&f32, b[i]), out[i]);
    }
}

/* All numbers of 8 bits, in either half. */
static void check_halves(const char *name, const format *f) {
    static uint16_t in[256];
    static uint32_t out[256];
    const void *const pointers[] = {in};
    kir_call call = {name, "i32", {"i16"}, false};
    for (uint32_t i = 0; i < 256; i++)
        in[i] = (uint16_t)(i << 8 | (255 - i));
    call_run(&call, CALL_BY_ALL, 256, pointers, out);
    for (uint32_t i = 0; i < 256; i++)
        if (!same(decode(&f16, out[i] >> 16), decode(f, i)) ||
            !same(decode(&f16, out[i] & 0xffff), decode(f, 255 - i)))
            fail_msg("%s of 0x%04x: 0x%08x", name, in[i], out[i]);
}

static void floats_of_eight_bits(void **state) {
    (void)state;
    check_pairs("float2_to_e4m3x2", &e4m3);
    check_pairs("float2_to_e5m2x2", &e5m2);
    check_halves("e4m3x2_to_half2", &e4m3);
    check_halves("e5m2x2_to_half2", &e5m2);
}

/* ---- arithmetic ------------------------------------------------------------------- */

/* x0 with x1 and x2, without error as far as rounding can tell. */
typedef void operation(mpfr_t to, mpfr_t *x);

static void add(mpfr_t to, mpfr_t *x) { mpfr_add(to, x[0], x[1], MPFR_RNDN); }
static void sub(mpfr_t to, mpfr_t *x) { mpfr_sub(to, x[0], x[1], MPFR_RNDN); }
static void mul(mpfr_t to, mpfr_t *x) { mpfr_mul(to, x[0], x[1], MPFR_RNDN); }
static void quotient(mpfr_t to, mpfr_t *x) { mpfr_div(to, x[0], x[1], MPFR_RNDN); }
static void multiply_add(mpfr_t to, mpfr_t *x) { mpfr_fma(to, x[0], x[1], x[2], MPFR_RNDN); }
static void root(mpfr_t to, mpfr_t *x) { mpfr_sqrt(to, x[0], MPFR_RNDN); }

/* A sum of numbers so far apart that all digits were too many keeps more than any format asks
 * for; whether it is exactly in the middle, the zeros and the tail tell. */
enum { SUM_BITS = 4400 };

static void check_operation(const char *name, bool is_instruction, const format *f, uint32_t arity,
                            operation *operate, mpfr_rnd_t mode) {
    static uint64_t in[3][COUNT], out[COUNT];
    const void *const pointers[] = {in[0], in[1], in[2]};
    kir_call call = {name, f->type, {f->type}, is_instruction};
    uint32_t bytes = call_bytes(f->type);
    uint64_t seed = arity + (uint64_t)mode;
    for (uint32_t n = 0; n < arity; n++)
        call.args[n] = f->type;
    for (uint32_t i = 0; i < COUNT; i++) {
        uint64_t same_size = operand(f, f, &seed, i + 100);
        for (uint32_t n = 0; n < arity; n++) /* special with special, then of any, and near size */
            call_put(in[n], bytes, i,
                     i < 196 ? operand(f, f, &seed, n == 0 ? i / 14 : i % 14)
                     : i % 3
                         ? operand(f, f, &seed, i + 100)
                         : same_size ^ (call_random(&seed) & ((UINT64_C(1) << f->precision) - 1)));
    }
    call_run(&call, CALL_BY_ALL, COUNT, pointers, out);
    mpfr_t x[3], result;
    for (int n = 0; n < 3; n++)
        mpfr_init2(x[n], BITS);
    mpfr_init2(result, SUM_BITS);
    for (uint32_t i = 0; i < COUNT; i++) {
        double a[3] = {0};
        for (uint32_t n = 0; n < arity; n++) {
            a[n] = decode(f, call_bits(in[n], bytes, i));
            mpfr_set_d(x[n], a[n], MPFR_RNDN);
        }
        operate(result, x);
        double want = rounded(f, result, mode), got = decode(f, call_bits(out, bytes, i));
        bool zero_of_sum = want == 0 && got == 0 && mode == MPFR_RNDD; /* its sign is -, MPFR's + */
        if (!same(got, want) && !zero_of_sum)
            fail_msg("%s of %a, %a, %a in %s: %a, should be %a", name, a[0], a[1], a[2], f->name,
                     got, want);
    }
    for (int n = 0; n < 3; n++)
        mpfr_clear(x[n]);
    mpfr_clear(result);
}

static void arithmetic(void **state) {
    (void)state;
    static const struct {
        const char *instruction, *call;
        uint32_t arity;
        operation *operate;
    } operations[] = {{"fadd", "add", 2, add},        {"fsub", "sub", 2, sub},
                      {"fmul", "mul", 2, mul},        {"fdiv", "div", 2, quotient},
                      {NULL, "fma", 3, multiply_add}, {NULL, "sqrt", 1, root}};
    static const format *const types[] = {&f16, &f32, &f64};
    for (size_t o = 0; o < sizeof operations / sizeof *operations; o++)
        for (int t = 0; t < 3; t++) {
            const char *plain = operations[o].instruction;
            check_operation(plain ? plain : operations[o].call, plain != NULL, types[t],
                            operations[o].arity, operations[o].operate, MPFR_RNDN);
            for (int r = 1; r < ROUNDINGS && t > 0; r++) {
                char name[16];
                snprintf(name, sizeof name, "%s%s", operations[o].call, roundings[r].short_suffix);
                check_operation(name, false, types[t], operations[o].arity, operations[o].operate,
                                roundings[r].mode);
            }
        }
    check_operation("bf16_add", false, &bf16, 2, add, MPFR_RNDN);
    check_operation("bf16_sub", false, &bf16, 2, sub, MPFR_RNDN);
    check_operation("bf16_mul", false, &bf16, 2, mul, MPFR_RNDN);
    check_operation("bf16_fma", false, &bf16, 3, multiply_add, MPFR_RNDN);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(floats_to_floats),
        cmocka_unit_test(floats_to_tf32),
        cmocka_unit_test(integers_to_floats),
        cmocka_unit_test(floats_to_integers),
        cmocka_unit_test(floats_to_whole_floats),
        cmocka_unit_test(floats_of_eight_bits),
        cmocka_unit_test(arithmetic),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
