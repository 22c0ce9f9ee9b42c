// Local and constant memory have events too; each block has its own local memory.
// buffer: out int 8
// run: spaces 8/4
// expect: out = (3 - i % 4) * 10 + 5 + i % 2
// event: 0.0 S 4 tile+0 stride 4 lanes 0-3
// event: 0.1 L 4 tile+12 stride -4 lanes 0-3
// event: 0.2 L 1 table: 0 1 0 1 lanes 0-3
// event: 0.3 S 4 out+0 stride 4 lanes 0-3
// event: 1.0 S 4 tile+0 stride 4 lanes 0-3
// event: 1.1 L 4 tile+12 stride -4 lanes 0-3
// event: 1.2 L 1 table: 0 1 0 1 lanes 0-3
// event: 1.3 S 4 out+16 stride 4 lanes 0-3
__constant char table[2] = {5, 6};
__kernel void spaces(__global int *out) {
    __local int tile[4];
    int l = get_local_id(0);
    tile[l] = l * 10;
    barrier(CLK_LOCAL_MEM_FENCE);
    int v = tile[3 - l];
    out[get_global_id(0)] = v + table[l % 2];
}
