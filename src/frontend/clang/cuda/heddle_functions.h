/*
 * Included before every CUDA C file, behind clang's wrapper of the toolkit or
 * Heddle's own heddle_cuda.h. Functions that headers make of inline assembly, or
 * that clang's headers lack or have wrong, are given as plain C here; the macros
 * put them in the place of the originals. What begins with __heddle_ has no body:
 * the front end makes a call of kir by the rest of its name.
 */
#ifndef HEDDLE_FUNCTIONS_H
#define HEDDLE_FUNCTIONS_H

/* ---- what nvcc says of itself: headers of others ask for it --------------------------------- */

#ifndef __NVCC__
#define __NVCC__ 1
#endif
#ifndef __CUDACC_VER_MAJOR__
#define __CUDACC_VER_MAJOR__ (CUDART_VERSION / 1000)
#define __CUDACC_VER_MINOR__ (CUDART_VERSION % 1000 / 10)
#define __CUDACC_VER_BUILD__ 0
#endif

/* One memory for host and device is the device's here. */
#undef __managed__
#define __managed__ __device__

#define __HEDDLE_DEVICE__ static __device__ __inline__ __attribute__((always_inline, unused))

/* ---- reductions over a warp: clang before 21 exchanges mask and value ---------- */

extern "C" {
__device__ unsigned __heddle_warp_reduce_add(unsigned mask, unsigned value);
__device__ unsigned __heddle_warp_reduce_and(unsigned mask, unsigned value);
__device__ unsigned __heddle_warp_reduce_or(unsigned mask, unsigned value);
__device__ unsigned __heddle_warp_reduce_xor(unsigned mask, unsigned value);
__device__ unsigned __heddle_warp_reduce_umin(unsigned mask, unsigned value);
__device__ unsigned __heddle_warp_reduce_umax(unsigned mask, unsigned value);
__device__ int __heddle_warp_reduce_min(unsigned mask, int value);
__device__ int __heddle_warp_reduce_max(unsigned mask, int value);
}

#define __HEDDLE_REDUCE(T, name, own, P)                               \
    __HEDDLE_DEVICE__ T heddle_reduce_##name(unsigned mask, T value) { \
        return (T)__heddle_warp_reduce_##own(mask, (P)value);          \
    }
__HEDDLE_REDUCE(unsigned, add, add, unsigned)
__HEDDLE_REDUCE(int, add, add, unsigned)
__HEDDLE_REDUCE(unsigned, min, umin, unsigned)
__HEDDLE_REDUCE(int, min, min, int)
__HEDDLE_REDUCE(unsigned, max, umax, unsigned)
__HEDDLE_REDUCE(int, max, max, int)
#define __reduce_add_sync heddle_reduce_add
#define __reduce_min_sync heddle_reduce_min
#define __reduce_max_sync heddle_reduce_max
#define __reduce_and_sync __heddle_warp_reduce_and
#define __reduce_or_sync __heddle_warp_reduce_or
#define __reduce_xor_sync __heddle_warp_reduce_xor

/* ---- atomics of a block, of the system: as those of the device -------------------- */

#define atomicAdd_block heddle_of_block_Add
#define atomicAdd_system atomicAdd
#define atomicSub_block heddle_of_block_Sub
#define atomicSub_system atomicSub
#define atomicExch_block heddle_of_block_Exch
#define atomicExch_system atomicExch
#define atomicMin_block heddle_of_block_Min
#define atomicMin_system atomicMin
#define atomicMax_block heddle_of_block_Max
#define atomicMax_system atomicMax
#define atomicInc_block heddle_of_block_Inc
#define atomicInc_system atomicInc
#define atomicDec_block heddle_of_block_Dec
#define atomicDec_system atomicDec
#define atomicCAS_block heddle_of_block_CAS
#define atomicCAS_system atomicCAS
#define atomicAnd_block heddle_of_block_And
#define atomicAnd_system atomicAnd
#define atomicOr_block heddle_of_block_Or
#define atomicOr_system atomicOr
#define atomicXor_block heddle_of_block_Xor
#define atomicXor_system atomicXor

/* The name tells the front end the scope. */
#define HEDDLE_OF_BLOCK(op)                                                         \
    template <class T, class V>                                                     \
    static __device__ __forceinline__ T heddle_of_block_##op(T *address, V value) { \
        return atomic##op(address, (T)value);                                       \
    }
