// flags: -g 256 --local 64 -n 4096
// error: 4 recursion is not supported: f calls itself here; write it as a loop
typedef struct R { float x, y; int n; float4 v; float d[4]; } R;
int f(int n) { return n ? f(n - 1) + 1 : 0; }
__kernel void k(__global R *p) { p[get_global_id(0)].n = f(p[0].n); }
