// Lanes have returned when the others come to a barrier.
// buffer: out int 8
// run: left 8/4 n=6
// fault: 11:5 only 2 of the block's 4 threads ... block 1
__kernel void left(__global int *out, int n) {
    __local int tile[4];
    int i = get_global_id(0), l = get_local_id(0);
    if (i >= n)
        return;
    tile[l] = i;
    barrier(CLK_LOCAL_MEM_FENCE);
    out[i] = tile[l];
}
