// flags: -e k -g 256 --local 64 -n 4096
// accesses: 3
// rewrites: da
typedef struct R { float x, y; int n; float4 v; float d[4]; } R;
__kernel void a(__global float *f) { f[get_global_id(0)] = 1; }
__kernel void k(__global R *p, __global float *f) { a(f); p[get_global_id(0)].x = f[0]; }
