// frexp, ldexp, ilogb, logb, modf and fract: parts of a number, through pointers.
// buffer: in float 6 = {1 -6.25 0.1 1000000 0.75 12}
// buffer: m float 6
// buffer: e int 6
// buffer: whole float 6
// buffer: rest float 6
// buffer: back float 6
// buffer: l int 6
// run: parts 6/6
// expect: m = {0.5 -0.78125 0.8 0.95367431640625 0.75 0.75}
// expect: e = {1 3 -3 20 0 4}
// expect: whole = trunc(in[i])
// expect: rest = in[i] - floor(in[i])
// expect: back = in[i] * 8
// expect: l = {0 2 -4 19 -1 3}
__kernel void parts(__global const float *in, __global float *m, __global int *e,
                    __global float *whole, __global float *rest, __global float *back,
                    __global int *l) {
    int i = get_global_id(0), exponent;
    float v = in[i], integral, ignored;
    m[i] = frexp(v, &exponent);
    e[i] = exponent;
    modf(v, &integral);
    whole[i] = integral;
    rest[i] = fract(v, &ignored);
    back[i] = ldexp(v, 3);
    l[i] = ilogb(v) + (int)logb(v) - ilogb(v);
}
