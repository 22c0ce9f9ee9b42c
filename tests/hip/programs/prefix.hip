// A scan of waves by shuffles upwards, and parts of a wave.
#include "check.h"

struct item {
    int size, offset;
    float cost;
};

__global__ void offsets(item *items, int *ends, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x & (warpSize - 1);
    int sum = i < n ? items[i].size : 0, own = sum;
    for (int d = 1; d < warpSize; d *= 2) {
        int below = __shfl_up(sum, d);
        if (lane >= d)
            sum += below;
    }
    if (i < n)
        items[i].offset = sum - own;
    if (lane == warpSize - 1)
        ends[i / warpSize] = sum;
    float cost = i < n ? items[i].cost : 0;
    for (int d = 8; d; d /= 2)
        cost += __shfl_xor(cost, d, 16);
    if (i < n)
        items[i].cost = cost;
}

int main() {
    const int n = 1024;
    item *host = new item[n], *items;
    int *ends;
    for (int i = 0; i < n; i++)
        host[i] = {1, 0, 1.0f};
    HIP_CHECK(hipMalloc(&items, n * sizeof(item)));
    HIP_CHECK(hipMalloc(&ends, n / 32 * sizeof(int)));
    HIP_CHECK(hipMemcpy(items, host, n * sizeof(item), hipMemcpyHostToDevice));
    offsets<<<n / 256, 256>>>(items, ends, n);
    HIP_CHECK(hipMemcpy(host, items, n * sizeof(item), hipMemcpyDeviceToHost));
    std::printf("%d %g\n", host[255].offset, host[255].cost);
    HIP_CHECK(hipFree(items));
    HIP_CHECK(hipFree(ends));
    delete[] host;
}
