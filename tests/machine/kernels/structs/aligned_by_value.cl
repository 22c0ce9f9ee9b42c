// Structs given by value lie as their widest vectors ask for, one behind the other too.
// buffer: out double 8
// run: add 8/8 a=1,2,3,4,5 b=10,20,30,40,50,60,70,80,90
// expect: out = f(1 + 5 + 20 + 90) + i
struct narrow { double4 v; uchar c; };
struct wide { double8 v; short s; };
__kernel void add(__global double *out, struct narrow a, struct wide b) {
    int i = get_global_id(0);
    out[i] = a.v.x + a.c + b.v.y + b.s + i;
}
