/*
 * c = a * b for square matrices of n rows, in tiles that a group brings to local memory.
 * The local size is TILE x TILE, and n a multiple of TILE.
 *
 * One work-item per element of c.
 */
#ifndef TILE
#define TILE 16
#endif

__kernel void multiply(__global const float *a, __global const float *b, __global float *c, int n) {
    __local float tile_a[TILE][TILE], tile_b[TILE][TILE];
    int column = get_global_id(0), row = get_global_id(1);
    int x = get_local_id(0), y = get_local_id(1);
    float sum = 0.0f;
    for (int t = 0; t < n; t += TILE) {
        tile_a[y][x] = a[row * n + t + x];
        tile_b[y][x] = b[(t + y) * n + column];
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int k = 0; k < TILE; k++)
            sum += tile_a[y][k] * tile_b[k][x];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    c[row * n + column] = sum;
}
