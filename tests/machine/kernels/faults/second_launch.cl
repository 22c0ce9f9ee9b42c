// The first launch is sound, the second is not.
// buffer: out int 8
// run: fill 8/4 shift=0
// run: fill 8/4 shift=2
// fault: 8:20 store of 4 bytes at byte 32 of buffer 'out' ... thread 2 of block 1
__kernel void fill(__global int *out, int shift) {
    int i = get_global_id(0);
    out[i + shift] = i;
}
