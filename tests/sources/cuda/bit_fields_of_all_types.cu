// Bit-fields of several types, with room between them and a new unit begun; a truth among them.
//: fields cell: c int 0 4, a uint 4 4, s uchar 8 1, d double 16 8, big ulong 24 8, e uint 32 4, v float 36 8
//: laid out k 64: soa aosoa:2 {c,a}{s,d,big,e,v}
//: laid out k 64 with v: soa
struct cell {
    int c;
    unsigned a : 3;
    int b : 7;
    unsigned : 0;
    short s : 5;
    bool f : 1;
    double d;
    unsigned long long big : 40, rest : 24;
    int e : 31;
    float v[2];
};
__global__ void k(cell *p) {
    int i = threadIdx.x;
    p[i].a += 1;
    p[i].b -= p[i].c;
    p[i].s++;
    p[i].f = !p[i].f;
    p[i].d += p[i].big;
    p[i].rest ^= p[i].e;
    p[i].v[1] = p[i].b;
    cell x = p[i];
    x.e = -1;
    p[i] = x;
}
