// A record aligned to 8 bytes, of which a kernel needs one pair.
#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>

struct alignas(8) Edge {
    int from, to;
    float length, weight;
};

__global__ void relax(Edge *edges, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    edges[i].length = edges[i].length * 0.5f + 1;
    edges[i].weight += edges[i].length;
}

int main(int argc, char **argv) {
    int n = argc > 1 ? atoi(argv[1]) : 4096;
    size_t bytes = n * sizeof(Edge);
    Edge *edges = (Edge *)malloc(bytes);
    for (int i = 0; i < n; i++) {
        edges[i].from = i;
        edges[i].to = i + 1;
        edges[i].length = i % 100;
        edges[i].weight = 1;
    }
    Edge *d_edges;
    cudaMalloc(&d_edges, bytes);
    cudaMemcpy(d_edges, edges, bytes, cudaMemcpyHostToDevice);
    for (int s = 0; s < 2; s++)
        relax<<<(n + 127) / 128, 128>>>(d_edges, n);
    cudaMemcpy(edges, d_edges, bytes, cudaMemcpyDeviceToHost);
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += edges[i].weight + edges[i].to;
    printf("edges: %.6f\n", sum);
    cudaFree(d_edges);
    free(edges);
    return 0;
}
