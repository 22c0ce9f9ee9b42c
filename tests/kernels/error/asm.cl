// flags: -g 256 --local 64 -n 4096
// error: 4 inline assembly is not supported; write it in OpenCL C
typedef struct R { float x, y; int n; float4 v; float d[4]; } R;
__kernel void k(__global R *p) { __asm__("nop"); p[get_global_id(0)].x = 1; }
