// A cast cuts off what is behind the point.
// buffer: in double 6 = {1.9 -1.9 0.999 -0.999 4000000000.5 -4000000000.5}
// buffer: l long 6
// buffer: c short 6
// run: cut 6/3
// expect: l = i64(in[i])
// expect: c = i < 4 ? i64(in[i]) : 0
__kernel void cut(__global const double *in, __global long *l, __global short *c) {
    int i = get_global_id(0);
    l[i] = in[i];
    c[i] = i < 4 ? (short)in[i] : 0;
}
