// flags: -g 256 --local 64 -n 4096
// accesses: 1
// refuses: 5 the pointer 'q' to 'R' is compared with what is no pointer to laid-out
typedef struct R { float x, y; int n; float4 v; float d[4]; } R;
__kernel void k(__global R *p, __global R *q) { if (q == NULL) return; p[get_global_id(0)].x = 1; }
