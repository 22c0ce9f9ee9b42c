// fmod and remainder are exact.
// buffer: a float 8 = {5.5 -5.5 5.5 1e20 7 -0.0 3 0.3}
// buffer: b float 8 = {2 2 -2 3 inf 1 -7 0.1}
// buffer: m float 8
// buffer: r float 8
// run: rest 8/8
// expect: m = fmod(a[i], b[i])
// expect: r = remainder(a[i], b[i])
__kernel void rest(__global const float *a, __global const float *b, __global float *m,
                   __global float *r) {
    int i = get_global_id(0);
    m[i] = fmod(a[i], b[i]);
    r[i] = remainder(a[i], b[i]);
}
