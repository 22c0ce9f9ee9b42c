// alone
// toolkit
// options: -std=c++17 -lcuda -w
// The driver's batches of copies, prefetches and discards, what it tells of ranges of managed memory, and
// pools by their place.
#include <cuda.h>
#include <dlfcn.h>

#include "check.h"

__global__ void increment(int *x) { x[blockIdx.x * blockDim.x + threadIdx.x]++; }

enum { PAGE = 4096, BYTES = 16 * PAGE, N = BYTES / 4 };
static CUstream stream;
static const CUmemLocation device = {CU_MEM_LOCATION_TYPE_DEVICE, 0},
                           host = {CU_MEM_LOCATION_TYPE_HOST, 0};

template <class F> static F *named(const char *name) {
    F *found = (F *)dlsym(RTLD_DEFAULT, name);
    CHECK(found);
    return found;
}

static int attribute(CUdeviceptr at, size_t bytes, CUmem_range_attribute which) {
    int value = 77;
    DRIVER(cuMemRangeGetAttribute(&value, sizeof value, which, at, bytes));
    return value;
}

static void ranges() {
    const CUmem_range_attribute fetched = CU_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION;
    CUdeviceptr x;
    DRIVER(cuMemAllocManaged(&x, BYTES, CU_MEM_ATTACH_GLOBAL));
    int *numbers = (int *)x;
    for (int i = 0; i < N; i++)
        numbers[i] = i;
    DRIVER(cuMemAdvise_v2(x, BYTES / 2, CU_MEM_ADVISE_SET_READ_MOSTLY, device));
    CHECK(attribute(x, BYTES / 2, CU_MEM_RANGE_ATTRIBUTE_READ_MOSTLY) == 1);
    CHECK(attribute(x, BYTES, CU_MEM_RANGE_ATTRIBUTE_READ_MOSTLY) == 0);
    CHECK(attribute(x, BYTES, fetched) == CU_DEVICE_INVALID);

    // The first two to the host, the third to the device.
    CUdeviceptr at[] = {x, x + 8 * PAGE, x + 12 * PAGE};
    size_t sizes[] = {4 * PAGE, PAGE, 2 * PAGE}, begins[] = {0, 2};
    CUmemLocation places[] = {host, device};
    DRIVER(cuMemPrefetchBatchAsync(at, sizes, 3, places, begins, 2, 0, stream));
    CHECK(attribute(at[0], 2 * PAGE, fetched) == CU_DEVICE_CPU);
    CHECK(attribute(at[1], 64, fetched) == CU_DEVICE_CPU);
    CHECK(attribute(at[2], PAGE, fetched) == 0);
    CHECK(attribute(x, BYTES, fetched) == CU_DEVICE_INVALID);
    increment<<<N / 256, 256, 0, stream>>>(numbers); // wherever it is
    DRIVER(cuStreamSynchronize(stream));
    for (int i = 0; i < N; i++)
        CHECK(numbers[i] == i + 1);
    int type = -1, mostly = -1;
    void *results[] = {&type, &mostly};
    size_t bytes[] = {4, 4};
    CUmem_range_attribute both[] = {CU_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION_TYPE,
                                    CU_MEM_RANGE_ATTRIBUTE_READ_MOSTLY};
    DRIVER(cuMemRangeGetAttributes(results, bytes, both, 2, at[2], PAGE));
    CHECK(type == CU_MEM_LOCATION_TYPE_DEVICE && mostly == 0);
    DRIVER(cuMemRangeGetAttributes(results, bytes, both, 2, x, PAGE));
    CHECK(type == CU_MEM_LOCATION_TYPE_HOST && mostly == 1);
    CHECK(cuMemRangeGetAttribute(&type, 3, both[0], x, 64) == CUDA_ERROR_INVALID_VALUE);
    CHECK(cuMemRangeGetAttributes(results, bytes, both, 0, x, 64) == CUDA_ERROR_INVALID_VALUE);

    // What is discarded may be anything; all else stays.
    DRIVER(cuMemDiscardBatchAsync(&at[1], &sizes[1], 1, 0, stream));
    DRIVER(cuMemDiscardAndPrefetchBatchAsync(at, sizes, 2, &places[1], begins, 1, 0, stream));
    DRIVER(cuStreamSynchronize(stream));
    CHECK(attribute(at[0], 2 * PAGE, fetched) == 0 && attribute(at[1], 64, fetched) == 0);
    for (int i = 4 * PAGE / 4; i < 8 * PAGE / 4; i++)
        CHECK(numbers[i] == i + 1);
    CHECK(numbers[N - 1] == N);
    CUmemLocation nowhere = {CU_MEM_LOCATION_TYPE_DEVICE, 5};
    CHECK(cuMemPrefetchBatchAsync(at, sizes, 3, &nowhere, begins, 1, 0, stream) ==
          CUDA_ERROR_INVALID_DEVICE);
    begins[1] = 3; // behind the last range
    CHECK(cuMemPrefetchBatchAsync(at, sizes, 3, places, begins, 2, 0, stream) ==
          CUDA_ERROR_INVALID_VALUE);
    CHECK(cuMemDiscardBatchAsync(at, sizes, 3, 0, nullptr) == CUDA_ERROR_INVALID_VALUE);
    CHECK(cuMemDiscardAndPrefetchBatchAsync(at, sizes, 2, places, begins, 1, 1, stream) ==
          CUDA_ERROR_INVALID_VALUE);
    DRIVER(cuMemFree(x));
}

