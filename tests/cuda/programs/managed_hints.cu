// alone
// toolkit
// Advice about managed memory and where it was brought, page by page, as it is read back; copies and
// prefetches in batches.
#include "check.h"

__global__ void increment(int *x, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        x[i]++;
}

enum { PAGE = 4096, PAGES = 16, BYTES = PAGE * PAGES, N = BYTES / 4 };

static int attribute(int *x, size_t bytes, cudaMemRangeAttribute which) {
    int value = 77;
    CUDA(cudaMemRangeGetAttribute(&value, sizeof value, which, x, bytes));
    return value;
}

static void advice(int *x) {
    cudaMemLocation device = {cudaMemLocationTypeDevice, 0}, host = {cudaMemLocationTypeHost, 0};
    CHECK(attribute(x, BYTES, cudaMemRangeAttributeReadMostly) == 0);
    CHECK(attribute(x, BYTES, cudaMemRangeAttributePreferredLocation) == cudaInvalidDeviceId);
    CHECK(attribute(x, BYTES, cudaMemRangeAttributeLastPrefetchLocation) == cudaInvalidDeviceId);
    // Half of it, and then all.
    CUDA(cudaMemAdvise(x, BYTES / 2, cudaMemAdviseSetReadMostly, device));
    CHECK(attribute(x, BYTES, cudaMemRangeAttributeReadMostly) == 0);
    CHECK(attribute(x, BYTES / 2, cudaMemRangeAttributeReadMostly) == 1);
    CUDA(cudaMemAdvise(x + N / 2, BYTES / 2, cudaMemAdviseSetReadMostly, device));
    CHECK(attribute(x, BYTES, cudaMemRangeAttributeReadMostly) == 1);
    CUDA(cudaMemAdvise(x + N - 1, 4, cudaMemAdviseUnsetReadMostly, device));
    CHECK(attribute(x, BYTES, cudaMemRangeAttributeReadMostly) == 0);
    CHECK(attribute(x, BYTES - 2 * PAGE, cudaMemRangeAttributeReadMostly) == 1);

    CUDA(cudaMemAdvise(x, BYTES, cudaMemAdviseSetPreferredLocation, host));
    CHECK(attribute(x, BYTES, cudaMemRangeAttributePreferredLocation) == cudaCpuDeviceId);
    CHECK(attribute(x, BYTES, cudaMemRangeAttributePreferredLocationType) ==
          cudaMemLocationTypeHost);
    CUDA(cudaMemAdvise(x, BYTES, cudaMemAdviseSetPreferredLocation, device));
    CHECK(attribute(x, BYTES, cudaMemRangeAttributePreferredLocation) == 0);
    CUDA(cudaMemAdvise(x, BYTES, cudaMemAdviseUnsetPreferredLocation, device));
    CHECK(attribute(x, BYTES, cudaMemRangeAttributePreferredLocationType) ==
          cudaMemLocationTypeInvalid);

    CUDA(cudaMemAdvise(x, BYTES, cudaMemAdviseSetAccessedBy, device));
    CUDA(cudaMemAdvise(x, BYTES, cudaMemAdviseSetAccessedBy, host));
    CUDA(cudaMemAdvise(x, PAGE, cudaMemAdviseUnsetAccessedBy, host));
    int by[3];
    CUDA(cudaMemRangeGetAttribute(by, sizeof by, cudaMemRangeAttributeAccessedBy, x, BYTES));
    CHECK(by[0] == 0 && by[1] == cudaInvalidDeviceId && by[2] == cudaInvalidDeviceId);
    CUDA(cudaMemRangeGetAttribute(by, sizeof by, cudaMemRangeAttributeAccessedBy, x + N / 2, PAGE));
    CHECK(by[0] == 0 && by[1] == cudaCpuDeviceId && by[2] == cudaInvalidDeviceId);
}

