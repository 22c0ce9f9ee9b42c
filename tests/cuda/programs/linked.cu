// Device code in parts that are compiled apart and linked (-rdc=true): functions, variables and a table of
// function pointers of the other file, and what both have of one name.
// with: parts/linked_device.cu
// options: -rdc=true --keep
#include "check.h"

#include "parts/linked.h"

__constant__ int factor = 3;
static __device__ int variable = 1;
static __device__ __noinline__ int change(int x) { return x + variable; }

__global__ void use(int *x) {
    int i = threadIdx.x;
    x[i] = other(i) + table[i % 2](i) + most(change(i), counted) * factor;
    __syncthreads();
    atomicAdd(&counted, 1);
}

void run_other(int *x);

int main() {
    int *x, got[64], count, ten = 10;
    CUDA(cudaMalloc(&x, sizeof got));
    CUDA(cudaMemcpyToSymbol(counted, &ten, sizeof ten));
    use<<<1, 64>>>(x);
    CUDA(cudaMemcpy(got, x, sizeof got, cudaMemcpyDeviceToHost));
    CUDA(cudaMemcpyFromSymbol(&count, counted, sizeof count));
    CHECK(count == 10 + 64);
    for (int i = 0; i < 64; i++)
        CHECK(got[i] == 3 * i * 100 + (i % 2 ? i - 1 : -i) + (i + 1 > 10 ? i + 1 : 10) * 3);
    run_other(x);
    CUDA(cudaMemcpy(got, x, sizeof got, cudaMemcpyDeviceToHost));
    for (int i = 0; i < 64; i++)
        CHECK(got[i] == 100 * i + (i > 3 ? i : 3));
    cudaFuncAttributes attributes; // those of its own part, not of all
    CUDA(cudaFuncGetAttributes(&attributes, use));
    CHECK(attributes.ptxVersion == __CUDA_ARCH_LIST__ / 10);
    CUDA(cudaFree(x));
    return DONE;
}
