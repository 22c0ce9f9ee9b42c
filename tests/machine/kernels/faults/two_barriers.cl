// Two barriers in the two ways of an if: not the same one for all lanes.
// buffer: out int 8
// run: ways 8/8
// fault: 10:9 4 threads ... this barrier and 4 at another ... block 0
__kernel void ways(__global int *out) {
    __local int tile[8];
    int l = get_local_id(0);
    tile[l] = l;
    if (l < 4) {
        barrier(CLK_LOCAL_MEM_FENCE);
        out[l] = tile[l + 4];
    } else {
        barrier(CLK_LOCAL_MEM_FENCE);
        out[l] = tile[l - 4] * 2;
    }
}
