// Conditions as numbers, and numbers as conditions.
// buffer: in int 6 = {0 1 -1 256 2 0}
// buffer: out int 6
// run: truth 6/6
// expect: out = (in[i] != 0) + 10 * !in[i] + 100 * (in[i] > 0) + 1000 * (u8(in[i]) != 0) + 10000 * (in[i] && i > 2)
__kernel void truth(__global const int *in, __global int *out) {
    int i = get_global_id(0), v = in[i];
    bool b = v, c = (uchar)v;
    out[i] = b + 10 * !v + 100 * (v > 0) + 1000 * c + 10000 * (v && i > 2);
}
