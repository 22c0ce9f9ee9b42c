// Inclusive prefix sums of many integers: each block scans a tile with shuffles, then the sums of
// the tiles are scanned in the same way, level by level, and added.
#include <cuda_runtime.h>

#include "cuda_check.h"
#include "inputs.h"

enum { THREADS = 256, EACH = 4, TILE = THREADS * EACH };

__device__ uint32_t scan_warp(uint32_t value) {
    int lane = threadIdx.x % 32;
    for (int offset = 1; offset < 32; offset *= 2) {
        uint32_t other = __shfl_up_sync(0xffffffff, value, offset);
        if (lane >= offset)
            value += other;
    }
    return value;
}

__global__ void scan_tiles(const uint32_t *in, uint32_t *out, uint32_t *sums, int count) {
    __shared__ uint32_t warps[THREADS / 32];
    int first = blockIdx.x * TILE + threadIdx.x * EACH;
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    uint32_t own[EACH], total = 0;
#pragma unroll
    for (int e = 0; e < EACH; e++) {
        total += first + e < count ? in[first + e] : 0;
        own[e] = total;
    }
    uint32_t up_to = scan_warp(total);
    if (lane == 31)
        warps[warp] = up_to;
    __syncthreads();
    if (warp == 0) {
        uint32_t sum = scan_warp(lane < THREADS / 32 ? warps[lane] : 0);
        if (lane < THREADS / 32)
            warps[lane] = sum;
    }
    __syncthreads();
    uint32_t before = up_to - total + (warp ? warps[warp - 1] : 0);
#pragma unroll
    for (int e = 0; e < EACH; e++)
        if (first + e < count)
            out[first + e] = before + own[e];
    if (threadIdx.x == THREADS - 1)
        sums[blockIdx.x] = before + total;
}

__global__ void add_sums(uint32_t *values, const uint32_t *sums, int count) {
    if (blockIdx.x == 0)
        return;
    uint32_t before = sums[blockIdx.x - 1];
    for (int e = 0; e < EACH; e++) {
        int i = blockIdx.x * TILE + e * THREADS + threadIdx.x;
        if (i < count)
            values[i] += before;
    }
}

static int tiles_of(int count) { return (count + TILE - 1) / TILE; }

static void scan(const uint32_t *in, uint32_t *out, int count, uint32_t **sums) {
    int tiles = tiles_of(count);
    scan_tiles<<<tiles, THREADS>>>(in, out, sums[0], count);
    CHECK(cudaGetLastError());
    if (tiles == 1)
        return;
    scan(sums[0], sums[0], tiles, sums + 1);
    add_sums<<<tiles, THREADS>>>(out, sums[0], count);
    CHECK(cudaGetLastError());
}

int main(int argc, char **argv) {
    int count = input_argument(argc, argv, 1, 1 << 23);
    int repeats = input_argument(argc, argv, 2, 330);
    size_t bytes = count * sizeof(uint32_t);
    uint32_t *values = (uint32_t *)malloc(bytes), *d_values[2], *d_sums[8];
    for (int i = 0; i < count; i++)
        values[i] = input_bits(2, i);
    CHECK(cudaMalloc(&d_values[0], bytes));
    CHECK(cudaMalloc(&d_values[1], bytes));
    int levels = 0;
    for (int left = count; levels == 0 || left > 1; left = tiles_of(left))
        CHECK(cudaMalloc(&d_sums[levels++], tiles_of(left) * sizeof(uint32_t)));
    CHECK(cudaMemcpy(d_values[0], values, bytes, cudaMemcpyHostToDevice));
    for (int r = 0; r < repeats; r++)
        scan(d_values[r % 2], d_values[1 - r % 2], count, d_sums);
    CHECK(cudaMemcpy(values, d_values[repeats % 2], bytes, cudaMemcpyDeviceToHost));
    printf("last %u, all %u\n", values[count - 1], sum_of_bits(values, count));
    for (int level = 0; level < levels; level++)
        CHECK(cudaFree(d_sums[level]));
    CHECK(cudaFree(d_values[0]));
    CHECK(cudaFree(d_values[1]));
    free(values);
    return 0;
}
