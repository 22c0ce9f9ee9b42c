//: headers own
//: kernels scale, flux
//: found flux 64: float v[5], stride n
//: layouts flux 64: aos soa da {v[0],v[1],v[2]}{v[3],v[4]}:4
// Constant offsets by name, a pointer that is const and restrict, an atomic, and 64-bit arithmetic.
enum { DENSITY, MX, MY, MZ, ENERGY, FIELDS };
__global__ void scale(float *v, size_t n, float by) {
    size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
    if (i < n)
        for (int k = 0; k < FIELDS; ++k)
            v[i + k * n] *= by;
}
__global__ void flux(const float *__restrict__ v, float *__restrict__ out, const int *next, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    const int j = next[i];
    float p = v[ENERGY * n + j] - v[j + MX * n] * v[j + MY * n] / (v[j + DENSITY * n] + 1.0f);
    atomicAdd(&out[i + ENERGY * n], p);
    out[i + DENSITY * n] = v[(size_t)MZ * n + i] + v[i + (MZ - 1) * n];
    for (int k = MX; k <= MZ; k++)
        out[i + k * n] += p * v[j + k * n];
}
