// flags: -g 256 --local 64 -n 256
// accesses: 5
// access: 11 load r.kind 1 64*group(0) + local(0)
// access: 11 store r.v 4 64*group(0) + local(0)
// access: 12 load r.s 2 64*group(0) + local(0)
// access: 12 store r.t 8 64*group(0) + local(0)
// layouts: aosoa:32
typedef struct __attribute__((packed)) { uchar kind; float v; ushort s; ulong t; } rec;
__kernel void pk(__global rec *r) {
    int i = get_global_id(0);
    r[i].v = r[i].kind + i;
    r[i].t += r[i].s;
}
