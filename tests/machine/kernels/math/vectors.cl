// Math functions work on vectors by component.
// buffer: in float3 4 = 0.5 * i + 0.2 * k
// buffer: a float3 4
// buffer: b float3 4
// run: by_component 4/4
// ulps: 4
// expect: a = sin(in[3 * i + k]) + sqrt(in[3 * i + k])
// expect: b = fmax(in[3 * i + k], 0.75)
__kernel void by_component(__global const float3 *in, __global float3 *a, __global float3 *b) {
    int i = get_global_id(0);
    a[i] = sin(in[i]) + sqrt(in[i]);
    b[i] = fmax(in[i], 0.75f);
}
