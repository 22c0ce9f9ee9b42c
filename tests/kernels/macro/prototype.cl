// flags: -g 256 --local 64 -n 4096
// accesses: 2
// rewrites: aosoa:32
typedef struct R { float x, y; int n; float4 v; float d[4]; } R;
__kernel void k(__global R *p, int n);
float get(__global const R *, int);
__kernel void k(__global R *p, int n) { int i = get_global_id(0); if (i < n) p[i].x = get(p, i); }
float get(__global const R *r, int i) { return r[i].y; }
