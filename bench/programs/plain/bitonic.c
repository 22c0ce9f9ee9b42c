#include <stdio.h>

#include "inputs.h"

enum { TILE = 8192 };

/* `count` neighbouring pairs. */
static void order(uint32_t *restrict a, uint32_t *restrict b, int count, int up) {
    if (up)
        for (int i = 0; i < count; i++) {
            uint32_t less = a[i] < b[i] ? a[i] : b[i], more = a[i] < b[i] ? b[i] : a[i];
            a[i] = less;
            b[i] = more;
        }
    else
        for (int i = 0; i < count; i++) {
            uint32_t less = a[i] < b[i] ? a[i] : b[i], more = a[i] < b[i] ? b[i] : a[i];
            a[i] = more;
            b[i] = less;
        }
}

static void sort_tile(uint32_t *keys, int base, int tile, int from, int to) {
    for (int size = from; size <= to; size *= 2)
        for (int stride = (size < tile ? size : tile) / 2; stride > 0; stride /= 2)
            for (int low = base; low < base + tile; low += 2 * stride)
                order(keys + low, keys + low + stride, stride, (low & size) == 0);
}

static void sort_tiles(uint32_t *keys, int count, int tile, int from, int to) {
#pragma omp parallel for
    for (int base = 0; base < count; base += tile)
        sort_tile(keys, base, tile, from, to);
}

static void merge_step(uint32_t *keys, int count, int size, int stride) {
#pragma omp parallel for
    for (int t = 0; t < count / 2; t += TILE) {
        int low = 2 * t - (t & (stride - 1));
        order(keys + low, keys + low + stride, TILE, (low & size) == 0);
    }
}

static void sort(uint32_t *keys, int count) {
    int tile = count < TILE ? count : TILE;
    sort_tiles(keys, count, tile, 2, tile);
    for (int size = 2 * tile; size <= count; size *= 2) {
        for (int stride = size / 2; stride >= tile; stride /= 2)
            merge_step(keys, count, size, stride);
        sort_tiles(keys, count, tile, size, size);
    }
}

int main(int argc, char **argv) {
    int count = 1 << input_argument(argc, argv, 1, 22);
    int times = input_argument(argc, argv, 2, 7);
    uint32_t *keys = malloc((size_t)count * sizeof *keys);
    for (int n = 0; n < times; n++) {
        for (int i = 0; i < count; i++)
            keys[i] = input_bits((uint32_t)(9 + n), (uint32_t)i);
        sort(keys, count);
        int wrong = 0;
        for (int i = 1; i < count; i++)
            wrong += keys[i - 1] > keys[i];
        printf("least %u, greatest %u, all %u, %d out of order\n", keys[0], keys[count - 1],
               sum_of_bits(keys, (size_t)count), wrong);
    }
    free(keys);
    return 0;
}
