// flags: -g 256 --local 64 -n 256
// accesses: 4
// layouts: soa aos aosoa:4
typedef struct { float a; float b __attribute__((aligned(16))); int c; } __attribute__((aligned(64))) rec;
__kernel void al(__global rec *r) { int i = get_global_id(0); r[i].a = r[i].b * r[i].c; r[i].c = i; }
