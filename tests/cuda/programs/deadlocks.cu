// Threads that wait for what never comes, as they would on a device, in the way that WAY says.
//
// faults
#include <cstring>

#include "check.h"

// The one that has the lock waits for the others of its warp, and those for the lock.
__global__ void holds_over_warp(int *lock, volatile int *sum) {
    while (atomicCAS(lock, 0, 1) != 0) {
    }
    *sum = *sum + 1;
    __syncwarp();
    atomicExch(lock, 0);
}

// The flag is set behind a barrier that its reader does not reach.
__global__ void sets_behind_barrier(volatile int *flag) {
    if (threadIdx.x == 0)
        while (*flag == 0) {
        }
    __syncthreads();
    if (threadIdx.x == 1)
        *flag = 1;
}

// Each block waits for the next one, and the last one for the first.
__global__ void in_a_ring(volatile int *flags) {
    if (threadIdx.x == 0)
        while (flags[(blockIdx.x + 1) % gridDim.x] == 0) {
        }
    __syncthreads();
    flags[blockIdx.x] = 1;
}

// Two locks in two orders.
__global__ void crosswise(int *locks) {
    int first = threadIdx.x % 2;
    while (atomicCAS(&locks[first], 0, 1) != 0)
        __nanosleep(20);
    while (atomicCAS(&locks[1 - first], 0, 1) != 0)
        __nanosleep(20);
    atomicExch(&locks[1 - first], 0);
    atomicExch(&locks[first], 0);
}

int main() {
    const char *asked = getenv("WAY");
    int way = asked ? atoi(asked) : 0;
    int *memory;
    CUDA(cudaMallocManaged(&memory, 64));
    memset(memory, 0, 64);
    crosswise<<<1, 1>>>(memory); // alone it has nobody to wait for
    CUDA(cudaDeviceSynchronize());
    if (way == 0)
        holds_over_warp<<<1, 32>>>(memory, memory + 1);
    else if (way == 1)
        sets_behind_barrier<<<1, 64>>>(memory);
    else if (way == 2)
        in_a_ring<<<4, 64>>>(memory);
    else
        crosswise<<<1, 2>>>(memory);
    CHECK(cudaDeviceSynchronize() == cudaErrorLaunchFailure);
    return DONE;
}
