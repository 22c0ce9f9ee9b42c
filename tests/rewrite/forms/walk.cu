// Pointers that walk over elements, in kernels and helpers.
// in: Edge=soa; Edge=aosoa:4; Edge={to,weight}{kind}
#include <cuda_runtime.h>

#include <cstdio>

struct Edge {
    int to;
    float weight;
    short kind;
};

__device__ float sum(const Edge *at, const Edge *end) {
    float total = 0;
    for (; at != end; ++at)
        total += at->weight * at->kind;
    return total;
}

__device__ Edge *heaviest(Edge *first, int n) {
    Edge *best = first;
    for (Edge *e = first + 1; e < first + n; e++)
        if ((*e).weight > best->weight)
            best = e;
    return best;
}

__global__ void k(Edge *edges, float *out, int degree) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    Edge *own = edges + i * degree, *end = own + degree;
    float back = 0;
    for (Edge *e = end; e-- != own;)
        back = back * 0.5f + e->weight;
    const Edge *both[2] = {own, end - 1};
    while (both[0] < both[1])
        back += both[0]++->kind - both[1]--->kind;
    Edge *best = heaviest(own, degree);
    best->kind += 3;
    out[i] = sum(own, end) + back + (best - own);
}

int main() {
    const int n = 64, degree = 6;
    static Edge host[n * degree];
    Edge *edges;
    float outs[n], *out;
    for (int i = 0; i < n * degree; i++)
        host[i] = Edge{i * 7 % n, 0.25f * (i * 13 % 31), (short)(i % 4)};
    cudaMalloc(&edges, sizeof host);
    cudaMalloc(&out, sizeof outs);
    cudaMemcpy(edges, host, sizeof host, cudaMemcpyHostToDevice);
    k<<<2, 32>>>(edges, out, degree);
    cudaMemcpy(host, edges, sizeof host, cudaMemcpyDeviceToHost);
    cudaMemcpy(outs, out, sizeof outs, cudaMemcpyDeviceToHost);
    double total = 0;
    for (int i = 0; i < n; i++)
        total += outs[i] * (i + 1) + host[i * degree + 3].kind;
    printf("%.4f\n", total);
    cudaFree(edges);
    cudaFree(out);
    return 0;
}
