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
double vm_sinpi(double x), vm_cospi(double x), vm_tanpi(double x);
double vm_asinpi(double x), vm_acospi(double x), vm_atanpi(double x);
double vm_atan2pi(double y, double x);
double vm_cbrt(double x);
double vm_pown(double x, int n), vm_rootn(double x, int n), vm_powr(double x, double y);
double vm_maxmag(double x, double y), vm_minmag(double x, double y);
int vm_ilogbf(float x), vm_ilogb(double x); /* of NaN and infinity: the greatest integer */
float vm_lgammaf(float x);                  /* without C's global sign */
double vm_lgamma(double x);
/* x - floor(x), less than 1; *whole is the floor. */
float vm_fractf(float x, float *whole), vm_fract_half(float x, float *whole);
double vm_fract(double x, double *whole);
/* The sine; *cosine is the other. */
float vm_sincosf(float x, float *cosine);
double vm_sincos(double x, double *cosine);
/* The remainder; the low seven bits of the quotient's size, with its sign. */
float vm_remquof(float x, float y, int *quotient);
double vm_remquo(double x, double y, int *quotient);
/* Of a half, next to x towards y; both as floats. */
float vm_next_half(float x, float y);

/* ---- math_special.c: of CUDA C ---------------------------------------------------- */

double vm_erfinv(double x), vm_erfcinv(double x), vm_erfcx(double x);
double vm_normcdf(double x), vm_normcdfinv(double x);
double vm_cyl_bessel_i0(double x), vm_cyl_bessel_i1(double x);
double vm_rcbrt(double x), vm_rhypot(double x, double y);
double vm_norm3d(double x, double y, double z), vm_rnorm3d(double x, double y, double z);
double vm_norm4d(double x, double y, double z, double w);
double vm_rnorm4d(double x, double y, double z, double w);

#endif
