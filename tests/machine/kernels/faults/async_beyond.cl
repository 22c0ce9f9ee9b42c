// A group's copy of more than the buffer has.
// buffer: in int 20
// buffer: out int 16
// run: copy 16/8
// fault: 8:17 load of 4 bytes at byte 80 of buffer 'in' ... block 1
__kernel void copy(__global const int *in, __global int *out) {
    __local int tile[12];
    event_t e = async_work_group_copy(tile, in + 12 * get_group_id(0), 12, 0);
    wait_group_events(1, &e);
    out[get_global_id(0)] = tile[get_local_id(0)];
}
