// Products by the 128 threads of a warpgroup (wgmma), of matrices in shared memory in all of its forms,
// and of registers. All numbers are small, so that sums are exact.
//
// options: -std=c++17 -gencode arch=compute_90a,code=compute_90a
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>

#include <cstdint>

#include "check.h"

enum { ROWS = 64, COLUMNS = 32 };

// Which way rows of 16 bytes are mixed: descriptor's bits 62 and 63, and how many follow each other.
struct mixing {
    int code, wide;
};

static __device__ uint64_t describe(const void *matrix, int leading, int stride, int code) {
    uint64_t at = __cvta_generic_to_shared(matrix);
    return (at & 0x3ffff) >> 4 | uint64_t(leading >> 4) << 16 | uint64_t(stride >> 4) << 32 |
           uint64_t(code) << 62;
}

// Byte of shared memory that byte `along` of row `across` is at, of `wide` pieces of 16 bytes that
// follow each other in a row, in patterns of eight rows.
static __device__ int mixed(int across, int along, int wide, int pattern_bytes) {
    int at = across / 8 * pattern_bytes + across % 8 * wide * 16 + along % (wide * 16);
    return at ^ (at >> 7 & (wide - 1)) << 4;
}

// D (64 x 32, += or =) of A (64 x DEPTH) and B (COLUMNS x DEPTH, by columns), both with K innermost.
template <class T, class Sum, int DEPTH, class Multiply>
__global__ void product(const T *a, const T *b, Sum *d, mixing how, int adds, Multiply multiply) {
    __shared__ alignas(1024) char of_a[ROWS * DEPTH * sizeof(T) * 8],
        of_b[ROWS * DEPTH * sizeof(T) * 8];
    int pattern = 8 * how.wide * 16, leading = 0, stride = pattern;
    if (how.wide == 1) { // the two pieces of a row are apart
        leading = 128;
        stride = 256;
    }
    for (int i = threadIdx.x; i < ROWS * DEPTH; i += blockDim.x) {
        int row = i / DEPTH, byte = i % DEPTH * int(sizeof(T));
        int at = how.wide == 1 ? row / 8 * 256 + byte / 16 * 128 + row % 8 * 16 + byte % 16
                               : mixed(row, byte, how.wide, pattern);
        *(T *)(of_a + at) = a[i];
        if (row < COLUMNS)
            *(T *)(of_b + at) = b[i];
    }
    __syncthreads();
    Sum sums[COLUMNS / 2];
    int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    for (int i = 0; i < COLUMNS / 2; i++) {
        int row = 16 * warp + lane / 4 + 8 * (i / 2 % 2), column = i / 4 * 8 + lane % 4 * 2 + i % 2;
        sums[i] = d[row * COLUMNS + column];
    }
    asm volatile("fence.proxy.async;" ::: "memory");
    asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
    multiply(sums, describe(of_a, leading, stride, how.code),
             describe(of_b, leading, stride, how.code), adds);
    asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
    asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
    for (int i = 0; i < COLUMNS / 2; i++) {
        int row = 16 * warp + lane / 4 + 8 * (i / 2 % 2), column = i / 4 * 8 + lane % 4 * 2 + i % 2;
        d[row * COLUMNS + column] = sums[i];
    }
}

#define SUMS "{%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15}"
#define MULTIPLY(name, shape, constraint, Sum, rest)                                               \
    struct name {                                                                                  \
        __device__ void operator()(Sum *d, uint64_t a, uint64_t b, int adds) const {               \
            asm volatile("{ .reg .pred p; setp.ne.b32 p, %18, 0;"                                  \
                         "wgmma.mma_async.sync.aligned." shape " " SUMS ", %16, %17, p" rest "; }" \
                         : "+" constraint(d[0]), "+" constraint(d[1]), "+" constraint(d[2]),       \
                           "+" constraint(d[3]), "+" constraint(d[4]), "+" constraint(d[5]),       \
                           "+" constraint(d[6]), "+" constraint(d[7]), "+" constraint(d[8]),       \
                           "+" constraint(d[9]), "+" constraint(d[10]), "+" constraint(d[11]),     \
                           "+" constraint(d[12]), "+" constraint(d[13]), "+" constraint(d[14]),    \
                           "+" constraint(d[15])                                                   \
                         : "l"(a), "l"(b), "r"(adds));                                             \
        }                                                                                          \
    };
MULTIPLY(halves, "m64n32k16.f32.f16.f16", "f", float, ", 1, 1, 0, 0")
MULTIPLY(brains, "m64n32k16.f32.bf16.bf16", "f", float, ", 1, 1, 0, 0")
MULTIPLY(negated, "m64n32k16.f32.f16.f16", "f", float, ", -1, 1, 0, 0")
MULTIPLY(tensors, "m64n32k8.f32.tf32.tf32", "f", float, ", 1, 1")
MULTIPLY(quarters, "m64n32k32.f32.e4m3.e4m3", "f", float, ", 1, 1")
MULTIPLY(bytes, "m64n32k32.s32.s8.s8", "r", int, "")

static float real(__half x) { return __half2float(x); }
static float real(__nv_bfloat16 x) { return __bfloat162float(x); }
static float real(__nv_fp8_e4m3 x) { return float(x); }
static float real(float x) { return x; }
static float real(signed char x) { return x; }

