/*
 * The arithmetic of __half or __nv_bfloat16, included once for each: cuda_fp16.h and cuda_bf16.h say
 * which by these macros.
 *
 *     __HEDDLE_T, __HEDDLE_T2    the type, and a pair: __half, __half2
 *     __HEDDLE_RAW, __HEDDLE_RAW2   the same as bits: __half_raw
 *     __HEDDLE_N                 what functions call it: half
 *     __HEDDLE_P                 what PTX calls it, as text: "f16"
 *
 * Operations are PTX's, each rounded once; functions of mathematics are those of floats, rounded.
 */
#ifndef HEDDLE_SMALL_FLOAT_H
#define HEDDLE_SMALL_FLOAT_H
#define __HEDDLE_HD static __inline__ __host__ __device__ __attribute__((always_inline, unused))
#define __HEDDLE_D static __inline__ __device__ __attribute__((always_inline, unused))
#define __HEDDLE_JOIN_(a, b, c) a##b##c
#define __HEDDLE_JOIN(a, b, c) __HEDDLE_JOIN_(a, b, c)
#define __HEDDLE_JOIN5_(a, b, c, d, e) a##b##c##d##e
#define __HEDDLE_JOIN5(a, b, c, d, e) __HEDDLE_JOIN5_(a, b, c, d, e)
typedef unsigned __attribute__((may_alias)) __heddle_word;
#endif

/* ---- the types ---------------------------------------------------------------------------- */

struct __align__(2) __HEDDLE_RAW {
    unsigned short x;
};
struct __align__(4) __HEDDLE_RAW2 {
    unsigned short x, y;
};

