// pow, pown, powr, rootn, sqrt, cbrt, rsqrt and hypot.
// buffer: in float 6 = {0.25 1 2 3.5 10 1e5}
// buffer: a float8 6
// run: powers 6/6
// ulps: 16
// expect: a = k == 0 ? pow(in[i], 1.7) : k == 1 ? pow(-in[i], 3) : k == 2 ? pow(in[i], 0.3) : k == 3 ? cbrt(in[i]) : k == 4 ? sqrt(in[i]) : k == 5 ? cbrt(-in[i]) : k == 6 ? 1 / sqrt(in[i]) : hypot(in[i], 2.5)
__kernel void powers(__global const float *in, __global float8 *a) {
    int i = get_global_id(0);
    float v = in[i];
    a[i] = (float8)(pow(v, 1.7f), pown(-v, 3), powr(v, 0.3f), rootn(v, 3), sqrt(v), cbrt(-v),
                    rsqrt(v), hypot(v, 2.5f));
}
