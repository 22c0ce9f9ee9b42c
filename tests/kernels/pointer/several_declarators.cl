// flags: -g 256 --local 64 -n 4096
// accesses: 2
// layouts: soa aosoa:4 da
typedef struct R { float x, y; int n; float4 v; float d[4]; } R;
__kernel void k(__global R *p) {
    __global R *a = &p[get_global_id(0)];
    __global R *b = a;
    __global R *c = &a[1 - 1], **d;
    b->x = c->y;
}
