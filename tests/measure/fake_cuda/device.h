/* CUDA C as C++ for the processor: a launch runs its threads one after the other. */
#define __global__
#define __device__
#define __host__
#define __constant__
#define __shared__ static
#define __forceinline__ inline

struct fake_index {
    unsigned x, y, z;
};
static fake_index threadIdx, blockIdx, blockDim, gridDim;

template <int... N> struct fake_numbers {};
template <int N, int... Rest> struct fake_count : fake_count<N - 1, N - 1, Rest...> {};
template <int... Rest> struct fake_count<0, Rest...> { typedef fake_numbers<Rest...> numbers; };
template <typename T> struct fake_plain { typedef T type; };
template <typename T> struct fake_plain<const T> { typedef T type; };

template <typename... A, int... N>
static void fake_call(void (*kernel)(A...), void **params, fake_numbers<N...>) {
    kernel(*(typename fake_plain<A>::type *)params[N]...);
}
template <typename... A> static void fake_call(void (*kernel)(A...), void **params) {
    fake_call(kernel, params, typename fake_count<sizeof...(A)>::numbers());
}

extern "C" void fake_run(void (*thread)(void **), void **params, const unsigned *blocks,
                         const unsigned *threads) {
    gridDim = {blocks[0], blocks[1], blocks[2]};
    blockDim = {threads[0], threads[1], threads[2]};
    for (blockIdx.z = 0; blockIdx.z < blocks[2]; blockIdx.z++)
        for (blockIdx.y = 0; blockIdx.y < blocks[1]; blockIdx.y++)
            for (blockIdx.x = 0; blockIdx.x < blocks[0]; blockIdx.x++)
                for (threadIdx.z = 0; threadIdx.z < threads[2]; threadIdx.z++)
                    for (threadIdx.y = 0; threadIdx.y < threads[1]; threadIdx.y++)
                        for (threadIdx.x = 0; threadIdx.x < threads[0]; threadIdx.x++)
                            thread(params);
}
