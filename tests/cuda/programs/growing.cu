// alone
// toolkit
// options: -lcuda
// An array that grows in reserved addresses, memory that is mapped at two of them, and what is refused.
#include <cuda.h>

#include "check.h"

#define CU(call) CHECK((call) == CUDA_SUCCESS)

__global__ void fill(int *x, size_t from, size_t to) {
    for (size_t i = from + blockIdx.x * blockDim.x + threadIdx.x; i < to;
         i += gridDim.x * blockDim.x)
        x[i] = (int)i * 3;
}
__global__ void sum(const int *x, size_t n, unsigned long long *result) {
    unsigned long long mine = 0;
    for (size_t i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        mine += (unsigned)x[i];
    atomicAdd(result, mine);
}
__global__ void copy(const int *from, int *to) { to[threadIdx.x] = from[threadIdx.x] + 1; }

static CUmemAllocationProp properties() {
    CUmemAllocationProp p = {};
    p.type = CU_MEM_ALLOCATION_TYPE_PINNED;
    p.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
    p.location.id = 0;
    return p;
}
static const CUmemAccessDesc open = {{CU_MEM_LOCATION_TYPE_DEVICE, 0},
                                     CU_MEM_ACCESS_FLAGS_PROT_READWRITE};

// It has room for a number, and memory for those that were asked for.
class Vector {
    CUdeviceptr base = 0;
    size_t reserved, mapped = 0, granule;
    CUmemAllocationProp made_with = properties();

  public:
    Vector(size_t most) {
        CU(cuMemGetAllocationGranularity(&granule, &made_with,
                                         CU_MEM_ALLOC_GRANULARITY_RECOMMENDED));
        reserved = (most * sizeof(int) + granule - 1) / granule * granule;
        CU(cuMemAddressReserve(&base, reserved, 0, 0, 0));
    }
    void grow(size_t count) {
        size_t wanted = (count * sizeof(int) + granule - 1) / granule * granule;
        CHECK(wanted <= reserved);
        if (wanted <= mapped)
            return;
        CUmemGenericAllocationHandle memory;
        CU(cuMemCreate(&memory, wanted - mapped, &made_with, 0));
        CU(cuMemMap(base + mapped, wanted - mapped, 0, memory, 0));
        CU(cuMemRelease(memory)); // it stays as long as it is mapped
        CU(cuMemSetAccess(base + mapped, wanted - mapped, &open, 1));
        mapped = wanted;
    }
    ~Vector() {
        CU(cuMemUnmap(base, mapped));
        CU(cuMemAddressFree(base, reserved));
    }
    int *data() const { return (int *)base; }
    size_t bytes() const { return mapped; }
};

static void vector() {
    Vector v(16 << 20);
    unsigned long long *result, host;
    CUDA(cudaMalloc(&result, sizeof *result));
    size_t count = 0;
    for (size_t next : {100000u, 700000u, 3000000u}) {
        v.grow(next);
        fill<<<64, 256>>>(v.data(), count, next);
        count = next;
        CUDA(cudaMemset(result, 0, sizeof *result));
        sum<<<64, 256>>>(v.data(), count, result);
        CUDA(cudaMemcpy(&host, result, sizeof host, cudaMemcpyDeviceToHost));
        CHECK(host == 3 * (unsigned long long)count * (count - 1) / 2);
    }
    // A copy that lies across two mappings.
    int across[1000];
    size_t at = 524288 - 500;
    CUDA(cudaMemcpy(across, v.data() + at, sizeof across, cudaMemcpyDeviceToHost));
    for (int i = 0; i < 1000; i++)
        CHECK(across[i] == (int)(at + i) * 3);
    CHECK(cudaMemcpy(across, v.data() + v.bytes() / 4 - 10, 80, cudaMemcpyDeviceToHost) ==
          cudaErrorInvalidValue);
    cudaPointerAttributes attributes;
    CUDA(cudaPointerGetAttributes(&attributes, v.data() + 5));
    CHECK(attributes.type == cudaMemoryTypeDevice);
    CUDA(cudaFree(result));
}

static void aliases() {
    const size_t bytes = 2 << 20;
    CUmemAllocationProp p = properties();
    CUmemGenericAllocationHandle memory, again;
    CUdeviceptr a, b;
    unsigned long long flags = 9;
    CU(cuMemAddressReserve(&a, 2 * bytes, 0, 0, 0));
    CU(cuMemAddressReserve(&b, bytes, 4 * bytes, 0, 0));
    CHECK(b % (4 * bytes) == 0);
    CU(cuMemCreate(&memory, bytes, &p, 0));
    CU(cuMemMap(a, bytes, 0, memory, 0));
    CU(cuMemMap(b, bytes, 0, memory, 0));
    CU(cuMemGetAccess(&flags, &open.location, a));
    CHECK(flags == 0);
    CU(cuMemSetAccess(a, bytes, &open, 1));
    CU(cuMemSetAccess(b, bytes, &open, 1));
    CU(cuMemGetAccess(&flags, &open.location, a));
    CHECK(flags == CU_MEM_ACCESS_FLAGS_PROT_READWRITE);
    int sent[32], got[32];
    for (int i = 0; i < 32; i++)
        sent[i] = 7 * i;
    CUDA(cudaMemcpy((void *)a, sent, sizeof sent, cudaMemcpyHostToDevice));
    CUDA(cudaMemcpy(got, (void *)b, sizeof got, cudaMemcpyDeviceToHost));
    CHECK(got[31] == 7 * 31);
    copy<<<1, 32>>>((int *)b, (int *)(b + 4096));
    CUDA(cudaMemcpy(got, (void *)(a + 4096), sizeof got, cudaMemcpyDeviceToHost));
    CHECK(got[31] == 7 * 31 + 1);
    CU(cuMemRetainAllocationHandle(&again, (void *)a));
    CHECK(again == memory);
    CUmemAllocationProp back;
    CU(cuMemGetAllocationPropertiesFromHandle(&back, memory));
    CHECK(back.type == p.type && back.location.type == p.location.type);

    // What is wrong.
    CHECK(cuMemMap(a, bytes, 0, memory, 0) == CUDA_ERROR_INVALID_VALUE); // it is taken
    CHECK(cuMemMap(a + bytes, 2 * bytes, 0, memory, 0) == CUDA_ERROR_INVALID_VALUE);
    CHECK(cuMemMap(a + bytes, 4096, 0, memory, 0) == CUDA_ERROR_INVALID_VALUE);
    CHECK(cuMemCreate(&memory, 4096, &p, 0) == CUDA_ERROR_INVALID_VALUE);
    CHECK(cuMemCreate(&again, (size_t)1 << 50, &p, 0) == CUDA_ERROR_OUT_OF_MEMORY);
    CHECK(cuMemUnmap(a, bytes / 2) == CUDA_ERROR_INVALID_VALUE);
    CHECK(cuMemSetAccess(a, 2 * bytes, &open, 1) == CUDA_ERROR_INVALID_VALUE); // half is not mapped
    CHECK(cuMemAddressFree(a, 2 * bytes) == CUDA_ERROR_INVALID_VALUE);         // still mapped
    CHECK(cudaMemcpy(got, (void *)(a + bytes), 4, cudaMemcpyDeviceToHost) == cudaErrorInvalidValue);
    p.location.id = 3;
    CHECK(cuMemCreate(&again, bytes, &p, 0) == CUDA_ERROR_INVALID_DEVICE);

    CU(cuMemUnmap(a, bytes));
    CU(cuMemMap(a + bytes, bytes, 0, memory, 0)); // elsewhere, with what it holds
    CU(cuMemSetAccess(a + bytes, bytes, &open, 1));
    CUDA(cudaMemcpy(got, (void *)(a + bytes), sizeof got, cudaMemcpyDeviceToHost));
    CHECK(got[3] == 21);
    CU(cuMemUnmap(a + bytes, bytes));
    CU(cuMemUnmap(b, bytes));
    CU(cuMemRelease(memory));
    CU(cuMemRelease(memory));
    CHECK(cuMemRelease(memory) == CUDA_ERROR_INVALID_VALUE);
    CU(cuMemAddressFree(a, 2 * bytes));
    CU(cuMemAddressFree(b, bytes));
    cudaGetLastError();
}

int main() {
    CUDA(cudaFree(nullptr));
    vector();
    aliases();
    return DONE;
}
