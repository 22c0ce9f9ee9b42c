// flags: -g 256 --local 64 -n 256
// accesses: 6
// access: 10 store r.v byte 0 4 64*group(0) + local(0)
// access: 11 store r.n 4 64*group(0) + local(0)
// access: 13 load r.v byte 0 4 64*group(0) + local(0)
// layouts: {v,n}:16{w}/da
typedef struct { union word { float f; uint u; uchar b[4]; } v; int n; float w; } rec;
__kernel void un(__global rec *r) {
    int i = get_global_id(0);
    r[i].v.f = i * 1.5f;
    r[i].n = r[i].v.u >> 23;
    r[i].v.u ^= 0x80000000u;
    r[i].w = r[i].v.f;
}
