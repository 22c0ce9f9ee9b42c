// An int at an odd address.
// buffer: bytes uchar 32
// buffer: out int 4
// run: odd 4/4
// fault: 8:14 misaligned load of 4 bytes at byte 1 of 'bytes' ... multiple of 4 ... thread 0 of block 0
__kernel void odd(__global const uchar *bytes, __global int *out) {
    int i = get_global_id(0);
    out[i] = *(__global const int *)(bytes + 4 * i + 1);
}
