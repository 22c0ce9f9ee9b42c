// dot and cross on whole numbers are exact.
// buffer: a float4 6 = i + k
// buffer: b float4 6 = 2 * k - i
// buffer: d float 6
// buffer: c float4 6
// run: products 6/6
// expect: d = sum(q, 0, 4, a[4 * i + q] * b[4 * i + q])
// expect: c = k == 3 ? 0.0 : a[4 * i + (k + 1) % 3] * b[4 * i + (k + 2) % 3] - a[4 * i + (k + 2) % 3] * b[4 * i + (k + 1) % 3]
__kernel void products(__global const float4 *a, __global const float4 *b, __global float *d,
                       __global float4 *c) {
    int i = get_global_id(0);
    d[i] = dot(a[i], b[i]);
    c[i] = cross(a[i], b[i]);
}
