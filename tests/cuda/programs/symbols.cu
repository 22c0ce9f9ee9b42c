// Variables of the device by their names: constant, global, initialised and not.
#include "check.h"

__constant__ float table[64];
__constant__ int factor = 3;
__device__ int results[32];
__device__ int filled[4] = {7, 8, 9};

__global__ void use() { results[threadIdx.x] = (int)table[2 * threadIdx.x] * factor + filled[threadIdx.x % 4]; }

int main() {
    float host[64];
    int got[32], more[4], new_factor = 5;
    size_t bytes;
    for (int i = 0; i < 64; i++)
        host[i] = i;
    CUDA(cudaGetSymbolSize(&bytes, table));
    CHECK(bytes == sizeof host);
    CUDA(cudaMemcpyToSymbol(table, host, 32 * sizeof(float)));
    CUDA(cudaMemcpyToSymbol(table, host + 32, 32 * sizeof(float), 32 * sizeof(float)));
    CHECK(cudaMemcpyToSymbol(table, host, sizeof host, 4) == cudaErrorInvalidValue);
    cudaGetLastError();
    for (int round = 0; round < 2; round++) {
        use<<<1, 32>>>();
        CUDA(cudaMemcpyFromSymbol(got, results, sizeof got));
        for (int i = 0; i < 32; i++)
            CHECK(got[i] == 2 * i * (round ? 5 : 3) + (i % 4 == 3 ? 0 : 7 + i % 4));
        CUDA(cudaMemcpyToSymbol(factor, &new_factor, sizeof new_factor));
    }
    void *address;
    CUDA(cudaGetSymbolAddress(&address, filled));
    CUDA(cudaMemset(address, 0, sizeof more));
    CUDA(cudaMemcpyFromSymbol(more, filled, sizeof more));
    CHECK(more[0] == 0 && more[2] == 0);
    return DONE;
}
