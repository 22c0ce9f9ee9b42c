/*
 * Complex numbers of a record, conjugated: after E2_Conjugation of the artifact SC26-Layout-AD
 * (github.com/ThrudPrimrose). In place the imaginary parts are read and written alone; -DCOPY: all goes to
 * another array. PARTS numbers to a record.
 */
typedef struct numbers {
    double re0, im0;
#if PARTS > 1
    double re1, im1, re2, im2;
#endif
#if PARTS > 3
    double re3, im3, re4, im4, re5, im5;
#endif
#if PARTS > 6
    double re6, im6, re7, im7, re8, im8, re9, im9, re10, im10, re11, im11, re12, im12, re13, im13, re14, im14, re15, im15, re16, im16, re17, im17, re18, im18, re19, im19, re20, im20;
#endif
} numbers;

__kernel void conjugate(__global numbers *restrict z, __global numbers *restrict out, int n) {
    int i = get_global_id(0);
    if (i >= n)
        return;
#ifdef COPY
    out[i].re0 = z[i].re0;
    out[i].im0 = -z[i].im0;
#if PARTS > 1
    out[i].re1 = z[i].re1;
    out[i].im1 = -z[i].im1;
    out[i].re2 = z[i].re2;
    out[i].im2 = -z[i].im2;
#endif
#if PARTS > 3
    out[i].re3 = z[i].re3;
    out[i].im3 = -z[i].im3;
    out[i].re4 = z[i].re4;
    out[i].im4 = -z[i].im4;
    out[i].re5 = z[i].re5;
    out[i].im5 = -z[i].im5;
#endif
#if PARTS > 6
    out[i].re6 = z[i].re6;
    out[i].im6 = -z[i].im6;
    out[i].re7 = z[i].re7;
    out[i].im7 = -z[i].im7;
    out[i].re8 = z[i].re8;
    out[i].im8 = -z[i].im8;
    out[i].re9 = z[i].re9;
    out[i].im9 = -z[i].im9;
    out[i].re10 = z[i].re10;
    out[i].im10 = -z[i].im10;
    out[i].re11 = z[i].re11;
    out[i].im11 = -z[i].im11;
    out[i].re12 = z[i].re12;
    out[i].im12 = -z[i].im12;
    out[i].re13 = z[i].re13;
    out[i].im13 = -z[i].im13;
    out[i].re14 = z[i].re14;
    out[i].im14 = -z[i].im14;
    out[i].re15 = z[i].re15;
    out[i].im15 = -z[i].im15;
    out[i].re16 = z[i].re16;
    out[i].im16 = -z[i].im16;
    out[i].re17 = z[i].re17;
    out[i].im17 = -z[i].im17;
    out[i].re18 = z[i].re18;
    out[i].im18 = -z[i].im18;
    out[i].re19 = z[i].re19;
    out[i].im19 = -z[i].im19;
    out[i].re20 = z[i].re20;
    out[i].im20 = -z[i].im20;
#endif
#else
    z[i].im0 = -z[i].im0;
#if PARTS > 1
    z[i].im1 = -z[i].im1;
    z[i].im2 = -z[i].im2;
#endif
#if PARTS > 3
    z[i].im3 = -z[i].im3;
    z[i].im4 = -z[i].im4;
    z[i].im5 = -z[i].im5;
#endif
#if PARTS > 6
    z[i].im6 = -z[i].im6;
    z[i].im7 = -z[i].im7;
    z[i].im8 = -z[i].im8;
    z[i].im9 = -z[i].im9;
    z[i].im10 = -z[i].im10;
    z[i].im11 = -z[i].im11;
    z[i].im12 = -z[i].im12;
    z[i].im13 = -z[i].im13;
    z[i].im14 = -z[i].im14;
    z[i].im15 = -z[i].im15;
    z[i].im16 = -z[i].im16;
    z[i].im17 = -z[i].im17;
    z[i].im18 = -z[i].im18;
    z[i].im19 = -z[i].im19;
    z[i].im20 = -z[i].im20;
#endif
#endif
}
