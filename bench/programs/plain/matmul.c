#include <stdio.h>
#include <string.h>

#include "inputs.h"

enum { ROWS = 8, COLUMNS = 64, DEEP = 256 };

/* ROWS rows of c, COLUMNS columns: in registers while `a` and `b` go by. */
static void multiply_block(const float *restrict a, const float *restrict b, float *restrict c,
                           int n, int deep) {
    float sums[ROWS][COLUMNS];
    for (int i = 0; i < ROWS; i++)
        memcpy(sums[i], c + (size_t)i * n, sizeof sums[i]);
    for (int k = 0; k < deep; k++)
        for (int i = 0; i < ROWS; i++)
            for (int j = 0; j < COLUMNS; j++)
                sums[i][j] += a[(size_t)i * n + k] * b[(size_t)k * n + j];
    for (int i = 0; i < ROWS; i++)
        memcpy(c + (size_t)i * n, sums[i], sizeof sums[i]);
}

static void multiply(const float *a, const float *b, float *c, int n, float scale) {
#pragma omp parallel for
    for (int row = 0; row < n; row += 64) {
        memset(c + (size_t)row * n, 0, 64 * (size_t)n * sizeof *c);
        for (int from = 0; from < n; from += DEEP)
            for (int column = 0; column < n; column += COLUMNS)
                for (int i = row; i < row + 64; i += ROWS)
                    multiply_block(a + (size_t)i * n + from, b + (size_t)from * n + column,
                                   c + (size_t)i * n + column, n,
                                   n - from < DEEP ? n - from : DEEP);
        for (size_t i = (size_t)row * n; i < (size_t)(row + 64) * n; i++)
            c[i] *= scale;
    }
}

int main(int argc, char **argv) {
    int n = input_argument(argc, argv, 1, 1024);
    int times = input_argument(argc, argv, 2, 75);
    size_t count = (size_t)n * n;
    float *a = malloc(count * sizeof *a), *b = malloc(count * sizeof *b);
    float *c = malloc(count * sizeof *c);
    for (size_t i = 0; i < count; i++) {
        a[i] = input_unit(110, (uint32_t)i);
        b[i] = input_unit(111, (uint32_t)i);
    }
    for (int t = 0; t < times; t++) {
        multiply(a, b, c, n, 2.0f / (float)n);
        float *swap = b;
        b = c;
        c = swap;
    }
    printf("first %.5f, all %.5e\n", b[0], sum_of_floats(b, count));
    free(a);
    free(b);
    free(c);
    return 0;
}
