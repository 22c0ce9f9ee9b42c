// One helper for pointers into global, local and private memory.
// options: -cl-std=CL2.0
// pocl: 3.1 knows no generic pointers
// buffer: in int 8 = i * 5
// buffer: out int 8
// run: any_space 8/8
// expect: out = in[i] + 2 * (7 - i) + 3 * i + 1
int get(const int *p, int at) { return p[at]; }
__kernel void any_space(__global const int *in, __global int *out) {
    __local int tile[8];
    int i = get_global_id(0), own[2] = {3 * i, 1};
    tile[i] = 2 * i;
    barrier(CLK_LOCAL_MEM_FENCE);
    out[i] = get(in, i) + get(tile, 7 - i) + get(own, 0) + get(own, 1);
}
