/*
 * Products of matrices by warps without a toolkit, nvcuda::wmma, on clang's built-ins. A fragment
 * holds what these take: a thread's part of a matrix's numbers, or, of factors that are halves, 16.
 */
#ifndef __CUDA_MMA_H__
#define __CUDA_MMA_H__

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <type_traits>

#define __HEDDLE_WMMA static __inline__ __device__

namespace nvcuda {
namespace wmma {

struct matrix_a;
struct matrix_b;
struct accumulator;
struct row_major;
struct col_major;
enum layout_t { mem_row_major, mem_col_major };

namespace precision {
struct tf32;
}
namespace experimental {
namespace precision {
struct u4;
struct s4;
struct b1;
} // namespace precision
} // namespace experimental

namespace details {
template <class T, int count, class S = T> struct numbers {
    typedef T element_type;
    typedef S storage_element_type;
    enum { num_elements = count, num_storage_elements = count };
    __align__(8) S x[count];
};
} // namespace details

/* Those that there are follow, each with its functions. */
template <class Use, int m, int n, int k, class T, class Layout = void> class fragment;

template <class T, int count, class S>
__HEDDLE_WMMA void
fill_fragment(details::numbers<T, count, S> &to,
              const typename details::numbers<T, count, S>::storage_element_type &value) {
    for (int i = 0; i < count; i++)
        to.x[i] = value;
}

__HEDDLE_WMMA float __float_to_tf32(float from) {
    int to;
    asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(to) : "f"(from));
    return __int_as_float(to);
}

/* ---- matrices -------------------------------------------------------------------------- */

/* T: of the elements, S: in x, R: what the built-ins call these. Their layouts are 1 for columns; of a
 * product A's counts twice. */
#define __HEDDLE_IS_COLUMN(L) std::is_same<L, col_major>::value

#define __HEDDLE_FACTOR(Use, M, N, K, T, S, R, count, load)                              \
    template <class L>                                                                   \
    class fragment<Use, M, N, K, T, L> : public details::numbers<T, count, S> {};        \
    template <class L>                                                                   \
    __HEDDLE_WMMA void load_matrix_sync(fragment<Use, M, N, K, T, L> &to, const S *from, \
                                        unsigned stride) {                               \
        load((R *)to.x, (const R *)from, stride, __HEDDLE_IS_COLUMN(L));                 \
    }
#define __HEDDLE_FACTORS(M, N, K, T, S, R, begin, end)                           \
    __HEDDLE_FACTOR(matrix_a, M, N, K, T, S, R, (M * K / 32), begin##_ld_a##end) \
    __HEDDLE_FACTOR(matrix_b, M, N, K, T, S, R, (K * N / 32), begin##_ld_b##end)

#define __HEDDLE_SUM(M, N, K, T, R, load, store)                                               \
    template <>                                                                                \
    class fragment<accumulator, M, N, K, T> : public details::numbers<T, M * N / 32> {};       \
    __HEDDLE_WMMA void load_matrix_sync(fragment<accumulator, M, N, K, T> &to, const T *from,  \
                                        unsigned stride, layout_t layout) {                    \
        if (layout == mem_row_major)                                                           \
            load((R *)to.x, (const R *)from, stride, 0);                                       \
        else                                                                                   \
            load((R *)to.x, (const R *)from, stride, 1);                                       \
    }                                                                                          \
    __HEDDLE_WMMA void store_matrix_sync(T *to, const fragment<accumulator, M, N, K, T> &from, \
                                         unsigned stride, layout_t layout) {                   \
        if (layout == mem_row_major)                                                           \
            store((R *)to, (R *)from.x, stride, 0);                                            \
        else                                                                                   \
            store((R *)to, (R *)from.x, stride, 1);                                            \
    }

#define __HEDDLE_PRODUCT(M, N, K, T, R, D, RD, C, RC, product)                                    \
    template <int saturates, class A, class B>                                                    \
    __HEDDLE_WMMA void multiply(                                                                  \
        fragment<accumulator, M, N, K, D> &d, const fragment<matrix_a, M, N, K, T, A> &a,         \
        const fragment<matrix_b, M, N, K, T, B> &b, const fragment<accumulator, M, N, K, C> &c) { \
        product((RD *)d.x, (const R *)a.x, (const R *)b.x, (const RC *)c.x,                       \
                2 * __HEDDLE_IS_COLUMN(A) + __HEDDLE_IS_COLUMN(B), saturates);                    \
    }

#define __HEDDLE_SUMS_OF_16(M, N)                                                                  \
    __HEDDLE_SUM(M, N, 16, half, int, __hmma_m##M##n##N##k16_ld_c_f16,                             \
                 __hmma_m##M##n##N##k16_st_c_f16)                                                  \
    __HEDDLE_SUM(M, N, 16, float, float, __hmma_m##M##n##N##k16_ld_c_f32,                          \
                 __hmma_m##M##n##N##k16_st_c_f32)                                                  \
    __HEDDLE_SUM(M, N, 16, int, int, __imma_m##M##n##N##k16_ld_c, __imma_m##M##n##N##k16_st_c_i32)
#define __HEDDLE_FACTORS_OF_16(M, N)                                                            \
    __HEDDLE_FACTOR(matrix_a, M, N, 16, half, half, int, 16, __hmma_m##M##n##N##k16_ld_a)       \
    __HEDDLE_FACTOR(matrix_b, M, N, 16, half, half, int, 16, __hmma_m##M##n##N##k16_ld_b)       \
    __HEDDLE_FACTORS(M, N, 16, __nv_bfloat16, __nv_bfloat16, int, __mma_bf16_m##M##n##N##k16, ) \
    __HEDDLE_FACTORS(M, N, 16, signed char, signed char, int, __imma_m##M##n##N##k16, _s8)      \
    __HEDDLE_FACTORS(M, N, 16, unsigned char, unsigned char, int, __imma_m##M##n##N##k16, _u8)
#define __HEDDLE_PRODUCTS_OF_16(M, N)                                                              \
    __HEDDLE_PRODUCT(M, N, 16, half, int, half, int, half, int, __hmma_m##M##n##N##k16_mma_f16f16) \
    __HEDDLE_PRODUCT(M, N, 16, half, int, half, int, float, float,                                 \
                     __hmma_m##M##n##N##k16_mma_f16f32)                                            \
    __HEDDLE_PRODUCT(M, N, 16, half, int, float, float, half, int,                                 \
                     __hmma_m##M##n##N##k16_mma_f32f16)                                            \
    __HEDDLE_PRODUCT(M, N, 16, half, int, float, float, float, float,                              \
                     __hmma_m##M##n##N##k16_mma_f32f32)                                            \
    __HEDDLE_PRODUCT(M, N, 16, __nv_bfloat16, int, float, float, float, float,                     \
                     __mma_bf16_m##M##n##N##k16_mma_f32)                                           \
    __HEDDLE_PRODUCT(M, N, 16, signed char, int, int, int, int, int,                               \
                     __imma_m##M##n##N##k16_mma_s8)                                                \
    __HEDDLE_PRODUCT(M, N, 16, unsigned char, int, int, int, int, int,                             \
                     __imma_m##M##n##N##k16_mma_u8)
#define __HEDDLE_SHAPES(X) X(16, 16) X(32, 8) X(8, 32)

__HEDDLE_SHAPES(__HEDDLE_SUMS_OF_16)
__HEDDLE_SUM(16, 16, 8, float, float, __mma_tf32_m16n16k8_ld_c, __mma_m16n16k8_st_c_f32)
__HEDDLE_SUM(8, 8, 4, double, double, __dmma_m8n8k4_ld_c, __dmma_m8n8k4_st_c_f64)
__HEDDLE_SHAPES(__HEDDLE_FACTORS_OF_16)
__HEDDLE_FACTORS(16, 16, 8, precision::tf32, float, int, __mma_tf32_m16n16k8, )
__HEDDLE_FACTORS(8, 8, 4, double, double, double, __dmma_m8n8k4, )

namespace details {
__HEDDLE_SHAPES(__HEDDLE_PRODUCTS_OF_16)
__HEDDLE_PRODUCT(16, 16, 8, precision::tf32, int, float, float, float, float,
                 __mma_tf32_m16n16k8_mma_f32)
__HEDDLE_PRODUCT(8, 8, 4, double, double, double, double, double, double, __dmma_m8n8k4_mma_f64)
} // namespace details

template <int m, int n, int k, class T, class A, class B, class C, class D>
__HEDDLE_WMMA void
mma_sync(fragment<accumulator, m, n, k, D> &d, const fragment<matrix_a, m, n, k, T, A> &a,
         const fragment<matrix_b, m, n, k, T, B> &b, const fragment<accumulator, m, n, k, C> &c) {
    details::multiply<0>(d, a, b, c);
}

/* Sums of integers may stay at the ends of their range. */
template <int m, int n, int k, class T, class A, class B>
__HEDDLE_WMMA void mma_sync(fragment<accumulator, m, n, k, int> &d,
                            const fragment<matrix_a, m, n, k, T, A> &a,
                            const fragment<matrix_b, m, n, k, T, B> &b,
                            const fragment<accumulator, m, n, k, int> &c, bool saturates) {
    if (saturates)
        details::multiply<1>(d, a, b, c);
    else
        details::multiply<0>(d, a, b, c);
}

#undef __HEDDLE_WMMA
#undef __HEDDLE_IS_COLUMN
#undef __HEDDLE_FACTOR
#undef __HEDDLE_FACTORS
#undef __HEDDLE_SUM
#undef __HEDDLE_PRODUCT
#undef __HEDDLE_SUMS_OF_16
#undef __HEDDLE_FACTORS_OF_16
#undef __HEDDLE_PRODUCTS_OF_16
#undef __HEDDLE_SHAPES

} // namespace wmma
} // namespace nvcuda

#endif
