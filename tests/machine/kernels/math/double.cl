// Math functions on doubles.
// buffer: in double 6 = {0.1 1 2.5 10 1e-8 30}
// buffer: a double8 6
// run: doubles 6/6
// ulps: 16
// expect: a = k == 0 ? sin(in[i]) : k == 1 ? exp(in[i]) : k == 2 ? log(in[i]) : k == 3 ? sqrt(in[i]) : k == 4 ? pow(in[i], 1.3) : k == 5 ? atan(in[i]) : k == 6 ? floor(in[i]) : fma(in[i], in[i], -1.0)
__kernel void doubles(__global const double *in, __global double8 *a) {
    int i = get_global_id(0);
    double v = in[i];
    a[i] = (double8)(sin(v), exp(v), log(v), sqrt(v), pow(v, 1.3), atan(v), floor(v),
                     fma(v, v, -1.0));
}
