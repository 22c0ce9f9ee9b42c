// Vectors of lanes that take different ways.
// buffer: out float4 8
// run: ways 8/8
// expect: out = i % 3 == 0 ? i + k : i % 3 == 1 ? -1.5 * k : 4.0 * i
__kernel void ways(__global float4 *out) {
    int i = get_global_id(0);
    float4 v = (float4)(0, 1, 2, 3);
    if (i % 3 == 0)
        v += i;
    else if (i % 3 == 1)
        v *= -1.5f;
    else
        for (int k = 0; k < 4; k++)
            v = (float4)(4.0f * i);
    out[i] = v;
}
