/*
 * Functions of OpenCL C that the C library lacks, or that end otherwise at the
 * edges. They are written for double; a float's result is the double's, rounded,
 * except where the number of bits itself matters.
 */
#include "machine/math_scalar.h"

#include <limits.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/* ---- circles in units of pi ------------------------------------------------------- */

/* x >= 0 as quarter + part: a whole number of halves (modulo 4) and a rest in [-1/4, 1/4];
 * both are exact, so that only the rest is multiplied by pi. */
static int split_turn(double x, double *part) {
    double turn = x - 2 * floor(x / 2); /* in [0, 2) */
    double halves = rint(2 * turn);
    *part = turn - halves / 2;
    return (int)halves & 3;
}

double vm_sinpi(double x) {
    double part;
    if (!isfinite(x))
        return x - x;
    if (x == 0)
        return x;
    int quarter = split_turn(fabs(x), &part);
    double angle = M_PI * part;
    double value = quarter & 1 ? cos(angle) : sin(angle);
    if (value == 0) /* a whole number */
        return copysign(0, x);
    value = quarter >= 2 ? -value : value;
    return x < 0 ? -value : value;
}

double vm_cospi(double x) {
    double part;
    if (!isfinite(x))
        return x - x;
    int quarter = split_turn(fabs(x), &part);
    double angle = M_PI * part;
    double value = quarter & 1 ? sin(angle) : cos(angle);
    if (value == 0)
        return 0;
    return quarter == 1 || quarter == 2 ? -value : value;
}

/* At odd halves it is an infinity, at whole numbers a zero; odd whole ones change its sign. */
double vm_tanpi(double x) {
    double part;
    if (!isfinite(x))
        return x - x;
    int quarter = split_turn(fabs(x), &part);
    double value;
    if (part == 0)
        value = quarter & 1 ? INFINITY : 0;
    else
        value = quarter & 1 ? -1 / tan(M_PI * part) : tan(M_PI * part);
    if (part == 0 && quarter >= 2)
        value = -value;
    return signbit(x) ? -value : value;
}

double vm_asinpi(double x) { return asin(x) / M_PI; }
double vm_acospi(double x) { return acos(x) / M_PI; }
double vm_atanpi(double x) { return atan(x) / M_PI; }
double vm_atan2pi(double y, double x) { return atan2(y, x) / M_PI; }

/* ---- roots and powers ------------------------------------------------------------- */

/* The C library's own is off by up to 4 ulp. */
double vm_cbrt(double x) { return (double)cbrtl(x); }
double vm_pown(double x, int n) { return pow(x, n); }

/* The exponent 1/n is no double, and its error counts as often as x has bits before the
 * point: a long double has enough to spare. */
double vm_rootn(double x, int n) {
    bool odd = n & 1;
    if (n == 0 || isnan(x) || (x < 0 && !odd))
        return NAN;
    double size = (double)powl(fabsl((long double)x), 1 / (long double)n);
    return signbit(x) && odd ? -size : size;
}

/* x >= 0, and what C's pow() defines although its limit does not exist is none. */
double vm_powr(double x, double y) {
    if (isnan(x) || isnan(y) || x < 0)
        return NAN;
    if (y == 0 && (x == 0 || isinf(x)))
        return NAN;
    if (x == 1 && isinf(y))
        return NAN;
    return pow(fabs(x), y);
}

/* ---- greater and less ------------------------------------------------------------- */

/* A NaN gives way, a signalling one, too. */
double vm_maxmag(double x, double y) {
    if (fabs(x) != fabs(y))
        return fabs(x) > fabs(y) || isnan(y) ? x : y;
    return x > y ? x : y;
}

double vm_minmag(double x, double y) {
    if (fabs(x) != fabs(y))
        return fabs(x) < fabs(y) || isnan(y) ? x : y;
    return x < y ? x : y;
}

/* ---- parts of a number ------------------------------------------------------------ */

int vm_ilogb(double x) { return x == 0 ? INT_MIN : isfinite(x) ? ilogb(x) : INT_MAX; }
int vm_ilogbf(float x) { return vm_ilogb(x); }

float vm_lgammaf(float x) {
    int sign;
    return lgammaf_r(x, &sign);
}

double vm_lgamma(double x) {
    int sign;
    return lgamma_r(x, &sign);
}

float vm_fractf(float x, float *whole) {
    const float most = 0x1.fffffep-1f;
    *whole = floorf(x);
    if (isinf(x) || x == 0)
        return copysignf(0, x);
    return x - *whole > most ? most : x - *whole;
}

double vm_fract(double x, double *whole) {
    const double most = 0x1.fffffffffffffp-1;
    *whole = floor(x);
    if (isinf(x) || x == 0)
        return copysign(0, x);
    return x - *whole > most ? most : x - *whole;
}

float vm_fract_half(float x, float *whole) {
    float part = vm_fractf(x, whole);
    return part > 0x1.ffcp-1f ? 0x1.ffcp-1f : part;
}

float vm_sincosf(float x, float *cosine) {
    float sine;
    sincosf(x, &sine, cosine);
    return sine;
}

double vm_sincos(double x, double *cosine) {
    double sine;
    sincos(x, &sine, cosine);
    return sine;
}

float vm_next_half(float x, float y) {
    _Float16 half = (_Float16)x;
    uint16_t bits;
    memcpy(&bits, &half, 2);
    if (isnan(x) || isnan(y))
        return x + y;
    if (x == y)
        return y;
    if (x == 0)
        return copysignf(0x1p-24f, y);
    bits = (uint16_t)(bits + ((x < y) == (x > 0) ? 1 : -1));
    memcpy(&half, &bits, 2);
    return (float)half;
}

/* ---- remainders ------------------------------------------------------------------- */

/* The C library keeps three bits of the quotient. What is left of x after whole 128 times y
 * has the same low seven bits; they come off one by one, each step exact. Where 128 y is
 * beyond all numbers, x is not. */
double vm_remquo(double x, double y, int *quotient) {
    *quotient = 0;
    double rest = fabs(x), size = fabs(y);
    if (!isfinite(x) || isnan(y) || y == 0)
        return NAN;
    if (isinf(y))
        return x;
    if (isfinite(128 * size))
        rest = fmod(rest, 128 * size);
    int bits = 0;
    for (int bit = 64; bit; bit /= 2)
        if (bit * size <= rest) {
            rest -= bit * size;
            bits += bit;
        }
    if (rest > size - rest || (rest == size - rest && bits & 1)) {
        rest -= size;
        bits++;
    }
    bool negative = signbit(x) != signbit(y);
    *quotient = negative ? -(bits & 127) : bits & 127;
    return signbit(x) ? -rest : rest;
}

/* Every step of the double's is exact for floats. */
float vm_remquof(float x, float y, int *quotient) { return (float)vm_remquo(x, y, quotient); }