#define __HEDDLE_BITS_OF(A, a, mode, type)                                                     \
    __HEDDLE_HD unsigned short __HEDDLE_JOIN5(__heddle_, __HEDDLE_N, _, mode, _bits)(A from) { \
        unsigned short to;                                                                     \
        asm("cvt." #mode "." __HEDDLE_P "." type " %0, %1;" : "=h"(to) : a(from));             \
        return to;                                                                             \
    }
#define __HEDDLE_BITS_OF_ALL(mode)                         \
    __HEDDLE_BITS_OF(float, "f", mode, "f32")              \
    __HEDDLE_BITS_OF(double, "d", mode, "f64")             \
    __HEDDLE_BITS_OF(int, "r", mode, "s32")                \
    __HEDDLE_BITS_OF(unsigned, "r", mode, "u32")           \
    __HEDDLE_BITS_OF(long long, "l", mode, "s64")          \
    __HEDDLE_BITS_OF(unsigned long long, "l", mode, "u64")
__HEDDLE_BITS_OF_ALL(rn)
__HEDDLE_BITS_OF_ALL(rz)
__HEDDLE_BITS_OF_ALL(rp)
__HEDDLE_BITS_OF_ALL(rm)
#undef __HEDDLE_BITS_OF
#undef __HEDDLE_BITS_OF_ALL
#define __HEDDLE_ROUNDED(mode) __HEDDLE_JOIN5(__heddle_, __HEDDLE_N, _, mode, _bits)

struct __align__(2) __HEDDLE_T {
    unsigned short __x;

    __HEDDLE_T() = default;
    __host__ __device__ constexpr __HEDDLE_T(const __HEDDLE_RAW &raw) : __x(raw.x) {}
#define __HEDDLE_OF(A, as)                                                           \
    __host__ __device__ __HEDDLE_T(A v) : __x(__HEDDLE_ROUNDED(rn)((as)v)) {}        \
    __host__ __device__ __HEDDLE_T &operator=(A v) { return *this = __HEDDLE_T(v); }
    __HEDDLE_OF(float, float)
    __HEDDLE_OF(double, double)
    __HEDDLE_OF(short, int)
    __HEDDLE_OF(unsigned short, unsigned)
    __HEDDLE_OF(int, int)
    __HEDDLE_OF(unsigned, unsigned)
    __HEDDLE_OF(long, long long)
    __HEDDLE_OF(unsigned long, unsigned long long)
    __HEDDLE_OF(long long, long long)
    __HEDDLE_OF(unsigned long long, unsigned long long)
#undef __HEDDLE_OF

    __host__ __device__ operator __HEDDLE_RAW() const { return {__x}; }
    __host__ __device__ operator float() const {
        float to;
        asm("cvt.f32." __HEDDLE_P " %0, %1;" : "=f"(to) : "h"(__x));
        return to;
    }
    __host__ __device__ operator bool() const { return (__x & 0x7fff) != 0; }
#define __HEDDLE_TO(I)                                                                      \
    __host__ __device__ operator I() const { return __heddle_to_integer<I>(float(*this)); }
    template <typename I> static __host__ __device__ I __heddle_to_integer(float x) {
        I least = I(-1) < I(0) ? I(1ull << (8 * sizeof(I) - 1)) : I(0), most = I(~least);
        return x != x ? I(0) : x < float(least) ? least : x >= float(most) ? most : I(x);
    }
    __HEDDLE_TO(signed char)
    __HEDDLE_TO(unsigned char)
    __HEDDLE_TO(char)
    __HEDDLE_TO(short)
    __HEDDLE_TO(unsigned short)
    __HEDDLE_TO(int)
    __HEDDLE_TO(unsigned)
    __HEDDLE_TO(long)
    __HEDDLE_TO(unsigned long)
    __HEDDLE_TO(long long)
    __HEDDLE_TO(unsigned long long)
#undef __HEDDLE_TO
};

/* A pair is copied as one word. */
struct __align__(4) __HEDDLE_T2 {
    __HEDDLE_T x, y;

    __HEDDLE_T2() = default;
    __host__ __device__ __HEDDLE_T2(const __HEDDLE_T &a, const __HEDDLE_T &b) : x(a), y(b) {}
    __host__ __device__ __HEDDLE_T2(const __HEDDLE_T2 &from) {
        __heddle_word_of(*this) = __heddle_word_of(from);
    }
    __host__ __device__ __HEDDLE_T2(const __HEDDLE_RAW2 &raw) {
        x.__x = raw.x;
        y.__x = raw.y;
    }
    __host__ __device__ __HEDDLE_T2 &operator=(const __HEDDLE_T2 &from) {
        __heddle_word_of(*this) = __heddle_word_of(from);
        return *this;
    }
    __host__ __device__ operator __HEDDLE_RAW2() const { return {x.__x, y.__x}; }
    static __host__ __device__ __heddle_word &__heddle_word_of(__HEDDLE_T2 &of) {
        return *reinterpret_cast<__heddle_word *>(&of);
    }
    static __host__ __device__ const __heddle_word &__heddle_word_of(const __HEDDLE_T2 &of) {
        return *reinterpret_cast<const __heddle_word *>(&of);
    }
    static __host__ __device__ __HEDDLE_T2 __heddle_of_word(unsigned word) {
        __HEDDLE_T2 made;
        __heddle_word_of(made) = word;
        return made;
    }
};

/* Of bits. */
__HEDDLE_HD __HEDDLE_T __HEDDLE_JOIN(__ushort_as_, __HEDDLE_N, )(unsigned short bits) {
    return __HEDDLE_RAW{bits};
}
__HEDDLE_HD __HEDDLE_T __HEDDLE_JOIN(__short_as_, __HEDDLE_N, )(short bits) {
    return __HEDDLE_RAW{(unsigned short)bits};
}
__HEDDLE_HD unsigned short __HEDDLE_JOIN(__, __HEDDLE_N, _as_ushort)(__HEDDLE_T a) { return a.__x; }
__HEDDLE_HD short __HEDDLE_JOIN(__, __HEDDLE_N, _as_short)(__HEDDLE_T a) { return (short)a.__x; }

/* ---- conversions ---------------------------------------------------------------------------- */

#define __HEDDLE_FROM(name, A, as)                                            \
    __HEDDLE_HD __HEDDLE_T __HEDDLE_JOIN(__##name##2, __HEDDLE_N, _rn)(A v) { \
        return __HEDDLE_RAW{__HEDDLE_ROUNDED(rn)((as)v)};                     \
    }                                                                         \
    __HEDDLE_HD __HEDDLE_T __HEDDLE_JOIN(__##name##2, __HEDDLE_N, _rz)(A v) { \
        return __HEDDLE_RAW{__HEDDLE_ROUNDED(rz)((as)v)};                     \
    }                                                                         \
    __HEDDLE_HD __HEDDLE_T __HEDDLE_JOIN(__##name##2, __HEDDLE_N, _ru)(A v) { \
        return __HEDDLE_RAW{__HEDDLE_ROUNDED(rp)((as)v)};                     \
    }                                                                         \
    __HEDDLE_HD __HEDDLE_T __HEDDLE_JOIN(__##name##2, __HEDDLE_N, _rd)(A v) { \
        return __HEDDLE_RAW{__HEDDLE_ROUNDED(rm)((as)v)};                     \
    }
__HEDDLE_FROM(float, float, float)
__HEDDLE_FROM(short, short, int)
__HEDDLE_FROM(ushort, unsigned short, unsigned)
__HEDDLE_FROM(int, int, int)
__HEDDLE_FROM(uint, unsigned, unsigned)
__HEDDLE_FROM(ll, long long, long long)
__HEDDLE_FROM(ull, unsigned long long, unsigned long long)
#undef __HEDDLE_FROM

/* To integers: what is too large becomes the nearest; not a number 0, of 64 bits the highest bit. */
#define __HEDDLE_TO_MODE(name, I, r, type, mode, way)                                         \
    __HEDDLE_HD I __HEDDLE_JOIN(__, __HEDDLE_N, 2##name##_##mode)(__HEDDLE_T a) {             \
        I to;                                                                                 \
        asm("cvt." way "." type ".f32 %0, %1;" : r(to) : "f"(float(a)));                      \
        return sizeof(I) == 8 && (a.__x & 0x7fff) > __HEDDLE_INFINITY ? (I)(1ull << 63) : to; \
    }
#define __HEDDLE_TO(name, I, r, type)             \
    __HEDDLE_TO_MODE(name, I, r, type, rn, "rni") \
    __HEDDLE_TO_MODE(name, I, r, type, rz, "rzi") \
    __HEDDLE_TO_MODE(name, I, r, type, ru, "rpi") \
    __HEDDLE_TO_MODE(name, I, r, type, rd, "rmi")
__HEDDLE_TO(short, short, "=h", "s16")
__HEDDLE_TO(ushort, unsigned short, "=h", "u16")
__HEDDLE_TO(int, int, "=r", "s32")
__HEDDLE_TO(uint, unsigned, "=r", "u32")
__HEDDLE_TO(ll, long long, "=l", "s64")
__HEDDLE_TO(ull, unsigned long long, "=l", "u64")
#undef __HEDDLE_TO
#undef __HEDDLE_TO_MODE
__HEDDLE_HD signed char __HEDDLE_JOIN(__, __HEDDLE_N, 2char_rz)(__HEDDLE_T a) {
    return (signed char)a;
}
__HEDDLE_HD unsigned char __HEDDLE_JOIN(__, __HEDDLE_N, 2uchar_rz)(__HEDDLE_T a) {
    return (unsigned char)a;
}

__HEDDLE_HD __HEDDLE_T __HEDDLE_JOIN(__float2, __HEDDLE_N, )(float a) { return a; }
__HEDDLE_HD __HEDDLE_T __HEDDLE_JOIN(__double2, __HEDDLE_N, )(double a) { return a; }
__HEDDLE_HD float __HEDDLE_JOIN(__, __HEDDLE_N, 2float)(__HEDDLE_T a) { return a; }
__HEDDLE_HD __HEDDLE_T2 __HEDDLE_JOIN(make_, __HEDDLE_N, 2)(__HEDDLE_T a, __HEDDLE_T b) {
    return {a, b};
}
__HEDDLE_HD __HEDDLE_T2 __HEDDLE_JOIN(__float2, __HEDDLE_N, 2_rn)(float a) { return {a, a}; }
__HEDDLE_HD __HEDDLE_T2 __HEDDLE_JOIN(__floats2, __HEDDLE_N, 2_rn)(float a, float b) {
    return {a, b};
}
__HEDDLE_HD __HEDDLE_T2 __HEDDLE_JOIN(__float22, __HEDDLE_N, 2_rn)(float2 a) { return {a.x, a.y}; }
__HEDDLE_HD float2 __HEDDLE_JOIN(__, __HEDDLE_N, 22float2)(__HEDDLE_T2 a) {
    return make_float2(a.x, a.y);
}
__HEDDLE_HD float __low2float(__HEDDLE_T2 a) { return a.x; }
__HEDDLE_HD float __high2float(__HEDDLE_T2 a) { return a.y; }
__HEDDLE_HD __HEDDLE_T __HEDDLE_JOIN(__low2, __HEDDLE_N, )(__HEDDLE_T2 a) { return a.x; }
__HEDDLE_HD __HEDDLE_T __HEDDLE_JOIN(__high2, __HEDDLE_N, )(__HEDDLE_T2 a) { return a.y; }
__HEDDLE_HD __HEDDLE_T2 __HEDDLE_JOIN(__low2, __HEDDLE_N, 2)(__HEDDLE_T2 a) { return {a.x, a.x}; }
__HEDDLE_HD __HEDDLE_T2 __HEDDLE_JOIN(__high2, __HEDDLE_N, 2)(__HEDDLE_T2 a) { return {a.y, a.y}; }
__HEDDLE_HD __HEDDLE_T2 __HEDDLE_JOIN(__lows2, __HEDDLE_N, 2)(__HEDDLE_T2 a, __HEDDLE_T2 b) {
    return {a.x, b.x};
}
__HEDDLE_HD __HEDDLE_T2 __HEDDLE_JOIN(__highs2, __HEDDLE_N, 2)(__HEDDLE_T2 a, __HEDDLE_T2 b) {
    return {a.y, b.y};
}
__HEDDLE_HD __HEDDLE_T2 __HEDDLE_JOIN(__halves2, __HEDDLE_N, 2)(__HEDDLE_T a, __HEDDLE_T b) {
    return {a, b};
}
__HEDDLE_HD __HEDDLE_T2 __HEDDLE_JOIN5(__, __HEDDLE_N, 2, __HEDDLE_N, 2)(__HEDDLE_T a) {
    return {a, a};
}
__HEDDLE_HD __HEDDLE_T2 __lowhigh2highlow(__HEDDLE_T2 a) { return {a.y, a.x}; }

/* ---- arithmetic --------------------------------------------------------------------------- */

#define __HEDDLE_OPERATION(name, ending, words)                                              \
    __HEDDLE_HD __HEDDLE_T name##ending(__HEDDLE_T a, __HEDDLE_T b) {                        \
        __HEDDLE_T r;                                                                        \
        asm(words __HEDDLE_P " %0, %1, %2;" : "=h"(r.__x) : "h"(a.__x), "h"(b.__x));         \
        return r;                                                                            \
    }                                                                                        \
    __HEDDLE_HD __HEDDLE_T2 name##2##ending(__HEDDLE_T2 a, __HEDDLE_T2 b) {                  \
        unsigned r;                                                                          \
        asm(words __HEDDLE_P "x2 %0, %1, %2;"                                                \
            : "=r"(r)                                                                        \
            : "r"(__HEDDLE_T2::__heddle_word_of(a)), "r"(__HEDDLE_T2::__heddle_word_of(b))); \
        return __HEDDLE_T2::__heddle_of_word(r);                                             \
    }
