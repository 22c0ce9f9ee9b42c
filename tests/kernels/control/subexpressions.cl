// flags: -g 256 --local 64 -n 4096
// accesses: 25
// layouts: {x,y,n}:16{v,d}/da
typedef struct R { float x, y; int n; float4 v; float d[4]; } R;
__kernel void k(__global R *p, __global int *out) {
    int i = get_global_id(0), m;
    p[i].n &= 63;
    out[p[i].n++ & 255] = 1;
    p[i].x = p[i].y = p[i].v.x = 0.5f;
    m = (p[i].n--, ++p[i].n, p[i].n ^ 3);
    p[i].v.xy += p[i].v.zw, p[i].v.x++, p[i].v.s3 *= 2;
    p[i].d[p[i].n & 3] += p[p[i].n & 127].d[(p[i].n >> 2) & 3];
    p[i].n <<= 2; p[i].n |= m; p[i].n %= 1000;
    p[i].x = -p[i].x; p[i].y = !p[i].n; p[i].n = ~p[i].n;
    out[i] = p[i].n > 0 && p[i].x < 1 || !p[i].y ? sizeof p[i].d : (int)p[i].v.y;
    out[i] += as_int(p[i].x) & 7;
    (&p[i])->x++; (*&p[i]).y--; (p[i]).x += 1; ((p[i]).v).x = 1; (p[i].d)[1] = 2;
    *p[i].d = 4; *(p[i].d + 1) = 5; 1[p[i].d] += 1;
}
