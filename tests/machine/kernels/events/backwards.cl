// A negative stride.
// buffer: in long 6 = i
// buffer: out long 6
// run: turn 6/3
// expect: out = 5 - i
// event: 1.0 L 8 in+16 stride -8 lanes 0-2
// event: 1.1 S 8 out+24 stride 8 lanes 0-2
__kernel void turn(__global const long *in, __global long *out) {
    int i = get_global_id(0);
    out[i] = in[5 - i];
}
