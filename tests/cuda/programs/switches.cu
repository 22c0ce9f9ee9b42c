// A small machine in each thread: a switch that compilers turn into a jump through a table.
#include "check.h"

enum { ADD, SUBTRACT, MULTIPLY, NEGATE, DOUBLE, SWAP, JUMP, KEEP, END };

__host__ __device__ inline int run(const unsigned char *code, unsigned a, unsigned b) {
    for (int at = 0, steps = 0; steps < 100; steps++)
        switch (code[at++]) {
        case ADD: a += b; break;
        case SUBTRACT: a -= b; break;
        case MULTIPLY: a *= b; break;
        case NEGATE: a = -a; break;
        case DOUBLE: a *= 2; break;
        case SWAP: {
            unsigned c = a;
            a = b;
            b = c;
            break;
        }
        case JUMP: at += a & 1; break;
        case KEEP: b = a; break;
        default: return (int)(a + 3 * b);
        }
    return -1;
}

__global__ void run_all(const unsigned char *codes, int length, int *results) {
    results[threadIdx.x] = run(codes + threadIdx.x * length, threadIdx.x, 5);
}

int main() {
    const int n = 96, length = 24;
    unsigned char codes[n * length], *dcodes;
    int results[n], *dresults;
    unsigned random = 1;
    for (int i = 0; i < n * length; i++) {
        random = random * 1664525 + 1013904223;
        codes[i] = i % length >= length - 2 ? END : (random >> 24) % END;
    }
    CUDA(cudaMalloc(&dcodes, sizeof codes));
    CUDA(cudaMalloc(&dresults, sizeof results));
    CUDA(cudaMemcpy(dcodes, codes, sizeof codes, cudaMemcpyHostToDevice));
    run_all<<<1, n>>>(dcodes, length, dresults);
    CUDA(cudaMemcpy(results, dresults, sizeof results, cudaMemcpyDeviceToHost));
    for (int i = 0; i < n; i++)
        CHECK(results[i] == run(codes + i * length, i, 5));
    return DONE;
}
