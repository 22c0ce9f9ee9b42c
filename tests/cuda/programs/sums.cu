// Running sums: of a block by shuffles and shared memory, and of all blocks in three launches.
#include "check.h"

__device__ int sum_to_here(int value) {
    __shared__ int of_warps[32];
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    for (int step = 1; step < 32; step *= 2) {
        int before = __shfl_up_sync(~0u, value, step);
        if (lane >= step)
            value += before;
    }
    if (lane == 31)
        of_warps[warp] = value;
    __syncthreads();
    for (int w = 0; w < warp; w++)
        value += of_warps[w];
    return value;
}

__global__ void blocks(int *x, int *sums, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int sum = sum_to_here(i < n ? x[i] : 0);
    if (i < n)
        x[i] = sum;
    if (sums && threadIdx.x == blockDim.x - 1)
        sums[blockIdx.x] = sum;
}

__global__ void add(int *x, const int *sums, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && blockIdx.x)
        x[i] += sums[blockIdx.x - 1];
}

int main() {
    const int n = 5000, size = 256, count = (n + size - 1) / size;
    static int host[n];
    int *x, *sums;
    for (int i = 0; i < n; i++)
        host[i] = i % 11;
    CUDA(cudaMalloc(&x, sizeof host));
    CUDA(cudaMalloc(&sums, count * sizeof(int)));
    CUDA(cudaMemcpy(x, host, sizeof host, cudaMemcpyHostToDevice));
    blocks<<<count, size>>>(x, sums, n);
    blocks<<<1, size>>>(sums, nullptr, count);
    add<<<count, size>>>(x, sums, n);
    CUDA(cudaMemcpy(host, x, sizeof host, cudaMemcpyDeviceToHost));
    for (int i = 0, sum = 0; i < n; i++)
        CHECK(host[i] == (sum += i % 11));
    return DONE;
}
