// thrust over arrays of numbers, beside records that kernels alone reach.
// in: Body=soa
#include <thrust/device_ptr.h>
#include <thrust/device_vector.h>
#include <thrust/execution_policy.h>
#include <thrust/reduce.h>
#include <thrust/scan.h>

#include <cstdio>

struct Body {
    float x, v;
    unsigned cell;
};

__global__ void count(const Body *bodies, int *counts, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        atomicAdd(&counts[bodies[i].cell], 1);
}

__global__ void place(Body *bodies, const int *starts, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        bodies[i].x += starts[bodies[i].cell];
}

int main() {
    const int n = 96, cells = 8;
    Body h[n], *bodies;
    for (int i = 0; i < n; i++)
        h[i] = Body{1.0f * i, 0, unsigned(i * i % cells)};
    cudaMalloc(&bodies, sizeof h);
    cudaMemcpy(bodies, h, sizeof h, cudaMemcpyHostToDevice);
    thrust::device_vector<int> counts(cells, 0), starts(cells);
    count<<<3, 32>>>(bodies, thrust::raw_pointer_cast(counts.data()), n);
    thrust::exclusive_scan(counts.begin(), counts.end(), starts.begin());
    place<<<3, 32>>>(bodies, starts.data().get(), n);
    int all = thrust::reduce(counts.begin(), counts.end());
    cudaMemcpy(h, bodies, sizeof h, cudaMemcpyDeviceToHost);
    double sum = all;
    for (int i = 0; i < n; i++)
        sum += h[i].x * (i + 1);
    printf("%.3f\n", sum);
    cudaFree(bodies);
    return 0;
}
