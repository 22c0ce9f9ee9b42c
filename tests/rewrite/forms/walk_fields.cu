// Pointers that walk from one field to the next, which lies elsewhere in another layout.
// in: P=soa
#include <cuda_runtime.h>

struct P {
    float x, y, z;
};

__device__ float norm(const float *v) { return v[0] * v[0] + v[1] * v[1] + v[2] * v[2]; }

__global__ void k(P *p, float *out) {
    int i = threadIdx.x;
    float *f = &p[i].x; //! the address of field 'x' is stored
    for (int d = 0; d < 3; d++)
        f[d] += 1;
    for (float *at = &p[i].x, *end = at + 3; at != end; ++at) //! the address of field 'x' is stored
        out[i] += *at;
    out[i] = norm(&p[i].x); //! the address of field 'x' is passed to 'norm'.*pass the value
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
