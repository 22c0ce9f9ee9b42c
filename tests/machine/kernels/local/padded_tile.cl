// A transpose through a tile of 16 x 17, padded as against bank conflicts.
// buffer: in float 512 = i * 0.5
// buffer: out float 512
// run: transpose 32x16/16x16
// expect: out = in[32 * (i % 16) + i / 16]
__kernel void transpose(__global const float *in, __global float *out) {
    __local float tile[16][17];
    int x = get_local_id(0), y = get_local_id(1), column = 16 * get_group_id(0);
    tile[y][x] = in[y * 32 + column + x];
    barrier(CLK_LOCAL_MEM_FENCE);
    out[(column + y) * 16 + x] = tile[x][y];
}
