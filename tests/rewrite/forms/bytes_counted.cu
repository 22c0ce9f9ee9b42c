// Buffers of bytes in which records and other things lie, or whose bytes are counted.
// in: Drop=soa
#include <cuda_runtime.h>

struct Drop {
    float x;
    int id;
};

__global__ void k(Drop *drops, float *f) { drops[threadIdx.x].x += f[threadIdx.x]; }

int main() {
    char *all;
    Drop host[8] = {};
    cudaMalloc(&all, 64 * sizeof(Drop) + 64 * sizeof(float));
    cudaMemcpy(all + 8 * sizeof(Drop), host, sizeof host, cudaMemcpyHostToDevice); //! 'all' is declared as bytes
    float *f = (float *)(all + 64 * sizeof(Drop)); //! 'all' is declared as bytes
    k<<<1, 64>>>((Drop *)all, f);
    return cudaFree(all);
}
