// Places handed out in local memory: every lane gets one of its own.
// buffer: out int 32
// run: places 32/16
// expect: out = 1
__kernel void places(__global int *out) {
    __local int next;
    if (get_local_id(0) == 0)
        next = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    int place = atomic_inc(&next);
    atomic_add(&out[16 * get_group_id(0) + place], 1);
}
