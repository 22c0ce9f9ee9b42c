// cub over a field of the records, by an iterator of their array.
// in: Edge=soa
#include <cub/cub.cuh>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/permutation_iterator.h>
#include <thrust/iterator/transform_iterator.h>

struct Edge {
    int to;
    float weight;
};

struct weight_of {
    __host__ __device__ float operator()(const Edge &e) const { return e.weight; }
};

__global__ void k(Edge *e) { e[threadIdx.x].weight += 1; }

int main() {
    Edge *edges;
    float *out;
    void *temporary = nullptr;
    size_t bytes = 0;
    cudaMalloc(&edges, 64 * sizeof(Edge));
    cudaMalloc(&out, sizeof(float));
    k<<<1, 64>>>(edges);
    auto weights = thrust::make_transform_iterator(edges, weight_of()); //! goes to 'make_transform_iterator'.*do its work in a kernel
    auto counted = thrust::make_permutation_iterator(edges, thrust::counting_iterator<int>(0)); //! goes to 'make_permutation_iterator'
    cub::DeviceReduce::Sum(temporary, bytes, weights, out, 64);
    cudaMalloc(&temporary, bytes);
    cub::DeviceReduce::Sum(temporary, bytes, weights, out, 64);
    return cudaFree(edges) + (counted == counted);
}
