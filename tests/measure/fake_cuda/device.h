/* CUDA C as C++ for the processor: a launch runs its threads one after the other. */
#define __global__
#define __device__
#define __host__
#define __constant__
#define __shared__ static
#define __forceinline__ inline
#define __launch_bounds__(...)

struct fake_index {
    unsigned x, y, z;
};
static fake_index threadIdx, blockIdx, blockDim, gridDim;

struct uint4 {
    unsigned x, y, z, w;
};
static inline uint4 make_uint4(unsigned x, unsigned y, unsigned z, unsigned w) {
    return {x, y, z, w};
}

struct float4 {
    float x, y, z, w;
} __attribute__((aligned(16)));
static inline float4 make_float4(float x, float y, float z, float w) { return {x, y, z, w}; }

extern "C" float expf(float), logf(float), sqrtf(float);
static inline float fabsf(float x) { return x < 0 ? -x : x; }
static inline float rsqrtf(float x) { return 1.0f / sqrtf(x); }
static inline float __fmul_rn(float a, float b) { return a * b; }
static inline unsigned atomicAdd(unsigned *to, unsigned value) {
    unsigned before = *to;
    *to += value;
    return before;
}

template <int... N> struct fake_numbers {};
template <int N, int... Rest> struct fake_count : fake_count<N - 1, N - 1, Rest...> {};
template <int... Rest> struct fake_count<0, Rest...> {
    typedef fake_numbers<Rest...> numbers;
};
template <typename T> struct fake_plain {
    typedef T type;
};
template <typename T> struct fake_plain<const T> {
    typedef T type;
};

template <typename... A, int... N>
static void fake_call(void (*kernel)(A...), void **params, fake_numbers<N...>) {
    kernel(*(typename fake_plain<A>::type *)params[N]...);
}
template <typename... A> static void fake_call(void (*kernel)(A...), void **params) {
    fake_call(kernel, params, typename fake_count<sizeof...(A)>::numbers());
}

/* A thread of a block is started. */
static void fake_start(void (*thread)(void **), void **params);
/* All threads of a block are at their end. */
static void fake_finish();

#ifdef FAKE_BARRIERS
/* Each thread of a block has a stack of its own, and leaves it at a barrier until all others are
 * there, too. Contexts are only for the first time on a stack: each switch between them is a call of
 * the kernel. */
#include <ucontext.h>

enum { FAKE_THREADS = 1024, FAKE_STACK = 1 << 15 };
static void *fake_block[5], *fake_fibers[FAKE_THREADS][5];
static char fake_stacks[FAKE_THREADS][FAKE_STACK];
static bool fake_ended[FAKE_THREADS];
static unsigned fake_now, fake_started, fake_made;
static void (*fake_thread)(void **);
static void **fake_params;

static __attribute__((noinline)) void fake_jump(void **to) { __builtin_longjmp(to, 1); }
static __attribute__((noinline)) void fake_switch(void **from, void **to) {
    if (!__builtin_setjmp(from))
        fake_jump(to);
}

/* One thread after the other, of whatever kernel. */
static void fake_body() {
    for (;;) {
        fake_thread(fake_params);
        fake_ended[fake_now] = true;
        fake_switch(fake_fibers[fake_now], fake_block);
    }
}

static void __syncthreads() {
    fake_index self = threadIdx;
    fake_switch(fake_fibers[fake_now], fake_block);
    threadIdx = self;
}

static __attribute__((noinline)) void fake_make() {
    static ucontext_t made;
    getcontext(&made);
    made.uc_stack.ss_sp = fake_stacks[fake_made++];
    made.uc_stack.ss_size = FAKE_STACK;
    makecontext(&made, fake_body, 0);
    if (!__builtin_setjmp(fake_block))
        setcontext(&made);
}

static void fake_start(void (*thread)(void **), void **params) {
    fake_now = fake_started++;
    fake_thread = thread;
    fake_params = params;
    fake_ended[fake_now] = false;
    if (fake_now == fake_made)
        fake_make();
    else
        fake_switch(fake_block, fake_fibers[fake_now]);
}

static void fake_finish() {
    for (bool waits = true; waits;) {
        waits = false;
        for (fake_now = 0; fake_now < fake_started; fake_now++)
            if (!fake_ended[fake_now]) {
                waits = true;
                fake_switch(fake_block, fake_fibers[fake_now]);
            }
    }
    fake_started = 0;
}
#else
static void fake_start(void (*thread)(void **), void **params) { thread(params); }
static void fake_finish() {}
#endif

extern "C" void fake_run(void (*thread)(void **), void **params, const unsigned *blocks,
                         const unsigned *threads) {
    gridDim = {blocks[0], blocks[1], blocks[2]};
    blockDim = {threads[0], threads[1], threads[2]};
    for (blockIdx.z = 0; blockIdx.z < blocks[2]; blockIdx.z++)
        for (blockIdx.y = 0; blockIdx.y < blocks[1]; blockIdx.y++)
            for (blockIdx.x = 0; blockIdx.x < blocks[0]; blockIdx.x++) {
                for (threadIdx.z = 0; threadIdx.z < threads[2]; threadIdx.z++)
                    for (threadIdx.y = 0; threadIdx.y < threads[1]; threadIdx.y++)
                        for (threadIdx.x = 0; threadIdx.x < threads[0]; threadIdx.x++) {
                            fake_index self = threadIdx;
                            fake_start(thread, params);
                            threadIdx = self;
                        }
                fake_finish();
            }
}
