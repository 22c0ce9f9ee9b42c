// An element of a private array that was not set.
// option: uninitialised
// buffer: in int 4 = i
// buffer: out int 4
// run: unwritten 4/4
// fault: 11:14 thread 3 of block 0
__kernel void unwritten(__global const int *in, __global int *out) {
    int i = get_global_id(0), own[4];
    for (int k = 0; k < 3; k++)
        own[in[k]] = k;
    out[i] = own[in[i]];
}
