// flags: -g 512 --local 64 -n 1024 -a s=3
// accesses: 5
// layouts: soa
typedef struct { float2 z; float mag; } bin;
static float2 cmul(float2 a, float2 b) { return (float2)(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x); }
__kernel void fft_stage(__global bin *x, uint s) {
    uint i = get_global_id(0), half_ = 1u << s;
    uint k = i & (half_ - 1), j = ((i >> s) << (s + 1)) + k;
    float c, sn = sincos(-3.14159265f * k / half_, &c);
    float2 a = x[j].z, b = cmul(x[j + half_].z, (float2)(c, sn));
    x[j].z = a + b;
    x[j + half_].z = a - b;
    x[j].mag = length(x[j].z);
}
