// asin, acos, atan and atan2 in all quadrants.
// buffer: in float 8 = i * 0.28 - 0.98
// buffer: a float 8
// buffer: b float 8
// buffer: c float 8
// buffer: d float 8
// run: angles 8/8
// ulps: 6
// expect: a = asin(in[i])
// expect: b = acos(in[i])
// expect: c = atan(in[i] * 5)
// expect: d = atan2(in[i], in[7 - i] * (i % 2 ? -1 : 1))
__kernel void angles(__global const float *in, __global float *a, __global float *b,
                     __global float *c, __global float *d) {
    int i = get_global_id(0);
    a[i] = asin(in[i]);
    b[i] = acos(in[i]);
    c[i] = atan(in[i] * 5);
    d[i] = atan2(in[i], in[7 - i] * (i % 2 ? -1 : 1));
}
