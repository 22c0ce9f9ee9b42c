// exp, exp2, exp10, expm1 and the logarithms.
// buffer: in float 8 = {-10 -1 -0.001 0 0.5 1 3.7 20}
// buffer: a float4 8
// buffer: b float4 8
// run: powers 8/4
// ulps: 4
// expect: a = k == 0 ? exp(in[i]) : k == 1 ? exp2(in[i]) : k == 2 ? pow(10.0, in[i]) : expm1(in[i])
// expect: b = k == 0 ? log(fabs(in[i]) + 0.5) : k == 1 ? log2(fabs(in[i]) + 0.5) : k == 2 ? log10(fabs(in[i]) + 0.5) : log1p(fabs(in[i]))
__kernel void powers(__global const float *in, __global float4 *a, __global float4 *b) {
    int i = get_global_id(0);
    float v = in[i], w = fabs(v) + 0.5f;
    a[i] = (float4)(exp(v), exp2(v), exp10(v), expm1(v));
    b[i] = (float4)(log(w), log2(w), log10(w), log1p(fabs(v)));
}
