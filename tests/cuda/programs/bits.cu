// Instructions on bits and bytes, and integers of 64 bits.
#include "check.h"

__global__ void bits(const unsigned long long *x, unsigned long long *y) {
    unsigned long long v = x[threadIdx.x], *r = y + 12 * threadIdx.x;
    unsigned low = (unsigned)v, high = (unsigned)(v >> 32);
    r[0] = __popcll(v), r[1] = __clzll(v), r[2] = __ffsll(v), r[3] = __brevll(v);
    r[4] = __byte_perm(low, high, 0x3175), r[5] = __funnelshift_l(low, high, 13);
    r[6] = __umulhi(low, high), r[7] = __umul64hi(v, v), r[8] = v / (low | 1), r[9] = v % (low | 1);
    r[10] = (unsigned long long)((long long)v >> 7), r[11] = __sad((int)low, (int)high, 5u);
}

int main() {
    const int n = 32;
    unsigned long long x[n], y[12 * n], *dx, *dy;
    for (int i = 0; i < n; i++)
        x[i] = 0x9e3779b97f4a7c15ull * (i + 1) >> i;
    CUDA(cudaMalloc(&dx, sizeof x));
    CUDA(cudaMalloc(&dy, sizeof y));
    CUDA(cudaMemcpy(dx, x, sizeof x, cudaMemcpyHostToDevice));
    bits<<<1, n>>>(dx, dy);
    CUDA(cudaMemcpy(y, dy, sizeof y, cudaMemcpyDeviceToHost));
    for (int i = 0; i < n; i++) {
        unsigned long long v = x[i], *r = y + 12 * i, reversed = 0;
        unsigned low = (unsigned)v, high = (unsigned)(v >> 32);
        for (int b = 0; b < 64; b++)
            reversed |= (v >> b & 1) << (63 - b);
        CHECK(r[0] == (unsigned)__builtin_popcountll(v) && r[1] == (unsigned)__builtin_clzll(v));
        CHECK(r[2] == (unsigned)__builtin_ffsll(v) && r[3] == reversed);
        CHECK(r[4] == ((high >> 8 & 255) | (high >> 24 << 8) | (low >> 8 & 255) << 16 | low >> 24 << 24));
        CHECK(r[5] == (unsigned)((v << 13) >> 32));
        CHECK(r[6] == (unsigned)((unsigned long long)low * high >> 32));
        CHECK(r[7] == (unsigned long long)((unsigned __int128)v * v >> 64));
        CHECK(r[8] == v / (low | 1) && r[9] == v % (low | 1));
        CHECK(r[10] == (unsigned long long)((long long)v >> 7));
        long long apart = (long long)(int)low - (int)high;
        CHECK((unsigned)r[11] == (unsigned)((apart < 0 ? -apart : apart) + 5));
    }
    return DONE;
}
