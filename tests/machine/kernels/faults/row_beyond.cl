// Of three rows that are read at once the last one is not all there.
// buffer: in int 80
// buffer: out int 32
// run: rows 32/32
// fault: 8:35 load of 4 bytes at byte 320 of buffer 'in' ... 320 bytes ... thread 16 of block 0
__kernel void rows(__global const int *in, __global int *out) {
    int i = get_global_id(0);
    out[i] = in[i] + in[i + 32] + in[i + 64];
}
