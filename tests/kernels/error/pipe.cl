// flags: -g 256 --options -cl-std=CL2.0
// error: 4 pipes are not supported; read and write a __global buffer in
typedef struct R { float x, y; int n; float4 v; float d[4]; } R;
__kernel void k(__global R *p, __read_only pipe int q) { p[0].x = 1; }
