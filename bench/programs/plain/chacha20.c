#include <stdio.h>

#include "inputs.h"

#define ROTATE(x, by) ((x) << (by) | (x) >> (32 - (by)))
#define QUARTER(a, b, c, d)            \
    do {                               \
        a += b, d = ROTATE(d ^ a, 16); \
        c += d, b = ROTATE(b ^ c, 12); \
        a += b, d = ROTATE(d ^ a, 8);  \
        c += d, b = ROTATE(b ^ c, 7);  \
    } while (0)

static void encrypt(uint32_t *text, uint32_t blocks, uint32_t first, const uint32_t *key,
                    const uint32_t *nonce) {
#pragma omp parallel for
    for (uint32_t b = 0; b < blocks; b++) {
        uint32_t start[16] = {0x61707865, 0x3320646e, 0x79622d32, 0x6b206574};
        uint32_t x[16];
        for (int k = 0; k < 8; k++)
            start[4 + k] = key[k];
        start[12] = first + b;
        for (int k = 0; k < 3; k++)
            start[13 + k] = nonce[k];
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
        for (int k = 0; k < 16; k++)
            text[(size_t)b * 16 + k] ^= x[k] + start[k];
    }
}

int main(int argc, char **argv) {
    uint32_t blocks = (uint32_t)input_argument(argc, argv, 1, 1 << 18);
    int times = input_argument(argc, argv, 2, 100);
    size_t words = (size_t)blocks * 16;
    uint32_t *text = malloc(words * sizeof *text), key[8];
    for (uint32_t i = 0; i < words; i++)
        text[i] = input_bits(7, i);
    for (uint32_t k = 0; k < 8; k++)
        key[k] = input_bits(8, k);
    for (int t = 0; t < times; t++)
        encrypt(text, blocks, 1, key, (uint32_t[]){(uint32_t)t, 0x4a, 0});
    printf("first %08x, all %u\n", text[0], sum_of_bits(text, words));
    free(text);
    return 0;
}
