// Products of square matrices by tiles in shared memory, each the factor of the next.
#include <cuda_runtime.h>

#include <utility>

#include "cuda_check.h"
#include "inputs.h"

template <int tile>
__global__ void multiply(const float *a, const float *b, float *c, int n, float scale) {
    __shared__ float as[tile][tile], bs[tile][tile];
    int row = blockIdx.y * tile + threadIdx.y, column = blockIdx.x * tile + threadIdx.x;
    float sum = 0;
    for (int from = 0; from < n; from += tile) {
        as[threadIdx.y][threadIdx.x] = a[row * n + from + threadIdx.x];
        bs[threadIdx.y][threadIdx.x] = b[(from + threadIdx.y) * n + column];
        __syncthreads();
#pragma unroll
        for (int k = 0; k < tile; k++)
            sum += as[threadIdx.y][k] * bs[k][threadIdx.x];
        __syncthreads();
    }
    c[row * n + column] = sum * scale;
}

int main(int argc, char **argv) {
    const int tile = 32;
    int n = input_argument(argc, argv, 1, 1024);
    int times = input_argument(argc, argv, 2, 75);
    size_t count = (size_t)n * n, bytes = count * sizeof(float);
    float *values = (float *)malloc(bytes), *d_a, *d_b, *d_c;
    CHECK(cudaMalloc(&d_a, bytes));
    CHECK(cudaMalloc(&d_b, bytes));
    CHECK(cudaMalloc(&d_c, bytes));
    for (size_t i = 0; i < count; i++)
        values[i] = input_unit(110, i);
    CHECK(cudaMemcpy(d_a, values, bytes, cudaMemcpyHostToDevice));
    for (size_t i = 0; i < count; i++)
        values[i] = input_unit(111, i);
    CHECK(cudaMemcpy(d_b, values, bytes, cudaMemcpyHostToDevice));
    dim3 block(tile, tile), grid(n / tile, n / tile);
    for (int t = 0; t < times; t++) {
        multiply<tile><<<grid, block>>>(d_a, d_b, d_c, n, 2.0f / n);
        std::swap(d_b, d_c);
    }
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(values, d_b, bytes, cudaMemcpyDeviceToHost));
    printf("first %.5f, all %.5e\n", values[0], sum_of_floats(values, count));
    CHECK(cudaFree(d_a));
    CHECK(cudaFree(d_b));
    CHECK(cudaFree(d_c));
    free(values);
    return 0;
}
