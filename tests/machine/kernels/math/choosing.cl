// fmin, fmax, fdim, copysign, maxmag, minmag, nextafter, step and clamp are exact.
// buffer: a float 6 = {1 -2 nan 0.5 -3 inf}
// buffer: b float 6 = {2 1 5 nan 3 -1}
// buffer: x float4 6
// buffer: y float4 6
// run: choose 6/6
// expect: x = k == 0 ? fmin(a[i], b[i]) : k == 1 ? fmax(a[i], b[i]) : k == 2 ? copysign(a[i], b[i]) : i == 2 || i == 3 ? nan : a[i] > b[i] ? a[i] - b[i] : 0.0
// expect: y = k == 0 ? (i == 2 || i == 5 ? 1 : i == 3 ? 0.5 : max(0.0, min(1.0, a[i]))) : k == 1 ? (a[i] < 0 ? 0.0 : 1.0) : k == 2 ? (i == 2 ? 5 : i == 3 ? 0.5 : abs(a[i]) > abs(b[i]) ? a[i] : abs(b[i]) > abs(a[i]) ? b[i] : max(a[i], b[i])) : float_of(bits(1.0) + i)
__kernel void choose(__global const float *a, __global const float *b, __global float4 *x,
                     __global float4 *y) {
    int i = get_global_id(0);
    float u = a[i], v = b[i], n = 1.0f;
    x[i] = (float4)(fmin(u, v), fmax(u, v), copysign(u, v), fdim(u, v));
    for (int k = 0; k < i; k++)
        n = nextafter(n, 2.0f);
    y[i] = (float4)(i == 2 ? 1.0f : clamp(u, 0.0f, 1.0f), step(0.0f, u), maxmag(u, v), n);
}
