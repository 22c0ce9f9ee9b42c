// Pinned memory, two streams, asynchronous copies.
#include "check.h"

struct order {
    int customer, item;
    float price;
};

__global__ void discount(order *o, float by, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        o[i].price *= by;
}

int main() {
    const int n = 2048;
    order *host, *device[2];
    hipStream_t streams[2];
    HIP_CHECK(hipHostMalloc((void **)&host, 2 * n * sizeof(order), hipHostMallocDefault));
    for (int i = 0; i < 2 * n; i++)
        host[i] = {i, i % 10, 2.0f};
    for (int s = 0; s < 2; s++) {
        HIP_CHECK(hipStreamCreate(&streams[s]));
        HIP_CHECK(hipMalloc(&device[s], n * sizeof(order)));
        HIP_CHECK(hipMemcpyAsync(device[s], host + s * n, n * sizeof(order), hipMemcpyHostToDevice,
                                 streams[s]));
        hipLaunchKernelGGL(discount, dim3(n / 256), dim3(256), 0, streams[s], device[s], 0.5f, n);
        HIP_CHECK(hipMemcpyAsync(host + s * n, device[s], n * sizeof(order), hipMemcpyDeviceToHost,
                                 streams[s]));
    }
    for (int s = 0; s < 2; s++) {
        HIP_CHECK(hipStreamSynchronize(streams[s]));
        HIP_CHECK(hipStreamDestroy(streams[s]));
        HIP_CHECK(hipFree(device[s]));
    }
    HIP_CHECK(hipHostFree(host));
}
