// Templates over a functor and the record, with the kernel chosen by a macro and by a switch.
// in: Edge=aosoa:32
#include <cuda_runtime.h>

#include <cstdio>

struct Edge {
    int u, v;
    double w;
};

struct heavier {
    template <class E> __device__ double operator()(const E &e) const { return e.w + 1; }
};
struct ends {
    int by;
    __device__ double operator()(Edge e) const { return e.u + e.v * by; }
};

template <typename E, typename F> __global__ void for_each(E *edges, unsigned n, F f) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        edges[i].w = f(edges[i]);
}

template <class Rec, int BLOCK> __global__ void total(const Rec *in, double *out, int n) {
    __shared__ double part[BLOCK];
    __shared__ Rec tile[BLOCK];
    int i = blockIdx.x * BLOCK + threadIdx.x;
    if (i < n)
        tile[threadIdx.x] = in[i];
    part[threadIdx.x] = i < n ? tile[threadIdx.x].w * tile[threadIdx.x].u : 0;
    __syncthreads();
    for (int s = BLOCK / 2; s > 0; s >>= 1) {
        if (threadIdx.x < s)
            part[threadIdx.x] += part[threadIdx.x + s];
        __syncthreads();
    }
    if (threadIdx.x == 0)
        out[blockIdx.x] = part[0];
}

#define LAUNCH(B) total<Edge, B><<<(n + B - 1) / B, B>>>(edges, out, n)

template <class Rec> double sum_of(const Rec *edges, int n, int block) {
    double *out, host[8], sum = 0;
    cudaMalloc(&out, sizeof host);
    cudaMemset(out, 0, sizeof host);
    switch (block) {
    case 32: LAUNCH(32); break;
    case 64: LAUNCH(64); break;
    }
    cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost);
    for (double h : host)
        sum += h;
    cudaFree(out);
    return sum;
}

int main() {
    const int n = 200;
    Edge h[n], *edges = NULL;
    for (int i = 0; i < n; i++)
        h[i] = Edge{i, i / 2, 0.5 * i};
    cudaMalloc(reinterpret_cast<void **>(&edges), sizeof(h));
    cudaMemcpy(edges, h, sizeof(h), cudaMemcpyHostToDevice);
    for_each<<<4, 64>>>(edges, n, heavier());
    for_each<Edge, ends><<<4, 64>>>(edges, n / 2, ends{3});
    printf("%.3f %.3f\n", sum_of(edges, n, 32), sum_of<Edge>(edges, n, 64));
    cudaFree(edges);
    return 0;
}
