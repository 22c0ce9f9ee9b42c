// Atomics on one field, all of a record read beside it.
#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>

struct Bin {
    int count;
    float low, high;
    int next;
};

__global__ void count(Bin *bins, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    int at = (i * 37) % n;
    if (bins[at].low < bins[at].high)
        atomicAdd(&bins[at].count, bins[i].next);
}

int main(int argc, char **argv) {
    int n = argc > 1 ? atoi(argv[1]) : 4096;
    size_t bytes = n * sizeof(Bin);
    Bin *bins = (Bin *)malloc(bytes);
    for (int i = 0; i < n; i++) {
        bins[i].count = 0;
        bins[i].low = i % 10;
        bins[i].high = i % 13;
        bins[i].next = i % 3;
    }
    Bin *d_bins;
    cudaMalloc(&d_bins, bytes);
    cudaMemcpy(d_bins, bins, bytes, cudaMemcpyHostToDevice);
    for (int s = 0; s < 2; s++)
        count<<<(n + 127) / 128, 128>>>(d_bins, n);
    cudaMemcpy(bins, d_bins, bytes, cudaMemcpyDeviceToHost);
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += bins[i].count;
    printf("bins: %.6f\n", sum);
    cudaFree(d_bins);
    free(bins);
    return 0;
}
