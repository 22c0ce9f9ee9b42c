// flags: -g 256 --local 64 -n 4096
// accesses: 5
// rewrites: aosoa:32
typedef struct R { float x, y; int n; float4 v; float d[4]; } R;
__kernel void k(__global R *p, long off) { size_t i = get_global_id(0); p[(ulong)i].x = p[(long)i + off - off].y; p[(ushort)i].y = p[i % 7u].x; p[(int)(i * 1.0f)].n = 2; }
