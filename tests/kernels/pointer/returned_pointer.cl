// flags: -g 256 --local 64 -n 4096
// accesses: 1
// layouts: soa aosoa:4 da
typedef struct R { float x, y; int n; float4 v; float d[4]; } R;
__global R *nth(__global R *p, int i) { return p + i; }
__kernel void k(__global R *p) { nth(p, get_global_id(0))->x = 1; }
