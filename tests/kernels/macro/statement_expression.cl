// flags: -g 256 --local 64 -n 4096
// accesses: 3
// rewrites: soa
typedef struct R { float x, y; int n; float4 v; float d[4]; } R;
#define MAXF(a, b) ({ float _a = (a), _b = (b); _a > _b ? _a : _b; })
__kernel void k(__global R *p) { int i = get_global_id(0); p[i].x = MAXF(p[i].x, p[i].y); }
