// A table in constant memory that several files name.
// in: Rule=soa
// refused: kernels.cu:6: variable rules is defined in another file; define it here
// nvcc: -rdc=true
#include <cstdio>

#include "tables.h"

int main() {
    int *state, host[64];
    for (int i = 0; i < 64; i++)
        host[i] = i;
    cudaMalloc(&state, sizeof host);
    cudaMemcpy(state, host, sizeof host, cudaMemcpyHostToDevice);
    load_rules();
    apply<<<2, 32>>>(state, 64);
    cudaMemcpy(host, state, sizeof host, cudaMemcpyDeviceToHost);
    int sum = 0;
    for (int i = 0; i < 64; i++)
        sum += host[i] * (i + 1);
    printf("%d\n", sum);
    cudaFree(state);
    return 0;
}
