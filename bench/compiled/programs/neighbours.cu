// A field of three neighbours, another of one.
#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>

struct Node {
    float t, flux;
    float x, capacity;
    int boundary;
};

__global__ void exchange(Node *nodes, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i > 0 && i < n - 1 && !nodes[i].boundary)
        nodes[i].flux = nodes[i - 1].t - 2 * nodes[i].t + nodes[i + 1].t;
}

__global__ void heat(Node *nodes, int n, float dt) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        nodes[i].t += dt * nodes[i].flux / nodes[i].capacity;
}

int main(int argc, char **argv) {
    int n = argc > 1 ? atoi(argv[1]) : 4096;
    size_t bytes = n * sizeof(Node);
    Node *nodes = (Node *)malloc(bytes);
    for (int i = 0; i < n; i++) {
        nodes[i].t = i % 31;
        nodes[i].flux = 0;
        nodes[i].x = i;
        nodes[i].capacity = 2;
        nodes[i].boundary = i % 64 == 0;
    }
    Node *d_nodes;
    cudaMalloc(&d_nodes, bytes);
    cudaMemcpy(d_nodes, nodes, bytes, cudaMemcpyHostToDevice);
    for (int s = 0; s < 2; s++) {
        exchange<<<(n + 127) / 128, 128>>>(d_nodes, n);
        heat<<<(n + 127) / 128, 128>>>(d_nodes, n, 0.1f);
    }
    cudaMemcpy(nodes, d_nodes, bytes, cudaMemcpyDeviceToHost);
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += nodes[i].t;
    printf("nodes: %.6f\n", sum);
    cudaFree(d_nodes);
    free(nodes);
    return 0;
}
