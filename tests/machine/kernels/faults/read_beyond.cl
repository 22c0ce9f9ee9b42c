// The last lane of the last block reads one element too far.
// buffer: in int 16
// buffer: out int 16
// run: next 16/8
// fault: 8:14 load of 4 bytes at byte 64 of buffer 'in' ... 64 bytes ... 16 elements of 4 ... thread 7 of block 1
__kernel void next(__global const int *in, __global int *out) {
    int i = get_global_id(0);
    out[i] = in[i + 1];
}
