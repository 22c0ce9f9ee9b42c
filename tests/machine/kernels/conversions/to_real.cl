// Integers to reals: what is too long for 24 bits is rounded to nearest even.
// buffer: in long 6 = {16777217 16777219 -16777217 9007199254740993 -1 4611686018427387905}
// buffer: f float 6
// buffer: g float 6
// buffer: d double 6
// run: reals 6/6
// expect: f = {16777216 16777220 -16777216 9007199254740992 -1 4611686018427387904}
// expect: g = i == 2 ? 4278190080.0 : i == 4 ? 4294967296.0 : i == 3 || i == 5 ? 1 : in[i] == 16777219 ? 16777220 : 16777216
// expect: d = {16777217 16777219 -16777217 9007199254740992 -1 4611686018427387904}
__kernel void reals(__global const long *in, __global float *f, __global float *g,
                    __global double *d) {
    int i = get_global_id(0);
    f[i] = in[i];
    g[i] = (uint)in[i];
    d[i] = in[i];
}
