#include <stdio.h>

#include "inputs.h"

typedef struct asian {
    float start, strike, drift, volatility, discount;
    int steps;
} asian;

static void philox(uint32_t *counter, uint32_t key0, uint32_t key1) {
    for (int round = 0; round < 10; round++) {
        uint64_t first = (uint64_t)0xD2511F53u * counter[0];
        uint64_t second = (uint64_t)0xCD9E8D57u * counter[2];
        counter[0] = (uint32_t)(second >> 32) ^ counter[1] ^ key0;
        counter[1] = (uint32_t)second;
        counter[2] = (uint32_t)(first >> 32) ^ counter[3] ^ key1;
        counter[3] = (uint32_t)first;
        key0 += 0x9E3779B9u;
        key1 += 0xBB67AE85u;
    }
}

static void normals(uint32_t a, uint32_t b, float *both) {
    float u = ((float)(a >> 8) + 0.5f) * (1.0f / 16777216);
    float angle = (float)(b >> 8) * (6.2831853f / 16777216);
    float radius = sqrtf(-2 * logf(u));
    both[0] = radius * cosf(angle);
    both[1] = radius * sinf(angle);
}

static double price(asian option, int paths, uint32_t seed) {
    double sum = 0;
#pragma omp parallel for reduction(+ : sum)
    for (int path = 0; path < paths; path++) {
        float logarithm = 0, total = 0;
        for (int s = 0; s < option.steps; s += 4) {
            uint32_t bits[4] = {(uint32_t)path, (uint32_t)s / 4};
            float steps[4];
            philox(bits, seed, 77);
            normals(bits[0], bits[1], steps);
            normals(bits[2], bits[3], steps + 2);
            for (int k = 0; k < 4; k++) {
                logarithm += option.drift + option.volatility * steps[k];
                total += option.start * expf(logarithm);
            }
        }
        sum += fmaxf(total / (float)option.steps - option.strike, 0) * option.discount;
    }
    return sum / paths;
}

int main(int argc, char **argv) {
    int paths = input_argument(argc, argv, 1, 1 << 19);
    int steps = input_argument(argc, argv, 2, 176);
    for (int o = 0; o < 2; o++) {
        asian option = {
            100,  95.0f + 5 * (float)o, 0.02f / (float)steps, 0.25f / sqrtf((float)steps), 0.97f,
            steps};
        double result = price(option, paths, (uint32_t)(1234 + o));
        printf("strike %.1f: price %.4f\n", option.strike, result);
    }
    return 0;
}
