// A work-group copies every second element.
//: accesses copy: load x 4, store tile 4, load tile 4, store y 4
//: run copy 4: 0 2 0 2
kernel void copy(global int *y, global const int *x) {
    local int tile[64];
    int i = get_local_id(0);
    event_t done = async_work_group_strided_copy(tile, x, 2, 2, 0);
    wait_group_events(1, &done);
    y[i] = tile[i % 2];
}
