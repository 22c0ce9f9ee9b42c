// Two copies under one event, of vectors, fewer and more than the group has lanes.
// buffer: a float4 3 = i + k
// buffer: b float4 10 = 10 * i - k
// buffer: out float4 8
// run: several 4/4
// expect: out = (i < 3 ? a[4 * i + k] : 0.0) + b[4 * (i + 2) + k]
__kernel void several(__global const float4 *a, __global const float4 *b, __global float4 *out) {
    __local float4 x[8], y[10];
    int l = get_local_id(0);
    for (int k = l; k < 8; k += 4)
        x[k] = (float4)(0.0f);
    barrier(CLK_LOCAL_MEM_FENCE);
    event_t e = async_work_group_copy(x, a, 3, 0);
    e = async_work_group_copy(y, b, 10, e);
    prefetch(b, 10);
    wait_group_events(1, &e);
    for (int k = l; k < 8; k += 4)
        out[k] = x[k] + y[k + 2];
}
