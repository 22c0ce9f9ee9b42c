// Records that are read as words, as numbers, or as bytes.
// in: Vec=soa
#include <cuda_runtime.h>
#include <stdint.h>

struct Vec {
    float x, y, z, w;
};

__global__ void words(Vec *v, const int *raw, float *out) {
    int i = threadIdx.x;
    float4 *f = (float4 *)v; //! cast to 'float4 \*'; reach the fields through 'Vec \*'
    f[i].x += 1;
    const Vec *again = (const Vec *)raw;
    v[i].y += again[i].z;
    unsigned *bits = reinterpret_cast<unsigned *>(&v[i]); //! the address of an element of 'v' is stored or passed on
    bits[0] = 0;
    uintptr_t where = (uintptr_t)(v + i); //! cast to 'uintptr_t'
    out[i] = where % 8;
    const Vec *q = (const Vec *)((const char *)v + i * sizeof(Vec)); //! cast to 'const char \*'
    out[i] += q->x;
}

int main() {
    Vec *v;
    int *raw;
    float *out;
    cudaMalloc(&v, 64 * sizeof(Vec));
    cudaMalloc(&raw, 64 * sizeof(Vec));
    cudaMalloc(&out, 64 * sizeof(float));
    words<<<1, 64>>>(v, raw, out);
    cudaFree(raw);
    cudaFree(out);
    return cudaFree(v);
}
