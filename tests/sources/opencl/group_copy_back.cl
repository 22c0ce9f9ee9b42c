// Copies by a work-group, in both directions, with an event that is passed on.
//: run back 4: 3 2 1 0
kernel void back(global int *y) {
    local int in[64], out[64];
    int i = get_local_id(0), n = get_local_size(0);
    event_t e = async_work_group_copy(in, y, n, 0);
    wait_group_events(1, &e);
    out[i] = in[n - 1 - i];
    barrier(CLK_LOCAL_MEM_FENCE);
    e = async_work_group_copy(y, out, n, 0);
    wait_group_events(1, &e);
}
