// Prices of European options by the formula of Black and Scholes, for several volatilities.
#include <cuda_runtime.h>

#include "cuda_check.h"
#include "inputs.h"

#define RATE 0.02f

// The normal distribution, by the polynomial of Abramowitz and Stegun.
__device__ __forceinline__ float distribution(float d) {
    float k = 1 / (1 + 0.2316419f * fabsf(d));
    float tail =
        0.39894228f * expf(-0.5f * d * d) *
        (k * (0.31938153f +
              k * (-0.356563782f + k * (1.781477937f + k * (-1.821255978f + k * 1.330274429f)))));
    return d > 0 ? 1 - tail : tail;
}

__global__ void price(const float *prices, const float *strikes, const float *years, float *calls,
                      float *puts, int count, float volatility) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x) {
        float s = prices[i], x = strikes[i], t = years[i];
        float root = volatility * sqrtf(t);
        float d1 = (logf(s / x) + (RATE + 0.5f * volatility * volatility) * t) / root;
        float d2 = d1 - root;
        float n1 = distribution(d1), n2 = distribution(d2);
        float discounted = x * expf(-RATE * t);
        calls[i] += s * n1 - discounted * n2;
        puts[i] += discounted * (1 - n2) - s * (1 - n1);
    }
}

int main(int argc, char **argv) {
    int count = input_argument(argc, argv, 1, 1 << 20);
    int times = input_argument(argc, argv, 2, 75);
    size_t bytes = count * sizeof(float);
    float *inputs[3], *calls = (float *)malloc(bytes), *puts = (float *)malloc(bytes);
    float *d_inputs[3], *d_calls, *d_puts;
    const float low[3] = {5, 1, 0.25f}, high[3] = {30, 100, 10};
    for (int k = 0; k < 3; k++) {
        inputs[k] = (float *)malloc(bytes);
        for (int i = 0; i < count; i++)
            inputs[k][i] = input_between(40 + k, i, low[k], high[k]);
        CHECK(cudaMalloc(&d_inputs[k], bytes));
        CHECK(cudaMemcpy(d_inputs[k], inputs[k], bytes, cudaMemcpyHostToDevice));
    }
    CHECK(cudaMalloc(&d_calls, bytes));
    CHECK(cudaMalloc(&d_puts, bytes));
    CHECK(cudaMemset(d_calls, 0, bytes));
    CHECK(cudaMemset(d_puts, 0, bytes));
    for (int t = 0; t < times; t++)
        price<<<480, 128>>>(d_inputs[0], d_inputs[1], d_inputs[2], d_calls, d_puts, count,
                            0.1f + 0.005f * t);
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaMemcpy(calls, d_calls, bytes, cudaMemcpyDeviceToHost));
    CHECK(cudaMemcpy(puts, d_puts, bytes, cudaMemcpyDeviceToHost));
    printf("calls %.5e, puts %.5e\n", sum_of_floats(calls, count), sum_of_floats(puts, count));
    for (int k = 0; k < 3; k++) {
        CHECK(cudaFree(d_inputs[k]));
        free(inputs[k]);
    }
    CHECK(cudaFree(d_calls));
    CHECK(cudaFree(d_puts));
    free(calls);
    free(puts);
    return 0;
}