__HEDDLE_OPERATION(__hadd, , "add.")
__HEDDLE_OPERATION(__hsub, , "sub.")
__HEDDLE_OPERATION(__hmul, , "mul.")
__HEDDLE_OPERATION(__hmin, , "min.")
__HEDDLE_OPERATION(__hmax, , "max.")
__HEDDLE_OPERATION(__hmin, _nan, "min.NaN.")
__HEDDLE_OPERATION(__hmax, _nan, "max.NaN.")
#undef __HEDDLE_OPERATION

__HEDDLE_HD __HEDDLE_T __hfma(__HEDDLE_T a, __HEDDLE_T b, __HEDDLE_T c) {
    __HEDDLE_T r;
    asm("fma.rn." __HEDDLE_P " %0, %1, %2, %3;" : "=h"(r.__x) : "h"(a.__x), "h"(b.__x), "h"(c.__x));
    return r;
}
/* One operand after the other, of both parts. */
#define __HEDDLE_EACH1(name, one)                                                \
    __HEDDLE_HD __HEDDLE_T2 name(__HEDDLE_T2 a) { return {one(a.x), one(a.y)}; }
#define __HEDDLE_EACH2(name, one)                                \
    __HEDDLE_HD __HEDDLE_T2 name(__HEDDLE_T2 a, __HEDDLE_T2 b) { \
        return {one(a.x, b.x), one(a.y, b.y)};                   \
    }
