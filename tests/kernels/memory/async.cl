// flags: -g 256 --local 64 -n 256
// accesses: 6
// rewrites: {x}:16{y}/da
typedef struct { float x, y; } R;
__kernel void k(__global R *p, __global const float4 *in, __global float4 *out) {
    __local float4 buf[64];
    event_t e = async_work_group_copy(buf, in + get_group_id(0) * 64, 64, 0);
    wait_group_events(1, &e);
    p[get_global_id(0)].x = buf[63 - get_local_id(0)].y;
    barrier(CLK_LOCAL_MEM_FENCE);
    e = async_work_group_strided_copy(out + get_group_id(0) * 64, buf, 64, 1, 0);
    wait_group_events(1, &e);
}
