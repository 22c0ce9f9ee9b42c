// alone
// toolkit
// faults
// options: -rdc=true -lcudadevrt
// A kernel that was launched by a kernel goes beyond its memory.
#include "check.h"

__global__ void store(int *x, int n) { x[n + threadIdx.x] = 1; }
__global__ void launcher(int *x, int n) {
    if (blockIdx.x == 2 && threadIdx.x == 3)
        store<<<1, 1>>>(x, n);
}

int main() {
    int *x;
    CUDA(cudaMalloc(&x, 100 * sizeof(int)));
    launcher<<<4, 32>>>(x, 50);
    CUDA(cudaDeviceSynchronize());
    launcher<<<4, 32>>>(x, 100);
    CHECK(cudaDeviceSynchronize() == cudaErrorIllegalAddress);
    return DONE;
}
