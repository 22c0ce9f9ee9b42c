// Memory of a pool, allocated and freed in the order of a stream.
#include "check.h"

__global__ void count(int *x) { x[threadIdx.x] = threadIdx.x + 1; }

int main() {
    cudaStream_t stream;
    cudaMemPool_t pool;
    int *x, host[64];
    unsigned long long used, most, kept = 1 << 20;
    CUDA(cudaStreamCreate(&stream));
    CUDA(cudaDeviceGetDefaultMemPool(&pool, 0));
    CUDA(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &kept));
    for (int round = 0; round < 3; round++) {
        CUDA(cudaMallocAsync(&x, sizeof host, stream));
        count<<<1, 64, 0, stream>>>(x);
        CUDA(cudaMemcpyAsync(host, x, sizeof host, cudaMemcpyDeviceToHost, stream));
        CUDA(cudaFreeAsync(x, stream));
    }
    CUDA(cudaStreamSynchronize(stream));
    CHECK(host[0] == 1 && host[63] == 64);
    CUDA(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrUsedMemCurrent, &used));
    CUDA(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrUsedMemHigh, &most));
    CHECK(used == 0 && most >= sizeof host);
    return DONE;
}
