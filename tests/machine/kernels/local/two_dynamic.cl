// Two local arguments and a static array: none overlaps another.
// buffer: out int 6
// run: share 6/6 a=local:24 b=local:48
// expect: out = 5 - i + 100 * (i + 1) + 10000 * ((i + 1) % 6)
__kernel void share(__global int *out, __local int *a, __local long *b) {
    __local short c[6];
    int l = get_local_id(0);
    a[l] = l;
    b[l] = 100L * (l + 1);
    c[l] = l;
    barrier(CLK_LOCAL_MEM_FENCE);
    out[l] = a[5 - l] + (int)b[l] + 10000 * c[(l + 1) % 6];
}
