// The tests of one real: 1 for a scalar, -1 in a vector's components.
// buffer: in float 8 = {0 -1 inf -inf nan 1e-40 -0.0 3}
// buffer: out int 8
// buffer: wide int2 8
// run: tests 8/8
// expect: out = {1 10001 100 10100 1000 1 10001 11}
// expect: wide = in[i] != in[i] ? k ? 0 : -1 : k && (in[i] < 0 || i == 6) ? -1 : 0
__kernel void tests(__global const float *in, __global int *out, __global int2 *wide) {
    int i = get_global_id(0);
    float v = in[i];
    int normal = isnormal(v), finite = isfinite(v);
    out[i] = (finite && (i < 2 || i > 4)) + 10 * (normal && i == 7) + 100 * isinf(v) +
             1000 * isnan(v) + 10000 * signbit(v);
    wide[i] = (int2)(isnan((float2)(v, v)).x, signbit((float2)(v, v)).y);
}
