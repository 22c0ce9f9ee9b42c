// sin, cos and tan within OpenCL's bounds, small arguments and large.
// buffer: in float 12 = {0 0.5 -1 1.5707964 3.1415927 10 -100 1e4 1e-20 1e6 2.3 -4.7}
// buffer: s float 12
// buffer: c float 12
// buffer: t float 12
// run: angles 12/12
// ulps: 5
// expect: s = sin(in[i])
// expect: c = cos(in[i])
// expect: t = tan(in[i])
__kernel void angles(__global const float *in, __global float *s, __global float *c,
                     __global float *t) {
    int i = get_global_id(0);
    s[i] = sin(in[i]);
    c[i] = cos(in[i]);
    t[i] = tan(in[i]);
}
