// A pointer in device memory, which the host sets, and an array whose address it takes.
// in: cell_t=soa
#include <cuda_runtime.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct cell {
    float pressure, dens;
    short flag;
} cell_t;

#define NX 16
#define NY 8

__device__ cell_t *d_grid;
__device__ cell_t d_halo[2 * NX];
__constant__ int d_ny;

static __device__ cell_t *at(int x, int y) {
    if (y < 0)
        return &d_halo[x];
    if (y >= d_ny)
        return d_halo + NX + x;
    return d_grid + y * NX + x;
}

__global__ void relax(float *out) {
    int x = threadIdx.x, y = blockIdx.x;
    cell_t *c = at(x, y);
    c->flag++;
    out[y * NX + x] = at(x, y - 1)->pressure + at(x, y + 1)->pressure + c->dens;
}

__global__ void halo(cell_t *h) { h[threadIdx.x].pressure += 100; }

int main(void) {
    int n = NX * NY, ny = NY;
    cell_t *h = (cell_t *)malloc(n * sizeof(cell_t)), *d, *halo_at;
    float *out, *outs = (float *)malloc(n * sizeof(float));
    for (int i = 0; i < n; i++) {
        h[i].pressure = i;
        h[i].dens = 0.5f * i;
        h[i].flag = i % 9;
    }
    cudaMalloc((void **)&d, n * sizeof(cell_t));
    cudaMalloc((void **)&out, n * sizeof(float));
    cudaMemcpy(d, h, n * sizeof(cell_t), cudaMemcpyHostToDevice);
    cudaMemcpyToSymbol(d_grid, &d, sizeof(d));
    cudaMemcpyToSymbol(d_ny, &ny, sizeof(int));
    cudaMemcpyToSymbol(d_halo, h, 2 * NX * sizeof(cell_t));
    if (cudaGetSymbolAddress((void **)&halo_at, d_halo) != cudaSuccess)
        return 1;
    halo<<<1, NX>>>(halo_at + NX);
    relax<<<NY, NX>>>(out);
    cudaMemcpy(h, d, n * sizeof(cell_t), cudaMemcpyDeviceToHost);
    cudaMemcpy(outs, out, n * sizeof(float), cudaMemcpyDeviceToHost);
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += (outs[i] + h[i].flag) * (i + 1);
    printf("%.3f\n", sum);
    cudaFree(d);
    cudaFree(out);
    free(h);
    free(outs);
    return 0;
}
