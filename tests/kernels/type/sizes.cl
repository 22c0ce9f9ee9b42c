// flags: -g 256 --local 64 -n 4096
// accesses: 9
// layouts: aosoa:4
typedef struct { size_t a; ptrdiff_t b; uintptr_t c; bool d; unsigned long e; signed char f; unsigned g; long int h; short int i; } R;
__kernel void k(__global R *p) { int i = get_global_id(0); p[i].a = p[i].b + p[i].c; p[i].d = p[i].e; p[i].f = p[i].g + p[i].h + p[i].i; }
