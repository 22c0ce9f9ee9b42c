// Functions that take a record by its address, and by its value.
#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>

struct Wire {
    float r, l, c;
    float u, i;
    int from, to, on;
};

__device__ float impedance(const Wire &w) { return w.r + 0.5f * w.l; }
__device__ float stored(Wire w) { return 0.5f * w.c * w.u * w.u; }

__global__ void load(Wire *wires, int n) {
    int k = blockIdx.x * blockDim.x + threadIdx.x;
    if (k >= n)
        return;
    wires[k].i = wires[k].u / impedance(wires[k]);
    wires[k].u -= stored(wires[k]) * 0.01f;
}

int main(int argc, char **argv) {
    int n = argc > 1 ? atoi(argv[1]) : 4096;
    size_t bytes = n * sizeof(Wire);
    Wire *wires = (Wire *)malloc(bytes);
    for (int i = 0; i < n; i++) {
        wires[i].r = 1 + i % 3;
        wires[i].l = i % 5;
        wires[i].c = 0.5f;
        wires[i].u = i % 7;
        wires[i].i = 0;
        wires[i].from = i;
        wires[i].to = i;
        wires[i].on = 1;
    }
    Wire *d_wires;
    cudaMalloc(&d_wires, bytes);
    cudaMemcpy(d_wires, wires, bytes, cudaMemcpyHostToDevice);
    for (int s = 0; s < 2; s++)
        load<<<(n + 127) / 128, 128>>>(d_wires, n);
    cudaMemcpy(wires, d_wires, bytes, cudaMemcpyDeviceToHost);
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += wires[i].i + wires[i].u;
    printf("wires: %.6f\n", sum);
    cudaFree(d_wires);
    free(wires);
    return 0;
}
