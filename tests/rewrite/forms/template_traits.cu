// A template over the kind of number, with an alias, traits, and kernels launched for both kinds.
// in: particle<float>=soa; particle<float>={pos}{vel,id}
#include <cuda_runtime.h>

#include <cstdio>
#include <type_traits>
#include <vector>

template <typename real> struct particle {
    real pos[3], vel[3];
    int id;
};
using pfloat = particle<float>;

template <typename T> __device__ T kinetic(const particle<T> &p) {
    T e = T(0);
    for (int d = 0; d < 3; d++)
        e += p.vel[d] * p.vel[d];
    return T(0.5) * e;
}

template <typename real>
__global__ void drift(particle<real> *__restrict__ p, const int n, const real dt) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    static_assert(std::is_floating_point<real>::value, "numbers");
    for (int d = 0; d < 3; d++)
        p[i].pos[d] += p[i].vel[d] * dt;
}

template <typename T> __global__ void energies(particle<T> *p, T *out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = kinetic<T>(p[i]) + T(p[i].id);
}

template <typename real> struct system_of {
    particle<real> *d_p = nullptr;
    real *d_e = nullptr;
    int n = 0;
    explicit system_of(const std::vector<particle<real>> &h) : n((int)h.size()) {
        cudaMalloc(&d_p, n * sizeof(particle<real>));
        cudaMalloc(&d_e, n * sizeof(real));
        cudaMemcpy(d_p, h.data(), n * sizeof(particle<real>), cudaMemcpyHostToDevice);
    }
    ~system_of() {
        cudaFree(d_p);
        cudaFree(d_e);
    }
    void step(real dt) { drift<real><<<(n + 31) / 32, 32>>>(d_p, n, dt); }
    void download(std::vector<particle<real>> &h, std::vector<real> &e) {
        energies<<<(n + 31) / 32, 32>>>(d_p, d_e, n);
        h.resize(n);
        e.resize(n);
        cudaMemcpy(h.data(), d_p, n * sizeof(particle<real>), cudaMemcpyDeviceToHost);
        cudaMemcpy(e.data(), d_e, n * sizeof(real), cudaMemcpyDeviceToHost);
    }
};

int main() {
    std::vector<pfloat> h(70);
    for (int i = 0; i < (int)h.size(); i++)
        h[i] = pfloat{{1.0f * i, 2, 3}, {0.5f * (i % 7), 1, -1}, i};
    system_of<float> s(h);
    for (int k = 0; k < 3; k++)
        s.step(0.5f);
    std::vector<float> e;
    s.download(h, e);
    double sum = 0;
    for (size_t i = 0; i < h.size(); i++)
        sum += (h[i].pos[0] + h[i].pos[2] + e[i]) * (i + 1);
    printf("%.4f\n", sum);
    return 0;
}
