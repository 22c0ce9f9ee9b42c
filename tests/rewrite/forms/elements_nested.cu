// Elements with structs, unions, arrays and enums in them, of which parts are copied and referred to.
// in: Mol=soa
#include <cuda_runtime.h>

#include <cstdio>

enum class Kind : unsigned char { light, heavy };

struct Vec3 {
    float x, y, z;
    __host__ __device__ Vec3 &operator+=(const Vec3 &o) {
        x += o.x, y += o.y, z += o.z;
        return *this;
    }
    __host__ __device__ float dot(const Vec3 &o) const { return x * o.x + y * o.y + z * o.z; }
};

struct Mol {
    Vec3 atom[2];
    Kind kind;
    int bonds;
};

inline __device__ float length2(const Vec3 &v) { return v.dot(v); }
__device__ void push(Vec3 &v, float by) { v.y += by; }
__device__ void clear(Vec3 *v) { *v = Vec3{0, 0, 0}; }

__global__ void bend(Mol *m, float *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    Vec3 &first = m[i].atom[0];
    const Vec3 second = m[i].atom[1];
    first += second;
    push(m[i].atom[1], 0.5f);
    if (m[i].kind == Kind::heavy)
        clear(&m[i].atom[1]);
    const int &bonds = m[i].bonds;
    out[i] = length2(first) + m[i].atom[1].dot(second) + bonds;
    switch (m[i].kind) {
    case Kind::light: m[i].kind = Kind::heavy; break;
    default: m[i].bonds -= 2;
    }
    Vec3 *at = m[i].atom;
    at->z += 1;
    int &b = m[i].bonds;
    b++;
}

int main() {
    const int n = 64;
    Mol h[n], *m;
    float ho[n], *out;
    for (int i = 0; i < n; ++i)
        h[i] = Mol{{{1.0f * i, 2, 3}, {0.5f, 1, 0}}, i % 3 ? Kind::light : Kind::heavy, i};
    cudaMalloc(&m, sizeof h);
    cudaMalloc(&out, sizeof ho);
    cudaMemcpy(m, h, sizeof h, cudaMemcpyHostToDevice);
    bend<<<2, 32>>>(m, out, n);
    cudaMemcpy(h, m, sizeof h, cudaMemcpyDeviceToHost);
    cudaMemcpy(ho, out, sizeof ho, cudaMemcpyDeviceToHost);
    double sum = 0;
    for (int i = 0; i < n; ++i)
        sum += (h[i].atom[0].x + h[i].atom[1].y + h[i].atom[0].z + int(h[i].kind) + h[i].bonds +
                ho[i]) *
               (i + 1);
    printf("%.3f\n", sum);
    cudaFree(m);
    cudaFree(out);
    return 0;
}
