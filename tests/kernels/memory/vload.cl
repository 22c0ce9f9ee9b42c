// flags: -g 128 --local 64 -n 128
// accesses: 7
// access: 11 load p.d[0] 16 64*group(0) + local(0)
// access: 11 load p.d[4] 16 64*group(0) + local(0)
// access: 13 load p.b[0] 4 64*group(0) + local(0)
// access: 14 store p.s 4 64*group(0) + local(0)
// layouts: {d,b}:16{s}/da
typedef struct { float d[8]; uchar b[4]; float s; } R;
__kernel void k(__global R *p, __global float *raw) {
    int i = get_global_id(0);
    float4 a = vload4(0, p[i].d), b = vload4(1, p[i].d);
    vstore4(a + b, 1, p[i].d);
    uchar4 c = vload4(0, p[i].b);
    p[i].s = dot(a, b) + c.w;
    vstore2(vload2(i / 2, raw) * 2, i / 2, raw);
}
