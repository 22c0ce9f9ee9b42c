// mix, degrees, radians, sign, smoothstep and mad.
// buffer: in float 6 = i * 0.3 - 0.6
// buffer: a float4 6
// buffer: b float2 6
// run: mixing 6/6
// ulps: 8
// expect: a = k == 0 ? 2 + (5 - 2) * in[i] : k == 1 ? in[i] * 57.29577951308232 : k == 2 ? in[i] * 0.017453292519943295 : i < 2 ? -1 : i == 2 ? in[2] > 0 ? 1 : in[2] < 0 ? -1 : 0.0 : 1
// expect: b = k ? in[i] * 2 + 1.5 : i < 3 ? in[i] > 0 ? in[i] * in[i] * (3 - 2 * in[i]) : 0.0 : in[i] * in[i] * (3 - 2 * in[i])
__kernel void mixing(__global const float *in, __global float4 *a, __global float2 *b) {
    int i = get_global_id(0);
    float v = in[i];
    a[i] = (float4)(mix(2.0f, 5.0f, v), degrees(v), radians(v), sign(v));
    b[i] = (float2)(smoothstep(0.0f, 1.0f, v), mad(v, 2.0f, 1.5f));
}
