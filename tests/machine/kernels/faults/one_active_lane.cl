// Only lanes that are active can be at fault: the first of them is named.
// buffer: in int 4
// buffer: out int 32
// run: some 32/16
// fault: 9:18 load of 4 bytes at byte 80 of buffer 'in' ... thread 4 of block 1
__kernel void some(__global const int *in, __global int *out) {
    int i = get_global_id(0);
    if (i >= 20)
        out[i] = in[i];
}
