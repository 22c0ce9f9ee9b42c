// A class without one of its members would have another layout, so it goes as a whole.
//: kernels good
//: left out : unknown type name 'unknown'
//: left out bad: incomplete
struct pair {
    int a;
    unknown b;
    int c;
};
__global__ void bad(pair *p, int *q) { q[0] = p[1].c; }
__global__ void good(int *p) { p[0] = p[1]; }
