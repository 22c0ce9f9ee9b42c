// A group of 4 x 4 transposes its tile; the whole picture is 8 x 8.
// buffer: in int 64 = i
// buffer: out int 64
// run: transpose 8x8/4x4
// expect: out = in[8 * (i % 8) + i / 8]
__kernel void transpose(__global const int *in, __global int *out) {
    __local int tile[4][4];
    int x = get_local_id(0), y = get_local_id(1);
    int column = get_group_id(0) * 4, row = get_group_id(1) * 4;
    tile[y][x] = in[(row + y) * 8 + column + x];
    barrier(CLK_LOCAL_MEM_FENCE);
    out[(column + y) * 8 + row + x] = tile[x][y];
}
