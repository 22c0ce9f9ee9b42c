// What a group has copied may be read once its event has been waited for.
// option: races
// buffer: in int 32 = i * 5
// buffer: out int 32
// run: turn 32/8
// expect: out = in[i / 8 * 8 + 7 - i % 8]
__kernel void turn(__global const int *in, __global int *out) {
    __local int tile[8];
    int l = get_local_id(0);
    event_t copied = async_work_group_copy(tile, in + get_group_id(0) * 8, 8, 0);
    wait_group_events(1, &copied);
    out[get_global_id(0)] = tile[7 - l];
}
