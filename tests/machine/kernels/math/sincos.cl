// sincos gives both; remquo the rest and the low bits of the quotient.
// buffer: in float 6 = i * 1.3 - 2
// buffer: s float 6
// buffer: c float 6
// buffer: r float 6
// buffer: q int 6
// run: both 6/6
// ulps: 4
// expect: s = sin(in[i])
// expect: c = cos(in[i])
// expect: r = remainder(in[i], 0.75)
// expect: q = (abs(i64(rint(in[i] / 0.75))) & 7) * (in[i] < 0 ? -1 : 1)
__kernel void both(__global const float *in, __global float *s, __global float *c,
                   __global float *r, __global int *q) {
    int i = get_global_id(0), quotient;
    float cosine;
    s[i] = sincos(in[i], &cosine);
    c[i] = cosine;
    r[i] = remquo(in[i], 0.75f, &quotient);
    q[i] = (abs(quotient) & 7) * (quotient < 0 ? -1 : 1);
}
