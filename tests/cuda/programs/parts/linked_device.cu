// The second file of linked.cu.
#include "linked.h"

__device__ int counted;
static __device__ int variable = 100;
static __device__ __noinline__ int change(int x) { return x * variable; }

static __device__ int negative(int x) { return -x; }
static __device__ int before(int x) { return x - 1; }
__device__ int (*const table[2])(int) = {negative, before};

__device__ int other(int x) { return change(x) * factor; }

static __global__ void use(int *x) {
    int i = threadIdx.x;
    x[i] = change(i) + most(i, factor);
}
void run_other(int *x) { use<<<1, 64>>>(x); }
