// length, distance and normalize, also for components whose squares are out of range.
// buffer: a float2 4 = {3 4 1e-3 2 -5 12 0.1 0.7}
// buffer: b float2 4 = {0 0 1 1 -1 9 0.4 0.3}
// buffer: l float 4
// buffer: d float 4
// buffer: n float2 4
// run: lengths 4/4
// ulps: 4
// expect: l = hypot(a[2 * i], a[2 * i + 1])
// expect: d = hypot(a[2 * i] - b[2 * i], a[2 * i + 1] - b[2 * i + 1])
// expect: n = a[2 * i + k] / hypot(a[2 * i], a[2 * i + 1])
__kernel void lengths(__global const float2 *a, __global const float2 *b, __global float *l,
                      __global float *d, __global float2 *n) {
    int i = get_global_id(0);
    l[i] = length(a[i]);
    d[i] = distance(a[i], b[i]);
    n[i] = normalize(a[i]);
}
