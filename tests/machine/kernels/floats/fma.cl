// fma rounds once; f(a * b) + c twice.
// buffer: a float 6 = {1.00000012 3 1e20 -0.1 16777217 1e-30}
// buffer: b float 6 = {1.00000012 0.33333334 1e20 0.1 3 1e-10}
// buffer: c float 6 = {-1.0000002 -1 -inf 0.01 -50331648 1e-40}
// buffer: once float 6
// buffer: twice float 6
// run: fused 6/6
// options: -cl-opt-disable
// expect: once = fmaf(a[i], b[i], c[i])
// expect: twice = f(f(a[i] * b[i]) + c[i])
__kernel void fused(__global const float *a, __global const float *b, __global const float *c,
                    __global float *once, __global float *twice) {
#pragma OPENCL FP_CONTRACT OFF
    int i = get_global_id(0);
    once[i] = fma(a[i], b[i], c[i]);
    float product = a[i] * b[i];
    twice[i] = product + c[i];
}
