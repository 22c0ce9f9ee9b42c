// A field that decides which others are read.
#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>

struct Cell {
    int kind;
    float a, b, c, d;
    float result;
};

__global__ void decide(Cell *cells, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    float v;
    switch (cells[i].kind) {
    case 0: v = cells[i].a; break;
    case 1: v = cells[i].b + cells[i].a; break;
    case 2: v = cells[i].c * 2; break;
    default: v = cells[i].d;
    }
    cells[i].result = v;
}

int main(int argc, char **argv) {
    int n = argc > 1 ? atoi(argv[1]) : 4096;
    size_t bytes = n * sizeof(Cell);
    Cell *cells = (Cell *)malloc(bytes);
    for (int i = 0; i < n; i++) {
        cells[i].kind = i / 64 % 4;
        cells[i].a = i % 3;
        cells[i].b = i % 5;
        cells[i].c = i % 7;
        cells[i].d = i % 11;
        cells[i].result = 0;
    }
    Cell *d_cells;
    cudaMalloc(&d_cells, bytes);
    cudaMemcpy(d_cells, cells, bytes, cudaMemcpyHostToDevice);
    for (int s = 0; s < 2; s++)
        decide<<<(n + 127) / 128, 128>>>(d_cells, n);
    cudaMemcpy(cells, d_cells, bytes, cudaMemcpyDeviceToHost);
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += cells[i].result;
    printf("cells: %.6f\n", sum);
    cudaFree(d_cells);
    free(cells);
    return 0;
}
