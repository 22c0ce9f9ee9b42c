// flags: -g 256 --local 64 -n 4096
// accesses: 2
// rewrites: aosoa:4
typedef struct R { float x, y; int n; float4 v; float d[4]; } R;
#define GP __global R *
#define IN(T) __global const T *restrict
__kernel void k(GP p, IN(R) q) { int i = get_global_id(0); p[i].x = q[i].y; }
