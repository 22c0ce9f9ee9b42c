// Every width with and without a sign: arithmetic wraps where it is stored.
// buffer: in int 8 = {0 1 -1 127 128 -128 255 40000}
// buffer: c char 8
// buffer: uc uchar 8
// buffer: s short 8
// buffer: us ushort 8
// buffer: l long 8
// buffer: ul ulong 8
// run: widths 8/8
// expect: c = in[i] * 3 + 1
// expect: uc = in[i] * 3 + 1
// expect: s = in[i] * in[i]
// expect: us = in[i] * in[i]
// expect: l = in[i] * 1000000000000
// expect: ul = in[i] * 1000000000000
__kernel void widths(__global const int *in, __global char *c, __global uchar *uc,
                     __global short *s, __global ushort *us, __global long *l,
                     __global ulong *ul) {
    int i = get_global_id(0), v = in[i];
    char x = v;
    uchar y = v;
    c[i] = x * 3 + 1;
    uc[i] = y * 3 + 1;
    s[i] = (short)v * (short)v;
    us[i] = (ushort)v * (ushort)v;
    l[i] = v * 1000000000000L;
    ul[i] = (ulong)(long)v * 1000000000000UL;
}
