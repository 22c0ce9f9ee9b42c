// Alignment of pairs of sequences (Needleman and Wunsch): tiles along a diagonal of the matrix of
// scores at a time, and in each tile diagonals of cells in shared memory.
#include <cuda_runtime.h>

#include "cuda_check.h"
#include "inputs.h"

enum { TILE = 32, LETTERS = 20, GAP = 4 };

__constant__ int8_t likeness[LETTERS][LETTERS];

__global__ void align_tiles(const uint8_t *across, const uint8_t *down, int *scores, int length,
                            int diagonal, int first) {
    __shared__ int tile[TILE + 1][TILE + 1];
    __shared__ uint8_t letters[TILE];
    int tx = first + blockIdx.x, ty = diagonal - tx, t = threadIdx.x, pitch = length + 1;
    int *corner = scores + (size_t)ty * TILE * pitch + tx * TILE;
    uint8_t own = across[tx * TILE + t];
    letters[t] = down[ty * TILE + t];
    tile[0][t + 1] = corner[t + 1];
    tile[t + 1][0] = corner[(t + 1) * pitch];
    if (t == 0)
        tile[0][0] = corner[0];
    __syncthreads();
    for (int step = 0; step < 2 * TILE - 1; step++) {
        int y = step - t;
        if (y >= 0 && y < TILE) {
            int match = tile[y][t] + likeness[letters[y]][own];
            int gap = max(tile[y][t + 1], tile[y + 1][t]) - GAP;
            tile[y + 1][t + 1] = max(match, gap);
        }
        __syncthreads();
    }
    for (int y = 1; y <= TILE; y++)
        corner[y * pitch + t + 1] = tile[y][t + 1];
}

__global__ void set_borders(int *scores, int length) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i <= length) {
        scores[i] = -i * GAP;
        scores[(size_t)i * (length + 1)] = -i * GAP;
    }
}

int main(int argc, char **argv) {
    int length = input_argument(argc, argv, 1, 4096);
    int pairs = input_argument(argc, argv, 2, 48);
    size_t bytes = (size_t)(length + 1) * (length + 1) * sizeof(int);
    int tiles = length / TILE, *d_scores, *last = (int *)malloc((length + 1) * sizeof(int));
    uint8_t *letters = (uint8_t *)malloc(2 * length), *d_letters;
    int8_t table[LETTERS][LETTERS];
    for (int a = 0; a < LETTERS; a++)
        for (int b = 0; b <= a; b++)
            table[a][b] = table[b][a] =
                a == b ? 5 + a % 4 : (int)(input_bits(140, a * 20 + b) % 6) - 4;
    CHECK(cudaMemcpyToSymbol(likeness, table, sizeof table));
    CHECK(cudaMalloc(&d_scores, bytes));
    CHECK(cudaMalloc(&d_letters, 2 * length));
    uint32_t sum = 0;
    int best = -1000000;
    for (int p = 0; p < pairs; p++) {
        for (int i = 0; i < 2 * length; i++)
            letters[i] = input_bits(141 + p, i) % LETTERS;
        CHECK(cudaMemcpy(d_letters, letters, 2 * length, cudaMemcpyHostToDevice));
        set_borders<<<length / 256 + 1, 256>>>(d_scores, length);
        for (int d = 0; d < 2 * tiles - 1; d++) {
            int first = d < tiles ? 0 : d - tiles + 1,
                count = d < tiles ? d + 1 : 2 * tiles - 1 - d;
            align_tiles<<<count, TILE>>>(d_letters, d_letters + length, d_scores, length, d, first);
        }
        CHECK(cudaGetLastError());
        CHECK(cudaMemcpy(last, d_scores + (size_t)length * (length + 1), (length + 1) * sizeof(int),
                         cudaMemcpyDeviceToHost));
        sum = sum * 31 + sum_of_bits((uint32_t *)last, length + 1);
        best = last[length] > best ? last[length] : best;
    }
    printf("best %d, all %u\n", best, sum);
    CHECK(cudaFree(d_scores));
    CHECK(cudaFree(d_letters));
    free(letters);
    free(last);
    return 0;
}