HEDDLE_OF_BLOCK(Add)
HEDDLE_OF_BLOCK(Sub)
HEDDLE_OF_BLOCK(Exch)
HEDDLE_OF_BLOCK(Min)
HEDDLE_OF_BLOCK(Max)
HEDDLE_OF_BLOCK(Inc)
HEDDLE_OF_BLOCK(Dec)
HEDDLE_OF_BLOCK(And)
HEDDLE_OF_BLOCK(Or)
HEDDLE_OF_BLOCK(Xor)
#undef HEDDLE_OF_BLOCK
template <class T, class C, class V>
static __device__ __forceinline__ T heddle_of_block_CAS(T *address, C compare, V value) {
    return atomicCAS(address, (T)compare, (T)value);
}

/* ---- atomics of CUDA 12.8 by order and scope ------------------------------------------------- */

/* A sequentially consistent one is told apart from atomicAdd() and its like, of which clang says the
 * same (atomic.c); scopes but those of fences are the device's. */
#define HEDDLE_ORDER(order, strongest)                \
    ((order) == __ATOMIC_SEQ_CST   ? (strongest)      \
     : (order) == __ATOMIC_CONSUME ? __ATOMIC_ACQUIRE \
                                   : (order))

#ifndef __NV_ATOMIC_RELAXED
#define __NV_ATOMIC_RELAXED __ATOMIC_RELAXED
#define __NV_ATOMIC_CONSUME __ATOMIC_CONSUME
#define __NV_ATOMIC_ACQUIRE __ATOMIC_ACQUIRE
#define __NV_ATOMIC_RELEASE __ATOMIC_RELEASE
#define __NV_ATOMIC_ACQ_REL __ATOMIC_ACQ_REL
#define __NV_ATOMIC_SEQ_CST __ATOMIC_SEQ_CST
#define __NV_THREAD_SCOPE_THREAD 0
#define __NV_THREAD_SCOPE_BLOCK 1
#define __NV_THREAD_SCOPE_CLUSTER 2
#define __NV_THREAD_SCOPE_DEVICE 3
#define __NV_THREAD_SCOPE_SYSTEM 4
#define __nv_atomic_load(from, to, order, ...)                     \
    __atomic_load(from, to, HEDDLE_ORDER(order, __ATOMIC_ACQUIRE))
#define __nv_atomic_load_n(from, order, ...)                     \
    __atomic_load_n(from, HEDDLE_ORDER(order, __ATOMIC_ACQUIRE))
#define __nv_atomic_store(to, from, order, ...)                     \
    __atomic_store(to, from, HEDDLE_ORDER(order, __ATOMIC_RELEASE))
#define __nv_atomic_store_n(to, value, order, ...)                     \
    __atomic_store_n(to, value, HEDDLE_ORDER(order, __ATOMIC_RELEASE))
#define __nv_atomic_exchange(at, value, old, order, ...)                     \
    __atomic_exchange(at, value, old, HEDDLE_ORDER(order, __ATOMIC_ACQ_REL))
#define __nv_atomic_exchange_n(at, value, order, ...)                     \
    __atomic_exchange_n(at, value, HEDDLE_ORDER(order, __ATOMIC_ACQ_REL))
#define __nv_atomic_compare_exchange(at, expected, value, weak, success, failure, ...)             \
    __atomic_compare_exchange(at, expected, value, false, HEDDLE_ORDER(success, __ATOMIC_ACQ_REL), \
                              HEDDLE_ORDER(failure, __ATOMIC_ACQUIRE))
#define __nv_atomic_compare_exchange_n(at, expected, value, weak, success, failure, ...) \
    __atomic_compare_exchange_n(at, expected, value, false,                              \
                                HEDDLE_ORDER(success, __ATOMIC_ACQ_REL),                 \
                                HEDDLE_ORDER(failure, __ATOMIC_ACQUIRE))
#define __nv_atomic_fetch_add(at, value, order, ...)                     \
    __atomic_fetch_add(at, value, HEDDLE_ORDER(order, __ATOMIC_ACQ_REL))
#define __nv_atomic_fetch_sub(at, value, order, ...)                     \
    __atomic_fetch_sub(at, value, HEDDLE_ORDER(order, __ATOMIC_ACQ_REL))
#define __nv_atomic_fetch_and(at, value, order, ...)                     \
    __atomic_fetch_and(at, value, HEDDLE_ORDER(order, __ATOMIC_ACQ_REL))
#define __nv_atomic_fetch_or(at, value, order, ...)                     \
    __atomic_fetch_or(at, value, HEDDLE_ORDER(order, __ATOMIC_ACQ_REL))
