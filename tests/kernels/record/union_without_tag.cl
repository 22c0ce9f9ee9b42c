// flags: -g 256 --local 64 -n 256
// accesses: 7
// rewrites: soa {v}{n,w}:4/da
typedef struct { union { float f; uint u; uchar b[4]; } v; int n; float w; } rec;
__kernel void un(__global rec *r) {
    int i = get_global_id(0);
    r[i].v.f = i * 1.5f;
    r[i].n = r[i].v.u >> 23;
    r[i].v.b[3] ^= 0x80;
    r[i].w = r[i].v.f;
}
