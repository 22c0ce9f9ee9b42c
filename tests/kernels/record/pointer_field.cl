// flags: -g 128 --local 64 -n 128
// accesses: 1
// rewrites: {p}:16{n}/da
typedef struct { __global float *p; int n; } R;
__kernel void k(__global R *r) { r[get_global_id(0)].n = 1; }
