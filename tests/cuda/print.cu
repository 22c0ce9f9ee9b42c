// prints: block 0 thread 1: 1 -5 0x2a 2.50 text %
// prints: block 1 thread 1: 3 -5 0x2a 3.50 text %
// prints: wide 1234567890123 c=x e=1.250000e+00
// expect: out int 4 = i
//
// printf of several threads and blocks; blocks print in their order.
#include <cstdio>

__global__ void print(int *out, float x) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = i;
    if (threadIdx.x == 1)
        printf("block %d thread %d: %d %d 0x%x %.2f %s %%\n", blockIdx.x, threadIdx.x, i, -5, 42,
               x + blockIdx.x, "text");
    if (i == 3)
        printf("wide %lld c=%c e=%e\n", 1234567890123ll, 'x', 1.25);
}
