// flags: -g 256 --local 64 -n 4096
// accesses: 3
// rewrites: da
typedef struct R { float x, y; int n; float4 v; float d[4]; } R;
__kernel void k(__global R *p) { int unused; int i = get_global_id(0); p[i].x = i / 0; p[i].n = 1 << 40; if (i = 3) p[i].y = 2; }
