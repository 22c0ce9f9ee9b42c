// A group's copy into local memory and back, and the wait for it.
// buffer: in int 32 = i * 5
// buffer: out int 32
// run: through 32/8
// expect: out = in[8 * (i / 8) + 7 - i % 8] + 1
__kernel void through(__global const int *in, __global int *out) {
    __local int tile[8], turned[8];
    int l = get_local_id(0), first = 8 * get_group_id(0);
    event_t e = async_work_group_copy(tile, in + first, 8, 0);
    wait_group_events(1, &e);
    turned[l] = tile[7 - l] + 1;
    barrier(CLK_LOCAL_MEM_FENCE);
    e = async_work_group_copy(out + first, turned, 8, 0);
    wait_group_events(1, &e);
}
