// flags: -g 256 --local 64 -n 4096
// error: 5 pointers to functions are not allowed
typedef struct R { float x, y; int n; float4 v; float d[4]; } R;
int f(int a) { return a; }
__kernel void k(__global R *p) { int (*g)(int) = f; p[get_global_id(0)].n = g(3); }
