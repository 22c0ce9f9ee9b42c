// Votes of 64 lanes: a stream compaction by ballot and population count.
#include "check.h"

struct hit {
    float distance;
    int triangle, material, padding;
};

__global__ void compact(const hit *in, hit *out, int *count, float nearest, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    bool keep = i < n && in[i].distance < nearest;
    unsigned long long kept = __ballot(keep);
    int lane = __lane_id(), before = __popcll(kept & ((1ull << lane) - 1)), start = 0;
    if (lane == 0 && kept)
        start = atomicAdd(count, __popcll(kept));
    start = __shfl(start, 0);
    if (keep) {
        out[start + before].distance = in[i].distance;
        out[start + before].triangle = in[i].triangle;
    }
    if (__all(!keep) && lane == 0)
        atomicAdd(count + 1, 1);
    if (__any(keep) && lane == 0)
        atomicAdd(count + 2, 1);
}

int main() {
    const int n = 2048;
    hit *host = new hit[n], *in, *out;
    int *count, counts[3] = {0};
    for (int i = 0; i < n; i++)
        host[i] = {(float)(i % 100), i, i % 7, 0};
    HIP_CHECK(hipMalloc(&in, n * sizeof(hit)));
    HIP_CHECK(hipMalloc(&out, n * sizeof(hit)));
    HIP_CHECK(hipMalloc(&count, sizeof counts));
    HIP_CHECK(hipMemcpy(in, host, n * sizeof(hit), hipMemcpyHostToDevice));
    HIP_CHECK(hipMemset(count, 0, sizeof counts));
    hipLaunchKernelGGL(compact, dim3(n / 256), dim3(256), 0, nullptr, in, out, count, 50.0f, n);
    HIP_CHECK(hipMemcpy(counts, count, sizeof counts, hipMemcpyDeviceToHost));
    std::printf("%d %d %d\n", counts[0], counts[1], counts[2]);
    HIP_CHECK(hipFree(in));
    HIP_CHECK(hipFree(out));
    HIP_CHECK(hipFree(count));
    delete[] host;
}
