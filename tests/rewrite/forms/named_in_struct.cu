// Records in a struct with a name, and one record by itself.
// in: Light=soa
#include <cuda_runtime.h>

struct Light {
    float x, y, z;
    int on;
};

struct Scene {
    Light lights[8];
    int count;
};

__constant__ Scene scene;
__constant__ Light sun;
__device__ Light fixed[16];

__global__ void k(float *out) {
    const Light *l = scene.lights;
    if (threadIdx.x % 2)
        l = fixed;
    out[threadIdx.x] = l[threadIdx.x % 8].x + sun.y;
}

int main() {
    Scene h = {};
    Light s = {}, a[16] = {};
    float *out;
    cudaMalloc(&out, 64 * sizeof(float));
    cudaMemcpyToSymbol(scene, &h, sizeof h);
    cudaMemcpyToSymbol(sun, &s, sizeof s);
    cudaMemcpyToSymbol(fixed, a, sizeof a);
    k<<<1, 64>>>(out);
    return cudaFree(out);
}
