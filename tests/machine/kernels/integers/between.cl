// min, max, clamp, abs, abs_diff, hadd and rhadd.
// buffer: a int 6 = {-2147483648 5 -7 2147483647 0 -1}
// buffer: b int 6 = {2147483647 9 -2 2147483646 0 -2147483648}
// buffer: low int 6
// buffer: inside int 6
// buffer: size uint 6
// buffer: apart uint 6
// buffer: half_down int 6
// buffer: half_up int 6
// run: between 6/6
// expect: low = min(a[i], b[i]) ^ max(a[i], 0)
// expect: inside = max(-5, min(a[i], 100))
// expect: size = abs(a[i])
// expect: apart = abs(a[i] - b[i])
// expect: half_down = a[i] + b[i] >> 1
// expect: half_up = a[i] + b[i] + 1 >> 1
__kernel void between(__global const int *a, __global const int *b, __global int *low,
                      __global int *inside, __global uint *size, __global uint *apart,
                      __global int *half_down, __global int *half_up) {
    int i = get_global_id(0), x = a[i], y = b[i];
    low[i] = min(x, y) ^ max(x, 0);
    inside[i] = clamp(x, -5, 100);
    size[i] = abs(x);
    apart[i] = abs_diff(x, y);
    half_down[i] = hadd(x, y);
    half_up[i] = rhadd(x, y);
}
