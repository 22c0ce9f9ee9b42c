// Records that are read as words, and words as records.
// in: Vec=soa
#include <cuda_runtime.h>

struct Vec {
    float x, y, z, w;
};

__global__ void words(Vec *v, const int *raw) {
    float4 *f = (float4 *)v; //! cast to 'float4 \*'
    f[threadIdx.x].x += 1;
    const Vec *again = (const Vec *)raw; //! .
    v[threadIdx.x].y += again[threadIdx.x].z;
    unsigned *bits = reinterpret_cast<unsigned *>(&v[threadIdx.x]); //! cast to 'unsigned int \*'
    bits[0] = 0;
}

int main() {
    Vec *v;
    int *raw;
    cudaMalloc(&v, 64 * sizeof(Vec));
    cudaMalloc(&raw, 64 * sizeof(Vec));
    words<<<1, 64>>>(v, raw);
    cudaFree(raw);
    return cudaFree(v);
}
