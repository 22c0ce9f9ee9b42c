// Pointers that walk over what a layout takes apart: fields of neighbours, bytes, addresses as numbers.
// in: P=soa
#include <cuda_runtime.h>
#include <stdint.h>

struct P {
    float x, y, z;
};

__device__ float norm(const float *v) { return v[0] * v[0] + v[1] * v[1] + v[2] * v[2]; }

__global__ void k(P *p, float *out) {
    int i = threadIdx.x;
    float *f = &p[i].x; //! the address of field 'x'
    for (int d = 0; d < 3; d++)
        f[d] += 1;
    out[i] = norm(&p[i].x); //! the address of field 'x'
    uintptr_t where = (uintptr_t)(p + i); //! cast to 'unsigned long
    out[i] += where % 8;
    const P *q = (const P *)((const char *)p + i * sizeof(P)); //! cast to 'const char \*'
    out[i] += q->x;
    P *const *both = new P *[2]; //! .
    out[i] += both[0]->x;
}

int main() {
    P *p;
    float *out;
    cudaMalloc(&p, 64 * sizeof(P));
    cudaMalloc(&out, 64 * sizeof(float));
    k<<<1, 64>>>(p, out);
    cudaFree(out);
    return cudaFree(p);
}
