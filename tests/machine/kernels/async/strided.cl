// Every third element into local memory, and scattered back by two.
// buffer: in float 48 = i + 0.5
// buffer: out float 32 = -1
// run: strided 16/8
// expect: out = i % 2 ? -1 : in[24 * (i / 16) + 3 * (i % 16 / 2)] * 2
__kernel void strided(__global const float *in, __global float *out) {
    __local float tile[8];
    int l = get_local_id(0), group = get_group_id(0);
    event_t e = async_work_group_strided_copy(tile, in + 24 * group, 8, 3, 0);
    wait_group_events(1, &e);
    tile[l] *= 2;
    barrier(CLK_LOCAL_MEM_FENCE);
    e = async_work_group_strided_copy(out + 16 * group, tile, 8, 2, 0);
    wait_group_events(1, &e);
}
