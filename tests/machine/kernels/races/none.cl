// Barriers between phases, atomics on one counter, and blocks on their own parts.
// option: races
// buffer: in int 32 = i
// buffer: out int 32
// buffer: count int 1
// run: safe 32/16
// expect: out = 16 * (i / 16) + 15 - i % 16 + i
// expect: count = 32
__kernel void safe(__global const int *in, __global int *out, __global int *count) {
    __local int tile[16];
    int i = get_global_id(0), l = get_local_id(0);
    tile[l] = in[i];
    barrier(CLK_LOCAL_MEM_FENCE);
    int other = tile[15 - l];
    barrier(CLK_LOCAL_MEM_FENCE);
    tile[l] = other + i;
    barrier(CLK_LOCAL_MEM_FENCE);
    out[i] = tile[l];
    atomic_inc(count);
}
