// Reductions of a warp by shuffles, as every program has them.
//: headers both
//: run k 32: 496 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31
template <typename T> __inline__ __device__ T warp_sum(T v) {
#pragma unroll
    for (int d = warpSize / 2; d > 0; d >>= 1)
        v += __shfl_down_sync(0xffffffff, v, d);
    return v;
}
__global__ void k(float *o) {
    float sum = warp_sum(o[threadIdx.x]);
    if (threadIdx.x % warpSize == 0)
        o[0] = sum;
}
