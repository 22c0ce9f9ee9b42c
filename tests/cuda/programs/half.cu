// Half precision, single and in pairs, and bfloat16.
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include "check.h"

__global__ void halves(const float *x, float *y, int n) {
    int i = threadIdx.x;
    if (i >= n)
        return;
    __half h = __float2half(x[i]);
    __half2 pair = __halves2half2(h, __hneg(h));
    pair = __hfma2(pair, __float2half2_rn(2.0f), __float2half2_rn(1.0f));
    y[3 * i] = __low2float(pair);
    y[3 * i + 1] = __high2float(pair);
    __nv_bfloat16 b = __float2bfloat16(x[i]);
    y[3 * i + 2] = __bfloat162float(b);
}

int main() {
    const int n = 64;
    float x[n], y[3 * n], *dx, *dy;
    for (int i = 0; i < n; i++)
        x[i] = i + 0.25f;
    x[63] = 1.0f + 1.0f / 512; // between two of bfloat16's, as far from each: the even one
    CUDA(cudaMalloc(&dx, sizeof x));
    CUDA(cudaMalloc(&dy, sizeof y));
    CUDA(cudaMemcpy(dx, x, sizeof x, cudaMemcpyHostToDevice));
    halves<<<1, n>>>(dx, dy, n);
    CUDA(cudaMemcpy(y, dy, sizeof y, cudaMemcpyDeviceToHost));
    for (int i = 0; i < 63; i++) {
        CHECK(y[3 * i] == 2 * x[i] + 1);
        CHECK(y[3 * i + 1] == -2 * x[i] + 1);
        CHECK(i >= 32 || y[3 * i + 2] == x[i]);
    }
    CHECK(y[3 * 63 + 2] == 1.0f);
    return DONE;
}
