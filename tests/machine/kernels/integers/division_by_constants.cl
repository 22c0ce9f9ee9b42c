// Divisors that compilers replace by multiplication, for negative numbers as well.
// buffer: in long 8 = (i - 4) * 123456789123
// buffer: out long 8
// run: divide 8/8
// expect: out = in[i] / 7 + i32(in[i]) / 10 + i16(in[i]) % 3 + in[i] % -8
__kernel void divide(__global const long *in, __global long *out) {
    int i = get_global_id(0);
    long v = in[i];
    out[i] = v / 7 + (int)v / 10 + (short)v % 3 + v % -8;
}