template <class T, class Sum, int DEPTH, class Multiply>
static void check(Multiply multiply, float factor) {
    T *a, *b;
    Sum *d;
    CUDA(cudaMallocManaged(&a, ROWS * DEPTH * sizeof(T)));
    CUDA(cudaMallocManaged(&b, ROWS * DEPTH * sizeof(T)));
    CUDA(cudaMallocManaged(&d, ROWS * COLUMNS * sizeof(Sum)));
    for (int i = 0; i < ROWS * DEPTH; i++) {
        a[i] = T(float(i * 7 % 13 - 6));
        b[i] = T(float(i * 5 % 11 - 5));
    }
    const mixing ways[] = {{0, 1}, {3, 2}, {2, 4}, {1, 8}};
    for (int adds = 0; adds < 2; adds++)
        for (mixing how : ways) {
            for (int i = 0; i < ROWS * COLUMNS; i++)
                d[i] = Sum(i % 10);
            product<T, Sum, DEPTH><<<1, 128>>>(a, b, d, how, adds, multiply);
            CUDA(cudaDeviceSynchronize());
            for (int i = 0; i < ROWS; i++)
                for (int j = 0; j < COLUMNS; j++) {
                    float sum = adds ? (i * COLUMNS + j) % 10 : 0;
                    for (int k = 0; k < DEPTH; k++)
                        sum += factor * real(a[i * DEPTH + k]) * real(b[j * DEPTH + k]);
                    CHECK(float(d[i * COLUMNS + j]) == sum);
                }
        }
}

// A in registers, B with N innermost, 64 columns in patterns of 128 bytes; sums of halves.
__global__ void turned(const __half *a, const __half *b, __half *d) {
    enum { DEPTH = 16, WIDE = 64 };
    __shared__ alignas(1024) char of_b[DEPTH * WIDE * 2];
    for (int i = threadIdx.x; i < DEPTH * WIDE; i += blockDim.x) {
        int k = i / WIDE, n = i % WIDE;
        *(__half *)(of_b + mixed(k, n * 2, 8, 1024)) = b[i];
    }
    __syncthreads();
    int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    unsigned of_a[4], sums[16] = {};
    for (int g = 0; g < 4; g++) {
        int row = 16 * warp + lane / 4 + 8 * (g % 2), k = lane % 4 * 2 + 8 * (g / 2);
        of_a[g] = *(const unsigned *)&a[row * DEPTH + k];
    }
    asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
    // No second pattern along N; eight numbers of K from one to the next.
    uint64_t where = describe(of_b, 0, 1024, 1);
    asm volatile("{ .reg .pred p; setp.ne.b32 p, %21, 0;"
                 "wgmma.mma_async.sync.aligned.m64n64k16.f16.f16.f16 " SUMS
                 ", {%16, %17, %18, %19}, %20, p, 1, 1, 1; }"
                 : "+r"(sums[0]), "+r"(sums[1]), "+r"(sums[2]), "+r"(sums[3]), "+r"(sums[4]),
                   "+r"(sums[5]), "+r"(sums[6]), "+r"(sums[7]), "+r"(sums[8]), "+r"(sums[9]),
                   "+r"(sums[10]), "+r"(sums[11]), "+r"(sums[12]), "+r"(sums[13]), "+r"(sums[14]),
                   "+r"(sums[15])
                 : "r"(of_a[0]), "r"(of_a[1]), "r"(of_a[2]), "r"(of_a[3]), "l"(where), "r"(0));
    asm volatile("wgmma.commit_group.sync.aligned;\n wgmma.wait_group.sync.aligned 0;" ::
                     : "memory");
    for (int i = 0; i < 16; i++) {
        int row = 16 * warp + lane / 4 + 8 * (i % 2), column = i / 2 * 8 + lane % 4 * 2;
        *(unsigned *)&d[row * WIDE + column] = sums[i];
    }
}

static void check_turned() {
    __half *a, *b, *d;
    CUDA(cudaMallocManaged(&a, 64 * 16 * sizeof(__half)));
    CUDA(cudaMallocManaged(&b, 64 * 16 * sizeof(__half)));
    CUDA(cudaMallocManaged(&d, 64 * 64 * sizeof(__half)));
    for (int i = 0; i < 64 * 16; i++) {
        a[i] = __half(float(i * 7 % 13 - 6));
        b[i] = __half(float(i * 5 % 11 - 5));
    }
    turned<<<1, 128>>>(a, b, d);
    CUDA(cudaDeviceSynchronize());
    for (int i = 0; i < 64; i++)
        for (int j = 0; j < 64; j++) {
            float sum = 0;
            for (int k = 0; k < 16; k++)
                sum += real(a[i * 16 + k]) * real(b[k * 64 + j]);
            CHECK(real(d[i * 64 + j]) == sum);
        }
}

int main() {
    check<__half, float, 16>(halves(), 1);
    check<__nv_bfloat16, float, 16>(brains(), 1);
    check<__half, float, 16>(negated(), -1);
    check<float, float, 8>(tensors(), 1);
    check<__nv_fp8_e4m3, float, 32>(quarters(), 1);
    check<signed char, int, 32>(bytes(), 1);
    check_turned();
    return DONE;
}
