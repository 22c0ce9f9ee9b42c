// printf from a kernel; the script compares the lines.
// prints: thread 0 of block 0: 0.50 text
// prints: thread 1 of block 1: 1.50 text
// prints: 12345678901 0x2a c%
#include "check.h"

__global__ void print(long long large) {
    if (threadIdx.x == blockIdx.x)
        printf("thread %d of block %d: %.2f %s\n", threadIdx.x, blockIdx.x, threadIdx.x + 0.5,
               "text");
    if (threadIdx.x == 0 && blockIdx.x == 0)
        printf("%lld 0x%x %c%%\n", large, 42u, 'c');
}

int main() {
    print<<<2, 2>>>(12345678901ll);
    CUDA(cudaDeviceSynchronize());
    return DONE;
}
