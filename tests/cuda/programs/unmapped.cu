// alone
// toolkit
// faults
// options: -lcuda
// A kernel that goes on behind what is mapped of the addresses that were reserved.
#include <cuda.h>

#include "check.h"

#define CU(call) CHECK((call) == CUDA_SUCCESS)

__global__ void set(int *x, size_t at) { x[at + threadIdx.x] = 1; }

int main() {
    const size_t bytes = 2 << 20;
    CUDA(cudaFree(nullptr));
    CUmemAllocationProp p = {};
    p.type = CU_MEM_ALLOCATION_TYPE_PINNED;
    p.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
    CUmemAccessDesc open = {p.location, CU_MEM_ACCESS_FLAGS_PROT_READWRITE};
    CUmemGenericAllocationHandle memory;
    CUdeviceptr at;
    CU(cuMemAddressReserve(&at, 4 * bytes, 0, 0, 0));
    CU(cuMemCreate(&memory, bytes, &p, 0));
    CU(cuMemMap(at, bytes, 0, memory, 0));
    CU(cuMemSetAccess(at, bytes, &open, 1));
    set<<<1, 32>>>((int *)at, bytes / 4 - 32);
    CUDA(cudaDeviceSynchronize());
    set<<<1, 32>>>((int *)at, bytes / 4 + 1024);
    CHECK(cudaDeviceSynchronize() == cudaErrorIllegalAddress);
    return DONE;
}
