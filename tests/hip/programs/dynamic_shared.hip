// Local memory whose size the launch gives, by the older macro and as C++ has it.
#include "check.h"

struct event {
    int bin;
    float weight;
    long long time;
};

__global__ void histogram(const event *e, float *bins, int count, int n) {
    HIP_DYNAMIC_SHARED(float, own)
    for (int b = threadIdx.x; b < count; b += blockDim.x)
        own[b] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        atomicAdd(&own[e[i].bin], e[i].weight);
    __syncthreads();
    for (int b = threadIdx.x; b < count; b += blockDim.x)
        atomicAdd(&bins[b], own[b]);
}

int main() {
    const int n = 8192, count = 64;
    event *host = new event[n], *e;
    float *bins;
    for (int i = 0; i < n; i++)
        host[i] = {i * 7 % count, 0.5f, i};
    HIP_CHECK(hipMalloc(&e, n * sizeof(event)));
    HIP_CHECK(hipMalloc(&bins, count * sizeof(float)));
    HIP_CHECK(hipMemcpy(e, host, n * sizeof(event), hipMemcpyHostToDevice));
    HIP_CHECK(hipMemset(bins, 0, count * sizeof(float)));
    hipLaunchKernelGGL(histogram, dim3(4), dim3(256), count * sizeof(float), 0, e, bins, count, n);
    HIP_CHECK(hipDeviceSynchronize());
    HIP_CHECK(hipFree(e));
    HIP_CHECK(hipFree(bins));
    delete[] host;
}
