// Dynamic and static shared memory: a reduction, and more than 48 KiB that must be asked for.
#include "check.h"

__global__ void reduce(const int *x, int *sums, int n) {
    extern __shared__ int parts[];
    __shared__ int offset;
    if (threadIdx.x == 0)
        offset = 1;
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    parts[threadIdx.x] = i < n ? x[i] : 0;
    for (int half = blockDim.x / 2; half; half /= 2) {
        __syncthreads();
        if (threadIdx.x < half)
            parts[threadIdx.x] += parts[threadIdx.x + half];
    }
    if (threadIdx.x == 0)
        sums[blockIdx.x] = parts[0] + offset;
}

__global__ void reverse(int *x, int n) {
    extern __shared__ int whole[];
    for (int i = threadIdx.x; i < n; i += blockDim.x)
        whole[i] = x[i];
    __syncthreads();
    for (int i = threadIdx.x; i < n; i += blockDim.x)
        x[i] = whole[n - 1 - i];
}

int main() {
    const int n = 1000, blocks = 4, large = 20000; // 80000 bytes
    int *x, *sums, got[blocks];
    static int host[large];
    for (int i = 0; i < large; i++)
        host[i] = i;
    CUDA(cudaMalloc(&x, sizeof host));
    CUDA(cudaMalloc(&sums, sizeof got));
    CUDA(cudaMemcpy(x, host, sizeof host, cudaMemcpyHostToDevice));
    reduce<<<blocks, 256, 256 * sizeof(int)>>>(x, sums, n);
    CUDA(cudaMemcpy(got, sums, sizeof got, cudaMemcpyDeviceToHost));
    CHECK(got[0] + got[1] + got[2] + got[3] == n * (n - 1) / 2 + blocks);
    reverse<<<1, 256, sizeof host>>>(x, large);
    CHECK(cudaGetLastError() == cudaErrorInvalidValue);
    CUDA(cudaFuncSetAttribute(reverse, cudaFuncAttributeMaxDynamicSharedMemorySize, sizeof host));
    reverse<<<1, 256, sizeof host>>>(x, large);
    CUDA(cudaGetLastError());
    CUDA(cudaMemcpy(host, x, sizeof host, cudaMemcpyDeviceToHost));
    for (int i = 0; i < large; i++)
        CHECK(host[i] == large - 1 - i);
    return DONE;
}
