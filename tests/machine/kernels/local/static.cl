// A local array in the kernel; each group has its own.
// buffer: out int 16
// run: share 16/4
// expect: out = 100 * (i / 4) + (i + 1) % 4
__kernel void share(__global int *out) {
    __local int tile[4];
    int l = get_local_id(0);
    tile[l] = 100 * (int)get_group_id(0) + l;
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_global_id(0)] = tile[(l + 1) % 4];
}
