#include <stdio.h>

#include "inputs.h"

static const float RATE = 0.02f;

/* The normal distribution, by the polynomial of Abramowitz and Stegun. */
static float distribution(float d) {
    float k = 1 / (1 + 0.2316419f * fabsf(d));
    float tail =
        0.39894228f * expf(-0.5f * d * d) *
        (k * (0.31938153f +
              k * (-0.356563782f + k * (1.781477937f + k * (-1.821255978f + k * 1.330274429f)))));
    return d > 0 ? 1 - tail : tail;
}

static void price(const float *prices, const float *strikes, const float *years, float *calls,
                  float *puts, int count, float volatility) {
#pragma omp parallel for
    for (int i = 0; i < count; i++) {
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
    float *inputs[3], *calls = calloc((size_t)count, sizeof *calls);
    float *puts = calloc((size_t)count, sizeof *puts);
    const float low[3] = {5, 1, 0.25f}, high[3] = {30, 100, 10};
    for (int k = 0; k < 3; k++) {
        inputs[k] = malloc((size_t)count * sizeof(float));
        for (int i = 0; i < count; i++)
            inputs[k][i] = input_between((uint32_t)(40 + k), (uint32_t)i, low[k], high[k]);
    }
    for (int t = 0; t < times; t++)
        price(inputs[0], inputs[1], inputs[2], calls, puts, count, 0.1f + 0.005f * (float)t);
    printf("calls %.5e, puts %.5e\n", sum_of_floats(calls, (size_t)count),
           sum_of_floats(puts, (size_t)count));
    for (int k = 0; k < 3; k++)
        free(inputs[k]);
    free(calls);
    free(puts);
    return 0;
}
