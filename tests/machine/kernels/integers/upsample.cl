// upsample joins two integers; vectors do it by component.
// buffer: in uchar4 4 = 60 * i + k * 3
// buffer: out ushort2 4
// buffer: wide long 4
// run: join 4/4
// expect: out = in[4 * i + k] << 8 | in[4 * i + 2 + k]
// expect: wide = -(i + 1) << 32 | in[4 * i]
__kernel void join(__global const uchar4 *in, __global ushort2 *out, __global long *wide) {
    int i = get_global_id(0);
    uchar4 v = in[i];
    out[i] = upsample(v.lo, v.hi);
    wide[i] = upsample(-(i + 1), (uint)v.x);
}
