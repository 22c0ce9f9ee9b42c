// select takes by the highest bit in a vector, by truth in a scalar; bitselect by each bit.
// buffer: a int4 2 = 10 * i + k
// buffer: b int4 2 = 100 + 10 * i + k
// buffer: c int4 2 = k == 0 ? -1 : k == 1 ? 1 : k == 2 ? -2147483648 : 0
// buffer: out int4 2
// buffer: one int4 2
// buffer: bits int4 2
// run: choose 2/2
// expect: out = c[4 * i + k] < 0 ? b[4 * i + k] : a[4 * i + k]
// expect: one = c[4 * i + k] != 0 ? b[4 * i + k] : a[4 * i + k]
// expect: bits = a[4 * i + k] & ~c[4 * i + k] | b[4 * i + k] & c[4 * i + k]
__kernel void choose(__global const int4 *a, __global const int4 *b, __global const int4 *c,
                     __global int4 *out, __global int4 *one, __global int4 *bits) {
    int i = get_global_id(0);
    int4 x = a[i], y = b[i], z = c[i];
    out[i] = select(x, y, z);
    one[i] = (int4)(select(x.x, y.x, z.x), select(x.y, y.y, z.y), select(x.z, y.z, z.z),
                    select(x.w, y.w, z.w));
    bits[i] = bitselect(x, y, z);
}
