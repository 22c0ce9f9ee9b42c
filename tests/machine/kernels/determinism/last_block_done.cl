// The last block to come adds up what all have left: the pattern of one-launch sums.
// buffer: in int 128 = i % 13
// buffer: part int 16
// buffer: done int 1
// buffer: total int 1
// run: reduce 128/8
// expect: total = sum(q, 0, 128, in[q])
// expect: done = 16
__kernel void reduce(__global const int *in, volatile __global int *part, __global int *done,
                     __global int *total) {
    __local int is_last;
    int l = get_local_id(0);
    if (l == 0) {
        int sum = 0;
        for (int k = 0; k < 8; k++)
            sum += in[8 * get_group_id(0) + k];
        part[get_group_id(0)] = sum;
        mem_fence(CLK_GLOBAL_MEM_FENCE);
        is_last = atomic_inc(done) == 15;
    }
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    if (is_last && l == 0) {
        int sum = 0;
        for (int k = 0; k < 16; k++)
            sum += part[k];
        *total = sum;
    }
}
