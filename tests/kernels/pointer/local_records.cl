// flags: -g 256 --local 64 -n 4096
// accesses: 25
// layouts: aosoa:4
typedef struct R { float x, y; int n; float4 v; float d[4]; } R;
float sum(__local const R *t, int n) { float s = 0; for (int i = 0; i < n; i++) s += t[i].x; return s; }
float psum(const R *t) { return t->x + t->y; }
__kernel void k(__global R *p, __local R *scratch) {
    __local R t[64];
    int l = get_local_id(0), i = get_global_id(0);
    t[l] = p[i]; scratch[l].x = p[i].x; scratch[l].y = t[l].y;
    barrier(CLK_LOCAL_MEM_FENCE);
    R mine = scratch[l];
    p[i].x = sum(t, 8) + sum(scratch + 8, 3) + psum(&mine);
}
