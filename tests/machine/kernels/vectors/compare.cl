// Comparing vectors gives -1 and 0 in each component, and ?: chooses by component.
// buffer: a int4 4 = i - k
// buffer: b int4 4 = k - 1
// buffer: less int4 4
// buffer: chosen int4 4
// run: compare 4/2
// expect: less = a[4 * i + k] < b[4 * i + k] ? -1 : 0
// expect: chosen = a[4 * i + k] < b[4 * i + k] ? a[4 * i + k] : 100 + k
__kernel void compare(__global const int4 *a, __global const int4 *b, __global int4 *less,
                      __global int4 *chosen) {
    int i = get_global_id(0);
    int4 x = a[i], y = b[i];
    less[i] = x < y;
    chosen[i] = x < y ? x : (int4)(100, 101, 102, 103);
}
