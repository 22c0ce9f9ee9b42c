/*
 * CUDA C without a toolkit: what clang's __clang_cuda_runtime_wrapper.h gets from
 * NVIDIA's headers, in the order in which that brings in clang's own.
 */
#ifndef HEDDLE_CUDA_H
#define HEDDLE_CUDA_H

#include <__clang_cuda_math_forward_declares.h>

/* libstdc++ keeps __float128 out of what it gives to CUDA. */
#define __CUDACC__
#include <cmath>
#include <cstdlib>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#define CUDA_VERSION 12050
#define CUDART_VERSION 12050

#define __host__ __attribute__((host))
#define __device__ __attribute__((device))
#define __global__ __attribute__((global))
#define __shared__ __attribute__((shared))
#define __constant__ __attribute__((constant))
#define __launch_bounds__(...) __attribute__((launch_bounds(__VA_ARGS__)))
#define __grid_constant__
#define __forceinline__ __inline__ __attribute__((always_inline))
#define __noinline__ __attribute__((noinline))
#define __align__(n) __attribute__((aligned(n)))
#define __builtin_align__(n) __align__(n)
#define CUDARTAPI
#define CUDART_CB

#define __HEDDLE_INLINE static __device__ __inline__

#include "heddle_types.h"

#include <__clang_cuda_builtin_vars.h>
#include <__clang_cuda_libdevice_declares.h>

#include <__clang_cuda_device_functions.h>
#include <__clang_cuda_math.h>

#include "heddle_host.h"

/* ---- single precision by the names of double ---------------------------------- */

