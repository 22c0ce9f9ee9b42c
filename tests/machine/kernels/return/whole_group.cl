// All lanes of the odd groups return; the even ones go on to a barrier.
// buffer: out int 32 = -1
// run: groups 32/8
// expect: out = i / 8 % 2 ? -1 : 8 * (i / 8) + 7 - i % 8
__kernel void groups(__global int *out) {
    __local int tile[8];
    int l = get_local_id(0);
    if (get_group_id(0) % 2)
        return;
    tile[l] = get_global_id(0);
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_global_id(0)] = tile[7 - l];
}
