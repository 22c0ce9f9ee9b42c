// flags: -e kx -g 256
// accesses: 2
// refuses: 5 this part of a macro means different things where it is used
typedef struct R { float x, y; int n; float4 v; float d[4]; } R;
#define DEFINE(name, field) __kernel void name(__global R *p) { p[get_global_id(0)].field += 1; }
DEFINE(kx, x)
DEFINE(ky, y)
