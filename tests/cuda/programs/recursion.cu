// Functions that call themselves, and each other: with two calls in one, with registers, predicates and
// arrays of their own that calls in between must not touch.
#include <algorithm>

#include "check.h"

__device__ __host__ __noinline__ int fibonacci(int n) {
    if (n < 2)
        return n;
    int before = fibonacci(n - 1);
    return before + fibonacci(n - 2);
}

__device__ __host__ __noinline__ int ackermann(int m, int n) {
    return m == 0 ? n + 1 : n == 0 ? ackermann(m - 1, 1) : ackermann(m - 1, ackermann(m, n - 1));
}

__device__ bool is_odd(int n);
__device__ __noinline__ bool is_even(int n) { return n == 0 || is_odd(n - 1); }
__device__ __noinline__ bool is_odd(int n) { return n != 0 && is_even(n - 1); }

__device__ __host__ __noinline__ int mixed(int n, int depth) {
    signed char bytes[8];
    for (int i = 0; i < 8; i++)
        bytes[i] = n + i * depth;
    int sum = depth ? mixed(n + 1, depth - 1) : 0;
    for (int i = 0; i < 8; i++)
        sum += bytes[i * n % 8];
    return sum;
}

__device__ void sort(float *x, int low, int high) {
    if (low >= high)
        return;
    float pivot = x[(low + high) / 2];
    int i = low, j = high;
    while (i <= j) {
        while (x[i] < pivot)
            i++;
        while (x[j] > pivot)
            j--;
        if (i <= j) {
            float t = x[i];
            x[i++] = x[j];
            x[j--] = t;
        }
    }
    sort(x, low, j);
    sort(x, i, high);
}

constexpr int THREADS = 64, SIDE = 20;

__global__ void call(int *results, float *x) {
    int t = threadIdx.x;
    results[t] = fibonacci(t % 10);
    results[t + THREADS] = ackermann(2, t % 4);
    results[t + 2 * THREADS] = 2 * is_even(t) + is_odd(t);
    results[t + 3 * THREADS] = mixed(t, t % 6);
    sort(x + t * SIDE, 0, SIDE - 1);
}

__global__ void dive(int *result, int n) { *result = mixed(n, n); }

int main() {
    static int got[4 * THREADS];
    static float numbers[THREADS * SIDE], sorted[THREADS * SIDE];
    int *results;
    float *x;
    for (int i = 0; i < THREADS * SIDE; i++)
        numbers[i] = i * 7919 % 1000;
    CUDA(cudaMalloc(&results, sizeof got));
    CUDA(cudaMalloc(&x, sizeof numbers));
    CUDA(cudaMemcpy(x, numbers, sizeof numbers, cudaMemcpyHostToDevice));
    call<<<1, THREADS>>>(results, x);
    CUDA(cudaMemcpy(got, results, sizeof got, cudaMemcpyDeviceToHost));
    CUDA(cudaMemcpy(sorted, x, sizeof sorted, cudaMemcpyDeviceToHost));
    for (int t = 0; t < THREADS; t++) {
        CHECK(got[t] == fibonacci(t % 10));
        CHECK(got[t + THREADS] == ackermann(2, t % 4));
        CHECK(got[t + 2 * THREADS] == (t % 2 ? 1 : 2));
        CHECK(got[t + 3 * THREADS] == mixed(t, t % 6));
        std::sort(numbers + t * SIDE, numbers + (t + 1) * SIDE);
        for (int i = t * SIDE; i < (t + 1) * SIDE; i++)
            CHECK(numbers[i] == sorted[i]);
    }
    dive<<<1, 1>>>(results, 100);
    CUDA(cudaMemcpy(got, results, sizeof(int), cudaMemcpyDeviceToHost));
    CHECK(got[0] == mixed(100, 100));
    return DONE;
}
