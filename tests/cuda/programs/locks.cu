// Threads of a block that wait for each other without a barrier: locks, and flags between warps and
// within one.
#include <cstring>

#include "check.h"

__global__ void under_lock(int *lock, volatile int *count, int *order) {
    while (atomicCAS(lock, 0, 1) != 0) {
    }
    __threadfence();
    int at = *count;
    order[at] = blockIdx.x * blockDim.x + threadIdx.x;
    *count = at + 1;
    __threadfence();
    atomicExch(lock, 0);
}

// The first threads wait for the last one, which comes to its store behind their loop.
__global__ void wait_for_last(volatile int *flag, int *got, int waiting) {
    if (threadIdx.x < waiting) {
        while (flag[0] == 0) {
        }
        got[threadIdx.x] = flag[1];
    }
    if (threadIdx.x == blockDim.x - 1) {
        flag[1] = 40 + waiting;
        __threadfence();
        flag[0] = 1;
    }
}

int main() {
    const int blocks = 2, threads = 48, n = blocks * threads;
    int *memory;
    CUDA(cudaMallocManaged(&memory, (2 + n) * sizeof(int)));
    memset(memory, 0, (2 + n) * sizeof(int));
    under_lock<<<blocks, threads>>>(memory, memory + 1, memory + 2);
    CUDA(cudaDeviceSynchronize());
    CHECK(memory[1] == n);
    bool seen[n] = {};
    for (int i = 0; i < n; i++) {
        CHECK(!seen[memory[2 + i]]);
        seen[memory[2 + i]] = true;
    }
    for (int waiting : {5, 32}) {
        memset(memory, 0, (2 + n) * sizeof(int));
        wait_for_last<<<1, 64>>>(memory, memory + 2, waiting);
        CUDA(cudaDeviceSynchronize());
        for (int i = 0; i < waiting; i++)
            CHECK(memory[2 + i] == 40 + waiting);
    }
    return DONE;
}
