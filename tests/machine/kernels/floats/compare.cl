// Comparisons with NaN are false, but != is true; zeros are equal whatever their sign.
// buffer: a float 6 = {1 nan -0.0 inf nan -inf}
// buffer: b float 6 = {2 1 0.0 inf nan inf}
// buffer: out int 6
// run: compare 6/6
// expect: out = {100011 100000 11010 11010 100000 100011}
__kernel void compare(__global const float *a, __global const float *b, __global int *out) {
    int i = get_global_id(0);
    float x = a[i], y = b[i];
    out[i] = (x < y) + 10 * (x <= y) + 100 * (x > y) + 1000 * (x >= y) + 10000 * (x == y) +
             100000 * (x != y);
}
