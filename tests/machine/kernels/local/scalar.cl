// A local variable that is no array: one lane writes, all read.
// buffer: in int 3 = {7 11 13}
// buffer: out int 12
// run: one 12/4
// expect: out = in[i / 4] * 10 + i % 4
__kernel void one(__global const int *in, __global int *out) {
    __local int shared;
    int l = get_local_id(0);
    if (l == 2)
        shared = in[get_group_id(0)] * 10;
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_global_id(0)] = shared + l;
}
