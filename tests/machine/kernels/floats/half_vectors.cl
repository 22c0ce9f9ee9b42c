// Halves by vectors, stored with a rounding of its own.
// buffer: in half 16 = i * 0.37
// buffer: out half 16
// run: halves 4/4
// expect: out = h(in[i]) * (i % 4 < 2 ? 2 : -1)
__kernel void halves(__global const half *in, __global half *out) {
    int i = get_global_id(0);
    float4 v = vload_half4(i, in) * (float4)(2.0f, 2.0f, -1.0f, -1.0f);
    vstore_half4_rte(v, i, out);
}
