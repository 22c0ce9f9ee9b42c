// A switch over 8 bits: labels are compared at the width of the value.
// buffer: in uchar 8 = {200 56 0 255 128 127 1 2}
// buffer: out int 8
// run: choose 8/8
// expect: out = {1 2 0 3 4 0 0 0}
__kernel void choose(__global const uchar *in, __global int *out) {
    int i = get_global_id(0), v = 0;
    switch (in[i]) {
    case 200: v = 1; break;
    case 56: v = 2; break;
    case 255: v = 3; break;
    case 128: v = 4; break;
    }
    out[i] = v;
}
