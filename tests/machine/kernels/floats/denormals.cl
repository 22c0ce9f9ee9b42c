// Numbers below the smallest normal one are kept.
// buffer: in float 4 = {1.1754943508222875e-38 1e-40 1.401298464324817e-45 -2e-39}
// buffer: out float 4
// buffer: back float 4
// run: tiny 4/4
// expect: out = f(in[i] * 0.5)
// expect: back = f(in[i] + in[i])
__kernel void tiny(__global const float *in, __global float *out, __global float *back) {
    int i = get_global_id(0);
    out[i] = in[i] * 0.5f;
    back[i] = in[i] + in[i];
}
