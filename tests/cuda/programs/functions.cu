// Functions that kernels call: not inlined, with loops over their results.
#include "check.h"

__device__ __noinline__ int collatz(unsigned n) {
    int steps = 0;
    while (n != 1) {
        n = n % 2 ? 3 * n + 1 : n / 2;
        steps++;
    }
    return steps;
}

__device__ __noinline__ double power(double x, int n) {
    double result = 1;
    for (; n; n >>= 1, x *= x)
        if (n & 1)
            result *= x;
    return result;
}

__global__ void call(int *steps, double *powers) {
    steps[threadIdx.x] = collatz(threadIdx.x + 1);
    powers[threadIdx.x] = power(threadIdx.x, 3);
}

int main() {
    const int n = 100;
    int *steps, got[n];
    double *powers, got_powers[n];
    CUDA(cudaMalloc(&steps, sizeof got));
    CUDA(cudaMalloc(&powers, sizeof got_powers));
    call<<<1, n>>>(steps, powers);
    CUDA(cudaMemcpy(got, steps, sizeof got, cudaMemcpyDeviceToHost));
    CUDA(cudaMemcpy(got_powers, powers, sizeof got_powers, cudaMemcpyDeviceToHost));
    CHECK(got[0] == 0 && got[26] == 111 && got[96] == 118);
    for (int i = 0; i < n; i++)
        CHECK(got_powers[i] == (double)i * i * i);
    return DONE;
}
