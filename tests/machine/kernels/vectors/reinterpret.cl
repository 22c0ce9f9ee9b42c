// as_type: the same bits in other components.
// buffer: in uint2 4 = 0x3f800000 + 0x01020304 * k + i
// buffer: bytes uchar8 4
// buffer: word ulong 4
// buffer: real float2 4
// run: bits 4/4
// expect: bytes = in[2 * i + k / 4] >> 8 * (k % 4) & 255
// expect: word = in[2 * i + 1] << 32 | in[2 * i]
// expect: real = float_of(in[2 * i + k])
__kernel void bits(__global const uint2 *in, __global uchar8 *bytes, __global ulong *word,
                   __global float2 *real) {
    int i = get_global_id(0);
    uint2 v = in[i];
    bytes[i] = as_uchar8(v);
    word[i] = as_ulong(v);
    real[i] = as_float2(v);
}
