// Advice, prefetches and limits, which change nothing that a program can see.
#include "check.h"

__global__ void increment(int *x, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        x[i]++;
}

int main() {
    const int n = 1000;
    int *x, *plain;
    CUDA(cudaMallocManaged(&x, n * sizeof(int)));
    CUDA(cudaMalloc(&plain, n * sizeof(int)));
    for (int i = 0; i < n; i++)
        x[i] = i;
    cudaMemLocation device = {cudaMemLocationTypeDevice, 0}, host = {cudaMemLocationTypeHost, 0};
    CUDA(cudaMemAdvise(x, n * sizeof(int), cudaMemAdviseSetReadMostly, device));
    CUDA(cudaMemPrefetchAsync(x, n * sizeof(int), device, 0, 0));
    increment<<<4, 256>>>(x, n);
    CUDA(cudaMemPrefetchAsync(x, n * sizeof(int), host, 0, 0));
    CUDA(cudaDeviceSynchronize());
    for (int i = 0; i < n; i++)
        CHECK(x[i] == i + 1);
    CHECK(cudaMemPrefetchAsync(plain, 4, device, 0, 0) == cudaErrorInvalidValue);
    cudaGetLastError();
    size_t value;
    CUDA(cudaDeviceSetLimit(cudaLimitStackSize, 4096));
    CUDA(cudaDeviceGetLimit(&value, cudaLimitStackSize));
    CHECK(value == 4096);
    CUDA(cudaFuncSetCacheConfig(increment, cudaFuncCachePreferL1));
    CUDA(cudaDeviceSetCacheConfig(cudaFuncCachePreferShared));
    CUDA(cudaSetDeviceFlags(cudaDeviceScheduleYield));
    return DONE;
}
