// HIP's own style: a macro launches, names of threads begin with hip.
#include "check.h"

struct sample {
    float x, y, weight;
    int flags;
};

__global__ void saxpy(sample *s, float a, size_t n) {
    size_t offset = hipBlockIdx_x * hipBlockDim_x + hipThreadIdx_x;
    size_t stride = hipBlockDim_x * hipGridDim_x;
    for (size_t i = offset; i < n; i += stride)
        s[i].y = a * s[i].x + s[i].y;
}

int main() {
    const size_t n = 4096;
    sample *host = (sample *)malloc(n * sizeof(sample)), *device;
    for (size_t i = 0; i < n; i++)
        host[i] = {1.5f, 2.0f, 0.25f, 0};
    HIP_CHECK(hipMalloc(&device, n * sizeof(sample)));
    HIP_CHECK(hipMemcpy(device, host, n * sizeof(sample), hipMemcpyHostToDevice));
    hipLaunchKernelGGL(saxpy, dim3(8), dim3(256), 0, 0, device, 2.0f, n);
    HIP_CHECK(hipGetLastError());
    HIP_CHECK(hipMemcpy(host, device, n * sizeof(sample), hipMemcpyDeviceToHost));
    HIP_CHECK(hipFree(device));
    free(host);
}
