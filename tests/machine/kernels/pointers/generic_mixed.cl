// A generic pointer that is global in some lanes and local in others.
// options: -cl-std=CL2.0
// pocl: 3.1 knows no generic pointers
// buffer: in int 8 = 100 + i
// buffer: out int 8
// run: mixed 8/8
// expect: out = i % 2 ? in[i] : 10 * ((i + 1) % 8)
__kernel void mixed(__global const int *in, __global int *out) {
    __local int tile[8];
    int i = get_global_id(0);
    tile[i] = 10 * i;
    barrier(CLK_LOCAL_MEM_FENCE);
    const int *p = tile + (i + 1) % 8;
    if (i % 2)
        p = in + i;
    out[i] = *p;
}
