// A barrier under a condition that is the same for all lanes of a group.
// buffer: out int 32
// run: some 32/8
// expect: out = i / 8 % 2 ? i : 8 * (i / 8) + (i + 1) % 8
__kernel void some(__global int *out) {
    __local int tile[8];
    int i = get_global_id(0), l = get_local_id(0);
    out[i] = i;
    if (get_group_id(0) % 2 == 0) {
        tile[l] = i;
        barrier(CLK_LOCAL_MEM_FENCE);
        out[i] = tile[(l + 1) % 8];
    }
}
