// Halves are loaded and stored by functions, rounded to nearest.
// buffer: in half 8 = {0 1 -2.5 65504 0.1 6e-8 1000.5 -0.0}
// buffer: out half 8
// buffer: wide float 8
// run: halves 8/4
// expect: wide = in[i]
// expect: out = h(f(in[i] * f(0.33)))
__kernel void halves(__global const half *in, __global half *out, __global float *wide) {
    int i = get_global_id(0);
    float v = vload_half(i, in);
    wide[i] = v;
    vstore_half(v * 0.33f, i, out);
}
