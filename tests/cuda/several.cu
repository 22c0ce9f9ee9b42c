// expect: out int 100 = int(i * (i + 1) / 2)
//
// A prefix sum by three kernels of one file, one after the other.
#include <cuda_runtime.h>
#include <cstdint>
#include <cstdio>
#include <vector>

enum { BLOCK = 32 };

static __device__ int scan_warp(int x) {
    int lane = threadIdx.x % 32;
    for (int d = 1; d < 32; d *= 2) {
        int y = __shfl_up_sync(0xffffffff, x, d);
        if (lane >= d)
            x += y;
    }
    return x;
}

__global__ void scan_blocks(const int32_t *in, int *out, int *sums, int n) {
    int i = blockIdx.x * BLOCK + threadIdx.x;
    int x = scan_warp(i < n ? in[i] : 0);
    if (i < n)
        out[i] = x;
    if (threadIdx.x == BLOCK - 1)
        sums[blockIdx.x] = x;
}

__global__ void scan_sums(int *sums, int blocks) {
    int x = scan_warp(threadIdx.x < blocks ? sums[threadIdx.x] : 0);
    if (threadIdx.x < blocks)
        sums[threadIdx.x] = x;
}

__global__ void add_sums(int *out, const int *sums, int n) {
    int i = blockIdx.x * BLOCK + threadIdx.x;
    if (blockIdx.x > 0 && i < n)
        out[i] += sums[blockIdx.x - 1];
}

// What a program would do; Heddle's job says the same.
static void check(cudaError_t error) {
    if (error != cudaSuccess) {
        fprintf(stderr, "%s\n", cudaGetErrorString(error));
        exit(1);
    }
}

int main() {
    const int n = 100, blocks = (n + BLOCK - 1) / BLOCK;
    std::vector<int> host(n);
    int *in, *out, *sums;
    for (int i = 0; i < n; i++)
        host[i] = i;
    check(cudaMalloc(&in, n * sizeof *in));
    check(cudaMalloc(&out, n * sizeof *out));
    check(cudaMalloc(&sums, blocks * sizeof *sums));
    check(cudaMemcpy(in, host.data(), n * sizeof *in, cudaMemcpyHostToDevice));
    scan_blocks<<<blocks, BLOCK>>>(in, out, sums, n);
    scan_sums<<<1, BLOCK>>>(sums, blocks);
    add_sums<<<dim3(blocks), dim3(BLOCK), 0, 0>>>(out, sums, n);
    check(cudaGetLastError());
    check(cudaMemcpy(host.data(), out, n * sizeof *out, cudaMemcpyDeviceToHost));
    for (int i = 0; i < n; i++)
        printf("%d\n", host[i]);
    cudaFree(in);
    cudaFree(out);
    cudaFree(sums);
    return 0;
}
