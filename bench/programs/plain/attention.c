#include <stdio.h>

#include "inputs.h"

enum { WIDTH = 64, KEYS = 32 };

static void attend_row(const float *q, const float *k, const float *v, float *out, int length,
                       float scale) {
    float query[WIDTH], sum[WIDTH] = {0}, greatest = -INFINITY, weights = 0;
    for (int d = 0; d < WIDTH; d++)
        query[d] = q[d] * scale;
    for (int from = 0; from < length; from += KEYS) {
        const float *keys = k + (size_t)from * WIDTH, *values = v + (size_t)from * WIDTH;
        float scores[KEYS], highest = greatest;
        for (int j = 0; j < KEYS; j++) {
            float score = 0;
#pragma omp simd reduction(+ : score)
            for (int d = 0; d < WIDTH; d++)
                score += query[d] * keys[j * WIDTH + d];
            scores[j] = score;
            highest = score > highest ? score : highest;
        }
        float shrink = expf(greatest - highest);
        greatest = highest;
        weights *= shrink;
        for (int d = 0; d < WIDTH; d++)
            sum[d] *= shrink;
        for (int j = 0; j < KEYS; j++) {
            float weight = expf(scores[j] - greatest);
            weights += weight;
            for (int d = 0; d < WIDTH; d++)
                sum[d] += weight * values[j * WIDTH + d];
        }
    }
    for (int d = 0; d < WIDTH; d++)
        out[d] = sum[d] / weights;
}

int main(int argc, char **argv) {
    int length = input_argument(argc, argv, 1, 2048);
    int heads = input_argument(argc, argv, 2, 48);
    size_t count = (size_t)heads * length * WIDTH;
    float *m[4];
    for (int i = 0; i < 4; i++)
        m[i] = malloc(count * sizeof(float));
    for (int i = 0; i < 3; i++)
        for (size_t e = 0; e < count; e++)
            m[i][e] = input_between((uint32_t)(70 + i), (uint32_t)e, -1, 2);
#pragma omp parallel for collapse(2)
    for (int head = 0; head < heads; head++)
        for (int row = 0; row < length; row++) {
            size_t base = (size_t)head * length * WIDTH, own = base + (size_t)row * WIDTH;
            attend_row(m[0] + own, m[1] + base, m[2] + base, m[3] + own, length, 0.125f);
        }
    printf("first %.4f, all %.5e\n", m[3][0], sum_of_floats(m[3], count));
    for (int i = 0; i < 4; i++)
        free(m[i]);
    return 0;
}
