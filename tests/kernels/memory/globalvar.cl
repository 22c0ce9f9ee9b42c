// flags: -g 256 --local 64 -n 4096
// accesses: 2
// rewrites: aosoa:4
typedef struct R { float x, y; int n; float4 v; float d[4]; } R;
__global int counter = 3;
__kernel void k(__global R *p) { p[get_global_id(0)].n = counter; }
