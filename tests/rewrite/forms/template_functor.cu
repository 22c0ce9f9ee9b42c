// Functors that a template is given, which change the element that they are called on.
// in: Edge=soa
#include <cuda_runtime.h>

struct Edge {
    int u, v;
    double w;
};

struct add_one {
    template <class E> __device__ void operator()(E &e) const { e.w += 1; }
};

template <typename E, typename F> __global__ void for_each(E *edges, unsigned n, F f) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        f(edges[i]); //! takes the element of 'Edge' by a reference.*call it on a copy
}

int main() {
    Edge *edges = NULL;
    cudaMalloc(&edges, 64 * sizeof(Edge));
    for_each<<<4, 64>>>(edges, 64, add_one());
    return cudaFree(edges);
}
