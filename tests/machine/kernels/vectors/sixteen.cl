// All sixteen components of a vector, reversed, and summed by halves.
// buffer: in short16 4 = i * 16 + k
// buffer: out short16 4
// buffer: total int 4
// run: sixteen 4/4
// expect: out = in[16 * i + 15 - k]
// expect: total = sum(q, 0, 16, in[16 * i + q])
__kernel void sixteen(__global const short16 *in, __global short16 *out, __global int *total) {
    int i = get_global_id(0);
    short16 v = in[i];
    out[i] = v.sfedcba9876543210;
    short8 eight = v.lo + v.hi;
    short4 four = eight.even + eight.odd;
    total[i] = four.x + four.y + four.z + four.w;
}
