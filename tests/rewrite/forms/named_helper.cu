// Several arrays with names, reached by helpers, filled from vectors, through a macro that checks.
// in: Material={albedo}{rough,kind}
#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>
#include <vector>

#define CHECK_SYMBOL(call)                                                                         \
    do {                                                                                           \
        cudaError_t err_ = (call);                                                                 \
        if (err_ != cudaSuccess) {                                                                 \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(err_));          \
            exit(1);                                                                               \
        }                                                                                          \
    } while (0)

namespace shading {
enum { MATERIALS = 12, SAMPLES = 96 };

struct Material {
    double albedo[2];
    float rough;
    unsigned char kind;
};

__constant__ Material c_materials[MATERIALS];
__constant__ Material c_fallback[1];
__device__ Material d_mixed[SAMPLES];
__device__ float d_scale;

__device__ __forceinline__ const Material &lookup(int id) {
    return id < MATERIALS ? c_materials[id] : c_fallback[0];
}

__device__ float shade(int id, float cosine) {
    const Material &m = lookup(id);
    return m.kind & 1 ? float(m.albedo[0]) * cosine : m.rough + float(m.albedo[1]);
}
} // namespace shading

using namespace shading;

__global__ void mix(float *out, int n) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        Material own = c_materials[i % MATERIALS];
        own.rough *= d_scale;
        d_mixed[i] = own;
        d_mixed[i].albedo[1] += d_mixed[i].kind;
        out[i] = shade(i % (MATERIALS + 2), 0.5f);
    }
}

int main() {
    std::vector<Material> table(MATERIALS);
    for (int i = 0; i < MATERIALS; ++i)
        table[i] = {{0.25 * i, 1.0 - i}, 2.0f * i, (unsigned char)i};
    const Material none = {{8, 9}, 10, 0};
    const float scale = 0.5f;
    CHECK_SYMBOL(cudaMemcpyToSymbol(c_materials, table.data(), table.size() * sizeof(Material)));
    CHECK_SYMBOL(cudaMemcpyToSymbol(c_fallback, &none, sizeof(none)));
    CHECK_SYMBOL(cudaMemcpyToSymbol(d_scale, &scale, sizeof scale));
    float *out;
    CHECK_SYMBOL(cudaMalloc(&out, SAMPLES * sizeof *out));
    mix<<<2, 32>>>(out, SAMPLES);
    CHECK_SYMBOL(cudaGetLastError());
    std::vector<Material> back(SAMPLES);
    std::vector<float> shades(SAMPLES);
    CHECK_SYMBOL(cudaMemcpyFromSymbol(back.data(), d_mixed, sizeof(Material) * back.size(), 0,
                                      cudaMemcpyDeviceToHost));
    CHECK_SYMBOL(cudaMemcpy(shades.data(), out, SAMPLES * sizeof(float), cudaMemcpyDefault));
    double sum = 0;
    for (int i = 0; i < SAMPLES; ++i)
        sum += (back[i].albedo[0] + back[i].albedo[1] + back[i].rough + back[i].kind + shades[i]) *
               (i + 1);
    printf("%.4f\n", sum);
    CHECK_SYMBOL(cudaFree(out));
    return 0;
}
