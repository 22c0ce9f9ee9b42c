// A local size that is no power of two and less than a warp.
// buffer: out int 21
// run: ring 21/7
// expect: out = 7 * (i / 7) + (i % 7 + 3) % 7
__kernel void ring(__global int *out) {
    __local int tile[7];
    int i = get_global_id(0), l = get_local_id(0);
    tile[l] = i;
    barrier(CLK_LOCAL_MEM_FENCE);
    out[i] = tile[(l + 3) % 7];
}
