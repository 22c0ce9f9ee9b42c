// A sum in the order of the source: 2^24 + 1 + 1 stays 2^24, 1 + 1 + 2^24 does not.
// buffer: in float 6 = {16777216 1 1 1 1 16777216}
// buffer: out float 2
// run: sum 2/2
// expect: out = {16777216 16777218}
__kernel void sum(__global const float *in, __global float *out) {
    int i = get_global_id(0);
    float s = 0;
    for (int k = 0; k < 3; k++)
        s += in[3 * i + k];
    out[i] = s;
}
