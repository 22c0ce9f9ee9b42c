// Radix sort of keys with their places, four bits at a time: counts of each tile, a scan of these,
// and a scatter that keeps the order of equal digits.
#include <cuda_runtime.h>

#include <utility>

#include "cuda_check.h"
#include "inputs.h"

enum { THREADS = 256, EACH = 4, TILE = THREADS * EACH, DIGITS = 16 };

struct Item {
    uint32_t key, place;
};

__global__ void begin(const uint32_t *keys, Item *items, int count, uint32_t mask) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count)
        items[i] = {keys[i] ^ mask, (uint32_t)i};
}

__device__ uint32_t scan_block(uint32_t value, uint32_t *sums) {
    sums[threadIdx.x] = value;
    __syncthreads();
    for (int offset = 1; offset < blockDim.x; offset *= 2) {
        uint32_t other = threadIdx.x >= offset ? sums[threadIdx.x - offset] : 0;
        __syncthreads();
        sums[threadIdx.x] += other;
        __syncthreads();
    }
    return sums[threadIdx.x];
}

__global__ void count_digits(const Item *items, int count, int shift, uint32_t *counts) {
    __shared__ uint32_t own[DIGITS];
    if (threadIdx.x < DIGITS)
        own[threadIdx.x] = 0;
    __syncthreads();
    for (int e = 0; e < EACH; e++) {
        int i = blockIdx.x * TILE + e * THREADS + threadIdx.x;
        if (i < count)
            atomicAdd(&own[items[i].key >> shift & (DIGITS - 1)], 1);
    }
    __syncthreads();
    if (threadIdx.x < DIGITS)
        counts[threadIdx.x * gridDim.x + blockIdx.x] = own[threadIdx.x];
}

// One block: what stands before each.
__global__ void scan_counts(uint32_t *counts, int count) {
    __shared__ uint32_t sums[1024];
    int each = (count + blockDim.x - 1) / blockDim.x;
    int from = threadIdx.x * each, to = min(from + each, count);
    uint32_t total = 0;
    for (int i = from; i < to; i++)
        total += counts[i];
    uint32_t before = scan_block(total, sums) - total;
    for (int i = from; i < to; i++) {
        uint32_t own = counts[i];
        counts[i] = before;
        before += own;
    }
}

__global__ void scatter(const Item *items, Item *sorted, int count, int shift,
                        const uint32_t *starts) {
    __shared__ uint16_t ranks[DIGITS * THREADS]; // each digit's threads in order
    __shared__ uint32_t sums[THREADS];
    int t = threadIdx.x, first = blockIdx.x * TILE + t * EACH;
    Item own[EACH];
    for (int d = 0; d < DIGITS; d++)
        ranks[d * THREADS + t] = 0;
    for (int e = 0; e < EACH; e++)
        if (first + e < count) {
            own[e] = items[first + e];
            ranks[(own[e].key >> shift & (DIGITS - 1)) * THREADS + t]++;
        }
    __syncthreads();
    uint32_t total = 0;
    for (int k = 0; k < DIGITS; k++)
        total += ranks[t * DIGITS + k];
    uint32_t before = scan_block(total, sums) - total;
    for (int k = 0; k < DIGITS; k++) {
        uint32_t one = ranks[t * DIGITS + k];
        ranks[t * DIGITS + k] = before;
        before += one;
    }
    __syncthreads();
    __shared__ uint32_t moved[DIGITS];
    if (t < DIGITS)
        moved[t] = starts[t * gridDim.x + blockIdx.x] - ranks[t * THREADS];
    __syncthreads();
    for (int e = 0; e < EACH; e++)
        if (first + e < count) {
            uint32_t digit = own[e].key >> shift & (DIGITS - 1);
            sorted[moved[digit] + ranks[digit * THREADS + t]++] = own[e];
        }
}

int main(int argc, char **argv) {
    int count = input_argument(argc, argv, 1, 1 << 22);
    int times = input_argument(argc, argv, 2, 28);
    int tiles = (count + TILE - 1) / TILE;
    size_t bytes = count * sizeof(Item);
    uint32_t *keys = (uint32_t *)malloc(count * sizeof(uint32_t)), *d_keys, *d_counts;
    Item *items = (Item *)malloc(bytes), *d_items, *d_sorted;
    for (int i = 0; i < count; i++)
        keys[i] = input_bits(20, i);
    CHECK(cudaMalloc(&d_keys, count * sizeof(uint32_t)));
    CHECK(cudaMemcpy(d_keys, keys, count * sizeof(uint32_t), cudaMemcpyHostToDevice));
    CHECK(cudaMalloc(&d_items, bytes));
    CHECK(cudaMalloc(&d_sorted, bytes));
    CHECK(cudaMalloc(&d_counts, tiles * DIGITS * sizeof(uint32_t)));
    for (int n = 0; n < times; n++) {
        begin<<<(count + 255) / 256, 256>>>(d_keys, d_items, count, n * 0x01234567u);
        for (int shift = 0; shift < 32; shift += 4) {
            count_digits<<<tiles, THREADS>>>(d_items, count, shift, d_counts);
            scan_counts<<<1, 1024>>>(d_counts, tiles * DIGITS);
            scatter<<<tiles, THREADS>>>(d_items, d_sorted, count, shift, d_counts);
            CHECK(cudaGetLastError());
            std::swap(d_items, d_sorted);
        }
    }
    CHECK(cudaMemcpy(items, d_items, bytes, cudaMemcpyDeviceToHost));
    printf("least %u, greatest %u, all %u\n", items[0].key, items[count - 1].key,
           sum_of_bits(&items[0].key, 2 * (size_t)count));
    CHECK(cudaFree(d_keys));
    CHECK(cudaFree(d_items));
    CHECK(cudaFree(d_sorted));
    CHECK(cudaFree(d_counts));
    free(items);
    free(keys);
    return 0;
}
