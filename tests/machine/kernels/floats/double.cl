// Doubles, and how they go to float and back.
// buffer: a double 6 = 1.1 * i + 1e-9
// buffer: b double 6 = 1.0 / 3
// buffer: out double 6
// buffer: narrow float 6
// run: doubles 6/3
// expect: out = a[i] * b[i] - a[i] / (i + 1.5)
// expect: narrow = f(a[i])
__kernel void doubles(__global const double *a, __global const double *b, __global double *out,
                      __global float *narrow) {
#pragma OPENCL FP_CONTRACT OFF
    int i = get_global_id(0);
    double product = a[i] * b[i], quotient = a[i] / (i + 1.5);
    out[i] = product - quotient;
    narrow[i] = a[i];
}