// In the form of CUDA 13, and in the first one, which says which copy has failed.
static void copies() {
    typedef CUresult copies_first(CUdeviceptr *, CUdeviceptr *, size_t *, size_t,
                                  CUmemcpyAttributes *, size_t *, size_t, size_t *, CUstream);
    typedef CUresult boxes_first(size_t, CUDA_MEMCPY3D_BATCH_OP *, size_t *, unsigned long long,
                                 CUstream);
    CUdeviceptr a, b;
    DRIVER(cuMemAlloc(&a, 256));
    DRIVER(cuMemAlloc(&b, 256));
    CUmemcpyAttributes attributes = {};
    attributes.srcAccessOrder = CU_MEMCPY_SRC_ACCESS_ORDER_STREAM;
    for (int form = 0; form < 2; form++) {
        int from[64], to[64] = {}, rows[32] = {};
        for (int i = 0; i < 64; i++)
            from[i] = (3 + form) * i;
        CUdeviceptr dsts[] = {a, b}, srcs[] = {(CUdeviceptr)from, (CUdeviceptr)(from + 32)};
        size_t sizes[] = {256, 128}, begins[] = {0}, failed = 9;
        if (form == 0)
            DRIVER(cuMemcpyBatchAsync_v2(dsts, srcs, sizes, 2, &attributes, begins, 1, stream));
        else
            DRIVER(named<copies_first>("cuMemcpyBatchAsync")(dsts, srcs, sizes, 2, &attributes,
                                                             begins, 1, &failed, stream));
        DRIVER(cuMemcpyDtoHAsync(to, a, 256, stream));
        DRIVER(cuMemcpyDtoHAsync(to + 32, b, 128, stream));
        // A box: 4 rows of 8 numbers, of rows of 16.
        CUDA_MEMCPY3D_BATCH_OP box = {};
        box.src.type = box.dst.type = CU_MEMCPY_OPERAND_TYPE_POINTER;
        box.src.op.ptr.ptr = a;
        box.src.op.ptr.rowLength = 64;
        box.dst.op.ptr.ptr = (CUdeviceptr)rows;
        box.extent = {32, 4, 1};
        box.srcAccessOrder = CU_MEMCPY_SRC_ACCESS_ORDER_STREAM;
        if (form == 0)
            DRIVER(cuMemcpy3DBatchAsync_v2(1, &box, 0, stream));
        else
            DRIVER(named<boxes_first>("cuMemcpy3DBatchAsync")(1, &box, &failed, 0, stream));
        DRIVER(cuStreamSynchronize(stream));
        for (int i = 0; i < 64; i++)
            CHECK(to[i] == (3 + form) * i);
        for (int i = 0; i < 32; i++)
            CHECK(rows[i] == (3 + form) * (i / 8 * 16 + i % 8));
        box.srcAccessOrder = (CUmemcpySrcAccessOrder)0;
        CHECK(cuMemcpy3DBatchAsync_v2(1, &box, 0, stream) == CUDA_ERROR_INVALID_VALUE);
        CHECK(cuMemcpyBatchAsync_v2(dsts, srcs, sizes, 2, &attributes, begins, 1, nullptr) ==
              CUDA_ERROR_INVALID_VALUE);
    }
    DRIVER(cuMemFree(a));
    DRIVER(cuMemFree(b));
}

static void pools() {
    const CUmemAllocationType pinned = CU_MEM_ALLOCATION_TYPE_PINNED;
    CUmemLocation here = device, other = {CU_MEM_LOCATION_TYPE_DEVICE, 1}, none = {};
    CUmemPoolProps properties = {};
    CUmemoryPool pool, first, same, current;
    cuuint64_t used;
    CUdeviceptr x;
    properties.allocType = pinned;
    properties.location = device;
    DRIVER(cuDeviceGetDefaultMemPool(&first, 0));
    DRIVER(cuMemGetDefaultMemPool(&same, &here, pinned));
    CHECK(same == first);
    DRIVER(cuMemGetMemPool(&current, &here, pinned));
    CHECK(current == first);
    DRIVER(cuMemPoolCreate(&pool, &properties));
    DRIVER(cuMemSetMemPool(&here, pinned, pool));
    DRIVER(cuMemGetMemPool(&current, &here, pinned));
    CHECK(current == pool);
    DRIVER(cuMemAllocAsync(&x, 1024, stream)); // which is of the current one
    DRIVER(cuMemPoolGetAttribute(pool, CU_MEMPOOL_ATTR_USED_MEM_CURRENT, &used));
    CHECK(used == 1024);
    DRIVER(cuMemFreeAsync(x, stream));
    DRIVER(cuMemSetMemPool(&here, pinned, first));
    DRIVER(cuMemPoolDestroy(pool));
    CHECK(cuMemGetDefaultMemPool(&same, &other, pinned) == CUDA_ERROR_INVALID_DEVICE);
    CHECK(cuMemGetMemPool(&same, &none, pinned) == CUDA_ERROR_INVALID_VALUE);
    CHECK(cuMemGetMemPool(nullptr, &here, pinned) == CUDA_ERROR_INVALID_VALUE);
    CHECK(cuMemSetMemPool(&here, pinned, nullptr) == CUDA_ERROR_INVALID_VALUE);
}

int main() {
    CUcontext context;
    DRIVER(cuInit(0));
    DRIVER(cuDevicePrimaryCtxRetain(&context, 0));
    DRIVER(cuCtxSetCurrent(context));
    DRIVER(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    ranges();
    copies();
    pools();
    DRIVER(cuStreamDestroy(stream));
    return DONE;
}
