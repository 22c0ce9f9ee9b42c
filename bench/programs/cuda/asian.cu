// Monte Carlo price of an Asian option: a path for each thread, Philox for the bits, Box-Muller for
// the normals, and block sums of payoffs in doubles.
#include <cuda_runtime.h>

#include "cuda_check.h"
#include "inputs.h"

enum { THREADS = 128 };

struct Option {
    float start, strike, drift, volatility, discount;
    int steps;
};

__device__ uint4 philox(uint4 counter, uint2 key) {
#pragma unroll
    for (int round = 0; round < 10; round++) {
        uint32_t high0 = __umulhi(0xD2511F53u, counter.x), low0 = 0xD2511F53u * counter.x;
        uint32_t high1 = __umulhi(0xCD9E8D57u, counter.z), low1 = 0xCD9E8D57u * counter.z;
        counter = make_uint4(high1 ^ counter.y ^ key.x, low1, high0 ^ counter.w ^ key.y, low0);
        key.x += 0x9E3779B9u;
        key.y += 0xBB67AE85u;
    }
    return counter;
}

__device__ float2 normals(uint32_t a, uint32_t b) {
    float u = ((a >> 8) + 0.5f) * (1.0f / 16777216), angle = (b >> 8) * (6.2831853f / 16777216);
    float radius = sqrtf(-2 * logf(u));
    return make_float2(radius * cosf(angle), radius * sinf(angle));
}

__global__ void price(Option option, int paths, uint32_t seed, double *payoffs) {
    __shared__ double sums[THREADS];
    int path = blockIdx.x * blockDim.x + threadIdx.x;
    double payoff = 0;
    if (path < paths) {
        float logarithm = 0, total = 0;
        for (int s = 0; s < option.steps; s += 4) {
            uint4 bits = philox(make_uint4(path, s / 4, 0, 0), make_uint2(seed, 77));
            float2 one = normals(bits.x, bits.y), two = normals(bits.z, bits.w);
            float steps[4] = {one.x, one.y, two.x, two.y};
            for (int k = 0; k < 4; k++) {
                logarithm += option.drift + option.volatility * steps[k];
                total += option.start * expf(logarithm);
            }
        }
        payoff = fmaxf(total / option.steps - option.strike, 0) * option.discount;
    }
    sums[threadIdx.x] = payoff;
    __syncthreads();
    for (int half = THREADS / 2; half > 0; half /= 2) {
        if (threadIdx.x < half)
            sums[threadIdx.x] += sums[threadIdx.x + half];
        __syncthreads();
    }
    if (threadIdx.x == 0)
        payoffs[blockIdx.x] = sums[0];
}

int main(int argc, char **argv) {
    int paths = input_argument(argc, argv, 1, 1 << 19);
    int steps = input_argument(argc, argv, 2, 176);
    int blocks = (paths + THREADS - 1) / THREADS;
    double *payoffs = (double *)malloc(blocks * sizeof(double)), *d_payoffs;
    CHECK(cudaMalloc(&d_payoffs, blocks * sizeof(double)));
    for (int o = 0; o < 2; o++) {
        Option option = {100, 95.0f + 5 * o, 0.02f / steps, 0.25f / sqrtf(steps), 0.97f, steps};
        price<<<blocks, THREADS>>>(option, paths, 1234 + o, d_payoffs);
        CHECK(cudaGetLastError());
        CHECK(cudaMemcpy(payoffs, d_payoffs, blocks * sizeof(double), cudaMemcpyDeviceToHost));
        double sum = 0;
        for (int b = 0; b < blocks; b++)
            sum += payoffs[b];
        printf("strike %.1f: price %.4f\n", option.strike, sum / paths);
    }
    CHECK(cudaFree(d_payoffs));
    free(payoffs);
    return 0;
}
