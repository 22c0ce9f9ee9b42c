// Records that are instances of templates, with methods, in kernels for all instances and for one.
// in: sim::Body<float, 3>=soa; sim::Body<float, 3>=aosoa:32; sim::Body<float, 3>={place}{mass,count}
#include <cuda_runtime.h>

#include <cstdio>

namespace sim {
template <class T, int D> struct Body {
    T place[D], mass;
    int count;
    __host__ __device__ T size() const {
        T sum = 0;
        for (int d = 0; d < D; d++)
            sum += place[d] * place[d];
        return sum;
    }
    __device__ void move(T by) {
        for (int d = 0; d < D; d++)
            place[d] += by;
        count++;
    }
};

template <class T, int D> __device__ T heavy(const Body<T, D> *p, int i) {
    return p[i].mass * p[i].size();
}

template <int D, class T> __global__ void step(Body<T, D> *p, int n, T by) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    Body<T, D> own = p[i];
    own.mass += heavy(p, i);
    p[i] = own;
    p[i].move(by);
    Body<T, D> &same = p[i];
    same.mass += 1;
}
} // namespace sim

typedef sim::Body<float, 3> Body3;

__global__ void halve(Body3 *p, int n) {
    for (int i = threadIdx.x; i < n; i += blockDim.x) {
        p[i].mass *= 0.5f;
        p[i].move(-0.25f);
    }
}

int main() {
    const int n = 96;
    Body3 host[n], *bodies;
    for (int i = 0; i < n; i++)
        host[i] = Body3{{0.1f * i, 1, -0.2f * i}, 0.5f, i};
    cudaMalloc(&bodies, sizeof host);
    cudaMemcpy(bodies, host, n * sizeof(Body3), cudaMemcpyHostToDevice);
    sim::step<<<3, 32>>>(bodies, n, 0.5f);
    sim::step<3><<<3, 32>>>(bodies, n, 1.5f);
    halve<<<1, 32>>>(bodies, n);
    cudaMemcpy(host, bodies, sizeof host, cudaMemcpyDeviceToHost);
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += (host[i].mass + host[i].place[2] + host[i].count) * (i + 1);
    printf("%.3f\n", sum);
    cudaFree(bodies);
    return 0;
}
