// native_ and half_ functions are allowed to be inexact, but not wrong.
// buffer: in float 6 = i * 0.4 + 0.3
// buffer: a float8 6
// run: fast 6/6
// ulps: 8192
// expect: a = k == 0 ? sin(in[i]) : k == 1 ? exp(in[i]) : k == 2 ? sqrt(in[i]) : k == 3 ? 1 / in[i] : k == 4 ? log2(in[i] + 2) : k == 5 ? 1 / sqrt(in[i]) : k == 6 ? in[i] / 3 : pow(in[i], 2.5)
__kernel void fast(__global const float *in, __global float8 *a) {
    int i = get_global_id(0);
    float v = in[i];
    a[i] = (float8)(native_sin(v), half_exp(v), native_sqrt(v), native_recip(v),
                    native_log2(v + 2), half_rsqrt(v), native_divide(v, 3.0f), half_powr(v, 2.5f));
}
