// flags: -g 256 --local 64 -n 4096
// accesses: 34
// layouts: {x,y,n}:16{v,d}/da
typedef struct R { float x, y; int n; float4 v; float d[4]; } R;
static inline void swap(__global R *a, __global R *b) { const R t = *a; *a = *b; *b = t; }
__kernel void k(__global R *p) { int i = 2 * get_global_id(0); if (p[i].n > p[i + 1].n) swap(p + i, p + i + 1); }
