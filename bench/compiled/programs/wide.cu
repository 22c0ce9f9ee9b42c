// Sixteen fields, of which kernels take three groups.
#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>

struct Row {
    float a0, a1, a2, a3;
    float b0, b1, b2, b3;
    float c0, c1, c2, c3;
    int d0, d1, d2, d3;
};

__global__ void first(Row *rows, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        rows[i].a0 = rows[i].a1 + rows[i].a2 * rows[i].a3;
}

__global__ void second(Row *rows, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        rows[i].b0 += rows[i].a0 * rows[i].b1;
}

__global__ void third(Row *rows, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && rows[i].d0 % 2)
        rows[i].c0 += rows[i].c1 * rows[i].d1;
}

int main(int argc, char **argv) {
    int n = argc > 1 ? atoi(argv[1]) : 4096;
    size_t bytes = n * sizeof(Row);
    Row *rows = (Row *)malloc(bytes);
    for (int i = 0; i < n; i++) {
        rows[i].a0 = rows[i].a1 = rows[i].a2 = rows[i].a3 = i % 3;
        rows[i].b0 = rows[i].b1 = rows[i].b2 = rows[i].b3 = i % 5;
        rows[i].c0 = rows[i].c1 = rows[i].c2 = rows[i].c3 = i % 7;
        rows[i].d0 = rows[i].d1 = rows[i].d2 = rows[i].d3 = i % 4;
    }
    Row *d_rows;
    cudaMalloc(&d_rows, bytes);
    cudaMemcpy(d_rows, rows, bytes, cudaMemcpyHostToDevice);
    for (int s = 0; s < 2; s++) {
        first<<<(n + 127) / 128, 128>>>(d_rows, n);
        second<<<(n + 127) / 128, 128>>>(d_rows, n);
        third<<<(n + 127) / 128, 128>>>(d_rows, n);
    }
    cudaMemcpy(rows, d_rows, bytes, cudaMemcpyDeviceToHost);
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += rows[i].a0 + rows[i].b0 + rows[i].c0;
    printf("rows: %.6f\n", sum);
    cudaFree(d_rows);
    free(rows);
    return 0;
}
