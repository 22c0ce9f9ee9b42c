// alone
// toolkit
// options: -rdc=true -lcudadevrt
// prints: no error, warps of 32
// Kernels that launch kernels: in order, at the end, in depth, with copies and fills between them.
#include <cstdio>

#include "check.h"

enum { N = 64 };

__global__ void add(int *x, int value) { x[blockIdx.x * blockDim.x + threadIdx.x] += value; }
__global__ void scale(int *x, char by, double unused, int *count) {
    x[blockIdx.x * blockDim.x + threadIdx.x] *= by;
    if (unused == 0.5 && threadIdx.x == 0)
        atomicAdd(count, 1);
}

// x = ((x + 5) * 3 + 7) * 2, the last of it at the tail, however it was asked for before.
__global__ void in_order(int *x, int *count) {
    if (threadIdx.x)
        return;
    scale<<<1, N, 0, cudaStreamTailLaunch>>>(x, 2, 0.5, count);
    add<<<2, N / 2>>>(x, 5);
    scale<<<1, N>>>(x, 3, 0.5, count);
    add<<<1, N>>>(x, 7);
}

// A fill, a launch and a copy in a stream of the device's; another launch that nobody waits for.
__global__ void transfers(int *x, int *y, int *z) {
    cudaStream_t stream;
    cudaEvent_t event;
    cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
    cudaEventCreateWithFlags(&event, cudaEventDisableTiming);
    cudaMemsetAsync(x, 0, N * sizeof(int), stream);
    add<<<1, N, 0, stream>>>(x, 11);
    cudaMemcpyAsync(y, x, N * sizeof(int), cudaMemcpyDeviceToDevice, stream);
    cudaEventRecord(event, stream);
    cudaStreamWaitEvent(stream, event, 0);
    add<<<1, N, 0, stream>>>(x, 1);
    add<<<1, N, 0, cudaStreamFireAndForget>>>(z, 4);
    cudaEventDestroy(event);
    cudaStreamDestroy(stream);
    int warp, *room = nullptr;
    cudaDeviceGetAttribute(&warp, cudaDevAttrWarpSize, 0);
    cudaMalloc((void **)&room, 64);
    if (room)
        printf("%s, warps of %d\n", cudaGetErrorString(cudaGetLastError()), warp);
    cudaFree(room);
}

// Each thread sorts a part and leaves the rest to two launches: a quicksort.
__global__ void sort(int *x, int left, int right) {
    if (right - left < 8) {
        for (int i = left + 1; i <= right; i++)
            for (int k = i; k > left && x[k - 1] > x[k]; k--) {
                int held = x[k];
                x[k] = x[k - 1];
                x[k - 1] = held;
            }
        return;
    }
    int pivot = x[(left + right) / 2], i = left, k = right;
    while (i <= k) {
        while (x[i] < pivot)
            i++;
        while (x[k] > pivot)
            k--;
        if (i <= k) {
            int held = x[i];
            x[i++] = x[k];
            x[k--] = held;
        }
    }
    if (left < k)
        sort<<<1, 1>>>(x, left, k);
    if (i < right)
        sort<<<1, 1>>>(x, i, right);
}

// Every block and every thread launches: a tree of four, so many levels deep.
__global__ void tree(int *counts, int level, int deepest) {
    atomicAdd(&counts[level], 1);
    if (level < deepest)
        tree<<<2, 2>>>(counts, level + 1, deepest);
}
__global__ void chain(int *depth) {
    int mine = ++*depth;
    if (mine < 40)
        chain<<<1, 1>>>(depth);
}

int main() {
    int *x, *y, *z, *count;
    for (int **at : {&x, &y, &z, &count})
        CUDA(cudaMallocManaged(at, 1024 * sizeof(int)));
    for (int i = 0; i < N; i++) {
        x[i] = i;
        z[i] = 0;
    }
    *count = 0;
    in_order<<<1, 32>>>(x, count);
    CUDA(cudaDeviceSynchronize());
    for (int i = 0; i < N; i++)
        CHECK(x[i] == ((i + 5) * 3 + 7) * 2);
    CHECK(*count == 2);

    transfers<<<1, 1>>>(x, y, z);
    CUDA(cudaDeviceSynchronize());
    for (int i = 0; i < N; i++)
        CHECK(y[i] == 11 && x[i] == 12 && z[i] == 4);

    unsigned state = 1;
    long long sum = 0, sorted = 0;
    for (int i = 0; i < 1024; i++) {
        state = state * 1664525 + 1013904223;
        x[i] = (int)(state >> 8) % 5000;
        sum += x[i];
    }
    sort<<<1, 1>>>(x, 0, 1023);
    CUDA(cudaDeviceSynchronize());
    for (int i = 0; i < 1024; i++) {
        CHECK(!i || x[i - 1] <= x[i]);
        sorted += x[i];
    }
    CHECK(sorted == sum);

    for (int i = 0; i < 8; i++)
        y[i] = 0;
    tree<<<1, 1>>>(y, 0, 4);
    CUDA(cudaDeviceSynchronize());
    for (int level = 0, wanted = 1; level < 8; level++, wanted *= 4)
        CHECK(y[level] == (level < 5 ? wanted : 0));

    // 24 launches in launches, and no more.
    *count = 0;
    chain<<<1, 1>>>(count);
    CUDA(cudaDeviceSynchronize());
    CHECK(*count == 25);
    return DONE;
}
