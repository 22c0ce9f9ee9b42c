// An atomic is one access, in global and in local memory.
// buffer: count int 4
// run: count_all 8/8
// expect: count = i < 2 ? 4 : i == 2 ? 8 : 0
// event: 0.0 S 4 sum+0 lanes 0
// event: 0.1 A 4 count: 0 4 0 4 0 4 0 4 lanes 0-7
// event: 0.2 A 4 sum+0 stride 0 lanes 0-7
// event: 0.3 L 4 sum+0 lanes 0
// event: 0.4 A 4 count+8 lanes 0
__kernel void count_all(__global int *count) {
    __local int sum;
    int l = get_local_id(0);
    if (l == 0)
        sum = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    atomic_inc(&count[l % 2]);
    atomic_inc(&sum);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (l == 0)
        atomic_add(&count[2], sum);
}
