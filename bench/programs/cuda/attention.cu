// Attention without a matrix of scores: each thread has a query, tiles of keys and values are in
// shared memory, and the softmax is kept up as they come.
#include <cuda_runtime.h>

#include "cuda_check.h"
#include "inputs.h"

#define KEYS 32

template <int width, int queries>
__global__ void attend(const float *q, const float *k, const float *v, float *out, int length,
                       float scale) {
    __shared__ float keys[KEYS][width], values[KEYS][width];
    size_t head = (size_t)blockIdx.y * length * width;
    int row = blockIdx.x * queries + threadIdx.x;
    float query[width], sum[width], greatest = -INFINITY, weights = 0;
    for (int d = 0; d < width; d++) {
        query[d] = q[head + row * width + d] * scale;
        sum[d] = 0;
    }
    for (int from = 0; from < length; from += KEYS) {
        for (int i = threadIdx.x; i < KEYS * width; i += queries) {
            keys[i / width][i % width] = k[head + from * width + i];
            values[i / width][i % width] = v[head + from * width + i];
        }
        __syncthreads();
        float scores[KEYS], highest = greatest;
        for (int j = 0; j < KEYS; j++) {
            float score = 0;
            for (int d = 0; d < width; d++)
                score += query[d] * keys[j][d];
            scores[j] = score;
            highest = fmaxf(highest, score);
        }
        float shrink = expf(greatest - highest);
        greatest = highest;
        weights *= shrink;
        for (int d = 0; d < width; d++)
            sum[d] *= shrink;
        for (int j = 0; j < KEYS; j++) {
            float weight = expf(scores[j] - greatest);
            weights += weight;
            for (int d = 0; d < width; d++)
                sum[d] += weight * values[j][d];
        }
        __syncthreads();
    }
    for (int d = 0; d < width; d++)
        out[head + row * width + d] = sum[d] / weights;
}

int main(int argc, char **argv) {
    const int width = 64, queries = 64;
    int length = input_argument(argc, argv, 1, 2048);
    int heads = input_argument(argc, argv, 2, 48);
    size_t count = (size_t)heads * length * width, bytes = count * sizeof(float);
    float *host[4], *device[4];
    for (int m = 0; m < 4; m++) {
        host[m] = (float *)malloc(bytes);
        CHECK(cudaMalloc(&device[m], bytes));
    }
    for (int m = 0; m < 3; m++) {
        for (size_t i = 0; i < count; i++)
            host[m][i] = input_between(70 + m, i, -1, 2);
        CHECK(cudaMemcpy(device[m], host[m], bytes, cudaMemcpyHostToDevice));
    }
    attend<width, queries><<<dim3(length / queries, heads), queries>>>(
        device[0], device[1], device[2], device[3], length, 0.125f);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(host[3], device[3], bytes, cudaMemcpyDeviceToHost));
    printf("first %.4f, all %.5e\n", host[3][0], sum_of_floats(host[3], count));
    for (int m = 0; m < 4; m++) {
        CHECK(cudaFree(device[m]));
        free(host[m]);
    }
    return 0;
}