static void prefetches(int *x) {
    cudaMemLocation device = {cudaMemLocationTypeDevice, 0}, host = {cudaMemLocationTypeHost, 0};
    cudaMemLocation nowhere = {cudaMemLocationTypeDevice, 7};
    cudaStream_t stream;
    CUDA(cudaStreamCreate(&stream));
    for (int i = 0; i < N; i++)
        x[i] = i;
    CUDA(cudaMemPrefetchAsync(x, BYTES, device, 0, stream));
    CHECK(attribute(x, BYTES, cudaMemRangeAttributeLastPrefetchLocation) == 0);
    increment<<<N / 256, 256, 0, stream>>>(x, N);
    CUDA(cudaStreamSynchronize(stream));
    for (int i = 0; i < N; i++)
        CHECK(x[i] == i + 1);
    CHECK(cudaMemPrefetchAsync(x, BYTES, nowhere, 0, stream) == cudaErrorInvalidDevice);

    void *ranges[] = {x, x + N / 2, x + N / 2 + PAGE / 4};
    size_t sizes[] = {BYTES / 4, PAGE, PAGE}, begins[] = {0, 1};
    cudaMemLocation places[] = {host, device};
    CUDA(cudaMemPrefetchBatchAsync(ranges, sizes, 3, places, begins, 2, 0, stream));
    CHECK(attribute(x, BYTES / 4 - PAGE, cudaMemRangeAttributeLastPrefetchLocation) ==
          cudaCpuDeviceId);
    CHECK(attribute(x, BYTES, cudaMemRangeAttributeLastPrefetchLocation) == cudaInvalidDeviceId);
    int type = -1, mostly = -1;
    void *results[] = {&type, &mostly};
    size_t bytes[] = {4, 4};
    cudaMemRangeAttribute both[] = {cudaMemRangeAttributeLastPrefetchLocationType,
                                    cudaMemRangeAttributeReadMostly};
    CUDA(cudaMemRangeGetAttributes(results, bytes, both, 2, x + N / 2 + PAGE / 4, 64));
    CHECK(type == cudaMemLocationTypeDevice && mostly == 1);
    // What is discarded may be anything; all else stays.
    CUDA(cudaMemDiscardBatchAsync(&ranges[1], &sizes[1], 1, 0, stream));
    begins[1] = 2;
    CUDA(cudaMemDiscardAndPrefetchBatchAsync(ranges, sizes, 3, places, begins, 2, 0, stream));
    CUDA(cudaStreamSynchronize(stream));
    CHECK(attribute(x + N / 2, 64, cudaMemRangeAttributeLastPrefetchLocation) == cudaCpuDeviceId);
    for (int i = N / 4; i < N / 2; i++)
        CHECK(x[i] == i + 1);
    CHECK(cudaMemDiscardBatchAsync(ranges, sizes, 3, 0, nullptr) == cudaErrorInvalidValue);
    CHECK(cudaMemDiscardAndPrefetchBatchAsync(ranges, sizes, 3, places, begins, 2, 1, stream) ==
          cudaErrorInvalidValue);
    begins[0] = 1;
    CHECK(cudaMemPrefetchBatchAsync(ranges, sizes, 3, places, begins, 2, 0, stream) ==
          cudaErrorInvalidValue);
    CHECK(cudaMemRangeGetAttribute(&type, 3, both[0], x, 64) == cudaErrorInvalidValue);
    CHECK(cudaMemRangeGetAttribute(&type, 4, both[0], &type, 4) == cudaErrorInvalidValue);
    CHECK(cudaMemRangeGetAttribute(&type, 4, both[0], x, BYTES + 1) == cudaErrorInvalidValue);
    CUDA(cudaStreamDestroy(stream));
}

static void copies() {
    cudaStream_t stream;
    CUDA(cudaStreamCreate(&stream));
    int *a, *b, from[64], to[64] = {}, rows[32] = {};
    for (int i = 0; i < 64; i++)
        from[i] = 3 * i;
    CUDA(cudaMalloc(&a, 256));
    CUDA(cudaMalloc(&b, 256));
    void *dsts[] = {a, b};
    const void *srcs[] = {from, from + 32};
    size_t sizes[] = {256, 128}, begins[] = {0};
    cudaMemcpyAttributes attributes = {};
    attributes.srcAccessOrder = cudaMemcpySrcAccessOrderStream;
    CUDA(cudaMemcpyBatchAsync(dsts, srcs, sizes, 2, &attributes, begins, 1, stream));
    CUDA(cudaMemcpyAsync(to, a, 256, cudaMemcpyDeviceToHost, stream));
    CUDA(cudaMemcpyAsync(to + 32, b, 128, cudaMemcpyDeviceToHost, stream));
    CUDA(cudaStreamSynchronize(stream));
    for (int i = 0; i < 64; i++)
        CHECK(to[i] == 3 * i);
    attributes.srcAccessOrder = cudaMemcpySrcAccessOrderInvalid;
    CHECK(cudaMemcpyBatchAsync(dsts, srcs, sizes, 2, &attributes, begins, 1, stream) ==
          cudaErrorInvalidValue);
    // A box: 4 rows of 8 numbers, of rows of 16.
    cudaMemcpy3DBatchOp box = {};
    box.src.type = box.dst.type = cudaMemcpyOperandTypePointer;
    box.src.op.ptr.ptr = a;
    box.src.op.ptr.rowLength = 64;
    box.dst.op.ptr.ptr = rows;
    box.extent = make_cudaExtent(32, 4, 1);
    box.srcAccessOrder = cudaMemcpySrcAccessOrderStream;
    CUDA(cudaMemcpy3DBatchAsync(1, &box, 0, stream));
    CUDA(cudaStreamSynchronize(stream));
    for (int i = 0; i < 32; i++)
        CHECK(rows[i] == 3 * (i / 8 * 16 + i % 8));
    CUDA(cudaFree(a));
    CUDA(cudaFree(b));
    CUDA(cudaStreamDestroy(stream));
}

int main() {
    int *x;
    CUDA(cudaMallocManaged(&x, BYTES));
    advice(x);
    prefetches(x);
    copies();
    CUDA(cudaFree(x));
    return DONE;
}
