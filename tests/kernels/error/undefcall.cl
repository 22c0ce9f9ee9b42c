// flags: -g 256 --local 64 -n 4096
// error: 5 function ext has no body in this file; define or include it
typedef struct R { float x, y; int n; float4 v; float d[4]; } R;
float ext(float x);
__kernel void k(__global R *p) { p[get_global_id(0)].x = ext(1); }
