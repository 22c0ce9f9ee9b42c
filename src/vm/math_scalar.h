/*
 * Mathematics that the C library lacks or defines otherwise than OpenCL C and CUDA
 * do. Each function is of one number (or a few); those of doubles alone are used
 * for floats, too. Errors, in ulp of the result, are within what OpenCL's
 * specification allows; docs/builtins.md has the table.
 */
#ifndef HD_VM_MATH_SCALAR_H
#define HD_VM_MATH_SCALAR_H

/* ---- math_scalar.c: of OpenCL C --------------------------------------------------- */

/* x in units of pi, before or after; exact at halves and wholes. */
double hd_sinpi(double x), hd_cospi(double x), hd_tanpi(double x);
double hd_asinpi(double x), hd_acospi(double x), hd_atanpi(double x);
double hd_atan2pi(double y, double x);
double hd_cbrt(double x);
double hd_pown(double x, int n), hd_rootn(double x, int n), hd_powr(double x, double y);
double hd_maxmag(double x, double y), hd_minmag(double x, double y);
int hd_ilogbf(float x), hd_ilogb(double x); /* of NaN and infinity: the greatest integer */
float hd_lgammaf(float x);                  /* without C's global sign */
double hd_lgamma(double x);
/* x - floor(x), less than 1; *whole is the floor. */
float hd_fractf(float x, float *whole), hd_fract_half(float x, float *whole);
double hd_fract(double x, double *whole);
/* The sine; *cosine is the other. */
float hd_sincosf(float x, float *cosine);
double hd_sincos(double x, double *cosine);
/* The remainder; the low seven bits of the quotient's size, with its sign. */
float hd_remquof(float x, float y, int *quotient);
double hd_remquo(double x, double y, int *quotient);
/* Of a half, next to x towards y; both as floats. */
float hd_next_half(float x, float y);

/* ---- math_special.c: of CUDA C ---------------------------------------------------- */

double hd_erfinv(double x), hd_erfcinv(double x), hd_erfcx(double x);
double hd_normcdf(double x), hd_normcdfinv(double x);
double hd_cyl_bessel_i0(double x), hd_cyl_bessel_i1(double x);
double hd_rcbrt(double x), hd_rhypot(double x, double y);
double hd_norm3d(double x, double y, double z), hd_rnorm3d(double x, double y, double z);
double hd_norm4d(double x, double y, double z, double w);
double hd_rnorm4d(double x, double y, double z, double w);

#endif
