#include <stdio.h>

#include "inputs.h"

static const float STEP = 0.02f, ALONG_X = 4, ALONG_Y = 6, DOWN = 0.5f, AMBIENT = 300;

static float next_of(float t, float north, float south, float west, float east, float power) {
    float change = power + (north + south - 2 * t) * ALONG_Y + (west + east - 2 * t) * ALONG_X +
                   (AMBIENT - t) * DOWN;
    return t + STEP * change;
}

static void heat(const float *restrict temperature, const float *restrict power,
                 float *restrict next, int width, int height) {
#pragma omp parallel for
    for (int y = 0; y < height; y++) {
        const float *own = temperature + (size_t)y * width, *p = power + (size_t)y * width;
        const float *north = y > 0 ? own - width : own, *south = y < height - 1 ? own + width : own;
        float *to = next + (size_t)y * width;
        int last = width - 1;
        to[0] = next_of(own[0], north[0], south[0], own[0], own[last ? 1 : 0], p[0]);
        for (int x = 1; x < last; x++)
            to[x] = next_of(own[x], north[x], south[x], own[x - 1], own[x + 1], p[x]);
        if (last)
            to[last] =
                next_of(own[last], north[last], south[last], own[last - 1], own[last], p[last]);
    }
}

int main(int argc, char **argv) {
    int side = input_argument(argc, argv, 1, 2048);
    int steps = input_argument(argc, argv, 2, 700);
    int cells = side * side;
    float *temperature[2], *power = malloc((size_t)cells * sizeof *power);
    for (int t = 0; t < 2; t++)
        temperature[t] = malloc((size_t)cells * sizeof(float));
    for (int i = 0; i < cells; i++) {
        temperature[0][i] = input_between(3, (uint32_t)i, 320, 340);
        power[i] = input_between(4, (uint32_t)i, 0, 20);
    }
    for (int s = 0; s < steps; s++)
        heat(temperature[s % 2], power, temperature[1 - s % 2], side, side);
    const float *last = temperature[steps % 2];
    printf("corner %.4f, middle %.4f, all %.5e\n", last[0], last[cells / 2],
           sum_of_floats(last, (size_t)cells));
    free(temperature[0]);
    free(temperature[1]);
    free(power);
    return 0;
}
