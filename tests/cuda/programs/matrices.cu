// A product of matrices in tiles of shared memory, with sizes that are no multiples of a tile.
#include "check.h"

const int side = 16;

__global__ void multiply(double *c, const double *a, const double *b, int n, int m, int k) {
    __shared__ double as[side][side], bs[side][side + 1];
    int row = blockIdx.y * side + threadIdx.y, column = blockIdx.x * side + threadIdx.x;
    double sum = 0;
    for (int t = 0; t < k; t += side) {
        int ax = t + threadIdx.x, by = t + threadIdx.y;
        as[threadIdx.y][threadIdx.x] = row < n && ax < k ? a[row * k + ax] : 0;
        bs[threadIdx.y][threadIdx.x] = by < k && column < m ? b[by * m + column] : 0;
        __syncthreads();
#pragma unroll
        for (int i = 0; i < side; i++)
            sum += as[threadIdx.y][i] * bs[i][threadIdx.x];
        __syncthreads();
    }
    if (row < n && column < m)
        c[row * m + column] = sum;
}

int main() {
    const int n = 50, m = 37, k = 45;
    static double a[n * k], b[k * m], c[n * m];
    double *da, *db, *dc;
    for (int i = 0; i < n * k; i++)
        a[i] = i % 7 - 3;
    for (int i = 0; i < k * m; i++)
        b[i] = i % 5 - 2;
    CUDA(cudaMalloc(&da, sizeof a));
    CUDA(cudaMalloc(&db, sizeof b));
    CUDA(cudaMalloc(&dc, sizeof c));
    CUDA(cudaMemcpy(da, a, sizeof a, cudaMemcpyDefault));
    CUDA(cudaMemcpy(db, b, sizeof b, cudaMemcpyDefault));
    multiply<<<dim3((m + side - 1) / side, (n + side - 1) / side), dim3(side, side)>>>(dc, da, db, n,
                                                                                      m, k);
    CUDA(cudaMemcpy(c, dc, sizeof c, cudaMemcpyDefault));
    for (int y = 0; y < n; y++)
        for (int x = 0; x < m; x++) {
            double sum = 0;
            for (int i = 0; i < k; i++)
                sum += a[y * k + i] * b[i * m + x];
            CHECK(c[y * m + x] == sum);
        }
    return DONE;
}
