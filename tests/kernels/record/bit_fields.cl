// flags: -g 256 --local 64
// accesses: 4
// refuses: 5 'b' is a bit-field, which has no address to move; make it a 
#pragma OPENCL EXTENSION __cl_clang_bitfields : enable
typedef struct { int a; uint b : 3, c : 7; float d; } R;
__kernel void k(__global R *p) {
    int i = get_global_id(0);
    p[i].c = p[i].b + i;
    p[i].d = p[i].a;
}
