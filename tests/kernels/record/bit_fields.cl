// flags: -g 256 --local 64
// accesses: 4
// rewrites: soa aosoa:4 {a,d}{b}:2/da
#pragma OPENCL EXTENSION __cl_clang_bitfields : enable
typedef struct { int a; uint b : 3, c : 7; float d; } R;
__kernel void k(__global R *p) {
    int i = get_global_id(0);
    p[i].c = p[i].b + i;
    p[i].d = p[i].a;
}
