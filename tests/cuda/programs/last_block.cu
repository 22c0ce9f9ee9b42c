// The last block that is done adds up what all have written: fences and a counter.
#include "check.h"

__device__ unsigned done;

__global__ void sum(const int *x, int n, volatile int *parts, int *result) {
    __shared__ int own;
    __shared__ bool is_last;
    if (threadIdx.x == 0)
        own = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        atomicAdd(&own, x[i]);
    __syncthreads();
    if (threadIdx.x == 0) {
        parts[blockIdx.x] = own;
        __threadfence();
        is_last = atomicInc(&done, gridDim.x) == gridDim.x - 1;
    }
    __syncthreads();
    if (is_last && threadIdx.x == 0) {
        int all = 0;
        for (int b = 0; b < gridDim.x; b++)
            all += parts[b];
        *result = all;
    }
}

int main() {
    const int n = 3000, blocks = 10;
    static int host[n];
    int *x, *parts, *result, got;
    for (int i = 0; i < n; i++)
        host[i] = i;
    CUDA(cudaMalloc(&x, sizeof host));
    CUDA(cudaMalloc(&parts, blocks * sizeof(int)));
    CUDA(cudaMalloc(&result, sizeof(int)));
    CUDA(cudaMemcpy(x, host, sizeof host, cudaMemcpyHostToDevice));
    sum<<<blocks, 128>>>(x, n, parts, result);
    CUDA(cudaMemcpy(&got, result, sizeof got, cudaMemcpyDeviceToHost));
    CHECK(got == n * (n - 1) / 2);
    return DONE;
}
