// flags: -g 256 --local 64 -n 4096
// error: 4 images of several samples (msaa) are not supported; read and write a __global buffer i
typedef struct R { float x, y; int n; float4 v; float d[4]; } R;
__kernel void k(__global R *p, read_only image2d_msaa_t im) { p[0].x = 1; }
