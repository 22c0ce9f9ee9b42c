#include <omp.h>
#include <stdio.h>

#include "inputs.h"

enum { MOST_THREADS = 256 };

/* Each thread sums its part, then scans it from the sum of the parts before. */
static void scan(const uint32_t *in, uint32_t *out, int count) {
    uint32_t sums[MOST_THREADS];
#pragma omp parallel num_threads(omp_get_max_threads() < MOST_THREADS ? omp_get_max_threads() \
                                                                      : MOST_THREADS)
    {
        int threads = omp_get_num_threads(), own = omp_get_thread_num();
        int from = (int)((int64_t)count * own / threads);
        int to = (int)((int64_t)count * (own + 1) / threads);
        uint32_t sum = 0;
        for (int i = from; i < to; i++)
            sum += in[i];
        sums[own] = sum;
#pragma omp barrier
        uint32_t running = 0;
        for (int t = 0; t < own; t++)
            running += sums[t];
        for (int i = from; i < to; i++) {
            running += in[i];
            out[i] = running;
        }
    }
}

int main(int argc, char **argv) {
    int count = input_argument(argc, argv, 1, 1 << 23);
    int repeats = input_argument(argc, argv, 2, 330);
    uint32_t *values[2];
    for (int v = 0; v < 2; v++)
        values[v] = malloc((size_t)count * sizeof(uint32_t));
    for (int i = 0; i < count; i++)
        values[0][i] = input_bits(2, (uint32_t)i);
    for (int r = 0; r < repeats; r++)
        scan(values[r % 2], values[1 - r % 2], count);
    const uint32_t *last = values[repeats % 2];
    printf("last %u, all %u\n", last[count - 1], sum_of_bits(last, (size_t)count));
    free(values[0]);
    free(values[1]);
    return 0;
}
