/*
 * Floats of 16, 32 and 64 bits as long double, and rounding to them by its definition, in each
 * direction: 'n' to the nearest, of two to the even one, 'z' towards zero, 'm' down, 'p' up.
 */
#ifndef HD_TESTS_ORACLE_FLOATS_H
#define HD_TESTS_ORACLE_FLOATS_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

typedef long double real;

typedef struct float_type {
    const char *name;
    uint32_t bits;
    int digits, least; /* of the fraction with its 1; the least exponent of a normal number */
} float_type;
static const float_type floats[] = {
    {"f16", 16, 11, -14}, {"bf16", 16, 8, -126}, {"f32", 32, 24, -126}, {"f64", 64, 53, -1022}};
enum { FLOATS = sizeof floats / sizeof *floats, F16 = 0, BF16 = 1, F32 = 2, F64 = 3 };

static inline real whole(real x, char mode) {
    return mode == 'n' ? rintl(x) : mode == 'z' ? truncl(x) : mode == 'm' ? floorl(x) : ceill(x);
}

/* The nearest number of the type, or the next one in the direction. */
static inline real rounded(const float_type *t, real x, char mode) {
    int exponent;
    const int most = 1 - t->least;
    if (!isfinite(x) || x == 0)
        return x;
    frexpl(x, &exponent); /* x is below 2^exponent */
    int last = (exponent - 1 < t->least ? t->least : exponent - 1) - t->digits + 1;
    real size = ldexpl(whole(ldexpl(x, -last), mode), last);
    if (fabsl(size) < ldexpl(1, most + 1))
        return copysignl(size, x);
    const bool stays = mode == 'z' || mode == (x < 0 ? 'p' : 'm');
    return copysignl(stays ? ldexpl(2 - ldexpl(1, 1 - t->digits), most) : (real)INFINITY, x);
}

/* Of a number that the type has; any NaN as one. */
static inline uint64_t bits_of_float(const float_type *t, real x) {
    const float single = (float)x;
    const double wide = (double)x;
    const _Float16 half = (_Float16)single;
    uint64_t bits = 0;
    if (isnan(x))
        return (UINT64_C(1) << (t->bits - 1)) - 1;
    if (t == &floats[F16])
        memcpy(&bits, &half, 2);
    else if (t == &floats[F64])
        memcpy(&bits, &wide, 8);
    else
        memcpy(&bits, &single, 4);
    return t == &floats[BF16] ? bits >> 16 : bits;
}

static inline real float_of(const float_type *t, uint64_t bits) {
    float single;
    double wide;
    _Float16 half;
    uint32_t low = (uint32_t)(t == &floats[BF16] ? bits << 16 : bits);
    memcpy(&single, &low, 4), memcpy(&wide, &bits, 8), memcpy(&half, &bits, 2);
    return t == &floats[F16] ? (real)half : t == &floats[F64] ? (real)wide : (real)single;
}

#endif
