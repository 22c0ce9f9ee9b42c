// A sparse matrix in CSR form times a vector, again and again: a warp for each row, doubles.
#include <cuda_runtime.h>

#include "cuda_check.h"
#include "inputs.h"

__global__ void multiply(const int *starts, const int *columns, const double *values,
                         const double *x, double *y, int rows) {
    int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    if (row >= rows)
        return;
    double sum = 0;
    for (int e = starts[row] + lane; e < starts[row + 1]; e += 32)
        sum += values[e] * x[columns[e]];
    for (int offset = 16; offset > 0; offset /= 2)
        sum += __shfl_down_sync(0xffffffff, sum, offset);
    if (lane == 0)
        y[row] = sum;
}

// x = (1 - part) * x + part * y
__global__ void mix(double *x, const double *y, double part, int count) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count)
        x[i] += part * (y[i] - x[i]);
}

int main(int argc, char **argv) {
    int rows = input_argument(argc, argv, 1, 1 << 17);
    int times = input_argument(argc, argv, 2, 450);
    int *starts = (int *)malloc((rows + 1) * sizeof(int)), entries = 0;
    for (int r = 0; r < rows; r++) {
        starts[r] = entries;
        entries += 8 + input_bits(80, r) % 48;
    }
    starts[rows] = entries;
    int *columns = (int *)malloc(entries * sizeof(int));
    double *values = (double *)malloc(entries * sizeof(double));
    double *x = (double *)malloc(rows * sizeof(double));
    for (int r = 0; r < rows; r++) {
        x[r] = input_unit(83, r);
        for (int e = starts[r]; e < starts[r + 1]; e++) {
            columns[e] = (r + input_bits(81, e) % 4096) % rows;
            values[e] = input_between(82, e, 0.5f, 1.5f) / (starts[r + 1] - starts[r]);
        }
    }
    int *d_starts, *d_columns;
    double *d_values, *d_x, *d_y;
    CHECK(cudaMalloc(&d_starts, (rows + 1) * sizeof(int)));
    CHECK(cudaMalloc(&d_columns, entries * sizeof(int)));
    CHECK(cudaMalloc(&d_values, entries * sizeof(double)));
    CHECK(cudaMalloc(&d_x, rows * sizeof(double)));
    CHECK(cudaMalloc(&d_y, rows * sizeof(double)));
    CHECK(cudaMemcpy(d_starts, starts, (rows + 1) * sizeof(int), cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(d_columns, columns, entries * sizeof(int), cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(d_values, values, entries * sizeof(double), cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(d_x, x, rows * sizeof(double), cudaMemcpyHostToDevice));
    for (int t = 0; t < times; t++) {
        multiply<<<(rows + 7) / 8, 256>>>(d_starts, d_columns, d_values, d_x, d_y, rows);
        mix<<<(rows + 255) / 256, 256>>>(d_x, d_y, 0.7, rows);
    }
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaMemcpy(x, d_x, rows * sizeof(double), cudaMemcpyDeviceToHost));
    double sum = 0;
    for (int r = 0; r < rows; r++)
        sum += x[r];
    printf("entries %d, first %.6f, sum %.6e\n", entries, x[0], sum);
    CHECK(cudaFree(d_starts));
    CHECK(cudaFree(d_columns));
    CHECK(cudaFree(d_values));
    CHECK(cudaFree(d_x));
    CHECK(cudaFree(d_y));
    free(starts);
    free(columns);
    free(values);
    free(x);
    return 0;
}
