// The largest divisors of which 128 times is still a number, and beyond.
// buffer: x double 3 = {1.7e308 1.7e308 1.7e308}
// buffer: y double 3 = {8e305 1.5e306 9e307}
// buffer: r double 3
// buffer: n int 3
// run: parts 3/3
// expect: n = {85 113 2}
// expect: r = {-3.999999999999958e+305 4.9999999999998216e+305 -1.0000000000000016e+307}
__kernel void parts(__global const double *x, __global const double *y, __global double *r,
                    __global int *n) {
    int i = get_global_id(0), q;
    r[i] = remquo(x[i], y[i], &q);
    n[i] = q;
}
