#include <stdio.h>

#include "inputs.h"

enum { TILE = 128, LETTERS = 20, GAP = 4 };

static int likeness[LETTERS][LETTERS];

static void align_tile(const uint8_t *across, const uint8_t *down, int *corner, int pitch,
                       int width, int height) {
    for (int y = 0; y < height; y++) {
        const int *above = corner + (size_t)y * pitch;
        int *own = corner + (size_t)(y + 1) * pitch, left = own[0];
        const int *like = likeness[down[y]];
        int best[TILE];
        for (int x = 0; x < width; x++) {
            int match = above[x] + like[across[x]], gap = above[x + 1] - GAP;
            best[x] = match > gap ? match : gap;
        }
        for (int x = 0; x < width; x++) {
            left = best[x] > left - GAP ? best[x] : left - GAP;
            own[x + 1] = left;
        }
    }
}

static int least(int a, int b) { return a < b ? a : b; }

static void align(const uint8_t *across, const uint8_t *down, int *scores, int length) {
    int tiles = (length + TILE - 1) / TILE, pitch = length + 1;
    for (int i = 0; i <= length; i++)
        scores[i] = scores[(size_t)i * pitch] = -i * GAP;
#pragma omp parallel
    for (int d = 0; d < 2 * tiles - 1; d++) {
        int first = d < tiles ? 0 : d - tiles + 1, end = d < tiles ? d + 1 : tiles;
#pragma omp for
        for (int tx = first; tx < end; tx++) {
            int x = tx * TILE, y = (d - tx) * TILE;
            align_tile(across + x, down + y, scores + (size_t)y * pitch + x, pitch,
                       least(TILE, length - x), least(TILE, length - y));
        }
    }
}

int main(int argc, char **argv) {
    int length = input_argument(argc, argv, 1, 4096);
    int pairs = input_argument(argc, argv, 2, 48);
    int *scores = malloc((size_t)(length + 1) * (size_t)(length + 1) * sizeof *scores);
    uint8_t *letters = malloc(2 * (size_t)length);
    for (int a = 0; a < LETTERS; a++)
        for (int b = 0; b <= a; b++) {
            int like = a == b ? 5 + a % 4 : (int)(input_bits(140, (uint32_t)(a * 20 + b)) % 6) - 4;
            likeness[a][b] = likeness[b][a] = like;
        }
    uint32_t sum = 0;
    int best = -1000000;
    for (int p = 0; p < pairs; p++) {
        for (int i = 0; i < 2 * length; i++)
            letters[i] = (uint8_t)(input_bits((uint32_t)(141 + p), (uint32_t)i) % LETTERS);
        align(letters, letters + length, scores, length);
        const int *last = scores + (size_t)length * (size_t)(length + 1);
        sum = sum * 31 + sum_of_bits((const uint32_t *)last, (size_t)length + 1);
        best = last[length] > best ? last[length] : best;
    }
    printf("best %d, all %u\n", best, sum);
    free(scores);
    free(letters);
    return 0;
}