#define __HEDDLE_EACH3(name, one)                                               \
    __HEDDLE_HD __HEDDLE_T2 name(__HEDDLE_T2 a, __HEDDLE_T2 b, __HEDDLE_T2 c) { \
        return {one(a.x, b.x, c.x), one(a.y, b.y, c.y)};                        \
    }
__HEDDLE_EACH3(__hfma2, __hfma)

__HEDDLE_HD __HEDDLE_T __hneg(__HEDDLE_T a) {
    return __HEDDLE_RAW{(unsigned short)(a.__x ^ 0x8000)};
}
__HEDDLE_HD __HEDDLE_T __habs(__HEDDLE_T a) {
    return __HEDDLE_RAW{(unsigned short)(a.__x & 0x7fff)};
}
__HEDDLE_HD bool __hisnan(__HEDDLE_T a) { return (a.__x & 0x7fff) > __HEDDLE_INFINITY; }
__HEDDLE_HD int __hisinf(__HEDDLE_T a) {
    return (a.__x & 0x7fff) != __HEDDLE_INFINITY ? 0 : a.__x & 0x8000 ? -1 : 1;
}
__HEDDLE_HD __HEDDLE_T __hdiv(__HEDDLE_T a, __HEDDLE_T b) { return float(a) / float(b); }

