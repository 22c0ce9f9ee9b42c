// Without the option nothing is said: what is read does not matter here.
// buffer: out int 8
// run: unread 8/8
// expect: out = i
__kernel void unread(__global int *out) {
    __local int tile[8];
    int l = get_local_id(0);
    if (l < 7)
        tile[l] = 1;
    barrier(CLK_LOCAL_MEM_FENCE);
    out[l] = tile[l] == 12345678 ? l : l;
}
