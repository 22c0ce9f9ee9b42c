// sinh, cosh, tanh and their inverses.
// buffer: in float 6 = i * 0.7 - 1.6
// buffer: a float4 6
// buffer: b float2 6
// run: curves 6/3
// ulps: 5
// expect: a = k == 0 ? sinh(in[i]) : k == 1 ? cosh(in[i]) : k == 2 ? tanh(in[i]) : asinh(in[i])
// expect: b = k ? atanh(f(in[i] * 0.4)) : acosh(f(fabs(in[i]) + 1.5))
__kernel void curves(__global const float *in, __global float4 *a, __global float2 *b) {
    int i = get_global_id(0);
    float v = in[i];
    a[i] = (float4)(sinh(v), cosh(v), tanh(v), asinh(v));
    b[i] = (float2)(acosh(fabs(v) + 1.5f), atanh(v * 0.4f));
}
