// The four ways to round a real to an integer.
// buffer: in float 8 = {0.5 1.5 2.5 -0.5 -1.5 2.3 -2.7 1e6}
// buffer: even int 8
// buffer: zero int 8
// buffer: up int 8
// buffer: down int 8
// run: rounded 8/8
// expect: even = {0 2 2 0 -2 2 -3 1000000}
// expect: zero = {0 1 2 0 -1 2 -2 1000000}
// expect: up = {1 2 3 0 -1 3 -2 1000000}
// expect: down = {0 1 2 -1 -2 2 -3 1000000}
__kernel void rounded(__global const float *in, __global int *even, __global int *zero,
                      __global int *up, __global int *down) {
    int i = get_global_id(0);
    even[i] = convert_int_rte(in[i]);
    zero[i] = convert_int_rtz(in[i]);
    up[i] = convert_int_rtp(in[i]);
    down[i] = convert_int_rtn(in[i]);
}
