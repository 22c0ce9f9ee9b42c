// What calls return that cannot be done, and how errors are kept.
#include "check.h"

__global__ void nothing() {}
__global__ void __launch_bounds__(64) bounded(int *x) { x[threadIdx.x] = 1; }

int main() {
    int *x, host;
    nothing<<<1, 1025>>>();
    CHECK(cudaPeekAtLastError() == cudaErrorInvalidConfiguration);
    CHECK(cudaGetLastError() == cudaErrorInvalidConfiguration);
    CHECK(cudaGetLastError() == cudaSuccess);
    nothing<<<0, 32>>>();
    CHECK(cudaGetLastError() == cudaErrorInvalidConfiguration);
    nothing<<<dim3(1, 70000), 32>>>();
    CHECK(cudaGetLastError() == cudaErrorInvalidConfiguration);
    nothing<<<1, 32, 1 << 20>>>();
    CHECK(cudaGetLastError() == cudaErrorInvalidValue);
    CUDA(cudaMalloc(&x, 128 * sizeof(int)));
    bounded<<<1, 128>>>(x);
    CHECK(cudaGetLastError() == cudaErrorLaunchOutOfResources);
    bounded<<<1, 64>>>(x);
    CUDA(cudaGetLastError());
    CHECK(cudaMalloc(&x, (size_t)1 << 60) == cudaErrorMemoryAllocation);
    CHECK(cudaMemcpy(&host, x, 4, cudaMemcpyHostToDevice) == cudaErrorInvalidValue);
    CHECK(cudaSetDevice(7) == cudaErrorInvalidDevice);
    CHECK(cudaFree(&host) == cudaErrorInvalidValue);
    CHECK(cudaStreamSynchronize((cudaStream_t)&host) == cudaErrorInvalidResourceHandle);
    CHECK(cudaGetLastError() == cudaErrorInvalidResourceHandle);
    return DONE;
}
