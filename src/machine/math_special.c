/*
 * Functions of CUDA C beyond those of OpenCL C and of the C library. Most are the
 * sum, the root or the inverse of another one, found in long double and rounded
 * once.
 */
#include <math.h>

#include "machine/math_scalar.h"

static const long double two_by_root_pi = 1.128379167095512573896158903121545172L;
static const long double root_half = 0.707106781186547524400844362104849039L;

/* ---- the error function and its inverses ------------------------------------------ */

/* A first guess at the x > 0 with erfc(x) = y, 0 < y <= 1: Abramowitz and Stegun 26.2.23,
 * whose quantile of the normal distribution is off by 5e-4 at most. */
static long double guess_erfcinv(long double y) {
    long double t = sqrtl(-2 * logl(y / 2));
    long double above = 2.515517L + t * (0.802853L + t * 0.010328L);
    long double below = 1 + t * (1.432788L + t * (0.189269L + t * 0.001308L));
    return (t - above / below) * root_half;
}

/* Halley's method triples the digits with each step: three are enough. */
static long double inverse_erfc(long double y) {
    long double x = guess_erfcinv(y);
    for (int i = 0; i < 3; i++) {
        long double error = erfcl(x) - y;
        x += error / (two_by_root_pi * expl(-x * x) - x * error);
    }
    return x;
}

static long double inverse_erf(long double y) {
    long double x = y / two_by_root_pi;
    for (int i = 0; i < 4; i++) {
        long double error = erfl(x) - y;
        x -= error / (two_by_root_pi * expl(-x * x) + x * error);
    }
    return x;
}

static long double full_erfcinv(long double y) {
    if (isnan(y) || y < 0 || y > 2)
        return NAN;
    if (y == 0 || y == 2)
        return y == 0 ? INFINITY : -INFINITY;
    if (y >= 0.5L && y <= 1.5L) /* 1 - y is exact */
        return inverse_erf(1 - y);
    return y < 1 ? inverse_erfc(y) : -inverse_erfc(2 - y);
}

double vm_erfcinv(double x) { return (double)full_erfcinv(x); }

double vm_erfinv(double x) {
    if (isnan(x) || fabs(x) > 1)
        return NAN;
    if (x == 0)
        return x;
    if (fabs(x) == 1)
        return copysign(INFINITY, x);
    if (fabs(x) <= 0.5)
        return (double)inverse_erf(x);
    return copysign((double)inverse_erfc(1 - fabsl((long double)x)), x);
}

double vm_normcdf(double x) { return (double)(erfcl(-x * root_half) / 2); }
double vm_normcdfinv(double x) { return (double)(-full_erfcinv(2 * (long double)x) / root_half); }

/* exp(x * x) * erfc(x); far out the asymptotic series 1 - 1/2z + 3/4zz - ..., z = x * x. */
double vm_erfcx(double x) {
    long double wide = x, z = wide * wide;
    if (x < 25)
        return (double)(expl(z) * erfcl(wide));
    long double term = 1, sum = 1;
    for (int k = 1; k < 12; k++) {
        term *= -(2 * k - 1) / (2 * z);
        sum += term;
    }
    return (double)(sum * two_by_root_pi / (2 * wide));
}

/* ---- Bessel functions ------------------------------------------------------------- */

/* The sum of (x/2)^(2k+n) / (k! (k+n)!): all terms are positive. Beyond 2000 it is beyond
 * every double. */
static double modified_bessel(double x, int order) {
    if (isnan(x))
        return x;
    long double half = fabsl((long double)x) / 2;
    long double term = order ? half : 1, sum = term;
    if (half > 1000)
        sum = INFINITY;
    for (int k = 1; term > sum * 1e-21L && sum < INFINITY; k++) {
        term *= half / k * (half / (k + order));
        sum += term;
    }
    return order && signbit(x) ? -(double)sum : (double)sum;
}

double vm_cyl_bessel_i0(double x) { return modified_bessel(x, 0); }
double vm_cyl_bessel_i1(double x) { return modified_bessel(x, 1); }

/* ---- lengths ---------------------------------------------------------------------- */

static long double length(double x, double y, double z, double w) {
    if (isinf(x) || isinf(y) || isinf(z) || isinf(w))
        return INFINITY;
    long double a = x, b = y, c = z, d = w;
    return sqrtl(a * a + b * b + c * c + d * d);
}

double vm_rcbrt(double x) { return (double)(1 / cbrtl(x)); }
double vm_rhypot(double x, double y) { return (double)(1 / length(x, y, 0, 0)); }
double vm_norm3d(double x, double y, double z) { return (double)length(x, y, z, 0); }
double vm_rnorm3d(double x, double y, double z) { return (double)(1 / length(x, y, z, 0)); }
double vm_norm4d(double x, double y, double z, double w) { return (double)length(x, y, z, w); }
double vm_rnorm4d(double x, double y, double z, double w) {
    return (double)(1 / length(x, y, z, w));
}
