// flags: -g 128 --local 64 -n 256
// accesses: 10
// rewrites: aosoa:32
typedef struct { int key, val; } R;
void cas(__global R *a, __global R *b) { if (a->key > b->key) { R t = *a; *a = *b; *b = t; } }
__kernel void k(__global R *p) { uint i = get_global_id(0); cas(&p[2 * i], &p[2 * i + 1]); }