/* Into 0 ... 1; not a number becomes 0. The result is rounded before, which makes no difference. */
__HEDDLE_HD __HEDDLE_T __heddle_saturated(__HEDDLE_T a) {
    return float(a) > 0 ? float(a) < 1 ? a : __HEDDLE_T(1.0f) : __HEDDLE_T(0.0f);
}
__HEDDLE_HD __HEDDLE_T __heddle_relu(__HEDDLE_T a) { return __hmax_nan(a, __HEDDLE_T(0.0f)); }
#define __HEDDLE_VARIANTS(name)                                                                \
    __HEDDLE_HD __HEDDLE_T name##_rn(__HEDDLE_T a, __HEDDLE_T b) { return name(a, b); }        \
    __HEDDLE_HD __HEDDLE_T name##_sat(__HEDDLE_T a, __HEDDLE_T b) {                            \
        return __heddle_saturated(name(a, b));                                                 \
    }                                                                                          \
    __HEDDLE_HD __HEDDLE_T2 name##2_rn(__HEDDLE_T2 a, __HEDDLE_T2 b) { return name##2(a, b); } \
    __HEDDLE_EACH2(name##2_sat, name##_sat)
__HEDDLE_VARIANTS(__hadd)
__HEDDLE_VARIANTS(__hsub)
__HEDDLE_VARIANTS(__hmul)
#undef __HEDDLE_VARIANTS
__HEDDLE_HD __HEDDLE_T __hfma_sat(__HEDDLE_T a, __HEDDLE_T b, __HEDDLE_T c) {
    return __heddle_saturated(__hfma(a, b, c));
}
__HEDDLE_HD __HEDDLE_T __hfma_relu(__HEDDLE_T a, __HEDDLE_T b, __HEDDLE_T c) {
    return __heddle_relu(__hfma(a, b, c));
}
__HEDDLE_EACH3(__hfma2_sat, __hfma_sat)
__HEDDLE_EACH3(__hfma2_relu, __hfma_relu)
__HEDDLE_EACH1(__hneg2, __hneg)
__HEDDLE_EACH1(__habs2, __habs)
__HEDDLE_EACH2(__h2div, __hdiv)
__HEDDLE_HD __HEDDLE_T2 __hcmadd(__HEDDLE_T2 a, __HEDDLE_T2 b, __HEDDLE_T2 c) {
    return {__hfma(__hneg(a.y), b.y, __hfma(a.x, b.x, c.x)),
            __hfma(a.y, b.x, __hfma(a.x, b.y, c.y))};
}
__HEDDLE_HD __HEDDLE_T2 __hisnan2(__HEDDLE_T2 a) {
    return {__hisnan(a.x) ? 1.0f : 0.0f, __hisnan(a.y) ? 1.0f : 0.0f};
}

/* ---- comparisons ---------------------------------------------------------------------------- */

#define __HEDDLE_COMPARE(name, condition)                                                     \
    __HEDDLE_HD bool __h##name(__HEDDLE_T a, __HEDDLE_T b) {                                  \
        float x = a, y = b;                                                                   \
        return condition;                                                                     \
    }                                                                                         \
    __HEDDLE_HD __HEDDLE_T2 __h##name##2(__HEDDLE_T2 a, __HEDDLE_T2 b) {                      \
        return {__h##name(a.x, b.x) ? 1.0f : 0.0f, __h##name(a.y, b.y) ? 1.0f : 0.0f};        \
    }                                                                                         \
    __HEDDLE_HD unsigned __h##name##2_mask(__HEDDLE_T2 a, __HEDDLE_T2 b) {                    \
        return (__h##name(a.x, b.x) ? 0xffffu : 0) | (__h##name(a.y, b.y) ? 0xffff0000u : 0); \
    }                                                                                         \
    __HEDDLE_HD bool __hb##name##2(__HEDDLE_T2 a, __HEDDLE_T2 b) {                            \
        return __h##name(a.x, b.x) && __h##name(a.y, b.y);                                    \
    }
