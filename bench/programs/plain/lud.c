#include <stdio.h>

#include "inputs.h"

enum { SIDE = 16, WIDE = 128 };

static int least(int a, int b) { return a < b ? a : b; }

static void diagonal(double *corner, int n) {
    for (int k = 0; k < SIDE - 1; k++)
        for (int y = k + 1; y < SIDE; y++) {
            corner[(size_t)y * n + k] /= corner[(size_t)k * n + k];
            for (int x = k + 1; x < SIDE; x++)
                corner[(size_t)y * n + x] -= corner[(size_t)y * n + k] * corner[(size_t)k * n + x];
        }
}

static void perimeter(double *m, int n, int at) {
    double *corner = m + (size_t)at * n + at;
#pragma omp parallel for
    for (int from = at + SIDE; from < n; from += SIDE) {
        double *beside = m + (size_t)at * n + from;
        for (int y = 1; y < SIDE; y++)
            for (int k = 0; k < y; k++)
                for (int x = 0; x < SIDE; x++)
                    beside[(size_t)y * n + x] -=
                        corner[(size_t)y * n + k] * beside[(size_t)k * n + x];
        for (int y = from; y < from + SIDE; y++) {
            double *below = m + (size_t)y * n + at;
            for (int x = 0; x < SIDE; x++) {
                for (int k = 0; k < x; k++)
                    below[x] -= below[k] * corner[(size_t)k * n + x];
                below[x] /= corner[(size_t)x * n + x];
            }
        }
    }
}

/* Stretches of rows, four rows at a time. */
static void rest(double *restrict m, int n, int at) {
    const double *beside = m + (size_t)at * n;
#pragma omp parallel for
    for (int y = at + SIDE; y < n; y += 4)
        for (int from = at + SIDE; from < n; from += WIDE) {
            int to = least(from + WIDE, n);
            double sums[4][WIDE] = {{0}};
            for (int k = 0; k < SIDE; k++)
                for (int r = 0; r < 4; r++) {
                    double below = m[(size_t)(y + r) * n + at + k];
                    for (int x = from; x < to; x++)
                        sums[r][x - from] += below * beside[(size_t)k * n + x];
                }
            for (int r = 0; r < 4; r++)
                for (int x = from; x < to; x++)
                    m[(size_t)(y + r) * n + x] -= sums[r][x - from];
        }
}

int main(int argc, char **argv) {
    int n = input_argument(argc, argv, 1, 2048);
    int times = input_argument(argc, argv, 2, 5);
    size_t count = (size_t)n * n;
    double *m = malloc(count * sizeof *m);
    for (int r = 0; r < times; r++) {
        for (size_t i = 0; i < count; i++)
            m[i] = input_unit((uint32_t)(160 + r), (uint32_t)i) +
                   (float)(i / (size_t)n == i % (size_t)n ? n : 0);
        for (int at = 0; at < n; at += SIDE) {
            diagonal(m + (size_t)at * n + at, n);
            perimeter(m, n, at);
            rest(m, n, at);
        }
        double determinant = 0, sum = 0;
        for (int i = 0; i < n; i++)
            determinant += log(fabs(m[(size_t)i * n + i]));
        for (size_t i = 0; i < count; i++)
            sum += fabs(m[i]);
        printf("determinant: exp(%.6e), all %.6e\n", determinant, sum);
    }
    free(m);
    return 0;
}
