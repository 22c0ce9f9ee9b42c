// Half precision and bfloat16, function by function, beside the same in double precision and rounded
// once; the number of those that differ.
//: headers both
//: run halves 4: 0 0 0 0
//: run bfloats 4: 0 0 0 0
#include <cuda_bf16.h>
#include <cuda_fp16.h>
/* To the nearest, -1 down, 1 up, 2 towards zero, with so many bits and least and greatest exponents. */
__device__ double rounded(double x, int way, int bits, int least, int most) {
    if (x == 0 || isinf(x) || isnan(x))
        return x;
    int e = max(ilogb(x), least);
    double unit = ldexp(1.0, e - bits), q = x / unit, end = ldexp(2 - ldexp(1.0, -bits), most);
    q = way == 0 ? rint(q) : way == 2 ? trunc(q) : way < 0 ? floor(q) : ceil(q);
    double r = q * unit;
    if (fabs(r) <= end)
        return r;
    bool stays = way == 2 || (way < 0 && r > 0) || (way > 0 && r < 0);
    return copysign(stays ? end : INFINITY, x);
}
__device__ bool differ(double x, double y) {
    return isnan(x) ? !isnan(y) : x != y || signbit(x) != signbit(y);
}
__device__ double clamped(double x, double least, double most) {
    return x < least ? least : x > most ? most : isnan(x) ? 0 : x;
}
/* x * y + z, what is not exact with an odd last bit, so that rounding it again is right. */
__device__ double sum(double x, double y, double z) {
    double below = __fma_rd(x, y, z), above = __fma_ru(x, y, z);
    return __double2loint(below) & 1 ? below : above;
}
__device__ double unit(double x) { return x > 0 ? x < 1 ? x : 1 : 0; }
#define IS(call, exact) wrong += differ((float)(call), rounded(exact, 0, BITS, LEAST, MOST))
#define WAYS(name, from)                                                                   \
    wrong += differ((float)JOIN(name, N, _rn)(from), rounded(from, 0, BITS, LEAST, MOST)); \
    wrong += differ((float)JOIN(name, N, _rz)(from), rounded(from, 2, BITS, LEAST, MOST)); \
    wrong += differ((float)JOIN(name, N, _ru)(from), rounded(from, 1, BITS, LEAST, MOST)); \
    wrong += differ((float)JOIN(name, N, _rd)(from), rounded(from, -1, BITS, LEAST, MOST))
#define BACK(name, least, most)                                              \
    wrong += JOIN(__, N, 2##name##_rn)(a) != clamped(rint(x), least, most);  \
    wrong += JOIN(__, N, 2##name##_rz)(a) != clamped(trunc(x), least, most); \
    wrong += JOIN(__, N, 2##name##_ru)(a) != clamped(ceil(x), least, most);  \
    wrong += JOIN(__, N, 2##name##_rd)(a) != clamped(floor(x), least, most)
#define COMPARE(name, ordered, op)                                        \
    wrong += __h##name(a, b) != (x op y && ordered);                      \
    wrong += __h##name##u(a, b) != (x op y || isnan(x) || isnan(y));      \
    wrong += __hb##name##2(p, p2) != (__h##name(a, b) && __h##name(b, a))
#define JOIN_(a, b, c) a##b##c
#define JOIN(a, b, c) JOIN_(a, b, c)
#define KERNEL(kernel, T, T2)                                                          \
    __global__ void kernel(int *o) {                                                   \
        unsigned seed = threadIdx.x, wrong = 0;                                        \
        for (int n = 0; n < 60; n++) {                                                 \
            unsigned short w[3];                                                       \
            for (int i = 0; i < 3; i++) {                                              \
                seed = seed * 1664525u + 1013904223u;                                  \
                w[i] = seed >> 16;                                                     \
                if (n % 2) /* numbers of like size */                                  \
                    w[i] = (w[i] & 0x83ff) | ONE - 0x400;                              \
            }                                                                          \
            T a = JOIN(__ushort_as_, N, )(w[0]), b = JOIN(__ushort_as_, N, )(w[1]);    \
            T c = JOIN(__ushort_as_, N, )(w[2]);                                       \
            double x = (float)a, y = (float)b, z = (float)c;                           \
            T2 p(a, b), p2 = __lowhigh2highlow(p);                                     \
            bool has_nan = isnan(x) || isnan(y);                                       \
            IS(a + b, x + y);                                                          \
            IS(__hsub(a, b), x - y);                                                   \
            IS(a *b, x *y);                                                            \
            IS(__hdiv(a, b), x / y);                                                   \
            IS(__hfma(a, b, c), sum(x, y, z));                                         \
            IS(__hneg(a), -x);                                                         \
            IS(__habs(a), fabs(x));                                                    \
            IS(__hadd_sat(a, b), unit(x + y));                                         \
            IS(__hmul_sat(a, b), unit(x *y));                                          \
            IS(__hfma_relu(a, b, c), sum(x, y, z) <= 0 ? 0.0 : sum(x, y, z));          \
            wrong += __heq(__hmax(a, b), isnan(x)   ? b                                \
                                         : isnan(y) ? a                                \
                                         : x > y    ? a                                \
                                                    : b) != !(isnan(x) && isnan(y));      \
            wrong += __hisnan(__hmin_nan(a, b)) != has_nan || __hisnan(a) != isnan(x); \
            wrong += __hisinf(a) != (isinf(x) ? x < 0 ? -1 : 1 : 0);                   \
            IS(__high2float(__hadd2(p, p2)), x + y);                                   \
            IS(__low2float(__hfma2(p, p2, p)), sum(x, y, x));                          \
            IS(__low2float(p *p2), x *y);                                              \
            IS(__high2float(__h2div(p, p2)), y / x);                                   \
            IS(hsqrt(a), sqrt(x));                                                     \
            IS(hfloor(a), floor(x));                                                   \
            IS(__low2float(h2rint(p)), rint(x));                                       \
            COMPARE(eq, true, ==);                                                     \
            COMPARE(lt, true, <);                                                      \
            COMPARE(ge, true, >=);                                                     \
            wrong += __hne(a, b) != (!has_nan && x != y) || __hneu(a, b) != (x != y);  \
            float f = (float)x * 1.0009f + (float)z;                                   \
            if (!isnan(f)) {                                                           \
                WAYS(__float2, f);                                                     \
            }                                                                          \
            int i = (int)(seed >> (n % 32));                                           \
            WAYS(__int2, i);                                                           \
            WAYS(__uint2, seed);                                                       \
            long long l = (long long)i * (int)w[0] * (n % 3 ? 1 : i & 31);             \
            WAYS(__ll2, l);                                                            \
            BACK(int, -2147483648.0, 2147483647.0);                                    \
            BACK(uint, 0.0, 4294967295.0);                                             \
            BACK(short, -32768.0, 32767.0);                                            \
        }                                                                              \
        o[threadIdx.x] = wrong;                                                        \
    }
#define N half
#define BITS 10
#define LEAST -14
#define MOST 15
#define ONE 0x3c00
KERNEL(halves, __half, __half2)
#undef N
#undef BITS
#undef LEAST
#undef MOST
#undef ONE
#define N bfloat16
#define BITS 7
#define LEAST -126
#define MOST 127
#define ONE 0x3f80
KERNEL(bfloats, __nv_bfloat16, __nv_bfloat162)
