// isequal and the like, and isordered.
// buffer: a float4 3 = i == 2 && k == 3 ? nan : i - k
// buffer: b float4 3 = i == 1 && k == 0 ? nan : 1 - k
// buffer: out int4 3
// buffer: one int 3
// run: compare 3/3
// expect: out = (a[4 * i + k] > b[4 * i + k] ? -1 : 0) + (a[4 * i + k] != b[4 * i + k] ? -10 : 0) + (a[4 * i + k] == a[4 * i + k] && b[4 * i + k] == b[4 * i + k] ? -100 : 0) + (a[4 * i + k] < b[4 * i + k] || a[4 * i + k] > b[4 * i + k] ? -1000 : 0)
// expect: one = {1 0 1001}
__kernel void compare(__global const float4 *a, __global const float4 *b, __global int4 *out,
                      __global int *one) {
    int i = get_global_id(0);
    float4 x = a[i], y = b[i];
    out[i] = isgreater(x, y) + 10 * isnotequal(x, y) + 100 * isordered(x, y) +
             1000 * islessgreater(x, y);
    one[i] = islessequal(x.x, y.x) + 1000 * isunordered(x.w, y.w) + (i == 2);
}