#define __HEDDLE_FLOAT(name)                                   \
    __HEDDLE_INLINE float name(float x) { return name##f(x); }
#define __HEDDLE_FLOAT_NAMES(X) \
    X(rsqrt)                    \
    X(rcbrt)                    \
    X(sinpi)                    \
    X(cospi) X(erfinv) X(erfcinv) X(erfcx) X(normcdf) X(normcdfinv) X(exp10) X(j0) X(j1) X(y0) X(y1)
__HEDDLE_FLOAT_NAMES(__HEDDLE_FLOAT)
#undef __HEDDLE_FLOAT_NAMES
/* Those of C++11, which clang declares. */
#define __HEDDLE_FLOAT_NAMES(X)                                                                  \
    X(acosh)                                                                                     \
    X(asinh)                                                                                     \
    X(atanh)                                                                                     \
    X(cbrt)                                                                                      \
    X(erf)                                                                                       \
    X(erfc)                                                                                      \
    X(exp2)                                                                                      \
    X(expm1) X(lgamma) X(log1p) X(log2) X(logb) X(nearbyint) X(rint) X(round) X(tgamma) X(trunc)
__HEDDLE_FLOAT_NAMES(__HEDDLE_FLOAT)
#undef __HEDDLE_FLOAT_NAMES
#undef __HEDDLE_FLOAT
#define __HEDDLE_FLOATS(name)                                              \
    __HEDDLE_INLINE float name(float x, float y) { return name##f(x, y); }
#define __HEDDLE_FLOATS_NAMES(X)                                           \
    X(copysign) X(fdim) X(fmax) X(fmin) X(hypot) X(nextafter) X(remainder)
__HEDDLE_FLOATS_NAMES(__HEDDLE_FLOATS)
#undef __HEDDLE_FLOATS_NAMES
#undef __HEDDLE_FLOATS
#define __HEDDLE_FLOAT_TO(T, name)                         \
    __HEDDLE_INLINE T name(float x) { return name##f(x); }
__HEDDLE_FLOAT_TO(int, ilogb)
__HEDDLE_FLOAT_TO(long, lrint)
__HEDDLE_FLOAT_TO(long, lround)
__HEDDLE_FLOAT_TO(long long, llrint)
__HEDDLE_FLOAT_TO(long long, llround)
#undef __HEDDLE_FLOAT_TO
__HEDDLE_INLINE float fma(float x, float y, float z) { return fmaf(x, y, z); }
__HEDDLE_INLINE float scalbn(float x, int n) { return scalbnf(x, n); }
__HEDDLE_INLINE float scalbln(float x, long n) { return scalblnf(x, n); }
__HEDDLE_INLINE float remquo(float x, float y, int *n) { return remquof(x, y, n); }
__HEDDLE_INLINE void sincos(float x, float *s, float *c) { sincosf(x, s, c); }
__HEDDLE_INLINE void sincospi(float x, float *s, float *c) { sincospif(x, s, c); }

/* ---- least and greatest ---------------------------------------------------------- */

#define __HEDDLE_EXTREMES(A, B, R)                                        \
    __HEDDLE_INLINE R min(A a, B b) { return (R)a < (R)b ? (R)a : (R)b; } \
    __HEDDLE_INLINE R max(A a, B b) { return (R)a > (R)b ? (R)a : (R)b; }
#define __HEDDLE_PAIR(S, U)    \
    __HEDDLE_EXTREMES(U, U, U) \
    __HEDDLE_EXTREMES(S, U, U) \
    __HEDDLE_EXTREMES(U, S, U)
__HEDDLE_PAIR(int, unsigned)
__HEDDLE_PAIR(long, unsigned long)
__HEDDLE_PAIR(long long, unsigned long long)
__HEDDLE_EXTREMES(long, long, long)
__HEDDLE_EXTREMES(long long, long long, long long)
#undef __HEDDLE_PAIR
#undef __HEDDLE_EXTREMES
#define __HEDDLE_EXTREMES(A, B, R, least, most)                   \
    __HEDDLE_INLINE R min(A a, B b) { return least((R)a, (R)b); } \
    __HEDDLE_INLINE R max(A a, B b) { return most((R)a, (R)b); }
__HEDDLE_EXTREMES(float, float, float, fminf, fmaxf)
__HEDDLE_EXTREMES(double, double, double, fmin, fmax)
__HEDDLE_EXTREMES(float, double, double, fmin, fmax)
__HEDDLE_EXTREMES(double, float, double, fmin, fmax)
#undef __HEDDLE_EXTREMES

#include "heddle_atomics.h"

/* ---- printing, asserting ---------------------------------------------------------------- */

extern "C" {
__device__ int vprintf(const char *, const char *);
__device__ int printf(const char *, ...);
__device__ void free(void *) __attribute__((nothrow));
__device__ void *malloc(size_t) __attribute__((nothrow)) __attribute__((malloc));
__device__ void __assertfail(const char *message, const char *file, unsigned line,
                             const char *function, size_t char_size);
__device__ static inline void __assert_fail(const char *message, const char *file, unsigned line,
                                            const char *function) {
    __assertfail(message, file, line, function, sizeof(char));
}
}

/* ---- threadIdx and the like as values ------------------------------------------------------ */

#define __HEDDLE_INDEX(name)                                                                     \
    __device__ inline __cuda_builtin_##name##_t::operator dim3() const { return dim3(x, y, z); } \
    __device__ inline __cuda_builtin_##name##_t::operator uint3() const { return {x, y, z}; }
__HEDDLE_INDEX(threadIdx)
__HEDDLE_INDEX(blockIdx)
__HEDDLE_INDEX(blockDim)
__HEDDLE_INDEX(gridDim)
#undef __HEDDLE_INDEX

#include <__clang_cuda_cmath.h>
#include <__clang_cuda_intrinsics.h>
#include <__clang_cuda_complex_builtins.h>

/* ---- spaces ---------------------------------------------------------------------------------- */

__HEDDLE_INLINE unsigned __isGlobal(const void *p) { return __nvvm_isspacep_global(p); }
__HEDDLE_INLINE unsigned __isShared(const void *p) { return __nvvm_isspacep_shared(p); }
__HEDDLE_INLINE unsigned __isConstant(const void *p) { return __nvvm_isspacep_const(p); }
__HEDDLE_INLINE unsigned __isLocal(const void *p) { return __nvvm_isspacep_local(p); }

/* ---- greatest and least of three, for dynamic programming --------------------------------------- */

/* The greatest and the least by these functions, sums by `add`, `zero` in every lane. */
#define __HEDDLE_DYNAMIC(T, type, most, least, add)                                    \
    __HEDDLE_INLINE T __vimax3_##type(T a, T b, T c) { return most(most(a, b), c); }   \
    __HEDDLE_INLINE T __vimin3_##type(T a, T b, T c) { return least(least(a, b), c); } \
    __HEDDLE_INLINE T __viaddmax_##type(T a, T b, T c) { return most(add(a, b), c); }  \
    __HEDDLE_INLINE T __viaddmin_##type(T a, T b, T c) { return least(add(a, b), c); }
#define __HEDDLE_DYNAMIC_RELU(T, type, most, least, add)                               \
    __HEDDLE_DYNAMIC(T, type, most, least, add)                                        \
    __HEDDLE_INLINE T __vimax_##type##_relu(T a, T b) { return most(most(a, b), 0); }  \
    __HEDDLE_INLINE T __vimin_##type##_relu(T a, T b) { return most(least(a, b), 0); } \
    __HEDDLE_INLINE T __vimax3_##type##_relu(T a, T b, T c) {                          \
        return most(__vimax3_##type(a, b, c), 0);                                      \
    }                                                                                  \
    __HEDDLE_INLINE T __vimin3_##type##_relu(T a, T b, T c) {                          \
        return most(__vimin3_##type(a, b, c), 0);                                      \
    }                                                                                  \
    __HEDDLE_INLINE T __viaddmax_##type##_relu(T a, T b, T c) {                        \
        return most(__viaddmax_##type(a, b, c), 0);                                    \
    }                                                                                  \
    __HEDDLE_INLINE T __viaddmin_##type##_relu(T a, T b, T c) {                        \
        return most(__viaddmin_##type(a, b, c), 0);                                    \
    }
#define __HEDDLE_SUM(a, b) ((int)((unsigned)(a) + (unsigned)(b)))
#define __HEDDLE_BOTH(T, type)                                    \
    __HEDDLE_INLINE T __vibmax_##type(T a, T b, bool *is_first) { \
        *is_first = a >= b;                                       \
        return a >= b ? a : b;                                    \
    }                                                             \
    __HEDDLE_INLINE T __vibmin_##type(T a, T b, bool *is_first) { \
        *is_first = a <= b;                                       \
        return a <= b ? a : b;                                    \
    }
__HEDDLE_DYNAMIC_RELU(int, s32, max, min, __HEDDLE_SUM)
__HEDDLE_DYNAMIC_RELU(unsigned, s16x2, __vmaxs2, __vmins2, __vadd2)
__HEDDLE_DYNAMIC(unsigned, u16x2, __vmaxu2, __vminu2, __vadd2)
__HEDDLE_BOTH(int, s32)
#undef __HEDDLE_DYNAMIC
#undef __HEDDLE_DYNAMIC_RELU
#undef __HEDDLE_SUM
#undef __HEDDLE_BOTH
#undef __HEDDLE_INLINE

#include <heddle_textures.h>

#endif
