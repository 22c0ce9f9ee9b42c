// convert_..._sat: what does not fit becomes the nearest end; NaN becomes 0.
// buffer: in float 8 = {0 -1 127.9 300 -300 1e20 -1e20 nan}
// buffer: c char 8
// buffer: u uchar 8
// buffer: s short 8
// buffer: w int 8
// buffer: l ulong 8
// run: fit 8/8
// expect: c = {0 -1 127 127 -128 127 -128 0}
// expect: u = {0 0 127 255 0 255 0 0}
// expect: s = {0 -1 127 300 -300 32767 -32768 0}
// expect: w = {0 -1 127 300 -300 2147483647 -2147483648 0}
// expect: l = {0 0 127 300 0 -1 0 0}
__kernel void fit(__global const float *in, __global char *c, __global uchar *u,
                  __global short *s, __global int *w, __global ulong *l) {
    int i = get_global_id(0);
    float v = in[i];
    c[i] = convert_char_sat(v);
    u[i] = convert_uchar_sat(v);
    s[i] = convert_short_sat(v);
    w[i] = convert_int_sat(v);
    l[i] = convert_ulong_sat(v);
}
