// The same kernel with other scalars, sizes and local memory.
// buffer: out int 24
// run: fill 8/4 first=0 factor=2 tile=local:16
// run: fill 16/16 first=8 factor=-1 tile=local:64
// expect: out = i < 8 ? 2 * (i / 4 * 4 + 3 - i % 4) : i - 8 - 15
__kernel void fill(__global int *out, int first, int factor, __local int *tile) {
    int i = get_global_id(0), l = get_local_id(0), n = get_local_size(0);
    tile[l] = i * factor;
    barrier(CLK_LOCAL_MEM_FENCE);
    out[first + i] = tile[n - 1 - l];
}
