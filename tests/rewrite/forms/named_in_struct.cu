// Records in a struct with a name, which a pointer may lead to as well as to an array with a name.
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
__device__ Light fixed[16];

__global__ void k(float *out) {
    const Light *l = scene.lights; //! a record in private or shared memory.*use a variable or function of its own
    if (threadIdx.x % 2)
        l = fixed;
    out[threadIdx.x] = l[threadIdx.x % 8].x;
}

int main() {
    float *out;
    cudaMalloc(&out, 64 * sizeof(float));
    k<<<1, 64>>>(out);
    return cudaFree(out);
}
