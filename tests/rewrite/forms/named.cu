// Arrays with a name in device and constant memory: copied by it, from its middle, by its address.
// in: Node=soa; Node=aosoa:32; Node={x}{y,links}; Node={x}{y,links}:4/da
#include <cuda_runtime.h>

#include <cstdio>

#define COUNT 200

struct Node {
    float x, y;
    int links[2];
};

__device__ Node nodes[COUNT];
static __constant__ Node table[COUNT / 20];

__device__ float walk(const Node *from, int n) {
    float sum = 0;
    for (const Node *at = from; at != from + n; at++)
        sum += at->x;
    return sum;
}

__global__ void k(Node *more, float *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    Node *own = nodes + i;
    nodes[i].x += table[i % 10].y + more[i].y;
    own->links[1] = own - nodes;
    const Node *either = i % 2 ? nodes : more;
    out[i] = walk(table, 10) + either[nodes[i].links[0]].y;
    if (i == 0)
        out[0] += sizeof(table) / sizeof(table[0]) + sizeof nodes;
}

__global__ void clear(Node *some, int n) {
    for (int i = threadIdx.x; i < n; i += blockDim.x)
        some[i].links[0] = -i;
}

int main() {
    const int n = COUNT;
    Node host[n], *more, *address;
    float outs[n], *out;
    for (int i = 0; i < n; i++)
        host[i] = Node{0.5f * i, 100.0f - i, {i * 7 % n, 0}};
    cudaMalloc(&more, sizeof host);
    cudaMalloc(&out, sizeof outs);
    cudaMemcpy(more, host, sizeof host, cudaMemcpyHostToDevice);
    cudaMemcpyToSymbol(nodes, host, sizeof host);
    cudaMemcpyToSymbol(nodes, &host[50], 20 * sizeof(Node), 33 * sizeof(Node));
    cudaMemcpyToSymbol(table, host + 7, sizeof table);
    k<<<4, 64>>>(more, out, n);
    cudaGetSymbolAddress((void **)&address, nodes);
    clear<<<1, 32>>>(address + 10, 5);
    cudaMemcpyFromSymbol(host, nodes, sizeof(Node) * 150);
    cudaMemcpyFromSymbol(host + 150, nodes, 50 * sizeof(Node), 150 * sizeof(Node));
    cudaMemcpy(outs, out, sizeof outs, cudaMemcpyDeviceToHost);
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += (host[i].x + host[i].y + host[i].links[0] - host[i].links[1] + outs[i]) * (i + 1);
    printf("%.4f\n", sum);
    cudaFree(more);
    cudaFree(out);
    return 0;
}
