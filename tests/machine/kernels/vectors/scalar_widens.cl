// A scalar beside a vector becomes a vector; literals are put together from parts.
// buffer: in int2 4 = 3 * i + k
// buffer: out int4 4
// run: widen 4/4
// expect: out = (k < 2 ? in[2 * i + k] : k == 2 ? 7 : in[2 * i]) * (i + 1) - 5
__kernel void widen(__global const int2 *in, __global int4 *out) {
    int i = get_global_id(0);
    int2 v = in[i];
    int4 w = (int4)(v, 7, v.x);
    out[i] = w * (i + 1) - 5;
}
