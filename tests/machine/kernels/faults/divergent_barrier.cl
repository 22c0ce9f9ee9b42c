// A barrier that only half of the block reaches.
// buffer: out int 8
// run: half_way 8/8
// fault: 9:9 only 4 of the block's 8 threads ... block 0
__kernel void half_way(__global int *out) {
    __local int tile[8];
    int l = get_local_id(0);
    if (l < 4)
        barrier(CLK_LOCAL_MEM_FENCE);
    out[l] = l;
}