#define __nv_atomic_fetch_xor(at, value, order, ...)                     \
    __atomic_fetch_xor(at, value, HEDDLE_ORDER(order, __ATOMIC_ACQ_REL))
#define __nv_atomic_fetch_min(at, value, order, ...)                     \
    __atomic_fetch_min(at, value, HEDDLE_ORDER(order, __ATOMIC_ACQ_REL))
#define __nv_atomic_fetch_max(at, value, order, ...)                     \
    __atomic_fetch_max(at, value, HEDDLE_ORDER(order, __ATOMIC_ACQ_REL))
#define __nv_atomic_add(at, value, order, ...) ((void)__nv_atomic_fetch_add(at, value, order))
#define __nv_atomic_sub(at, value, order, ...) ((void)__nv_atomic_fetch_sub(at, value, order))
#define __nv_atomic_and(at, value, order, ...) ((void)__nv_atomic_fetch_and(at, value, order))
#define __nv_atomic_or(at, value, order, ...) ((void)__nv_atomic_fetch_or(at, value, order))
#define __nv_atomic_xor(at, value, order, ...) ((void)__nv_atomic_fetch_xor(at, value, order))
#define __nv_atomic_min(at, value, order, ...) ((void)__nv_atomic_fetch_min(at, value, order))
#define __nv_atomic_max(at, value, order, ...) ((void)__nv_atomic_fetch_max(at, value, order))
#define __nv_atomic_thread_fence(order, scope)                                     \
    ((scope) <= __NV_THREAD_SCOPE_BLOCK ? __threadfence_block() : __threadfence())
#endif

/* Clang declares what atomicCAS() of 16 bits calls, but has no body for it. */
extern "C" __device__ inline unsigned short
__usAtomicCAS(unsigned short *address, unsigned short compare, unsigned short value) {
    __atomic_compare_exchange_n(address, &compare, value, false, __ATOMIC_RELAXED,
                                __ATOMIC_RELAXED);
    return compare;
}

/* ---- funnel shifts: 32 bits of high:low --------------------------------------------- */

__HEDDLE_DEVICE__ unsigned heddle_funnelshift_l(unsigned low, unsigned high, unsigned shift) {
    return (unsigned)((((unsigned long long)high << 32 | low) << (shift & 31)) >> 32);
}
__HEDDLE_DEVICE__ unsigned heddle_funnelshift_lc(unsigned low, unsigned high, unsigned shift) {
    return shift >= 32 ? low : heddle_funnelshift_l(low, high, shift);
}
__HEDDLE_DEVICE__ unsigned heddle_funnelshift_r(unsigned low, unsigned high, unsigned shift) {
    return (unsigned)(((unsigned long long)high << 32 | low) >> (shift & 31));
}
__HEDDLE_DEVICE__ unsigned heddle_funnelshift_rc(unsigned low, unsigned high, unsigned shift) {
    return shift >= 32 ? high : heddle_funnelshift_r(low, high, shift);
}
#define __funnelshift_l heddle_funnelshift_l
#define __funnelshift_lc heddle_funnelshift_lc
#define __funnelshift_r heddle_funnelshift_r
#define __funnelshift_rc heddle_funnelshift_rc

/* ---- products of bytes, summed ----------------------------------------------------------- */

__HEDDLE_DEVICE__ int heddle_byte(int a, int n) { return (signed char)(a >> 8 * n); }
__HEDDLE_DEVICE__ unsigned heddle_byte(unsigned a, int n) { return a >> 8 * n & 255; }
__HEDDLE_DEVICE__ int heddle_short(int a, int n) { return (short)(a >> 16 * n); }
__HEDDLE_DEVICE__ unsigned heddle_short(unsigned a, int n) { return a >> 16 * n & 65535; }

