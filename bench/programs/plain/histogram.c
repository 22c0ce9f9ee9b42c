#include <stdio.h>

#include "inputs.h"

enum { BINS = 256 };

static void count_bytes(const uint32_t *words, int count, uint32_t mask, uint32_t *bins) {
#pragma omp parallel
    {
        uint32_t own[4][BINS] = {{0}}; /* one for each byte: equal neighbours don't wait */
#pragma omp for
        for (int i = 0; i < count; i++) {
            uint32_t word = words[i] ^ mask;
            own[0][word & 0xff]++;
            own[1][word >> 8 & 0xff]++;
            own[2][word >> 16 & 0xff]++;
            own[3][word >> 24]++;
        }
#pragma omp critical
        for (int b = 0; b < BINS; b++)
            bins[b] += own[0][b] + own[1][b] + own[2][b] + own[3][b];
    }
}

int main(int argc, char **argv) {
    int count = input_argument(argc, argv, 1, 1 << 22);
    int times = input_argument(argc, argv, 2, 420);
    uint32_t *words = malloc((size_t)count * sizeof *words), bins[BINS] = {0};
    for (int i = 0; i < count; i++)
        words[i] = input_bits(60, (uint32_t)i) & input_bits(61, (uint32_t)i);
    for (int t = 0; t < times; t++)
        count_bytes(words, count, (uint32_t)t * 0x01010101u, bins);
    printf("zeros %u, ones %u, all %u\n", bins[0], bins[255], sum_of_bits(bins, BINS));
    free(words);
    return 0;
}
