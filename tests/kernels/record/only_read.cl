// flags: -g 256 --local 64 -n 4096
// accesses: 2
// rewrites: aosoa:4
typedef struct R { float x, y; int n; float4 v; float d[4]; } R;
__kernel void k(const __global R *const restrict p, __global float *o) { const size_t i = get_global_id(0); o[i] = p[i].x; }
