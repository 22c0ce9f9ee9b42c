// vload8 and vstore8 of bytes at odd addresses.
// buffer: in uchar 33 = i * 7
// buffer: out uchar 33
// run: bytes 4/4
// expect: out = i == 0 ? 0 : u8(in[i] + 1)
__kernel void bytes(__global const uchar *in, __global uchar *out) {
    int i = get_global_id(0);
    vstore8(vload8(i, in + 1) + (uchar)1, i, out + 1);
}
