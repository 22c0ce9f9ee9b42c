//: found step 32: float v[3], stride count
//: layouts step 32: aos soa {v[0],v[2]}{v[1]}
// Helpers that get the buffer, the stride and the number of the field.
static float get(__global const float *v, int i, int k, int stride) { return v[i + k * stride]; }
static void put(__global float *v, int i, int k, int stride, float x) { v[i + k * stride] = x; }
__kernel void step(__global float *v, const int count) {
    int i = get_global_id(0);
    if (i >= count)
        return;
    const int pitch = count;
    float speed = get(v, i, 1, pitch);
    put(v, i, 0, count, get(v, i, 0, count) + speed);
    put(v, i, 2, count, v[i + 2 * pitch] + 0.5f * speed);
}
