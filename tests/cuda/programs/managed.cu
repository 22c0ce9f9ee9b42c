// Memory that host and kernels share: allocated, and a variable.
#include "check.h"

__managed__ int counter = 5;
__managed__ float shares[4] = {1, 2, 3, 4};

__global__ void count(int *x, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        x[i] += (int)shares[i % 4];
        atomicAdd(&counter, 1);
    }
}

int main() {
    const int n = 500;
    int *x;
    CHECK(counter == 5);
    shares[3] = 10;
    CUDA(cudaMallocManaged(&x, n * sizeof(int)));
    for (int i = 0; i < n; i++)
        x[i] = i;
    count<<<4, 128>>>(x, n);
    CUDA(cudaDeviceSynchronize());
    CHECK(counter == 5 + 4 * 125);
    for (int i = 0; i < n; i++)
        CHECK(x[i] == i + (i % 4 == 3 ? 10 : i % 4 + 1));
    cudaPointerAttributes attributes;
    CUDA(cudaPointerGetAttributes(&attributes, x));
    CHECK(attributes.type == cudaMemoryTypeManaged && attributes.hostPointer == x);
    CUDA(cudaFree(x));
    return DONE;
}
