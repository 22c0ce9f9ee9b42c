// flags: -g 256 --local 64 -n 256
// accesses: 2
// refuses: 4 the type of field 'in' has no name, so the generated functions
typedef struct { float a; struct { float u, v; } in[2]; int n; } rec;
__kernel void k(__global rec *r) { int i = get_global_id(0); r[i].in[1].u = r[i].in[0].v; }
