// expect: out float 64 = 8 * i + 1
// expect: bytes uchar 16 = 3 * i
// expect: words int 64 = i + 1
//
// Loads through the read-only cache, of scalars and vectors, and with hints for the caches.
__global__ void load(const float *__restrict__ in, const float4 *in4, const double2 *in2,
                     float *out) {
    int i = threadIdx.x;
    float4 v = __ldg(&in4[i / 4]);                      // 4 * (i / 4) + 0 .. 3
    double2 d = __ldg(in2 + i);                         // 2 i, 2 i + 1
    float mine = i % 4 == 0 ? v.x : i % 4 == 1 ? v.y : i % 4 == 2 ? v.z : v.w;
    out[i] = __ldg(in + i) + mine + 2 * (float)d.x + (float)d.y;
}

__global__ void copy(const uchar4 *from, uchar4 *to, const int *words, int *more) {
    int i = threadIdx.x;
    if (i < 4) {
        uchar4 b = __ldg(&from[i]);
        to[i] = make_uchar4(3 * b.x, 3 * b.y, 3 * b.z, 3 * b.w);
    }
    __stcg(&more[i], __ldcg(&words[i]) + 1);
}
