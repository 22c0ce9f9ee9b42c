// An assertion that does not hold: the error that the host sees, and that stays.
// faults
#include <cassert>

#include "check.h"

__global__ void check_positive(const int *x) { assert(x[threadIdx.x] > 0); }

int main() {
    int host[32], *x;
    for (int i = 0; i < 32; i++)
        host[i] = i + 1;
    CUDA(cudaMalloc(&x, sizeof host));
    CUDA(cudaMemcpy(x, host, sizeof host, cudaMemcpyHostToDevice));
    check_positive<<<1, 32>>>(x);
    CUDA(cudaDeviceSynchronize());
    host[9] = -1;
    CUDA(cudaMemcpy(x, host, sizeof host, cudaMemcpyHostToDevice));
    check_positive<<<1, 32>>>(x);
    CHECK(cudaDeviceSynchronize() == cudaErrorAssert);
    CHECK(cudaMalloc(&x, 4) == cudaErrorAssert);
    CHECK(cudaGetLastError() == cudaErrorAssert);
    return DONE;
}
