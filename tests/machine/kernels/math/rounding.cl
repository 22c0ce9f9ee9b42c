// The functions that round to whole numbers are exact.
// buffer: in float 10 = {0.5 -0.5 1.5 2.5 -2.5 3.7 -3.2 1e10 0.0 -0.0}
// buffer: a float4 10
// buffer: b float 10
// run: whole 10/10
// expect: a = k == 0 ? floor(in[i]) : k == 1 ? ceil(in[i]) : k == 2 ? trunc(in[i]) : rint(in[i])
// expect: b = round(in[i])
__kernel void whole(__global const float *in, __global float4 *a, __global float *b) {
    int i = get_global_id(0);
    float v = in[i];
    a[i] = (float4)(floor(v), ceil(v), trunc(v), rint(v));
    b[i] = round(v);
}
