// One allocation seen as numbers, as pairs and as bytes of no type, by kernels in turn and by one alone.
#include "check.h"

struct Pair {
    float a, b;
};

__global__ void fill(float *x, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        x[i] = i;
}

__global__ void swap(const void *numbers, Pair *pairs, float *sums) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    const float *x = (const float *)numbers;
    sums[i] = x[2 * i] + x[2 * i + 1];
    Pair p = pairs[i];
    pairs[i] = {p.b, p.a};
}

int main() {
    const int n = 256;
    float *x, *sums;
    static float all[n], halves[n / 2];
    CUDA(cudaMalloc(&x, sizeof all));
    CUDA(cudaMalloc(&sums, sizeof halves));
    fill<<<n / 64, 64>>>(x, n);
    swap<<<n / 128, 64>>>(x, (Pair *)x, sums);
    fill<<<1, 64>>>(x, 2);
    swap<<<n / 128, 64>>>(x, (Pair *)x, sums);
    CUDA(cudaMemcpy(all, x, sizeof all, cudaMemcpyDeviceToHost));
    CUDA(cudaMemcpy(halves, sums, sizeof halves, cudaMemcpyDeviceToHost));
    for (int i = 0; i < n; i++)
        CHECK(all[i] == (i < 2 ? 1 - i : i));
    for (int i = 0; i < n / 2; i++)
        CHECK(halves[i] == 4 * i + 1);
    return DONE;
}
