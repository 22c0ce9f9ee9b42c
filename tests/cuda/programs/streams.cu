// Two streams that wait for each other by events, with asynchronous copies.
#include "check.h"

__global__ void scale(int *x, int factor) { x[threadIdx.x] *= factor; }
__global__ void sum(const int *x, const int *y, int *z) {
    z[threadIdx.x] = x[threadIdx.x] + y[threadIdx.x];
}

int main() {
    const int n = 256;
    int *host, *x, *y, *z;
    cudaStream_t a, b;
    cudaEvent_t begun, ready, ended;
    CUDA(cudaMallocHost(&host, 3 * n * sizeof(int)));
    CUDA(cudaMalloc(&x, n * sizeof(int)));
    CUDA(cudaMalloc(&y, n * sizeof(int)));
    CUDA(cudaMalloc(&z, n * sizeof(int)));
    CUDA(cudaStreamCreate(&a));
    CUDA(cudaStreamCreateWithFlags(&b, cudaStreamNonBlocking));
    CUDA(cudaEventCreate(&begun));
    CUDA(cudaEventCreateWithFlags(&ready, cudaEventDisableTiming));
    CUDA(cudaEventCreate(&ended));
    for (int i = 0; i < n; i++)
        host[i] = i, host[n + i] = 1000 - i;
    CUDA(cudaEventRecord(begun, a));
    CUDA(cudaMemcpyAsync(x, host, n * sizeof(int), cudaMemcpyHostToDevice, a));
    CUDA(cudaMemcpyAsync(y, host + n, n * sizeof(int), cudaMemcpyHostToDevice, b));
    scale<<<1, n, 0, b>>>(y, 2);
    CUDA(cudaEventRecord(ready, b));
    scale<<<1, n, 0, a>>>(x, 2);
    CUDA(cudaStreamWaitEvent(a, ready, 0));
    sum<<<1, n, 0, a>>>(x, y, z);
    CUDA(cudaMemcpyAsync(host + 2 * n, z, n * sizeof(int), cudaMemcpyDeviceToHost, a));
    CUDA(cudaEventRecord(ended, a));
    CUDA(cudaEventSynchronize(ended));
    for (int i = 0; i < n; i++)
        CHECK(host[2 * n + i] == 2000);
    float milliseconds = -1;
    CUDA(cudaEventElapsedTime(&milliseconds, begun, ended));
    CHECK(milliseconds > 0);
    CHECK(cudaEventElapsedTime(&milliseconds, begun, ready) == cudaErrorInvalidResourceHandle);
    CUDA(cudaStreamQuery(a));
    CUDA(cudaStreamDestroy(a));
    CUDA(cudaStreamDestroy(b));
    return DONE;
}
