// Half precision: arithmetic, comparisons, conversions, pairs; each operation rounded once.
//: headers both
//: accesses fields: load p.y 2, load p.x 2, store p.x 2, load p.v 4, store p.v 4
//: run k 4: 2048 0.333251953 6 3
//: run pairs 4: 3 5 0 1
#include <cuda_fp16.h>
struct particle {
    half x, y;
    half2 v;
};
__global__ void fields(particle *p) {
    int i = threadIdx.x;
    p[i].x = p[i].x + p[i].y * __float2half(0.5f);
    p[i].v = __hadd2(p[i].v, p[i].v);
}
__global__ void k(half *o) {
    int i = threadIdx.x;
    half x = o[i], one = 1.0f;
    if (i == 0)
        x = __float2half(2048.0f) + one; /* a tie, to even */
    else if (i == 1)
        x = one / __int2half_rn(3);
    else if (__hgt(x, one) && x < half(3.0))
        x = __hfma(x, x, x);
    else
        x = __hmax(x, hsqrt(x)) - __habs(-one) + __ushort_as_half(0x3c00);
    o[i] = x;
}
__global__ void pairs(float *o) {
    half2 a = __floats2half2_rn(1.0f, 2.0f), b = __half2half2(__float2half(3.0f));
    half2 c = a * b; /* 3, 6 */
    half2 shuffled = __shfl_xor_sync(15, c, 1);
    float2 f = __half22float2(__hsub2(shuffled, a));
    float values[] = {__low2float(c), f.x + f.y - 1.0f, __hbgt2(a, b) ? 1.0f : 0.0f,
                      __half2float(__hmin(c.x, __float2half(1.0f)))};
    o[threadIdx.x] = values[threadIdx.x];
}
