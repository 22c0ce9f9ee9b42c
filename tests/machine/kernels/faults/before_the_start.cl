// A negative index.
// buffer: in int 8
// buffer: out int 8
// run: before 8/8
// fault: 8:14 load of 4 bytes at byte -4 of buffer 'in' ... thread 0 of block 0
__kernel void before(__global const int *in, __global int *out) {
    int i = get_global_id(0);
    out[i] = in[i - 1];
}
