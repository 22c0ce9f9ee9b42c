#include <omp.h>
#include <stdio.h>

#include "inputs.h"

enum { DIGITS = 16, MOST_THREADS = 256 };

typedef struct item {
    uint32_t key, place;
} item;

static uint32_t digit_of(item i, int shift) { return i.key >> shift & (DIGITS - 1); }

/* Each thread counts the digits of its part, and moves it to where these begin. */
static void pass(const item *items, item *sorted, int count, int shift) {
    uint32_t starts[MOST_THREADS][DIGITS];
#pragma omp parallel num_threads(omp_get_max_threads() < MOST_THREADS ? omp_get_max_threads() \
                                                                      : MOST_THREADS)
    {
        int threads = omp_get_num_threads(), own = omp_get_thread_num();
        int from = (int)((int64_t)count * own / threads);
        int to = (int)((int64_t)count * (own + 1) / threads);
        uint32_t to_place[DIGITS] = {0};
        for (int i = from; i < to; i++)
            to_place[digit_of(items[i], shift)]++;
        for (int d = 0; d < DIGITS; d++)
            starts[own][d] = to_place[d];
#pragma omp barrier
#pragma omp single
        {
            uint32_t before = 0;
            for (int d = 0; d < DIGITS; d++)
                for (int t = 0; t < threads; t++) {
                    uint32_t one = starts[t][d];
                    starts[t][d] = before;
                    before += one;
                }
        }
        for (int d = 0; d < DIGITS; d++)
            to_place[d] = starts[own][d];
        for (int i = from; i < to; i++)
            sorted[to_place[digit_of(items[i], shift)]++] = items[i];
    }
}

int main(int argc, char **argv) {
    int count = input_argument(argc, argv, 1, 1 << 22);
    int times = input_argument(argc, argv, 2, 28);
    item *items = malloc((size_t)count * sizeof *items);
    item *sorted = malloc((size_t)count * sizeof *sorted);
    uint32_t *keys = malloc((size_t)count * sizeof *keys);
    for (int i = 0; i < count; i++)
        keys[i] = input_bits(20, (uint32_t)i);
    for (int n = 0; n < times; n++) {
        uint32_t mask = (uint32_t)n * 0x01234567u;
#pragma omp parallel for
        for (int i = 0; i < count; i++)
            items[i] = (item){keys[i] ^ mask, (uint32_t)i};
        for (int shift = 0; shift < 32; shift += 4) {
            pass(items, sorted, count, shift);
            item *swap = items;
            items = sorted;
            sorted = swap;
        }
    }
    printf("least %u, greatest %u, all %u\n", items[0].key, items[count - 1].key,
           sum_of_bits(&items[0].key, 2 * (size_t)count));
    free(items);
    free(keys);
    free(sorted);
    return 0;
}
