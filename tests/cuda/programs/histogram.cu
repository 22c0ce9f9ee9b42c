// Counts of bytes, in shared memory for each block and then together.
#include "check.h"

__global__ void count(const unsigned char *bytes, int n, unsigned *counts) {
    __shared__ unsigned own[256];
    own[threadIdx.x] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        atomicAdd(&own[bytes[i]], 1);
    __syncthreads();
    atomicAdd(&counts[threadIdx.x], own[threadIdx.x]);
}

int main() {
    const int n = 10007;
    static unsigned char host[n];
    unsigned got[256], wanted[256] = {}, *counts;
    unsigned char *bytes;
    for (int i = 0; i < n; i++)
        wanted[host[i] = i * i % 251]++;
    CUDA(cudaMalloc(&bytes, n));
    CUDA(cudaMalloc(&counts, sizeof got));
    CUDA(cudaMemset(counts, 0, sizeof got));
    CUDA(cudaMemcpy(bytes, host, n, cudaMemcpyHostToDevice));
    count<<<6, 256>>>(bytes, n, counts);
    CUDA(cudaMemcpy(got, counts, sizeof got, cudaMemcpyDeviceToHost));
    for (int i = 0; i < 256; i++)
        CHECK(got[i] == wanted[i]);
    return DONE;
}
