// erf, erfc, tgamma and lgamma.
// buffer: in float 6 = {0.1 0.5 1 2.2 3 4.5}
// buffer: a float4 6
// run: special 6/6
// ulps: 16
// expect: a = k == 0 ? erf(in[i]) : k == 1 ? erfc(in[i]) : k == 2 ? tgamma(in[i]) : lgamma(in[i] + 2)
__kernel void special(__global const float *in, __global float4 *a) {
    int i = get_global_id(0);
    float v = in[i];
    a[i] = (float4)(erf(v), erfc(v), tgamma(v), lgamma(v + 2));
}
