/*
 * A matrix of 27 entries to a row, those of a stencil, times a vector: after the kernels of
 * mgpu-cg-stencil-solver (github.com/sbouhrour). Rows inside of the grid; -DSOA: entries apart, and no row
 * pointers.
 */
enum { SIDE = 64, ROWS = SIDE * SIDE * SIDE, ENTRIES = 27 };

__kernel void multiply(__global const double *restrict values, __global const long *restrict rows,
                       __global const double *restrict x, __global double *restrict y) {
    int row = get_global_id(0), i = row % SIDE, j = row / SIDE % SIDE, k = row / (SIDE * SIDE);
    if (i < 1 || j < 1 || k < 1 || i > SIDE - 2 || j > SIDE - 2 || k > SIDE - 2)
        return;
#ifndef SOA
    long first = rows[row];
#endif
    double sum = 0;
#pragma unroll
    for (int c = 0; c < ENTRIES; c++) {
        int to = row + (c % 3 - 1) + (c / 3 % 3 - 1) * SIDE + (c / 9 - 1) * SIDE * SIDE;
#ifdef SOA
        sum += values[c * ROWS + row] * x[to];
#else
        sum += values[first + c] * x[to];
#endif
    }
    y[row] = sum;
}
