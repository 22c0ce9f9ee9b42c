#include <stdio.h>

#include "inputs.h"

enum { WAYS = 9 };

static const float weights[WAYS] = {4 / 9.0f,  1 / 9.0f,  1 / 9.0f,  1 / 9.0f, 1 / 9.0f,
                                    1 / 36.0f, 1 / 36.0f, 1 / 36.0f, 1 / 36.0f};

static inline float relaxed(float f, float weight, float u, float rest, float rate) {
    return f + rate * (weight * (rest + u + 0.5f * u * u) - f);
}

/* Cell x of a row, whose neighbours are in columns x - 1 and x + 1, or at the other end. */
#define CELL(x, west, east)                                                                     \
    do {                                                                                        \
        float f0 = r0[x], f1 = r1[west], f2 = r2[x], f3 = r3[east], f4 = r4[x];                 \
        float f5 = r5[west], f6 = r6[east], f7 = r7[east], f8 = r8[west];                       \
        float density = f0 + f1 + f2 + f3 + f4 + f5 + f6 + f7 + f8;                             \
        float ux = (f1 - f3 + f5 - f6 - f7 + f8) / density + push;                              \
        float uy = (f2 - f4 + f5 + f6 - f7 - f8) / density;                                     \
        float rest = 1 - 1.5f * (ux * ux + uy * uy), sum = 3 * (ux + uy), turn = 3 * (uy - ux); \
        float w0 = density * (4 / 9.0f), w1 = density * (1 / 9.0f), w5 = density * (1 / 36.0f); \
        int wall = walls[x];                                                                    \
        t0[x] = wall ? f0 : relaxed(f0, w0, 0, rest, rate);                                     \
        t1[x] = wall ? f3 : relaxed(f1, w1, 3 * ux, rest, rate);                                \
        t2[x] = wall ? f4 : relaxed(f2, w1, 3 * uy, rest, rate);                                \
        t3[x] = wall ? f1 : relaxed(f3, w1, -3 * ux, rest, rate);                               \
        t4[x] = wall ? f2 : relaxed(f4, w1, -3 * uy, rest, rate);                               \
        t5[x] = wall ? f7 : relaxed(f5, w5, sum, rest, rate);                                   \
        t6[x] = wall ? f8 : relaxed(f6, w5, turn, rest, rate);                                  \
        t7[x] = wall ? f5 : relaxed(f7, w5, -sum, rest, rate);                                  \
        t8[x] = wall ? f6 : relaxed(f8, w5, -turn, rest, rate);                                 \
    } while (0)

static void step(const float *restrict in, float *restrict out, const uint8_t *restrict solid,
                 int width, int height, float rate, float push) {
    size_t cells = (size_t)width * height;
#pragma omp parallel for
    for (int y = 0; y < height; y++) {
        const float *here = in + (size_t)y * width;
        const float *below = in + (size_t)(y > 0 ? y - 1 : height - 1) * width;
        const float *above = in + (size_t)(y < height - 1 ? y + 1 : 0) * width;
        const float *r0 = here, *r1 = here + cells, *r2 = below + 2 * cells, *r3 = here + 3 * cells;
        const float *r4 = above + 4 * cells, *r5 = below + 5 * cells, *r6 = below + 6 * cells;
        const float *r7 = above + 7 * cells, *r8 = above + 8 * cells;
        float *t0 = out + (size_t)y * width, *t1 = t0 + cells, *t2 = t1 + cells, *t3 = t2 + cells;
        float *t4 = t3 + cells, *t5 = t4 + cells, *t6 = t5 + cells, *t7 = t6 + cells;
        float *t8 = t7 + cells;
        const uint8_t *walls = solid + (size_t)y * width;
        CELL(0, width - 1, 1);
#pragma omp simd
        for (int x = 1; x < width - 1; x++)
            CELL(x, x - 1, x + 1);
        CELL(width - 1, width - 2, 0);
    }
}

int main(int argc, char **argv) {
    int width = input_argument(argc, argv, 1, 1024), height = width / 2;
    int steps = input_argument(argc, argv, 2, 800);
    size_t cells = (size_t)width * height;
    float *f = malloc(cells * WAYS * sizeof *f), *next = malloc(cells * WAYS * sizeof *next);
    uint8_t *solid = malloc(cells);
    for (int i = 0; i < (int)cells; i++) {
        int x = i % width, y = i / width, bx = x % 64 - 32, by = y % 64 - 32;
        solid[i] = y == 0 || y == height - 1 || bx * bx + by * by < 60;
        for (int q = 0; q < WAYS; q++)
            f[q * cells + i] = weights[q] * input_between(150, (uint32_t)i, 0.98f, 1.02f);
    }
    for (int s = 0; s < steps; s++) {
        step(f, next, solid, width, height, 1.2f, 1e-5f);
        float *swap = f;
        f = next;
        next = swap;
    }
    double mass = sum_of_floats(f, cells * WAYS), flow = 0;
    for (size_t i = 0; i < cells; i++)
        flow += f[cells + i] + f[5 * cells + i] + f[8 * cells + i];
    printf("mass %.5e, flow %.5e\n", mass, flow);
    free(f);
    free(next);
    free(solid);
    return 0;
}
