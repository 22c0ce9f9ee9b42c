// An illegal address: every call returns the error until the device is reset.
// faults
#include "check.h"

__global__ void store(int *x, int n) { x[n] = 1; }

int main() {
    int *x;
    CUDA(cudaMalloc(&x, 100 * sizeof(int)));
    store<<<1, 1>>>(x, 99);
    CUDA(cudaDeviceSynchronize());
    store<<<1, 1>>>(x, 100);
    CHECK(cudaDeviceSynchronize() == cudaErrorIllegalAddress);
    CHECK(cudaGetLastError() == cudaErrorIllegalAddress);
    CHECK(cudaFree(x) == cudaErrorIllegalAddress);
    store<<<1, 1>>>(x, 0);
    CHECK(cudaGetLastError() == cudaErrorIllegalAddress);
    CUDA(cudaDeviceReset());
    cudaGetLastError();
    CUDA(cudaMalloc(&x, 100 * sizeof(int)));
    store<<<1, 1>>>(x, 99);
    CUDA(cudaDeviceSynchronize());
    return DONE;
}
