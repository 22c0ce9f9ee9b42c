// Before its event has been waited for, what a group copies is not to be read.
// option: races
// buffer: in int 8
// buffer: out int 8
// run: turn 8/8
// fault: 12:29 race: this reads ... 'tile'
__kernel void turn(__global const int *in, __global int *out) {
    __local int tile[8];
    int l = get_local_id(0);
    event_t copied = async_work_group_copy(tile, in, 8, 0);
    // tile[7 - l] may not be there yet
    out[get_global_id(0)] = tile[7 - l];
    wait_group_events(1, &copied);
}
