// flags: -g 64,64 --local 16,16 -n 4096
// accesses: 8
// layouts: aosoa:32
typedef struct { float re, im; } cplx;
#define T 16
__kernel void transpose(__global const cplx *in, __global cplx *out) {
    __local cplx tile[T][T + 1];
    int w = get_global_size(0), h = get_global_size(1);
    int lx = get_local_id(0), ly = get_local_id(1);
    tile[ly][lx] = in[get_global_id(1) * w + get_global_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    int ox = get_group_id(1) * T + lx, oy = get_group_id(0) * T + ly;
    out[oy * h + ox] = tile[lx][ly];
}
