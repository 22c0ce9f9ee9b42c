// Built so that each thread has a default stream of its own.
// options: --default-stream per-thread
#include <thread>

#include "check.h"

__global__ void fill(int *x, int value) { x[threadIdx.x] = value; }

static void work(int number) {
    const int n = 64;
    int *x, host[n];
    CUDA(cudaMalloc(&x, sizeof host));
    for (int round = 0; round < 10; round++) {
        fill<<<1, n>>>(x, 100 * number + round);
        CUDA(cudaMemcpyAsync(host, x, sizeof host, cudaMemcpyDeviceToHost, 0));
        CUDA(cudaStreamSynchronize(0));
        for (int i = 0; i < n; i++)
            CHECK(host[i] == 100 * number + round);
    }
    CHECK(cudaFree(host) == cudaErrorInvalidValue);
    CHECK(cudaGetLastError() == cudaErrorInvalidValue); // of this thread
    CUDA(cudaFree(x));
}

int main() {
    std::thread threads[4];
    for (int i = 0; i < 4; i++)
        threads[i] = std::thread(work, i);
    for (std::thread &thread : threads)
        thread.join();
    CHECK(cudaGetLastError() == cudaSuccess);
    return DONE;
}
