// Threads that wait for each other without a barrier: locks around loops, and flags between blocks,
// warps, and threads of one warp. Each thread makes progress, as on devices of compute capability 7.0
// and newer.
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

// The others ask meanwhile.
__global__ void sleep_under_lock(int *lock, volatile int *count) {
    for (bool done = false; !done;)
        if (atomicCAS(lock, 0, 1) == 0) {
            __threadfence();
            __nanosleep(100);
            *count = *count + 1;
            __threadfence();
            atomicExch(lock, 0);
            done = true;
        }
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

// A table of chains, each with a lock, searched and extended under it.
struct entry {
    int key, count, next;
};
enum form { SPINS, TRIES, SLEEPS };
__device__ void add(volatile int *head, volatile entry *entries, int i, int key) {
    int at = *head;
    while (at >= 0 && entries[at].key != key)
        at = entries[at].next;
    if (at >= 0) {
        entries[at].count += 1;
        return;
    }
    entries[i].key = key;
    entries[i].count = 1;
    entries[i].next = *head;
    *head = i;
}
__global__ void insert(int *locks, volatile int *heads, volatile entry *entries, int n, int chains,
                       form how) {
    int i = blockIdx.x * blockDim.x + threadIdx.x, key = i * 7919 % 97, chain = key % chains;
    if (i >= n)
        return;
    if (how == TRIES) {
        bool done = false;
        do {
            if (atomicCAS(&locks[chain], 0, 1) == 0) {
                __threadfence();
                add(&heads[chain], entries, i, key);
                __threadfence();
                atomicExch(&locks[chain], 0);
                done = true;
            }
        } while (!done);
        return;
    }
    while (atomicCAS(&locks[chain], 0, 1) != 0)
        if (how == SLEEPS)
            __nanosleep(100);
    __threadfence();
    add(&heads[chain], entries, i, key);
    __threadfence();
    atomicExch(&locks[chain], 0);
}

// Tickets in the order in which they were drawn, several times by each thread.
__global__ void tickets(unsigned *next, volatile unsigned *serving, volatile int *count,
                        volatile int *steps, int times) {
    for (int time = 0; time < times; time++) {
        unsigned mine = atomicAdd(next, 1);
        while (*serving != mine) {
        }
        __threadfence();
        int at = *count;
        for (unsigned k = 0; k < 3 + threadIdx.x % 3; k++)
            steps[at] = steps[at] + 1;
        *count = at + 1;
        __threadfence();
        *serving = mine + 1;
    }
}

// One thread of a warp makes what another one takes, through one place.
__global__ void hand_over(volatile int *full, volatile int *place, int *got, int items) {
    for (int i = 0; i < items && threadIdx.x == 0; i++) {
        while (*full) {
        }
        int sum = 0;
        for (int k = 0; k <= i; k++)
            sum += k;
        *place = sum;
        __threadfence();
        *full = 1;
    }
    for (int i = 0; i < items && threadIdx.x == 1; i++) {
        while (!*full) {
        }
        __threadfence();
        got[i] = *place;
        __threadfence();
        *full = 0;
    }
}

// One thread after the other, from the first to the last or from the last to the first, in rounds.
__global__ void relay(volatile int *turn, int *sums, int rounds, bool upwards) {
    int threads = blockDim.x, own = upwards ? threadIdx.x : threads - 1 - threadIdx.x;
    for (int round = 0; round < rounds; round++) {
        while (*turn != own + round * threads) {
        }
        for (int i = 0; i < 3; i++)
            sums[threadIdx.x] += threadIdx.x * i;
        __threadfence();
        *turn = own + round * threads + 1;
    }
}

// Two halves of each warp, which add under one lock, each with functions of the half's threads.
__global__ void halves(int *lock, volatile int *sum) {
    int half = threadIdx.x % 32 / 16;
    unsigned mask = half ? 0xffff0000u : 0xffffu;
    if (threadIdx.x % 16 == 0)
        while (atomicCAS(lock, 0, 1) != 0) {
        }
    __syncwarp(mask);
    int value = 1;
    for (int k = 8; k; k /= 2)
        value += __shfl_xor_sync(mask, value, k);
    if (threadIdx.x % 16 == 0) {
        *sum = *sum + value;
        __threadfence();
        atomicExch(lock, 0);
    }
}

// A barrier of all blocks, which are few enough to be there at once.
__global__ void meet(int *come, volatile int *from, int *sums) {
    from[blockIdx.x] = blockIdx.x + 1;
    __syncthreads();
    if (threadIdx.x == 0) {
        __threadfence();
        atomicAdd(come, 1);
        while (atomicAdd(come, 0) < (int)gridDim.x) {
        }
        __threadfence();
    }
    __syncthreads();
    int sum = 0;
    for (int b = 0; b < gridDim.x; b++)
        sum += from[b];
    sums[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

// Each block waits for the next one.
__global__ void backwards(volatile int *sums) {
    if (blockIdx.x + 1 < gridDim.x && threadIdx.x == 0)
        while (sums[blockIdx.x + 1] == 0) {
        }
    __syncthreads();
    if (threadIdx.x == 0)
        sums[blockIdx.x] = sums[blockIdx.x + 1] + blockIdx.x + 1;
}

static void check_tables() {
    const int n = 1000, chains = 13;
    int *locks, *heads;
    entry *entries;
    CUDA(cudaMallocManaged(&locks, chains * sizeof(int)));
    CUDA(cudaMallocManaged(&heads, chains * sizeof(int)));
    CUDA(cudaMallocManaged(&entries, n * sizeof(entry)));
    const form ways[] = {SPINS, TRIES, SLEEPS};
    for (form how : ways) {
        memset(locks, 0, chains * sizeof(int));
        memset(heads, -1, chains * sizeof(int));
        insert<<<4, 256>>>(locks, heads, entries, n, chains, how);
        CUDA(cudaDeviceSynchronize());
        int wanted[97] = {}, found[97] = {};
        for (int i = 0; i < n; i++)
            wanted[i * 7919 % 97]++;
        for (int c = 0; c < chains; c++)
            for (int at = heads[c]; at >= 0; at = entries[at].next) {
                CHECK(!found[entries[at].key]);
                found[entries[at].key] = entries[at].count;
            }
        for (int k = 0; k < 97; k++)
            CHECK(wanted[k] == found[k]);
    }
}

static void check_turns(int *memory, size_t bytes) {
    const int times = 3, drawn = 2 * 96 * times;
    memset(memory, 0, bytes);
    tickets<<<2, 96>>>((unsigned *)memory, (unsigned *)memory + 1, memory + 2, memory + 3, times);
    CUDA(cudaDeviceSynchronize());
    CHECK(memory[2] == drawn);
    int sum = 0;
    for (int i = 0; i < drawn; i++) {
        CHECK(memory[3 + i] >= 3 && memory[3 + i] <= 5);
        sum += memory[3 + i];
    }
    CHECK(sum == times * 2 * 32 * (3 + 4 + 5));
    memset(memory, 0, bytes);
    hand_over<<<1, 32>>>(memory, memory + 1, memory + 2, 20);
    CUDA(cudaDeviceSynchronize());
    for (int i = 0; i < 20; i++)
        CHECK(memory[2 + i] == i * (i + 1) / 2);
    for (int way = 0; way < 2; way++) {
        memset(memory, 0, bytes);
        relay<<<1, 64>>>(memory, memory + 1, 4, way == 1);
        CUDA(cudaDeviceSynchronize());
        for (int i = 0; i < 64; i++)
            CHECK(memory[1 + i] == 4 * 3 * i);
    }
    memset(memory, 0, bytes);
    halves<<<2, 64>>>(memory, memory + 1);
    CUDA(cudaDeviceSynchronize());
    CHECK(memory[1] == 2 * 4 * 16);
}

static void check_blocks(int *memory, size_t bytes) {
    memset(memory, 0, bytes);
    meet<<<8, 64>>>(memory, memory + 1, memory + 9);
    CUDA(cudaDeviceSynchronize());
    for (int i = 0; i < 8 * 64; i++)
        CHECK(memory[9 + i] == 36);
    memset(memory, 0, bytes);
    backwards<<<20, 32>>>(memory);
    CUDA(cudaDeviceSynchronize());
    CHECK(memory[0] == 20 * 21 / 2 && memory[19] == 20);
}

int main() {
    const int blocks = 2, threads = 48, n = blocks * threads, bytes = 4096;
    int *memory;
    CUDA(cudaMallocManaged(&memory, bytes));
    memset(memory, 0, bytes);
    under_lock<<<blocks, threads>>>(memory, memory + 1, memory + 2);
    CUDA(cudaDeviceSynchronize());
    CHECK(memory[1] == n);
    bool seen[n] = {};
    for (int i = 0; i < n; i++) {
        CHECK(!seen[memory[2 + i]]);
        seen[memory[2 + i]] = true;
    }
    memset(memory, 0, bytes);
    sleep_under_lock<<<blocks, threads>>>(memory, memory + 1);
    CUDA(cudaDeviceSynchronize());
    CHECK(memory[1] == n);
    for (int waiting = 5; waiting <= 32; waiting += 27) {
        memset(memory, 0, bytes);
        wait_for_last<<<1, 64>>>(memory, memory + 2, waiting);
        CUDA(cudaDeviceSynchronize());
        for (int i = 0; i < waiting; i++)
            CHECK(memory[2 + i] == 40 + waiting);
    }
    check_tables();
    check_turns(memory, bytes);
    check_blocks(memory, bytes);
    return DONE;
}
