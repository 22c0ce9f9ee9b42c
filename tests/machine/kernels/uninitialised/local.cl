// Local memory that no lane has written; with the option only.
// option: uninitialised
// buffer: out int 8
// run: unwritten 8/8
// fault: 12:14 thread 7 of block 0
__kernel void unwritten(__global int *out) {
    __local int tile[8];
    int l = get_local_id(0);
    if (l < 7)
        tile[l] = l;
    barrier(CLK_LOCAL_MEM_FENCE);
    out[l] = tile[l];
}
