// Vectors of three take the room of four; what is behind them stays.
// buffer: in float3 6 = i * 10 + k
// buffer: out float3 6
// buffer: packed float 18
// run: three 6/3
// expect: out = in[3 * i + (k + 1) % 3] + 0.5
// expect: packed = in[i]
__kernel void three(__global const float3 *in, __global float3 *out, __global float *packed) {
    int i = get_global_id(0);
    float3 v = in[i];
    out[i] = v.yzx + 0.5f;
    vstore3(v, i, packed);
}
