// Infinities, NaN and signed zeros in arithmetic.
// buffer: a float 8 = {inf -inf inf 0.0 -0.0 1 nan 3e38}
// buffer: b float 8 = {1 1 inf 0.0 0.0 0.0 1 3e38}
// buffer: sum float 8
// buffer: product float 8
// buffer: difference float 8
// run: special 8/8
// expect: sum = {inf -inf inf 0.0 0.0 1 nan inf}
// expect: product = {inf -inf inf 0.0 -0.0 0.0 nan inf}
// expect: difference = {inf -inf nan 0.0 -0.0 1 nan 0.0}
__kernel void special(__global const float *a, __global const float *b, __global float *sum,
                      __global float *product, __global float *difference) {
    int i = get_global_id(0);
    sum[i] = a[i] + b[i];
    product[i] = a[i] * b[i];
    difference[i] = a[i] - b[i];
}
