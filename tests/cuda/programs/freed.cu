// Memory that is used after it was freed.
// faults
#include "check.h"

__global__ void store(int *x) { x[threadIdx.x] = 1; }

int main() {
    int *x;
    CUDA(cudaMalloc(&x, 4096));
    store<<<1, 32>>>(x);
    CUDA(cudaDeviceSynchronize());
    CUDA(cudaFree(x));
    CHECK(cudaFree(x) == cudaErrorInvalidValue);
    cudaGetLastError();
    store<<<1, 32>>>(x);
    CHECK(cudaDeviceSynchronize() == cudaErrorIllegalAddress);
    return DONE;
}
