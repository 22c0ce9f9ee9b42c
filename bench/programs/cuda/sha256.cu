// SHA-256 of many short messages, each hashed again and again, as where keys are derived.
#include <cuda_runtime.h>

#include "cuda_check.h"
#include "inputs.h"
#include "sha256_rounds.h"

struct Digest {
    uint32_t words[8];
};

__constant__ uint32_t round_constants[64];

__device__ __forceinline__ uint32_t rotate(uint32_t x, int by) { return x >> by | x << (32 - by); }

__device__ void compress(uint32_t *state, uint32_t *w) {
    uint32_t a = state[0], b = state[1], c = state[2], d = state[3];
    uint32_t e = state[4], f = state[5], g = state[6], h = state[7];
#pragma unroll
    for (int r = 0; r < 64; r++) {
        if (r >= 16) {
            uint32_t x = w[(r + 1) % 16], y = w[(r + 14) % 16];
            w[r % 16] += (rotate(x, 7) ^ rotate(x, 18) ^ x >> 3) + w[(r + 9) % 16] +
                         (rotate(y, 17) ^ rotate(y, 19) ^ y >> 10);
        }
        uint32_t one = h + (rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25)) + ((e & f) ^ (~e & g)) +
                       round_constants[r] + w[r % 16];
        uint32_t two =
            (rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22)) + ((a & b) ^ (a & c) ^ (b & c));
        h = g, g = f, f = e, e = d + one;
        d = c, c = b, b = a, a = one + two;
    }
    state[0] += a, state[1] += b, state[2] += c, state[3] += d;
    state[4] += e, state[5] += f, state[6] += g, state[7] += h;
}

__global__ void hash(const Digest *messages, Digest *digests, int count, int times) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count)
        return;
    Digest message = messages[i];
    for (int t = 0; t < times; t++) {
        uint32_t state[8] = SHA256_START, block[16] = {};
        for (int k = 0; k < 8; k++)
            block[k] = message.words[k];
        block[8] = 0x80000000;
        block[15] = 256;
        compress(state, block);
        for (int k = 0; k < 8; k++)
            message.words[k] = state[k];
    }
    digests[i] = message;
}

int main(int argc, char **argv) {
    int count = input_argument(argc, argv, 1, 1 << 18);
    int times = input_argument(argc, argv, 2, 23);
    size_t bytes = count * sizeof(Digest);
    Digest *digests = (Digest *)malloc(bytes), *d_messages, *d_digests;
    for (int i = 0; i < count; i++)
        for (int k = 0; k < 8; k++)
            digests[i].words[k] = input_bits(6, i * 8 + k);
    CHECK(cudaMemcpyToSymbol(round_constants, sha256_rounds, sizeof sha256_rounds));
    CHECK(cudaMalloc(&d_messages, bytes));
    CHECK(cudaMalloc(&d_digests, bytes));
    CHECK(cudaMemcpy(d_messages, digests, bytes, cudaMemcpyHostToDevice));
    hash<<<(count + 127) / 128, 128>>>(d_messages, d_digests, count, times);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(digests, d_digests, bytes, cudaMemcpyDeviceToHost));
    printf("first %08x, all %u\n", digests[0].words[0],
           sum_of_bits(digests[0].words, (size_t)count * 8));
    CHECK(cudaFree(d_messages));
    CHECK(cudaFree(d_digests));
    free(digests);
    return 0;
}
