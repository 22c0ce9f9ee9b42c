// All blocks read; one writes behind a barrier, which orders it against its own block only.
// option: races
// buffer: p int 1 = 5
// run: late 32/16
// fault: 12:14 race: this writes byte 0 of 'p', which thread 15 of block 0 has read
__kernel void late(__global int *p) {
    __local int x[16];
    int l = get_local_id(0);
    x[l] = p[0];
    barrier(CLK_LOCAL_MEM_FENCE);
    if (get_group_id(0) == 1 && l == 15)
        p[0] = x[l] + 1;
}
