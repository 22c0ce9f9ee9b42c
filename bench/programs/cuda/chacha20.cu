// ChaCha20 over a text: each thread makes 64 bytes of the key stream and applies them.
#include <cuda_runtime.h>

#include "cuda_check.h"
#include "inputs.h"

__constant__ uint32_t key[8];

#define ROTATE(x, by) ((x) << (by) | (x) >> (32 - (by)))
#define QUARTER(a, b, c, d)            \
    do {                               \
        a += b, d = ROTATE(d ^ a, 16); \
        c += d, b = ROTATE(b ^ c, 12); \
        a += b, d = ROTATE(d ^ a, 8);  \
        c += d, b = ROTATE(b ^ c, 7);  \
    } while (0)

__global__ void encrypt(uint4 *text, uint32_t blocks, uint32_t first, uint3 nonce) {
    for (uint32_t b = blockIdx.x * blockDim.x + threadIdx.x; b < blocks;
         b += gridDim.x * blockDim.x) {
        uint32_t start[16] = {0x61707865, 0x3320646e, 0x79622d32, 0x6b206574};
        uint32_t x[16];
        for (int k = 0; k < 8; k++)
            start[4 + k] = key[k];
        start[12] = first + b;
        start[13] = nonce.x;
        start[14] = nonce.y;
        start[15] = nonce.z;
        for (int k = 0; k < 16; k++)
            x[k] = start[k];
        for (int round = 0; round < 10; round++) {
            QUARTER(x[0], x[4], x[8], x[12]);
            QUARTER(x[1], x[5], x[9], x[13]);
            QUARTER(x[2], x[6], x[10], x[14]);
            QUARTER(x[3], x[7], x[11], x[15]);
            QUARTER(x[0], x[5], x[10], x[15]);
            QUARTER(x[1], x[6], x[11], x[12]);
            QUARTER(x[2], x[7], x[8], x[13]);
            QUARTER(x[3], x[4], x[9], x[14]);
        }
        for (int k = 0; k < 4; k++) {
            uint4 part = text[b * 4 + k];
            part.x ^= x[4 * k] + start[4 * k];
            part.y ^= x[4 * k + 1] + start[4 * k + 1];
            part.z ^= x[4 * k + 2] + start[4 * k + 2];
            part.w ^= x[4 * k + 3] + start[4 * k + 3];
            text[b * 4 + k] = part;
        }
    }
}

int main(int argc, char **argv) {
    uint32_t blocks = input_argument(argc, argv, 1, 1 << 18);
    int times = input_argument(argc, argv, 2, 100);
    size_t bytes = (size_t)blocks * 64;
    uint32_t *text = (uint32_t *)malloc(bytes), own_key[8];
    for (uint32_t i = 0; i < blocks * 16; i++)
        text[i] = input_bits(7, i);
    for (int k = 0; k < 8; k++)
        own_key[k] = input_bits(8, k);
    uint4 *d_text;
    CHECK(cudaMemcpyToSymbol(key, own_key, sizeof key));
    CHECK(cudaMalloc(&d_text, bytes));
    CHECK(cudaMemcpy(d_text, text, bytes, cudaMemcpyHostToDevice));
    for (int t = 0; t < times; t++)
        encrypt<<<512, 128>>>(d_text, blocks, 1, make_uint3(t, 0x4a, 0));
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaMemcpy(text, d_text, bytes, cudaMemcpyDeviceToHost));
    printf("first %08x, all %u\n", text[0], sum_of_bits(text, bytes / 4));
    CHECK(cudaFree(d_text));
    free(text);
    return 0;
}
