// Case labels far apart, negative and of 64 bits.
// buffer: in long 6 = {-5000000000 0 70000 123456789012 1 -1}
// buffer: out int 6
// run: choose 6/3
// expect: out = {1 2 3 4 0 5}
__kernel void choose(__global const long *in, __global int *out) {
    int i = get_global_id(0), v = 0;
    switch (in[i]) {
    case -5000000000L: v = 1; break;
    case 0: v = 2; break;
    case 70000: v = 3; break;
    case 123456789012L: v = 4; break;
    case -1: v = 5; break;
    }
    out[i] = v;
}
