// Pointers compared, and as numbers.
// buffer: in int 8
// buffer: out int 8
// run: compare 8/8
// expect: out = (i < 5) + 10 * (i == 3) + 100 * (4 * i) + 100000
__kernel void compare(__global const int *in, __global int *out) {
    int i = get_global_id(0);
    __global const int *p = in + i;
    int v = (p < in + 5) + 10 * (p == in + 3) + 100 * (int)((ulong)p - (ulong)in);
    out[i] = v + 100000 * (p != 0);
}
