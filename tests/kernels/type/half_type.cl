// flags: -g 128 --local 64 -n 128
// accesses: 5
// layouts: soa
typedef struct { half h; float f; half v[4]; } R;
__kernel void k(__global R *p) {
    int i = get_global_id(0);
    p[i].f = vload_half(0, &p[i].h) + 1;
    float4 v = vload_half4(0, p[i].v);
    vstore_half(p[i].f, 0, &p[i].h);
    vstore_half4(v * 2, 0, p[i].v);
}
