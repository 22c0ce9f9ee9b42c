// flags: -g 256 --local 64 -n 4096 -a n=256
// accesses: 4
// access: 13 load m.col 4 16 if 64*group(0) + local(0) + 256*k0
// access: 13 load m.val 8 16 if 64*group(0) + local(0) + 256*k0
// access: 14 load x 8 16 if indirect through m at line 13
// rewrites: aosoa:32
typedef struct { int col; double val; } ell;
__kernel void spmv_ell(__global const ell *restrict m, __global const double *restrict x, __global double *restrict y, const uint n) {
    const uint row = get_global_id(0);
    if (row >= n) return;
    double s = 0.0;
    for (uint k = 0; k < 16u; ++k) {
        const ell e = m[k * n + row];
        if (e.col >= 0) s = fma(e.val, x[e.col], s);
    }
    y[row] = s;
}
