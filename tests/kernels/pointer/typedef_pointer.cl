// flags: -g 256 --local 64 -n 4096
// accesses: 2
// layouts: soa
typedef struct R { float x, y; int n; float4 v; float d[4]; } R;
typedef __global R *Rptr;
typedef __global const R *cRptr;
float g(cRptr r) { return r->y; }
__kernel void k(Rptr p) { int i = get_global_id(0); p[i].x = g(p + i); }
