// flags: -g 256 --local 64 -n 4096
// accesses: 3
// rewrites: {a}:16{b}/da
typedef struct { double a; float b; } R;
__kernel void k(__global R *p) { int i = get_global_id(0); p[i].a = p[i].b * 1.0 + 1e300; p[i].b = (float)p[i].a; }
