// A histogram of bytes: each block counts in shared memory with atomics and adds to the whole.
#include <cuda_runtime.h>

#include "cuda_check.h"
#include "inputs.h"

enum { BINS = 256, THREADS = 256 };

__global__ void count_bytes(const uint32_t *words, int count, uint32_t mask, uint32_t *bins) {
    __shared__ uint32_t own[BINS];
    for (int b = threadIdx.x; b < BINS; b += blockDim.x)
        own[b] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x) {
        uint32_t word = words[i] ^ mask;
        atomicAdd(&own[word & 0xff], 1);
        atomicAdd(&own[word >> 8 & 0xff], 1);
        atomicAdd(&own[word >> 16 & 0xff], 1);
        atomicAdd(&own[word >> 24], 1);
    }
    __syncthreads();
    for (int b = threadIdx.x; b < BINS; b += blockDim.x)
        atomicAdd(&bins[b], own[b]);
}

int main(int argc, char **argv) {
    int count = input_argument(argc, argv, 1, 1 << 22);
    int times = input_argument(argc, argv, 2, 420);
    size_t bytes = count * sizeof(uint32_t);
    uint32_t *words = (uint32_t *)malloc(bytes), *d_words, bins[BINS], *d_bins;
    for (int i = 0; i < count; i++)
        words[i] = input_bits(60, i) & input_bits(61, i);
    CHECK(cudaMalloc(&d_words, bytes));
    CHECK(cudaMalloc(&d_bins, sizeof bins));
    CHECK(cudaMemset(d_bins, 0, sizeof bins));
    CHECK(cudaMemcpy(d_words, words, bytes, cudaMemcpyHostToDevice));
    for (int t = 0; t < times; t++)
        count_bytes<<<240, THREADS>>>(d_words, count, t * 0x01010101u, d_bins);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(bins, d_bins, sizeof bins, cudaMemcpyDeviceToHost));
    printf("zeros %u, ones %u, all %u\n", bins[0], bins[255], sum_of_bits(bins, BINS));
    CHECK(cudaFree(d_words));
    CHECK(cudaFree(d_bins));
    free(words);
    return 0;
}
