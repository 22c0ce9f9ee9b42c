// Memory of the host that kernels reach: pinned, and registered.
#include "check.h"

__global__ void negate(int *x, const int *y) { x[threadIdx.x] = -y[threadIdx.x]; }

int main() {
    const int n = 128;
    int *own = (int *)malloc(n * sizeof(int)), *pinned, *device_own, *device_pinned;
    CUDA(cudaHostAlloc(&pinned, n * sizeof(int), cudaHostAllocMapped));
    CUDA(cudaHostRegister(own, n * sizeof(int), cudaHostRegisterMapped));
    CHECK(cudaHostRegister(own, 8, 0) == cudaErrorHostMemoryAlreadyRegistered);
    for (int i = 0; i < n; i++)
        own[i] = i;
    CUDA(cudaHostGetDevicePointer(&device_own, own, 0));
    CUDA(cudaHostGetDevicePointer(&device_pinned, pinned, 0));
    negate<<<1, n>>>(device_pinned, device_own);
    CUDA(cudaDeviceSynchronize());
    for (int i = 0; i < n; i++)
        CHECK(pinned[i] == -i);
    CUDA(cudaHostUnregister(own));
    CHECK(cudaHostUnregister(own) == cudaErrorHostMemoryNotRegistered);
    CUDA(cudaFreeHost(pinned));
    free(own);
    return DONE;
}
