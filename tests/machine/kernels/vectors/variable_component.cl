// A component chosen at run time, read and written.
// buffer: in int4 8 = 10 * i + k
// buffer: out int4 8
// run: choose 8/8
// expect: out = k == i % 4 ? in[4 * i + (i + 1) % 4] : in[4 * i + k]
__kernel void choose(__global const int4 *in, __global int4 *out) {
    int i = get_global_id(0);
    int4 v = in[i];
    int *parts = (int *)&v;
    parts[i % 4] = parts[(i + 1) % 4];
    out[i] = v;
}
