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
    // Pools by their place, and the one that cudaMallocAsync() has memory from.
    const cudaMemAllocationType pinned = cudaMemAllocationTypePinned;
    cudaMemLocation here = {cudaMemLocationTypeDevice, 0}, other = {cudaMemLocationTypeDevice, 1};
    cudaMemLocation none = {};
    cudaMemPoolProps properties = {};
    cudaMemPool_t own, same;
    CUDA(cudaMemGetDefaultMemPool(&same, &here, pinned));
    CHECK(same == pool);
    properties.allocType = pinned;
    properties.location = here;
    CUDA(cudaMemPoolCreate(&own, &properties));
    CUDA(cudaMemSetMemPool(&here, pinned, own));
    CUDA(cudaMemGetMemPool(&same, &here, pinned));
    CHECK(same == own);
    CUDA(cudaMallocAsync(&x, 1000, stream));
    CUDA(cudaMemPoolGetAttribute(own, cudaMemPoolAttrUsedMemCurrent, &used));
    CHECK(used == 1000);
    CUDA(cudaFreeAsync(x, stream));
    CUDA(cudaMemSetMemPool(&here, pinned, pool));
    CUDA(cudaMemPoolDestroy(own));
    FAILS(cudaErrorInvalidDevice, cudaMemGetDefaultMemPool(&same, &other, pinned));
    FAILS(cudaErrorInvalidValue, cudaMemGetMemPool(&same, &none, pinned));
    FAILS(cudaErrorInvalidValue, cudaMemSetMemPool(&here, pinned, nullptr));
    CUDA(cudaStreamDestroy(stream));
    return DONE;
}
