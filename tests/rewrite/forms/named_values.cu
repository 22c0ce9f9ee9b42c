// Arrays with a name that hold values from the start, or are no plain arrays.
// in: Tap=soa
#include <cuda_runtime.h>

struct Tap {
    float weight;
    int at;
};

__constant__ Tap taps[2] = {{0.5f, -1}, {0.5f, 1}}; //! 'taps' is an array with a name
__device__ Tap grid[4][4]; //! 'grid' is an array with a name

__global__ void k(float *out, int n) {
    int i = threadIdx.x;
    out[i] = taps[i % 2].weight; //! 'taps' is used by its name
    out[i] += grid[0][1].at; //! 'grid' is used by its name
}

int main() {
    float *out;
    cudaMalloc(&out, 64 * sizeof(float));
    k<<<1, 64>>>(out, 64);
    return cudaFree(out);
}
