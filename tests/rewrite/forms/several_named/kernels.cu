#include "tables.h"

__global__ void apply(int *state, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        state[i] = rules[state[i] % RULES].to + (int)rules[i % RULES].rate;
}
