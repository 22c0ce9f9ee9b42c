// Copies to and fro, and a launch that does not fill its last block.
#include "check.h"

__global__ void add(float *sum, const float *a, const float *b, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        sum[i] = a[i] + b[i];
}

int main() {
    const int n = 1000;
    static float a[n], b[n], sum[n];
    for (int i = 0; i < n; i++)
        a[i] = i, b[i] = 0.5f * i;
    float *da, *db, *dsum;
    CUDA(cudaMalloc(&da, sizeof a));
    CUDA(cudaMalloc(&db, sizeof b));
    CUDA(cudaMalloc(&dsum, sizeof sum));
    CUDA(cudaMemcpy(da, a, sizeof a, cudaMemcpyHostToDevice));
    CUDA(cudaMemcpy(db, b, sizeof b, cudaMemcpyHostToDevice));
    add<<<(n + 127) / 128, 128>>>(dsum, da, db, n);
    CUDA(cudaGetLastError());
    CUDA(cudaMemcpy(sum, dsum, sizeof sum, cudaMemcpyDeviceToHost));
    for (int i = 0; i < n; i++)
        CHECK(sum[i] == 1.5f * i);
    CUDA(cudaFree(da));
    CUDA(cudaFree(db));
    CUDA(cudaFree(dsum));
    return DONE;
}
