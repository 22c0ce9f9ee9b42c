// shuffle and shuffle2 with masks that only the lane knows; high bits of a mask do not count.
// buffer: in uint4 4 = 10 * i + k
// buffer: mask uint4 4 = (i + 3 * k) % 8 + 16 * (i % 2)
// buffer: a uint4 4
// buffer: b uint4 4
// run: mixed 4/4
// expect: a = in[4 * i + mask[4 * i + k] % 4]
// expect: b = mask[4 * i + k] % 8 < 4 ? in[4 * i + mask[4 * i + k] % 4] : 1000 + in[4 * i + mask[4 * i + k] % 4]
__kernel void mixed(__global const uint4 *in, __global const uint4 *mask, __global uint4 *a,
                    __global uint4 *b) {
    int i = get_global_id(0);
    a[i] = shuffle(in[i], mask[i]);
    b[i] = shuffle2(in[i], in[i] + 1000u, mask[i]);
}
