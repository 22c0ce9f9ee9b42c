// Bitonic sort: steps within a tile in shared memory, longer ones in global memory.
#include <cuda_runtime.h>

#include "cuda_check.h"
#include "inputs.h"

#define TILE 1024

__device__ void order(uint32_t &a, uint32_t &b, bool up) {
    if ((a > b) == up) {
        uint32_t swap = a;
        a = b;
        b = swap;
    }
}

// All steps of the sizes from `from` to `to` that stay within a tile.
__global__ void sort_tile(uint32_t *keys, int from, int to) {
    __shared__ uint32_t tile[TILE];
    int base = blockIdx.x * TILE, t = threadIdx.x;
    tile[t] = keys[base + t];
    tile[t + TILE / 2] = keys[base + t + TILE / 2];
    for (int size = from; size <= to; size *= 2)
        for (int stride = min(size, TILE) / 2; stride > 0; stride /= 2) {
            __syncthreads();
            int low = 2 * t - (t & (stride - 1));
            order(tile[low], tile[low + stride], ((base + low) & size) == 0);
        }
    __syncthreads();
    keys[base + t] = tile[t];
    keys[base + t + TILE / 2] = tile[t + TILE / 2];
}

__global__ void merge_step(uint32_t *keys, int size, int stride) {
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    int low = 2 * t - (t & (stride - 1));
    uint32_t a = keys[low], b = keys[low + stride];
    bool up = (low & size) == 0;
    order(a, b, up);
    keys[low] = a;
    keys[low + stride] = b;
}

int main(int argc, char **argv) {
    int count = 1 << input_argument(argc, argv, 1, 22);
    int times = input_argument(argc, argv, 2, 7);
    size_t bytes = count * sizeof(uint32_t);
    uint32_t *keys = (uint32_t *)malloc(bytes), *d_keys;
    CHECK(cudaMalloc(&d_keys, bytes));
    for (int n = 0; n < times; n++) {
        for (int i = 0; i < count; i++)
            keys[i] = input_bits(9 + n, i);
        CHECK(cudaMemcpy(d_keys, keys, bytes, cudaMemcpyHostToDevice));
        sort_tile<<<count / TILE, TILE / 2>>>(d_keys, 2, TILE);
        for (int size = 2 * TILE; size <= count; size *= 2) {
            for (int stride = size / 2; stride >= TILE; stride /= 2)
                merge_step<<<count / 512, 256>>>(d_keys, size, stride);
            sort_tile<<<count / TILE, TILE / 2>>>(d_keys, size, size);
        }
        CHECK(cudaGetLastError());
        CHECK(cudaMemcpy(keys, d_keys, bytes, cudaMemcpyDeviceToHost));
        int wrong = 0;
        for (int i = 1; i < count; i++)
            wrong += keys[i - 1] > keys[i];
        printf("least %u, greatest %u, all %u, %d out of order\n", keys[0], keys[count - 1],
               sum_of_bits(keys, count), wrong);
    }
    CHECK(cudaFree(d_keys));
    free(keys);
    return 0;
}
