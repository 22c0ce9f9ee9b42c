// wmma in all shapes and types beside the sums of products one by one: how many elements differ. A kernel
// with numbers of 4 bits is left out, others go on.
//: headers both
//: kernels halves, others
//: left out nibbles: s4
//: run halves 32: 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0
//: run others 32: 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0
#include <cuda_bf16.h>
#include <mma.h>
#include <type_traits>
using namespace nvcuda::wmma;

__shared__ __align__(32) double memory[512];

__device__ int place(bool is_row, int i, int j, int rows, int columns) {
    return is_row ? i * columns + j : j * rows + i;
}

// D = A B + C, A and D by rows or not, B by rows or not, C the other way than D.
template <int m, int n, int k, class T, class D, class C, bool a_rows, bool b_rows>
__device__ int wrong(int least) {
    typedef typename std::conditional<a_rows, row_major, col_major>::type OfA;
    typedef typename std::conditional<b_rows, row_major, col_major>::type OfB;
    typedef typename fragment<matrix_a, m, n, k, T, OfA>::storage_element_type S;
    int lane = threadIdx.x, count = 0;
    S *a = (S *)memory, *b = (S *)(memory + 128);
    C *c = (C *)(memory + 256);
    D *d = (D *)(memory + 384);
    for (int at = lane; at < m * k; at += 32)
        a[place(a_rows, at / k, at % k, m, k)] = S((float)((at / k * 7 + at % k * 3) % 11 + least));
    for (int at = lane; at < k * n; at += 32)
        b[place(b_rows, at / n, at % n, k, n)] = S((float)((at / n * 5 + at % n) % 7 + least));
    for (int at = lane; at < m * n; at += 32)
        c[place(!a_rows, at / n, at % n, m, n)] = C((float)((at / n + at % n * 2) % 5));
    __syncwarp();
    fragment<matrix_a, m, n, k, T, OfA> left;
    fragment<matrix_b, m, n, k, T, OfB> right;
    fragment<accumulator, m, n, k, C> before;
    fragment<accumulator, m, n, k, D> after;
    load_matrix_sync(left, a, a_rows ? k : m);
    load_matrix_sync(right, b, b_rows ? n : k);
    load_matrix_sync(before, c, a_rows ? m : n, a_rows ? mem_col_major : mem_row_major);
    mma_sync(after, left, right, before);
    for (int i = 0; i < after.num_elements; i++)
        after.x[i] = after.x[i] + after.x[i];
    store_matrix_sync(d, after, a_rows ? n : m, a_rows ? mem_row_major : mem_col_major);
    __syncwarp();
    for (int at = lane; at < m * n; at += 32) {
        int i = at / n, j = at % n;
        double sum = (double)(float)c[place(!a_rows, i, j, m, n)];
        for (int l = 0; l < k; l++)
            sum += (double)(float)a[place(a_rows, i, l, m, k)] *
                   (double)(float)b[place(b_rows, l, j, k, n)];
        count += (double)(float)d[place(a_rows, i, j, m, n)] != 2 * sum;
    }
    __syncwarp();
    return count;
}
#define OF_SHAPES(T, D, C, least)                     \
    (wrong<16, 16, 16, T, D, C, true, false>(least) + \
     wrong<32, 8, 16, T, D, C, false, false>(least) + \
     wrong<8, 32, 16, T, D, C, true, true>(least))

__global__ void halves(int *o) {
    o[threadIdx.x] = OF_SHAPES(half, float, float, -4) + OF_SHAPES(half, half, half, -4) +
                     OF_SHAPES(half, float, half, -4) + OF_SHAPES(half, half, float, -4);
}
// Sums of integers that stay at the end of their range.
__device__ int unsaturated() {
    fragment<matrix_a, 16, 16, 16, signed char, row_major> left;
    fragment<matrix_b, 16, 16, 16, signed char, col_major> right;
    fragment<accumulator, 16, 16, 16, int> sum, wrapped;
    fill_fragment(left, 100);
    fill_fragment(right, 100);
    fill_fragment(sum, 0x7fffffff - 10);
    mma_sync(wrapped, left, right, sum);
    mma_sync(sum, left, right, sum, true);
    return (sum.x[3] != 0x7fffffff) + (wrapped.x[3] != (int)(0x7fffffffu - 10 + 160000));
}
__global__ void others(int *o) {
    o[threadIdx.x] = OF_SHAPES(__nv_bfloat16, float, float, -4) +
                     OF_SHAPES(signed char, int, int, -4) + OF_SHAPES(unsigned char, int, int, 0) +
                     wrong<16, 16, 8, precision::tf32, float, float, false, true>(-4) +
                     wrong<8, 8, 4, double, double, double, false, true>(-4) + unsaturated() +
                     (__float_to_tf32(1.0f + 0x1p-11f) != 1.0f + 0x1p-10f);
}
__global__ void nibbles(int *o) {
    fragment<matrix_a, 8, 8, 32, experimental::precision::s4, row_major> left;
    load_matrix_sync(left, o, 32);
    o[threadIdx.x] = left.x[0];
}
