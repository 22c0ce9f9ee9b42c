// Vectors convert by component, narrower, wider and between signs.
// buffer: in int4 4 = (i - 1) * 100 + k * 50
// buffer: c char4 4
// buffer: f float4 4
// buffer: l long4 4
// buffer: back int4 4
// run: convert 4/4
// expect: c = i8(in[4 * i + k])
// expect: f = in[4 * i + k] * 0.5
// expect: l = in[4 * i + k] * 10000000000
// expect: back = (in[4 * i + k] / 2) & 255
__kernel void convert(__global const int4 *in, __global char4 *c, __global float4 *f,
                      __global long4 *l, __global int4 *back) {
    int i = get_global_id(0);
    int4 v = in[i];
    c[i] = convert_char4(v);
    f[i] = convert_float4(v) * 0.5f;
    l[i] = convert_long4(v) * 10000000000L;
    back[i] = convert_int4(convert_uchar4(convert_int4_rtz(convert_float4(v) * 0.5f)));
}
