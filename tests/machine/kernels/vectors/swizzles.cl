// Components in another order, doubled, and as halves.
// buffer: in int4 4 = 10 * i + k
// buffer: a int4 4
// buffer: b int4 4
// buffer: c int2 4
// run: turned 4/4
// expect: a = in[4 * i + 3 - k]
// expect: b = k < 2 ? in[4 * i + 1] : in[4 * i + (k == 2 ? 2 : 0)]
// expect: c = k ? in[4 * i + 3] : in[4 * i + 1]
__kernel void turned(__global const int4 *in, __global int4 *a, __global int4 *b,
                     __global int2 *c) {
    int i = get_global_id(0);
    int4 v = in[i];
    a[i] = v.wzyx;
    b[i] = v.yyzx;
    c[i] = v.odd;
}
