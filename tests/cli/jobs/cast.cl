typedef struct { float x, y, z; } point;
__kernel void k(__global point *p, __global float *o) {
    __global float *q = (__global float *)p;
    o[get_global_id(0)] = q[get_global_id(0)] + p[get_global_id(0)].y;
}
