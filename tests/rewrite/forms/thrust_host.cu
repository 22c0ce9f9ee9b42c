// host_vectors of records, which go to the device by cudaMemcpy(), and a field that a kernel gives to thrust.
// in: Body={x,v}{cell}
#include <thrust/device_vector.h>
#include <thrust/host_vector.h>
#include <thrust/reduce.h>

#include <cstdio>

namespace flock {
struct Body {
    float x, v;
    int cell;
};

__global__ void step(Body *bodies, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        bodies[i].x += bodies[i].v;
}

__global__ void take_cells(const Body *bodies, int *cells, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        cells[i] = bodies[i].cell;
}
} // namespace flock

int main() {
    using flock::Body;
    const int n = 80;
    thrust::host_vector<Body> h(n);
    for (int i = 0; i < n; i++)
        h[i] = Body{1.0f * i, 0.5f, i % 9};
    Body *bodies;
    cudaMalloc(&bodies, h.size() * sizeof(Body));
    cudaMemcpy(bodies, thrust::raw_pointer_cast(h.data()), h.size() * sizeof(Body),
               cudaMemcpyHostToDevice);
    thrust::device_vector<int> cells(n);
    flock::step<<<3, 32>>>(bodies, n);
    flock::take_cells<<<3, 32>>>(bodies, thrust::raw_pointer_cast(cells.data()), n);
    double sum = thrust::reduce(cells.begin(), cells.end());
    cudaMemcpy(&h[0], bodies, h.size() * sizeof(Body), cudaMemcpyDeviceToHost);
    for (int i = 0; i < n; i++)
        sum += h[i].x * (i + 1);
    printf("%.3f\n", sum);
    cudaFree(bodies);
    return 0;
}
