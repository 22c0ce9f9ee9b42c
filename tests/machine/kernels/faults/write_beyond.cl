// A store behind the end.
// buffer: out int 10
// run: fill 16/16
// fault: 7:12 store of 4 bytes at byte 40 of buffer 'out' ... 40 bytes ... thread 10 of block 0
__kernel void fill(__global int *out) {
    int i = get_global_id(0);
    out[i] = i;
}
