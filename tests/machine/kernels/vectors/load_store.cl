// Whole vectors in and out.
// buffer: in float4 8 = i + 0.25 * k
// buffer: out float4 8
// run: twice 8/4
// expect: out = 2.0 * in[4 * i + k]
// mis: 4
__kernel void twice(__global const float4 *in, __global float4 *out) {
    int i = get_global_id(0);
    out[i] = in[i] * 2.0f;
}
