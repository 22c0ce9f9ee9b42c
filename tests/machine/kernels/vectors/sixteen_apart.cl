// Vectors of 128 bytes, of which lanes read one that is not their neighbour's.
// buffer: in double16 32 = i * 16 + k
// buffer: out double 32
// run: apart 32/32
// expect: out = 2 * sum(k, 0, 16, 7 * i % 32 * 16 + k)
__kernel void apart(__global const double16 *in, __global double *out) {
    int i = get_global_id(0);
    double16 v = in[i * 7 % 32];
    double8 eight = v.lo + v.hi;
    double4 four = eight.even + eight.odd;
    out[i] = (four.x + four.y + four.z + four.w) * 2;
}
