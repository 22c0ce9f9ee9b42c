// A vector of which only the last part is out of bounds.
// buffer: in float 18
// buffer: out float4 4
// run: vectors 4/4
// fault: 8:14 load of 16 bytes at byte 60 of buffer 'in' ... 72 bytes ... thread 3 of block 0
__kernel void vectors(__global const float *in, __global float4 *out) {
    int i = get_global_id(0);
    out[i] = vload4(0, in + 5 * i);
}
