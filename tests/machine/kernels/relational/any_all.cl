// any and all look at the highest bits.
// buffer: in int4 5 = i == 0 ? 0 : i == 1 ? -1 : i == 2 ? -(k == 2) : i == 3 ? 1 : k - 4
// buffer: out int 5
// run: some 5/5
// expect: out = {0 11 1 0 11}
__kernel void some(__global const int4 *in, __global int *out) {
    int i = get_global_id(0);
    out[i] = any(in[i]) + 10 * all(in[i]);
}
