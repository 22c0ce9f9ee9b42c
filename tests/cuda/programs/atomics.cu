// Atomics in global and shared memory, of all kinds of numbers.
#include "check.h"

struct results {
    int sum, least, most, bits, last;
    unsigned wrapped;
    unsigned long long wide;
    float real;
    double exact;
};

__global__ void count(results *r, const int *x, int n) {
    __shared__ int block_sum;
    if (threadIdx.x == 0)
        block_sum = 0;
    __syncthreads();
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        atomicAdd(&block_sum, x[i]);
        atomicMin(&r->least, x[i]);
        atomicMax(&r->most, x[i]);
        atomicOr(&r->bits, 1 << x[i] % 16);
        atomicInc(&r->wrapped, 99);
        atomicAdd(&r->wide, 1ull << 33);
        atomicAdd(&r->real, 0.5f);
        atomicAdd(&r->exact, 0.25);
        int seen = r->last, wanted;
        do {
            wanted = seen;
            seen = atomicCAS(&r->last, wanted, wanted + 2);
        } while (seen != wanted);
    }
    __syncthreads();
    if (threadIdx.x == 0)
        atomicAdd(&r->sum, block_sum);
}

int main() {
    const int n = 1030;
    static int host[n];
    for (int i = 0; i < n; i++)
        host[i] = (i * 37) % n + 3;
    results got = {0, 1 << 30, -1}, *r;
    int *x;
    CUDA(cudaMalloc(&x, sizeof host));
    CUDA(cudaMalloc(&r, sizeof got));
    CUDA(cudaMemcpy(x, host, sizeof host, cudaMemcpyHostToDevice));
    CUDA(cudaMemcpy(r, &got, sizeof got, cudaMemcpyHostToDevice));
    count<<<5, 256>>>(r, x, n);
    CUDA(cudaMemcpy(&got, r, sizeof got, cudaMemcpyDeviceToHost));
    CHECK(got.sum == n * (n - 1) / 2 + 3 * n);
    CHECK(got.least == 3 && got.most == n + 2 && got.bits == 0xffff);
    CHECK(got.wrapped == n % 100 && got.wide == (unsigned long long)n << 33);
    CHECK(got.real == 515 && got.exact == 257.5 && got.last == 2 * n);
    return DONE;
}
