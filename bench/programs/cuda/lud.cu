// LU decomposition by blocks, without pivots, in doubles: the block on the diagonal, those beside and
// below it, and then the rest.
#include <cuda_runtime.h>

#include "cuda_check.h"
#include "inputs.h"

#define SIDE 16

__global__ void diagonal(double *m, int n, int at) {
    __shared__ double tile[SIDE][SIDE];
    int t = threadIdx.x;
    double *corner = m + (size_t)at * n + at;
    for (int y = 0; y < SIDE; y++)
        tile[y][t] = corner[y * n + t];
    __syncthreads();
    for (int k = 0; k < SIDE - 1; k++) {
        if (t > k) {
            tile[t][k] /= tile[k][k];
            for (int x = k + 1; x < SIDE; x++)
                tile[t][x] -= tile[t][k] * tile[k][x];
        }
        __syncthreads();
    }
    for (int y = 0; y < SIDE; y++)
        corner[y * n + t] = tile[y][t];
}

// The first half of the threads solves a block beside the diagonal, the second one below it.
__global__ void perimeter(double *m, int n, int at) {
    __shared__ double corner[SIDE][SIDE], beside[SIDE][SIDE], below[SIDE][SIDE];
    int t = threadIdx.x % SIDE, next = at + (blockIdx.x + 1) * SIDE;
    bool is_beside = threadIdx.x < SIDE;
    for (int y = is_beside ? 0 : 1; y < SIDE; y += 2)
        corner[y][t] = m[(size_t)(at + y) * n + at + t];
    for (int y = 0; y < SIDE; y++)
        if (is_beside)
            beside[y][t] = m[(size_t)(at + y) * n + next + t];
        else
            below[y][t] = m[(size_t)(next + y) * n + at + t];
    __syncthreads();
    if (is_beside) {
        for (int y = 1; y < SIDE; y++)
            for (int k = 0; k < y; k++)
                beside[y][t] -= corner[y][k] * beside[k][t];
    } else {
        for (int x = 0; x < SIDE; x++) {
            for (int k = 0; k < x; k++)
                below[t][x] -= below[t][k] * corner[k][x];
            below[t][x] /= corner[x][x];
        }
    }
    __syncthreads();
    for (int y = 0; y < SIDE; y++)
        if (is_beside)
            m[(size_t)(at + y) * n + next + t] = beside[y][t];
        else
            m[(size_t)(next + y) * n + at + t] = below[y][t];
}

__global__ void rest(double *m, int n, int at) {
    __shared__ double beside[SIDE][SIDE], below[SIDE][SIDE];
    int x = threadIdx.x, y = threadIdx.y;
    int column = at + (blockIdx.x + 1) * SIDE + x, row = at + (blockIdx.y + 1) * SIDE + y;
    beside[y][x] = m[(size_t)(at + y) * n + column];
    below[y][x] = m[(size_t)row * n + at + x];
    __syncthreads();
    double sum = 0;
#pragma unroll
    for (int k = 0; k < SIDE; k++)
        sum += below[y][k] * beside[k][x];
    m[(size_t)row * n + column] -= sum;
}

int main(int argc, char **argv) {
    int n = input_argument(argc, argv, 1, 2048);
    int times = input_argument(argc, argv, 2, 5);
    size_t count = (size_t)n * n, bytes = count * sizeof(double);
    double *m = (double *)malloc(bytes), *d_m;
    CHECK(cudaMalloc(&d_m, bytes));
    for (int r = 0; r < times; r++) {
        for (size_t i = 0; i < count; i++)
            m[i] = input_unit(160 + r, i) + (i / n == i % n ? n : 0);
        CHECK(cudaMemcpy(d_m, m, bytes, cudaMemcpyHostToDevice));
        for (int at = 0; at < n; at += SIDE) {
            int blocks = (n - at) / SIDE - 1;
            diagonal<<<1, SIDE>>>(d_m, n, at);
            if (blocks > 0) {
                perimeter<<<blocks, 2 * SIDE>>>(d_m, n, at);
                rest<<<dim3(blocks, blocks), dim3(SIDE, SIDE)>>>(d_m, n, at);
            }
        }
        CHECK(cudaGetLastError());
        CHECK(cudaMemcpy(m, d_m, bytes, cudaMemcpyDeviceToHost));
        double determinant = 0, sum = 0;
        for (int i = 0; i < n; i++)
            determinant += log(fabs(m[(size_t)i * n + i]));
        for (size_t i = 0; i < count; i++)
            sum += fabs(m[i]);
        printf("determinant: exp(%.6e), all %.6e\n", determinant, sum);
    }
    CHECK(cudaFree(d_m));
    free(m);
    return 0;
}
