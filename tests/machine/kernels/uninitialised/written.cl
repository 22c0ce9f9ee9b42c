// Everything is written before it is read: the option finds nothing.
// option: uninitialised
// buffer: in int 8 = i
// buffer: out int 8
// run: written 8/8
// expect: out = 7 - i + in[i]
__kernel void written(__global const int *in, __global int *out) {
    __local int tile[8];
    int l = get_local_id(0), own[2];
    own[in[l] % 2] = in[l];
    tile[l] = l;
    barrier(CLK_LOCAL_MEM_FENCE);
    out[l] = tile[7 - l] + own[l % 2];
}
