// expect: out float 32 = 10 * (i % 4 + 1) + 5 * i
// expect: weights float 32 = 5 * i
// expect: total int = 32
// expect: history int = 100 164 164
// expect: state int 8 = 2 * i
//
// Variables at file scope: constants with their values and with those of a buffer, numbers on
// the device that keep theirs from launch to launch, and one that a buffer stands in for.
__constant__ float table[4] = {10, 20, 30, 40};
__constant__ float weights[32];
__device__ int counter = 100;
__device__ int state[8];
namespace deep {
static __device__ unsigned calls;
}

__global__ void use(float *out, int *total) {
    int t = threadIdx.x;
    out[t] = table[t % 4] + weights[t];
    unsigned before = atomicAdd(&deep::calls, 1u);
    if (before == 31)
        *total = deep::calls;
    if (t < 8)
        state[t] *= 2;
}

__global__ void count(int *history) {
    if (threadIdx.x == 0)
        history[0] = counter;
    __syncthreads();
    atomicAdd(&counter, 1);
}

__global__ void look(int *history) {
    history[1] = counter;
    history[2] = counter;
}
