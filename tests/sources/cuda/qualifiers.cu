// Bounds of launches, restrict, inlining, alignment, hints, in all the places where they may stand.
//: headers both
//: run k 4: 0 4 8 12
struct __align__(16) wide {
    float x, y, z;
};
struct alignas(8) pair {
    int a, b;
};
static_assert(sizeof(wide) == 16 && alignof(pair) == 8, "aligned");
static __device__ __forceinline__ int twice(int x) { return 2 * x; }
__noinline__ __device__ int thrice(const int x) { return 3 * x; }
[[nodiscard]] __device__ inline int same(int x) noexcept { return x; }
__global__ void __launch_bounds__(256, 2) k(int *__restrict__ o) {
    [[maybe_unused]] const pair unused = {1, 2};
    int *aligned = (int *)__builtin_assume_aligned(o, 16), sum = 0;
#pragma unroll 2
    for (int i = 0; i < 2; ++i)
        sum += twice(aligned[threadIdx.x]);
    if (__builtin_expect(threadIdx.x > 4, 0))
        sum += thrice(1);
    o[threadIdx.x] = same(sum);
}
__launch_bounds__(128) __global__ void before(wide *p) { p[threadIdx.x].z = 1; }
