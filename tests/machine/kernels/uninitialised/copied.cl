// A copy of what nobody has written is not written either.
// option: uninitialised
// buffer: out double 8
// run: copy 8/8
// fault: 15:29 load of byte 208 of 'shared', which nothing has written
struct pair { double c, d, e; };
__kernel void copy(__global double *out) {
    __local struct pair shared[16];
    int i = get_global_id(0);
    shared[i].c = i;
    shared[i].d = i;
    barrier(CLK_LOCAL_MEM_FENCE);
    shared[8 + i] = shared[i];
    out[i] = shared[8 + i].d;
    out[i] += shared[8 + i].e;
}
