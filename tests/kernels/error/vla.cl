// flags: -g 256 --local 64 -n 4096
// error: 4 variable length arrays are not supported in OpenCL
typedef struct R { float x, y; int n; float4 v; float d[4]; } R;
__kernel void k(__global R *p, int n) { float a[n]; a[0] = 1; p[0].x = a[0]; }
