// Kernels that are templates, launched by HIP_KERNEL_NAME and by brackets.
#include "check.h"

struct pixel {
    unsigned char r, g, b, a;
    float depth;
};

template <typename T, int SCALE> __global__ void brighten(pixel *p, T by, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        p[i].r = (unsigned char)(p[i].r + by * SCALE);
        p[i].depth += (float)by;
    }
}

template <int BLOCK> __global__ void nearest(const pixel *p, float *out, int n) {
    __shared__ float least[BLOCK];
    int i = blockIdx.x * BLOCK + threadIdx.x;
    least[threadIdx.x] = i < n ? p[i].depth : 1e30f;
    __syncthreads();
    for (int d = BLOCK / 2; d; d /= 2) {
        if (threadIdx.x < d)
            least[threadIdx.x] = fminf(least[threadIdx.x], least[threadIdx.x + d]);
        __syncthreads();
    }
    if (threadIdx.x == 0)
        out[blockIdx.x] = least[0];
}

int main() {
    constexpr int n = 4096, block = 128;
    pixel *host = new pixel[n], *p;
    float *out;
    for (int i = 0; i < n; i++)
        host[i] = {1, 2, 3, 4, (float)(n - i)};
    HIP_CHECK(hipMalloc(&p, n * sizeof(pixel)));
    HIP_CHECK(hipMalloc(&out, n / block * sizeof(float)));
    HIP_CHECK(hipMemcpy(p, host, n * sizeof(pixel), hipMemcpyHostToDevice));
    hipLaunchKernelGGL(HIP_KERNEL_NAME(brighten<int, 2>), dim3(n / block), dim3(block), 0, 0, p, 3, n);
    nearest<block><<<dim3(n / block), block>>>(p, out, n);
    HIP_CHECK(hipMemcpy(host, p, n * sizeof(pixel), hipMemcpyDeviceToHost));
    HIP_CHECK(hipFree(p));
    HIP_CHECK(hipFree(out));
    delete[] host;
}