__HEDDLE_COMPARE(eq, x == y)
__HEDDLE_COMPARE(ne, x<y || x> y)
__HEDDLE_COMPARE(lt, x < y)
__HEDDLE_COMPARE(le, x <= y)
__HEDDLE_COMPARE(gt, x > y)
__HEDDLE_COMPARE(ge, x >= y)
__HEDDLE_COMPARE(equ, !(x < y || x > y))
__HEDDLE_COMPARE(neu, x != y)
__HEDDLE_COMPARE(ltu, !(x >= y))
__HEDDLE_COMPARE(leu, !(x > y))
__HEDDLE_COMPARE(gtu, !(x <= y))
__HEDDLE_COMPARE(geu, !(x < y))
#undef __HEDDLE_COMPARE

/* ---- operators -------------------------------------------------------------------------------- */

#define __HEDDLE_OPERATORS(T, suffix, divide)                                        \
    __HEDDLE_HD T operator+(const T &a, const T &b) { return __hadd##suffix(a, b); } \
    __HEDDLE_HD T operator-(const T &a, const T &b) { return __hsub##suffix(a, b); } \
    __HEDDLE_HD T operator*(const T &a, const T &b) { return __hmul##suffix(a, b); } \
    __HEDDLE_HD T operator/(const T &a, const T &b) { return divide(a, b); }         \
    __HEDDLE_HD T &operator+=(T &a, const T &b) { return a = a + b; }                \
    __HEDDLE_HD T &operator-=(T &a, const T &b) { return a = a - b; }                \
    __HEDDLE_HD T &operator*=(T &a, const T &b) { return a = a * b; }                \
    __HEDDLE_HD T &operator/=(T &a, const T &b) { return a = a / b; }                \
    __HEDDLE_HD T operator+(const T &a) { return a; }                                \
    __HEDDLE_HD T operator-(const T &a) { return __hneg##suffix(a); }
__HEDDLE_OPERATORS(__HEDDLE_T, , __hdiv)
__HEDDLE_OPERATORS(__HEDDLE_T2, 2, __h2div)
#undef __HEDDLE_OPERATORS
__HEDDLE_HD __HEDDLE_T &operator++(__HEDDLE_T &a) { return a = a + __HEDDLE_T(1.0f); }
__HEDDLE_HD __HEDDLE_T &operator--(__HEDDLE_T &a) { return a = a - __HEDDLE_T(1.0f); }
#define __HEDDLE_OPERATOR(op, name)                                            \
    __HEDDLE_HD bool operator op(const __HEDDLE_T &a, const __HEDDLE_T &b) {   \
        return __h##name(a, b);                                                \
    }                                                                          \
    __HEDDLE_HD bool operator op(const __HEDDLE_T2 &a, const __HEDDLE_T2 &b) { \
        return __hb##name##2(a, b);                                            \
    }
__HEDDLE_OPERATOR(==, eq)
__HEDDLE_OPERATOR(!=, neu)
__HEDDLE_OPERATOR(<, lt)
__HEDDLE_OPERATOR(<=, le)
__HEDDLE_OPERATOR(>, gt)
__HEDDLE_OPERATOR(>=, ge)
#undef __HEDDLE_OPERATOR

/* ---- mathematics ------------------------------------------------------------------------------- */

#define __HEDDLE_MATH(name, value)                                                          \
    __HEDDLE_D __HEDDLE_T h##name(__HEDDLE_T a) {                                           \
        float x = a;                                                                        \
        return value;                                                                       \
    }                                                                                       \
    __HEDDLE_D __HEDDLE_T2 h2##name(__HEDDLE_T2 a) { return {h##name(a.x), h##name(a.y)}; }
__HEDDLE_MATH(sqrt, sqrtf(x))
__HEDDLE_MATH(rsqrt, rsqrtf(x))
__HEDDLE_MATH(rcp, 1.0f / x)
__HEDDLE_MATH(exp, expf(x))
__HEDDLE_MATH(exp2, exp2f(x))
__HEDDLE_MATH(exp10, exp10f(x))
__HEDDLE_MATH(log, logf(x))
__HEDDLE_MATH(log2, log2f(x))
__HEDDLE_MATH(log10, log10f(x))
__HEDDLE_MATH(sin, sinf(x))
__HEDDLE_MATH(cos, cosf(x))
__HEDDLE_MATH(tanh, tanhf(x))
__HEDDLE_MATH(tanh_approx, tanhf(x))
__HEDDLE_MATH(floor, floorf(x))
__HEDDLE_MATH(ceil, ceilf(x))
__HEDDLE_MATH(trunc, truncf(x))
__HEDDLE_MATH(rint, rintf(x))
#undef __HEDDLE_MATH

/* ---- memory, warps, atomics ---------------------------------------------------------------------- */

#define __HEDDLE_SHUFFLE(name, I)                                                       \
    __HEDDLE_D __HEDDLE_T name(unsigned mask, __HEDDLE_T v, I lane, int width = 32) {   \
        return __HEDDLE_RAW{(unsigned short)name(mask, (unsigned)v.__x, lane, width)};  \
    }                                                                                   \
    __HEDDLE_D __HEDDLE_T2 name(unsigned mask, __HEDDLE_T2 v, I lane, int width = 32) { \
        return __HEDDLE_T2::__heddle_of_word(                                           \
            name(mask, (unsigned)__HEDDLE_T2::__heddle_word_of(v), lane, width));       \
    }
__HEDDLE_SHUFFLE(__shfl_sync, int)
__HEDDLE_SHUFFLE(__shfl_up_sync, unsigned)
__HEDDLE_SHUFFLE(__shfl_down_sync, unsigned)
__HEDDLE_SHUFFLE(__shfl_xor_sync, int)
#undef __HEDDLE_SHUFFLE
__HEDDLE_D __HEDDLE_T __ldg(const __HEDDLE_T *from) { return *from; }
__HEDDLE_D __HEDDLE_T2 __ldg(const __HEDDLE_T2 *from) { return *from; }

__HEDDLE_D __HEDDLE_T atomicAdd(__HEDDLE_T *to, __HEDDLE_T v) {
    __HEDDLE_T r;
    asm volatile("atom.add.noftz." __HEDDLE_P " %0, [%1], %2;"
                 : "=h"(r.__x)
                 : "l"(to), "h"(v.__x)
                 : "memory");
    return r;
}
__HEDDLE_D __HEDDLE_T2 atomicAdd(__HEDDLE_T2 *to, __HEDDLE_T2 v) {
    unsigned r;
    asm volatile("atom.add.noftz." __HEDDLE_P "x2 %0, [%1], %2;"
                 : "=r"(r)
                 : "l"(to), "r"(__HEDDLE_T2::__heddle_word_of(v))
                 : "memory");
    return __HEDDLE_T2::__heddle_of_word(r);
}

#undef __HEDDLE_T
#undef __HEDDLE_T2
#undef __HEDDLE_RAW
#undef __HEDDLE_RAW2
#undef __HEDDLE_N
#undef __HEDDLE_P
#undef __HEDDLE_INFINITY
#undef __HEDDLE_EACH1
#undef __HEDDLE_EACH2
#undef __HEDDLE_EACH3
#undef __HEDDLE_ROUNDED
