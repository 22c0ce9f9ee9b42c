// Threads that wait for each other as programs write it: libcu++'s semaphores and waits, locks by
// exchanges, with pauses that grow, for readers and a writer, and two at a time.
//
// options: -std=c++17
#include "check.h"
#include <cstring>
#include <cuda/atomic>
#include <cuda/semaphore>
__device__ cuda::binary_semaphore<cuda::thread_scope_device> sem{1};
__device__ int shared_sum;

__global__ void semaphore() {
    sem.acquire();
    for (int i = 0; i < 1 + (threadIdx.x & 3); i++)
        ((volatile int *)&shared_sum)[0] += 1;
    __threadfence();
    sem.release();
}

__global__ void exch(int *lock, volatile int *sum) {
    while (atomicExch(lock, 1))
        ;
    __threadfence();
    int k = threadIdx.x % 5;
    while (k-- > 0)
        *sum = *sum + 1;
    __threadfence();
    atomicExch(lock, 0);
}

__global__ void backoff(int *lock, volatile int *sum) {
    int ns = 8;
    while (atomicCAS(lock, 0, 1) != 0) {
        __nanosleep(ns);
        if (ns < 256)
            ns *= 2;
    }
    __threadfence();
    *sum = *sum + 1;
    __threadfence();
    *(volatile int *)lock = 0;
}

__global__ void shared_flags(int *out) {
    __shared__ volatile int flag[64];
    flag[threadIdx.x] = 0;
    __syncthreads();
    // Odd threads wait for even ones, which come to their loop behind.
    if (threadIdx.x & 1) {
        while (flag[threadIdx.x - 1] == 0)
            ;
        out[threadIdx.x] = flag[threadIdx.x - 1];
    }
    if (!(threadIdx.x & 1)) {
        int s = 0;
        for (int i = 0; i <= threadIdx.x; i++)
            s += i;
        flag[threadIdx.x] = s + 1;
    }
}

__global__ void atom_wait(cuda::atomic<int, cuda::thread_scope_device> *a, int *out) {
    if (threadIdx.x < 16) {
        a->wait(0);
        out[threadIdx.x] = a->load();
    } else if (threadIdx.x == 31) {
        a->store(5);
        a->notify_all();
    }
}

// Readers, and each eighth thread a writer.
__global__ void rw(int *state, volatile int *data, int *bad) {
    for (int r = 0; r < 3; r++) {
        if (threadIdx.x % 8 == 0) {
            while (atomicCAS(state, 0, -1) != 0)
                ;
            __threadfence();
            data[0]++;
            for (volatile int i = 0; i < 3; i++)
                ;
            data[1]++;
            __threadfence();
            atomicExch(state, 0);
        } else {
            while (true) {
                int s = *(volatile int *)state;
                if (s >= 0 && atomicCAS(state, s, s + 1) == s)
                    break;
            }
            __threadfence();
            if (data[0] != data[1])
                atomicAdd(bad, 1);
            __threadfence();
            atomicSub(state, 1);
        }
    }
}

// Two locks, in order; who does not get the second one gives the first one back.
__global__ void transfer(int *locks, volatile int *money, int n, int steps) {
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    for (int s = 0; s < steps; s++) {
        int a = (t * 7 + s * 13) % n, b = (t * 3 + s * 5 + 1) % n;
        if (a == b)
            continue;
        int lo = min(a, b), hi = max(a, b);
        bool done = false;
        while (!done) {
            if (atomicCAS(&locks[lo], 0, 1))
                continue;
            if (atomicCAS(&locks[hi], 0, 1)) {
                atomicExch(&locks[lo], 0);
                continue;
            }
            __threadfence();
            money[a] -= 1;
            money[b] += 1;
            __threadfence();
            atomicExch(&locks[hi], 0);
            atomicExch(&locks[lo], 0);
            done = true;
        }
    }
}

int main() {
    int *m;
    CUDA(cudaMallocManaged(&m, 4096));
    memset(m, 0, 4096);
    semaphore<<<2, 64>>>();
    CUDA(cudaDeviceSynchronize());
    int sum;
    CUDA(cudaMemcpyFromSymbol(&sum, shared_sum, 4));
    CHECK(sum == 2 * 16 * (1 + 2 + 3 + 4));
    exch<<<3, 65>>>(m, m + 1);
    CUDA(cudaDeviceSynchronize());
    CHECK(m[1] == 3 * 13 * 10);
    memset(m, 0, 4096);
    backoff<<<3, 65>>>(m, m + 1);
    CUDA(cudaDeviceSynchronize());
    CHECK(m[1] == 3 * 65);
    memset(m, 0, 4096);
    shared_flags<<<1, 64>>>(m);
    CUDA(cudaDeviceSynchronize());
    for (int i = 1; i < 64; i += 2)
        CHECK(m[i] == (i - 1) * i / 2 + 1);
    memset(m, 0, 4096);
    atom_wait<<<1, 32>>>((cuda::atomic<int, cuda::thread_scope_device> *)m, m + 1);
    CUDA(cudaDeviceSynchronize());
    for (int i = 0; i < 16; i++)
        CHECK(m[1 + i] == 5);
    memset(m, 0, 4096);
    rw<<<2, 64>>>(m, m + 1, m + 3);
    CUDA(cudaDeviceSynchronize());
    CHECK(m[1] == 2 * 8 * 3 && m[2] == m[1] && m[3] == 0 && m[0] == 0);
    memset(m, 0, 4096);
    for (int i = 0; i < 10; i++)
        m[100 + i] = 1000;
    transfer<<<2, 64>>>(m, m + 100, 10, 5);
    CUDA(cudaDeviceSynchronize());
    sum = 0;
    for (int i = 0; i < 10; i++)
        sum += m[100 + i];
    CHECK(sum == 10000);
    return DONE;
}
