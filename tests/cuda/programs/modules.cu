// Two files with device code, each a module of its own, with variables of the same name.
// with: parts/second.cu
#include "check.h"

static __device__ int variable = 1;
__global__ void read(int *x) { *x = variable; }

void read_second(int *x);

int main() {
    int *x, host;
    CUDA(cudaMalloc(&x, sizeof host));
    read<<<1, 1>>>(x);
    CUDA(cudaMemcpy(&host, x, sizeof host, cudaMemcpyDeviceToHost));
    CHECK(host == 1);
    read_second(x);
    CUDA(cudaMemcpy(&host, x, sizeof host, cudaMemcpyDeviceToHost));
    CHECK(host == 2);
    int value = 3;
    CUDA(cudaMemcpyToSymbol(variable, &value, sizeof value));
    read_second(x);
    CUDA(cudaMemcpy(&host, x, sizeof host, cudaMemcpyDeviceToHost));
    CHECK(host == 2);
    return DONE;
}
