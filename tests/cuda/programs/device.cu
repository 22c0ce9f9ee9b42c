// What a program asks of the device, and of its kernels. The script sets HEDDLE_DEVICE=h100.
#include <cstring>

#include "check.h"

__global__ void use(float *x) {
    __shared__ float part[256];
    part[threadIdx.x] = x[threadIdx.x];
    __syncthreads();
    x[threadIdx.x] = part[255 - threadIdx.x];
}

int main() {
    int count, value, blocks, size;
    cudaDeviceProp d;
    cudaFuncAttributes a;
    CUDA(cudaGetDeviceCount(&count));
    CHECK(count == 1);
    CUDA(cudaGetDeviceProperties(&d, 0));
    CHECK(d.warpSize == 32 && d.maxThreadsPerBlock == 1024 && d.multiProcessorCount > 0);
    CHECK(d.unifiedAddressing && d.managedMemory && d.canMapHostMemory);
    CUDA(cudaDeviceGetAttribute(&value, cudaDevAttrMultiProcessorCount, 0));
    CHECK(value == d.multiProcessorCount);
    CUDA(cudaDeviceGetAttribute(&value, cudaDevAttrComputeCapabilityMajor, 0));
    CHECK(value == d.major);
    CUDA(cudaFuncGetAttributes(&a, use));
    CHECK(a.sharedSizeBytes == 1024 && a.maxThreadsPerBlock == 1024 && a.numRegs > 0);
    CUDA(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, use, 256, 0));
    CHECK(blocks >= 1 && blocks * 256 <= d.maxThreadsPerMultiProcessor);
    CUDA(cudaOccupancyMaxPotentialBlockSize(&count, &size, use, 0, 0));
    CHECK(size % 32 == 0 && size <= 1024 && count >= d.multiProcessorCount);
    size_t rest, all;
    CUDA(cudaMemGetInfo(&rest, &all));
    CHECK(rest <= all && all == d.totalGlobalMem);
    int can;
    CHECK(cudaDeviceCanAccessPeer(&can, 0, 1) == cudaErrorInvalidDevice);
    return DONE;
}
