// flags: -g 256 --local 64 -n 4096
// accesses: 3
// rewrites: da
typedef struct cell cell_t;
struct cell { float a; int link; };
__kernel void k(__global cell_t *c, __global struct cell *d) { int i = get_global_id(0); c[i].a = d[c[i].link & 7].a; }
