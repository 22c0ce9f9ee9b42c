// Integers that do not fit a narrower type or another sign.
// buffer: in long 6 = {0 -1 300 -40000 5000000000 -5000000000}
// buffer: c char 6
// buffer: u uchar 6
// buffer: w uint 6
// buffer: l int 6
// run: fit 6/6
// expect: c = max(-128, min(127, in[i]))
// expect: u = max(0, min(255, in[i]))
// expect: w = max(0, min(4294967295, in[i]))
// expect: l = max(-2147483648, min(2147483647, in[i]))
__kernel void fit(__global const long *in, __global char *c, __global uchar *u, __global uint *w,
                  __global int *l) {
    int i = get_global_id(0);
    c[i] = convert_char_sat(in[i]);
    u[i] = convert_uchar_sat(in[i]);
    w[i] = convert_uint_sat(in[i]);
    l[i] = convert_int_sat(in[i]);
}
