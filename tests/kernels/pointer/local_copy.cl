// flags: -g 128 --local 64 -n 128
// accesses: 13
// rewrites: da
typedef struct { float x, y; int k; } R;
__kernel void k(__global R *p) {
    __local R tile[64];
    __local R *mine = &tile[get_local_id(0)];
    *mine = p[get_global_id(0)];
    mine->k++;
    barrier(CLK_LOCAL_MEM_FENCE);
    __local R *other = tile + (63 - get_local_id(0));
    p[get_global_id(0)].y = other->x + other->k;
    p[get_global_id(0)].k = mine->k;
}
