// Products of matrices by warps: wmma of halves and of bytes, in several layouts.
#include <cuda_fp16.h>
#include <mma.h>

#include "check.h"

using namespace nvcuda::wmma;

// c = 2 a b + d, of 16 by 16 tiles; a in rows, b in columns.
__global__ void halves(const half *a, const half *b, const float *d, float *c, int n) {
    int row = 16 * blockIdx.y, column = 16 * blockIdx.x;
    fragment<accumulator, 16, 16, 16, float> sum, more;
    fill_fragment(sum, 0.0f);
    for (int k = 0; k < n; k += 16) {
        fragment<matrix_a, 16, 16, 16, half, row_major> left;
        fragment<matrix_b, 16, 16, 16, half, col_major> right;
        load_matrix_sync(left, a + row * n + k, n);
        load_matrix_sync(right, b + column * n + k, n);
        for (int i = 0; i < left.num_elements; i++)
            left.x[i] = left.x[i] + left.x[i];
        mma_sync(sum, left, right, sum);
    }
    load_matrix_sync(more, d + row * n + column, n, mem_row_major);
    for (int i = 0; i < sum.num_elements; i++)
        sum.x[i] += more.x[i];
    store_matrix_sync(c + row * n + column, sum, n, mem_row_major);
}

// 8 by 32 of bytes, through shared memory; the result in columns.
__global__ void bytes(const signed char *a, const signed char *b, int *c) {
    __shared__ __align__(32) signed char left_tile[8 * 16];
    for (int i = threadIdx.x; i < 8 * 16; i += 32)
        left_tile[i] = a[i];
    __syncwarp();
    fragment<matrix_a, 8, 32, 16, signed char, row_major> left;
    fragment<matrix_b, 8, 32, 16, signed char, row_major> right;
    fragment<accumulator, 8, 32, 16, int> sum;
    fill_fragment(sum, 1);
    load_matrix_sync(left, left_tile, 16);
    load_matrix_sync(right, b, 32);
    mma_sync(sum, left, right, sum);
    store_matrix_sync(c, sum, 8, mem_col_major);
}

int main() {
    const int n = 48;
    half *a, *b;
    float *c, *d;
    CUDA(cudaMallocManaged(&a, n * n * sizeof *a));
    CUDA(cudaMallocManaged(&b, n * n * sizeof *b));
    CUDA(cudaMallocManaged(&c, n * n * sizeof *c));
    CUDA(cudaMallocManaged(&d, n * n * sizeof *d));
    for (int i = 0; i < n * n; i++) {
        a[i] = __float2half((float)(i % 7 - 3));
        b[i] = __float2half((float)(i % 5 - 2));
        d[i] = (float)i;
    }
    halves<<<dim3(n / 16, n / 16), 32>>>(a, b, d, c, n);
    CUDA(cudaDeviceSynchronize());
    for (int row = 0; row < n; row++)
        for (int column = 0; column < n; column++) {
            int sum = row * n + column;
            for (int k = 0; k < n; k++)
                sum += 2 * ((row * n + k) % 7 - 3) * ((column * n + k) % 5 - 2);
            CHECK(c[row * n + column] == (float)sum);
        }
    signed char *x, *y;
    int *z;
    CUDA(cudaMallocManaged(&x, 8 * 16));
    CUDA(cudaMallocManaged(&y, 16 * 32));
    CUDA(cudaMallocManaged(&z, 8 * 32 * sizeof *z));
    for (int i = 0; i < 8 * 16; i++)
        x[i] = (signed char)(i * 37);
    for (int i = 0; i < 16 * 32; i++)
        y[i] = (signed char)(i * 11 + 5);
    bytes<<<1, 32>>>(x, y, z);
    CUDA(cudaDeviceSynchronize());
    for (int row = 0; row < 8; row++)
        for (int column = 0; column < 32; column++) {
            int sum = 1;
            for (int k = 0; k < 16; k++)
                sum += x[16 * row + k] * y[32 * k + column];
            CHECK(z[8 * column + row] == sum);
        }
    return DONE;
}
