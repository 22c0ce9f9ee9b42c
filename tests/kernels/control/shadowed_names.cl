// flags: -g 256 --local 64 -n 4096
// accesses: 2
// layouts: aosoa:32
typedef struct R { float x, y; int n; float4 v; float d[4]; } R;
float f(int p) { return p * 2; }
__kernel void k(__global R *p, int n) {
    int i = get_global_id(0);
    { float p = 3; p += 1; n = p; }
    for (int p = 0; p < 3; p++) n += p;
    struct { float x; } q = {1};
    p[i].x = q.x + f(n);
    { __private R p[2]; p[0].x = 1; p[1] = p[0]; n = p[1].x; }
    p[i].n = n;
}
