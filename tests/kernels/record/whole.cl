// flags: -g 256 --local 64 -n 4096
// accesses: 67
// layouts: soa
typedef struct R { float x, y; int n; float4 v; float d[4]; } R;
R make(float x) { R r = {x, x + 1, (int)x, (float4)(x), {x, x, x, x}}; return r; }
R mix2(R a, R b) { a.x += b.y; return a; }
float tot(R r) { return r.x + r.d[3]; }
__kernel void k(__global R *p, __global R *q) {
    int i = get_global_id(0);
    p[i] = (R){1, 2, 3, (float4)(4), {5, 6, 7, 8}};
    p[i].x += tot(q[i]);
    p[i] = mix2(q[i], p[i]);
    R t = make(p[i].x), u = q[i];
    if (i & 1) p[i] = t; else p[i] = mix2(u, make(2));
    p[i].v = (i & 2 ? q[i] : p[i]).v;
    p[i].y = make(3).y + q[i].v.w;
    __private R arr[2] = {q[i], make(1)};
    p[i].d[1] = arr[i & 1].d[2];
}
