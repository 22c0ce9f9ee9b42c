// expect: y float 1000 = 2.5 * i + 1
//
// A grid-stride loop: 4 blocks of 64 threads for 1000 elements.
#include <cuda_runtime.h>

__global__ void saxpy(int n, float a, const float *__restrict__ x, float *y) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        y[i] = a * x[i] + y[i];
}
