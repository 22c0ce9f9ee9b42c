/*
 * Complex numbers of a record, conjugated: after E2_Conjugation of the artifact SC26-Layout-AD
 * (github.com/ThrudPrimrose). In place the imaginary parts are read and written alone; -DCOPY: all goes to
 * another array. PARTS numbers to a record.
 */
#if PARTS == 1
#define FIELDS re0, im0
#define EACH(X) X(0)
#elif PARTS == 3
#define FIELDS re0, im0, re1, im1, re2, im2
#define EACH(X) X(0) X(1) X(2)
#elif PARTS == 6
#define FIELDS re0, im0, re1, im1, re2, im2, re3, im3, re4, im4, re5, im5
#define EACH(X) X(0) X(1) X(2) X(3) X(4) X(5)
#elif PARTS == 21
#define FIELDS re0, im0, re1, im1, re2, im2, re3, im3, re4, im4, re5, im5, re6, im6, re7, im7, re8, im8, re9, im9, re10, im10, re11, im11, re12, im12, re13, im13, re14, im14, re15, im15, re16, im16, re17, im17, re18, im18, re19, im19, re20, im20
#define EACH(X) X(0) X(1) X(2) X(3) X(4) X(5) X(6) X(7) X(8) X(9) X(10) X(11) X(12) X(13) X(14) X(15) X(16) X(17) X(18) X(19) X(20)
#endif

typedef struct numbers {
    double FIELDS;
} numbers;

#define NEGATE(p) z[i].im##p = -z[i].im##p;
#define CONJUGATE(p) out[i].re##p = z[i].re##p, out[i].im##p = -z[i].im##p;

#ifdef COPY
__kernel void conjugate(__global const numbers *restrict z, __global numbers *restrict out, int n) {
    int i = get_global_id(0);
    if (i >= n)
        return;
    EACH(CONJUGATE)
}
#else
__kernel void conjugate(__global numbers *z, __global numbers *out, int n) {
    int i = get_global_id(0);
    if (i >= n)
        return;
    EACH(NEGATE)
}
#endif
