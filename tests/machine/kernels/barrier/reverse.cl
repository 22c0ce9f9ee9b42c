// Lanes read what others of the group wrote before the barrier.
// buffer: in int 32 = i * 3
// buffer: out int 32
// run: reverse 32/16
// expect: out = in[16 * (i / 16) + 15 - i % 16]
__kernel void reverse(__global const int *in, __global int *out) {
    __local int tile[16];
    int i = get_global_id(0), l = get_local_id(0);
    tile[l] = in[i];
    barrier(CLK_LOCAL_MEM_FENCE);
    out[i] = tile[15 - l];
}
