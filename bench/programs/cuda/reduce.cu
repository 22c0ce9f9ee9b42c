// The sum, the extremes and the squared distances from a centre of many numbers: shuffles inside
// warps, shared memory between them, a record for each block, and a last kernel over these.
#include <cuda_runtime.h>

#include "cuda_check.h"
#include "inputs.h"

struct Summary {
    float sum, squares, least, greatest;
};

enum { THREADS = 256, BLOCKS = 256 };

struct Add {
    __device__ float operator()(float a, float b) const { return a + b; }
};
struct Least {
    __device__ float operator()(float a, float b) const { return fminf(a, b); }
};
struct Greatest {
    __device__ float operator()(float a, float b) const { return fmaxf(a, b); }
};

template <typename Op> __device__ float reduce_warp(float value, Op op) {
    for (int offset = warpSize / 2; offset > 0; offset /= 2)
        value = op(value, __shfl_down_sync(0xffffffff, value, offset));
    return value;
}

template <int threads, typename Op> __device__ float reduce_block(float value, Op op, float none) {
    __shared__ float parts[threads / 32];
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    value = reduce_warp(value, op);
    if (lane == 0)
        parts[warp] = value;
    __syncthreads();
    value = threadIdx.x < threads / 32 ? parts[lane] : none;
    if (warp == 0)
        value = reduce_warp(value, op);
    __syncthreads();
    return value;
}

template <int threads> __device__ void write_summary(Summary own, Summary *to) {
    Summary all;
    all.sum = reduce_block<threads>(own.sum, Add(), 0);
    all.squares = reduce_block<threads>(own.squares, Add(), 0);
    all.least = reduce_block<threads>(own.least, Least(), INFINITY);
    all.greatest = reduce_block<threads>(own.greatest, Greatest(), -INFINITY);
    if (threadIdx.x == 0)
        *to = all;
}

template <int threads>
__global__ void summarize(const float *values, int count, float centre, Summary *summaries) {
    Summary own = {0, 0, INFINITY, -INFINITY};
    for (int i = blockIdx.x * threads + threadIdx.x; i < count; i += threads * gridDim.x) {
        float value = values[i], distance = value - centre;
        own.sum += value;
        own.squares += distance * distance;
        own.least = fminf(own.least, value);
        own.greatest = fmaxf(own.greatest, value);
    }
    write_summary<threads>(own, &summaries[blockIdx.x]);
}

template <int threads> __global__ void combine(const Summary *summaries, int count, Summary *out) {
    Summary own = {0, 0, INFINITY, -INFINITY};
    for (int i = threadIdx.x; i < count; i += threads) {
        own.sum += summaries[i].sum;
        own.squares += summaries[i].squares;
        own.least = fminf(own.least, summaries[i].least);
        own.greatest = fmaxf(own.greatest, summaries[i].greatest);
    }
    write_summary<threads>(own, out);
}

int main(int argc, char **argv) {
    int count = input_argument(argc, argv, 1, 1 << 24);
    int repeats = input_argument(argc, argv, 2, 600);
    float *values = (float *)malloc(count * sizeof(float)), *d_values;
    for (int i = 0; i < count; i++)
        values[i] = input_unit(1, i);
    Summary *d_parts, *d_all, all;
    CHECK(cudaMalloc(&d_values, count * sizeof(float)));
    CHECK(cudaMalloc(&d_parts, BLOCKS * sizeof(Summary)));
    CHECK(cudaMalloc(&d_all, sizeof(Summary)));
    CHECK(cudaMemcpy(d_values, values, count * sizeof(float), cudaMemcpyHostToDevice));
    double sum = 0, squares = 0, range = 0;
    float centre = 0;
    for (int r = 0; r < repeats; r++) {
        summarize<THREADS><<<BLOCKS, THREADS>>>(d_values, count, centre, d_parts);
        combine<THREADS><<<1, THREADS>>>(d_parts, BLOCKS, d_all);
        CHECK(cudaMemcpy(&all, d_all, sizeof all, cudaMemcpyDeviceToHost));
        sum += all.sum;
        squares += all.squares;
        range += all.greatest - all.least;
        centre = 0.5f * centre + 0.4f * all.sum / count;
    }
    printf("sum %.5e, squares %.5e, range %.5e\n", sum, squares, range);
    CHECK(cudaFree(d_values));
    CHECK(cudaFree(d_parts));
    CHECK(cudaFree(d_all));
    free(values);
    return 0;
}
