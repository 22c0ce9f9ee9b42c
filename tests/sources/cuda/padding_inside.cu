// A struct that is taken apart although its padding is not that of its parts.
//: laid out k 64 with s: aos soa aosoa:2 {a,s.b}{s.c,s.d,e}
struct inner {
    char b;
    long long c;
    char d;
};
struct cell {
    char a;
    inner s;
    char e;
};
__global__ void k(cell *p) {
    int i = threadIdx.x;
    p[i].a = p[i].s.b;
    p[i].s.c += p[i].e;
    inner v = p[i].s;
    v.d++;
    p[i].s = v;
}
