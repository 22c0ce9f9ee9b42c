// A loop that never ends, in one lane.
// option: max-instructions 100000
// buffer: out int 4 = 1
// run: forever 4/4
// fault: * 100000 instructions ... thread 3 of block 0
__kernel void forever(volatile __global int *out) {
    int i = get_global_id(0);
    while (out[i] != 0 && i == 3)
        out[i] = 1;
}
