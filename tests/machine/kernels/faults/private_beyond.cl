// An index beyond a private array, and beyond everything the lane has.
// buffer: in int 4 = 100000
// buffer: out int 4
// run: beyond 4/4
// fault: 10:14 load of 4 bytes ... private memory ... thread 0 of block 0
__kernel void beyond(__global const int *in, __global int *out) {
    int i = get_global_id(0), own[4];
    for (int k = 0; k < 4; k++)
        own[(k + i) % 4] = k;
    out[i] = own[in[i]];
}