#define __HEDDLE_PRODUCTS(T, bytes, shorts)                                                        \
    __HEDDLE_DEVICE__ T heddle_dp4a(T a, T b, T c) {                                               \
        return c + heddle_byte(a, 0) * heddle_byte(b, 0) + heddle_byte(a, 1) * heddle_byte(b, 1) + \
               heddle_byte(a, 2) * heddle_byte(b, 2) + heddle_byte(a, 3) * heddle_byte(b, 3);      \
    }                                                                                              \
    __HEDDLE_DEVICE__ T heddle_dp2a_lo(T a, T b, T c) {                                            \
        return c + heddle_short(a, 0) * heddle_byte(b, 0) +                                        \
               heddle_short(a, 1) * heddle_byte(b, 1);                                             \
    }                                                                                              \
    __HEDDLE_DEVICE__ T heddle_dp2a_hi(T a, T b, T c) {                                            \
        return c + heddle_short(a, 0) * heddle_byte(b, 2) +                                        \
               heddle_short(a, 1) * heddle_byte(b, 3);                                             \
    }                                                                                              \
    __HEDDLE_DEVICE__ T heddle_dp4a(bytes a, bytes b, T c) {                                       \
        return c + (T)a.x * (T)b.x + (T)a.y * (T)b.y + (T)a.z * (T)b.z + (T)a.w * (T)b.w;          \
    }                                                                                              \
    __HEDDLE_DEVICE__ T heddle_dp2a_lo(shorts a, bytes b, T c) {                                   \
        return c + (T)a.x * (T)b.x + (T)a.y * (T)b.y;                                              \
    }                                                                                              \
    __HEDDLE_DEVICE__ T heddle_dp2a_hi(shorts a, bytes b, T c) {                                   \
        return c + (T)a.x * (T)b.z + (T)a.y * (T)b.w;                                              \
    }
__HEDDLE_PRODUCTS(int, char4, short2)
__HEDDLE_PRODUCTS(unsigned, uchar4, ushort2)
#define __dp4a heddle_dp4a
#define __dp2a_lo heddle_dp2a_lo
#define __dp2a_hi heddle_dp2a_hi

/* ---- greatest and least of unsigned numbers: in NVIDIA's clang takes max() of signed ones ------ */

__HEDDLE_DEVICE__ unsigned heddle_umax(unsigned a, unsigned b) { return a > b ? a : b; }
__HEDDLE_DEVICE__ unsigned heddle_umin(unsigned a, unsigned b) { return a < b ? a : b; }
__HEDDLE_DEVICE__ unsigned heddle_vibmax(unsigned a, unsigned b, bool *is_first) {
    *is_first = a >= b;
    return heddle_umax(a, b);
}
__HEDDLE_DEVICE__ unsigned heddle_vibmin(unsigned a, unsigned b, bool *is_first) {
    *is_first = a <= b;
    return heddle_umin(a, b);
}
#define __vimax3_u32(a, b, c) heddle_umax(heddle_umax(a, b), c)
#define __vimin3_u32(a, b, c) heddle_umin(heddle_umin(a, b), c)
#define __viaddmax_u32(a, b, c) heddle_umax((unsigned)(a) + (unsigned)(b), c)
#define __viaddmin_u32(a, b, c) heddle_umin((unsigned)(a) + (unsigned)(b), c)
#define __vibmax_u32 heddle_vibmax
#define __vibmin_u32 heddle_vibmin

/* ---- addresses in one space ------------------------------------------------------------------- */

#ifndef __CUDA_RUNTIME_H__
__HEDDLE_DEVICE__ size_t __cvta_generic_to_shared(const void *p) {
    return (size_t)(__attribute__((address_space(3))) const void *)p;
}
__HEDDLE_DEVICE__ size_t __cvta_generic_to_global(const void *p) {
    return (size_t)(__attribute__((address_space(1))) const void *)p;
}
#endif

/* ---- loads and stores with a hint for the caches -------------------------------------------- */

#define __HEDDLE_LOAD(name)                                                               \
    template <typename T> __HEDDLE_DEVICE__ T name(const T *pointer) { return *pointer; }
#define __HEDDLE_STORE(name)                                                                     \
    template <typename T> __HEDDLE_DEVICE__ void name(T *pointer, T value) { *pointer = value; }
#define __HEDDLE_LOAD_NAMES(X) X(__ldca) X(__ldcg) X(__ldcs) X(__ldlu) X(__ldcv)
__HEDDLE_LOAD_NAMES(__HEDDLE_LOAD)
#undef __HEDDLE_LOAD_NAMES
__HEDDLE_STORE(__stwb)
__HEDDLE_STORE(__stcg)
__HEDDLE_STORE(__stcs)
__HEDDLE_STORE(__stwt)

/* Clang declares these for the device, and has no body. */
__HEDDLE_DEVICE__ float nanf(const char *) { return __builtin_nanf(""); }
__HEDDLE_DEVICE__ double nan(const char *) { return __builtin_nan(""); }

/* Nobody waits for a time that is not kept. */
#define __nanosleep(ns) ((void)(ns))

#undef __HEDDLE_REDUCE
#undef __HEDDLE_LOAD
#undef __HEDDLE_STORE
#undef __HEDDLE_PRODUCTS

#endif
