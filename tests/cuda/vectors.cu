// expect: out float 128 = (i % 4 == 3 ? 1 : 2 * (4 * int(i / 4) + 3 - i % 4))
// expect: threes float 96 = (i % 3 == 1 ? -1 : 10 * i)
// expect: shorts short 64 = (i % 2 ? 5 : i) + 1
// expect: sums double 32 = 8 * i + 3
//
// Vectors of 2, 3 and 4 numbers: a float4 is read and written at once, a float3 by its numbers.
__device__ float4 operator*(float a, float4 v) { return make_float4(a * v.x, a * v.y, a * v.z, a * v.w); }

__device__ float4 turned(const float4 &v) {
    float4 r;
    r.x = v.w;
    r.y = v.z;
    r.z = v.y;
    r.w = v.x;
    return r;
}

__global__ void turn(const float4 *in, float4 *out, const float3 *three, float3 *threes) {
    int i = threadIdx.x;
    float4 v = 2 * turned(in[i]);
    v.w = 1;
    out[i] = v;
    float3 t = three[i];
    threes[i] = make_float3(10 * t.x, -1, 10 * t.z);
}

__global__ void pairs(short2 *shorts, const int4 *in, double *sums) {
    int i = threadIdx.x;
    short2 s = shorts[i];
    s.y = 5;
    ++s.x;
    ++s.y;
    shorts[i] = s;
    int4 v = in[i]; // 4 i + 0 .. 3
    double4 wide = {(double)v.x, (double)v.y, (double)v.z, (double)v.w};
    sums[i] = wide.x + wide.w + 0 * (wide.y - wide.z);
}
