#include <stdio.h>

#include "inputs.h"

static void multiply(const int *starts, const int *columns, const double *values, const double *x,
                     double *y, int rows) {
#pragma omp parallel for
    for (int row = 0; row < rows; row++) {
        double sum = 0;
#pragma omp simd reduction(+ : sum)
        for (int e = starts[row]; e < starts[row + 1]; e++)
            sum += values[e] * x[columns[e]];
        y[row] = sum;
    }
}

static void mix(double *x, const double *y, double part, int count) {
#pragma omp parallel for simd
    for (int i = 0; i < count; i++)
        x[i] += part * (y[i] - x[i]);
}

int main(int argc, char **argv) {
    int rows = input_argument(argc, argv, 1, 1 << 17);
    int times = input_argument(argc, argv, 2, 450);
    int *starts = malloc((size_t)(rows + 1) * sizeof(int)), entries = 0;
    for (int r = 0; r < rows; r++) {
        starts[r] = entries;
        entries += (int)(8 + input_bits(80, (uint32_t)r) % 48);
    }
    starts[rows] = entries;
    int *columns = malloc((size_t)entries * sizeof(int));
    double *values = malloc((size_t)entries * sizeof(double));
    double *x = malloc((size_t)rows * sizeof(double)), *y = malloc((size_t)rows * sizeof(double));
    for (int r = 0; r < rows; r++) {
        x[r] = input_unit(83, (uint32_t)r);
        for (int e = starts[r]; e < starts[r + 1]; e++) {
            columns[e] = (r + (int)(input_bits(81, (uint32_t)e) % 4096)) % rows;
            values[e] =
                input_between(82, (uint32_t)e, 0.5f, 1.5f) / (float)(starts[r + 1] - starts[r]);
        }
    }
    for (int t = 0; t < times; t++) {
        multiply(starts, columns, values, x, y, rows);
        mix(x, y, 0.7, rows);
    }
    double sum = 0;
    for (int r = 0; r < rows; r++)
        sum += x[r];
    printf("entries %d, first %.6f, sum %.6e\n", entries, x[0], sum);
    free(starts);
    free(columns);
    free(values);
    free(x);
    free(y);
    return 0;
}
