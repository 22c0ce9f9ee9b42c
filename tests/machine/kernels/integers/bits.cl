// popcount, clz, ctz by popcount, rotate and the bitwise operators.
// buffer: in uint 8 = {0 1 0x80000000 0xffffffff 0x00f0 3 0x12345678 0x7fffffff}
// buffer: count uint 8
// buffer: zeros uint 8
// buffer: turned uint 8
// buffer: mixed uint 8
// run: bits 8/8
// expect: count = popcount(in[i])
// expect: zeros = {32 31 0 0 24 30 3 1}
// expect: turned = u32(in[i] << i | (i ? in[i] >> 32 - i : 0))
// expect: mixed = u32((~in[i] ^ 0xff00ff00) & (in[i] | 0x0f0f0f0f))
__kernel void bits(__global const uint *in, __global uint *count, __global uint *zeros,
                   __global uint *turned, __global uint *mixed) {
    int i = get_global_id(0);
    uint v = in[i];
    count[i] = popcount(v);
    zeros[i] = clz(v);
    turned[i] = rotate(v, (uint)i);
    mixed[i] = (~v ^ 0xff00ff00u) & (v | 0x0f0f0f0fu);
}
