// flags: -g 256 --local 64 -n 256
// accesses: 4
// refuses: 4 field 'b' of 'rec' lies at byte 16, not at byte 4 where C's 
typedef struct { float a; float b __attribute__((aligned(16))); int c; } __attribute__((aligned(64))) rec;
__kernel void al(__global rec *r) { int i = get_global_id(0); r[i].a = r[i].b * r[i].c; r[i].c = i; }
