#include <stdio.h>

#include "inputs.h"
#include "sha256_rounds.h"

typedef struct digest {
    uint32_t words[8];
} digest;

static uint32_t rotate(uint32_t x, int by) { return x >> by | x << (32 - by); }

static void compress(uint32_t *state, uint32_t *w) {
    uint32_t a = state[0], b = state[1], c = state[2], d = state[3];
    uint32_t e = state[4], f = state[5], g = state[6], h = state[7];
#pragma GCC unroll 64
    for (int r = 0; r < 64; r++) {
        if (r >= 16) {
            uint32_t x = w[(r + 1) % 16], y = w[(r + 14) % 16];
            w[r % 16] += (rotate(x, 7) ^ rotate(x, 18) ^ x >> 3) + w[(r + 9) % 16] +
                         (rotate(y, 17) ^ rotate(y, 19) ^ y >> 10);
        }
        uint32_t one = h + (rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25)) + ((e & f) ^ (~e & g)) +
                       sha256_rounds[r] + w[r % 16];
        uint32_t two =
            (rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22)) + ((a & b) ^ (a & c) ^ (b & c));
        h = g, g = f, f = e, e = d + one;
        d = c, c = b, b = a, a = one + two;
    }
    state[0] += a, state[1] += b, state[2] += c, state[3] += d;
    state[4] += e, state[5] += f, state[6] += g, state[7] += h;
}

static digest hash(digest message, int times) {
    for (int t = 0; t < times; t++) {
        uint32_t state[8] = SHA256_START, block[16] = {0};
        for (int k = 0; k < 8; k++)
            block[k] = message.words[k];
        block[8] = 0x80000000;
        block[15] = 256;
        compress(state, block);
        for (int k = 0; k < 8; k++)
            message.words[k] = state[k];
    }
    return message;
}

int main(int argc, char **argv) {
    int count = input_argument(argc, argv, 1, 1 << 18);
    int times = input_argument(argc, argv, 2, 23);
    digest *digests = malloc((size_t)count * sizeof *digests);
    for (int i = 0; i < count; i++)
        for (int k = 0; k < 8; k++)
            digests[i].words[k] = input_bits(6, (uint32_t)(i * 8 + k));
#pragma omp parallel for
    for (int i = 0; i < count; i++)
        digests[i] = hash(digests[i], times);
    printf("first %08x, all %u\n", digests[0].words[0],
           sum_of_bits(digests[0].words, (size_t)count * 8));
    free(digests);
    return 0;
}
