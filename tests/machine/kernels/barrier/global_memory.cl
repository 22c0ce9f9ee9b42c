// What a group's lanes wrote to global memory is there after the barrier for the others.
// buffer: out int 16
// buffer: between int 16
// run: exchange 16/8
// expect: out = 8 * (i / 8) + (i + 5) % 8 + 1000
// expect: between = i + 1000
__kernel void exchange(__global int *out, __global int *between) {
    int i = get_global_id(0), first = i - get_local_id(0);
    between[i] = i + 1000;
    barrier(CLK_GLOBAL_MEM_FENCE);
    out[i] = between[first + (i + 5) % 8];
}
