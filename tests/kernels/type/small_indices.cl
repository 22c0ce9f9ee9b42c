// flags: -g 128 --local 64 -n 65536
// accesses: 5
// access: 15 load p.c 1 64*group(0) + local(0)
// access: 15 store p.f 4 64*group(0) + local(0)
// access: 16 store p.s 2 64*group(0) + local(0) + 1064
// layouts: aosoa:32
typedef struct { uchar c; short s; float f; } R;
typedef unsigned short index_t;
typedef index_t my_index;
__kernel void k(__global R *p) {
    my_index i = get_global_id(0);
    uchar b = i;
    short n = -1;
    char d = (char)(i - 64);
    p[i].f = p[b].c + p[(my_index)(i + 65500)].s;
    p[1128 + d].s = n;
    p[(uchar)(b + 200) + 300].c = b;
}
