// flags: -g 256 --local 64 -n 4096
// accesses: 3
// layouts: soa aosoa:4 da
typedef struct R { float x, y; int n; float4 v; float d[4]; } R;
#define X(i) p[i].x
#define AT(a, i) (a)[i]
#define FLD(e, f) (e).f
#define I get_global_id(0)
__kernel void k(__global R *p) { p[I].y = 1; FLD(p[I], y) = p[I].n; }
