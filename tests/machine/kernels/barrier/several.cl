// Three phases with a barrier between each, over the same memory.
// buffer: out int 8
// run: phases 8/8
// expect: out = (((i + 3) % 8 * 2) + 1) * 10 + i
__kernel void phases(__global int *out) {
    __local int a[8], b[8];
    int l = get_local_id(0);
    a[l] = l * 2;
    barrier(CLK_LOCAL_MEM_FENCE);
    b[l] = a[(l + 1) % 8] + 1;
    barrier(CLK_LOCAL_MEM_FENCE);
    a[l] = b[(l + 2) % 8] * 10;
    barrier(CLK_LOCAL_MEM_FENCE);
    out[l] = a[l] + l;
}
