// expect: c float 1024 = 16 * int(i / 32) * (i % 32) + 248 * (i % 32 - int(i / 32)) - 5208
// expect: halves float 256 = 16 * (i % 16) * int(i / 16) + 120 * (int(i / 16) - i % 16) - 1238
// expect: bfloats float 256 = 16 * int(i / 8) * (i % 8) + 120 * (i % 8 - int(i / 8)) - 1240
// expect: chars int 256 = 16 * (i % 8) * int(i / 8) + 120 * (int(i / 8) - i % 8) - 1240
// expect: bytes int 256 = 16 * int(i / 16) * (i % 16 + 15) + 120 * (i % 16 + 15 - int(i / 16)) - 1240
// expect: floats float 256 = 8 * int(i / 16) * (i % 16) + 28 * (i % 16 - int(i / 16)) - 140
// expect: doubles double 64 = 4 * int(i / 8) * (i % 8) + 6 * (i % 8 - int(i / 8)) - 14
//
// wmma in its shapes, types and orders. Row i of A has i + k, column j of B j - k, and 15 more
// where it must not be negative.
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <mma.h>

using namespace nvcuda::wmma;

__global__ void fill(half *a, half *b, int n) {
    int i = blockIdx.x, k = threadIdx.x;
    a[i * n + k] = __float2half((float)(i + k));
    b[i * n + k] = __float2half((float)(i - k));
}

// c = a b / 2, a tile for each warp.
__global__ void tiles(const half *a, const half *b, float *c, int n) {
    int row = 16 * blockIdx.x, column = 16 * (threadIdx.x / 32);
    fragment<matrix_a, 16, 16, 16, half, row_major> left;
    fragment<matrix_b, 16, 16, 16, half, col_major> right;
    fragment<accumulator, 16, 16, 16, float> sum;
    fill_fragment(sum, 0.0f);
    for (int k = 0; k < n; k += 16) {
        load_matrix_sync(left, a + row * n + k, n);
        load_matrix_sync(right, b + column * n + k, n);
        mma_sync(sum, left, right, sum);
    }
    for (int i = 0; i < sum.num_elements; i++)
        sum.x[i] *= 0.5f;
    store_matrix_sync(c + row * n + column, sum, n, mem_row_major);
}

// A by columns, B by rows, through shared memory, onto what c has; c by rows or columns.
template <int m, int n, int k, class T, class S, class C>
__device__ void multiply(S *a, S *b, C *c, layout_t order, int more = 0) {
    for (int i = threadIdx.x; i < m * k; i += 32)
        a[i] = S((float)(i % m + i / m));
    for (int i = threadIdx.x; i < k * n; i += 32)
        b[i] = S((float)(i % n - i / n + more));
    __syncwarp();
    fragment<matrix_a, m, n, k, T, col_major> left;
    fragment<matrix_b, m, n, k, T, row_major> right;
    fragment<accumulator, m, n, k, C> sum;
    int stride = order == mem_row_major ? n : m;
    load_matrix_sync(left, a, m);
    load_matrix_sync(right, b, n);
    load_matrix_sync(sum, c, stride, order);
    mma_sync(sum, left, right, sum);
    store_matrix_sync(c, sum, stride, order);
    __syncwarp();
}

__global__ void shapes(float *halves, float *bfloats, int *chars, int *bytes, float *floats,
                       double *doubles) {
    __shared__ __align__(32) half a[256], b[256], c[256];
    __shared__ __align__(32) __nv_bfloat16 d[512], e[512];
    __shared__ __align__(32) signed char f[512], g[512];
    __shared__ __align__(32) unsigned char h[256], o[256];
    __shared__ __align__(32) float p[128], q[128];
    __shared__ __align__(32) double r[32], s[32];
    for (int i = threadIdx.x; i < 256; i += 32)
        c[i] = __float2half(2.0f);
    __syncwarp();
    multiply<16, 16, 16, half>(a, b, c, mem_col_major);
    for (int i = threadIdx.x; i < 256; i += 32)
        halves[i] = __half2float(c[i]);
    multiply<32, 8, 16, __nv_bfloat16>(d, e, bfloats, mem_row_major);
    multiply<8, 32, 16, signed char>(f, g, chars, mem_col_major);
    multiply<16, 16, 16, unsigned char>(h, o, bytes, mem_row_major, 15);
    multiply<16, 16, 8, precision::tf32>(p, q, floats, mem_row_major);
    multiply<8, 8, 4, double>(r, s, doubles, mem_row_major);
}
