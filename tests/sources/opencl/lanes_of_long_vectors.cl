// Vectors of 8 and 16, their numbered lanes and their halves.
//: laid out k 64 with a b: soa aosoa:2 {a}{b} {a.s0,a.s1,b.s0}{a.s2,a.s3,a.s4,a.s5,a.s6,a.s7,b.s1,b.s2,b.s3,b.s4,b.s5,b.s6,b.s7,b.s8,b.s9,b.sa,b.sb,b.sc,b.sd,b.se,b.sf}:4
typedef struct {
    float8 a;
    short16 b;
} pair;
kernel void k(global pair *p) {
    int i = get_global_id(0);
    p[i].a.s07 = p[i].a.s70;
    p[i].a.hi = p[i].a.even;
    p[i].a.s3 = p[i].a.lo.y;
    p[i].b.sF += p[i].b.sa;
    p[i].b.odd -= p[i].b.lo;
    p[i].b >>= (short16)(1);
}
