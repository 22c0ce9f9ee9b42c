// flags: -g 256 --local 64 -n 256
// accesses: 12
// layouts: {c2,s3,i8,f16}:16{u16,d2,l3}/da
typedef struct { char2 c2; short3 s3; int8 i8; float16 f16; uchar16 u16; double2 d2; long3 l3; } vecs;
__kernel void k(__global vecs *v) {
    int i = get_global_id(0);
    v[i].c2 = (char2)(i, -i);
    v[i].s3.yz = (short2)(i);
    v[i].i8.even = v[i].i8.odd + 3;
    v[i].f16.hi.lo = v[i].f16.s0123;
    v[i].u16.sF = v[i].u16.s0 + 1;
    v[i].d2 = convert_double2(v[i].i8.lo.xy) * M_PI;
    v[i].l3 = (long3)(i, 2, 3);
    v[i].f16[3] = 2.0f;
}
