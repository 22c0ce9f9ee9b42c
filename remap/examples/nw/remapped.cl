/*
 * Needleman-Wunsch: fills a matrix of `side` x `side` scores, each from those above, to the left
 * and at the corner between them. Row 0 and column 0 are there already. The scores of one diagonal
 * depend on none of the same, so the matrix is cut into tiles: a launch fills a diagonal of tiles,
 * a group one tile of it, diagonal by diagonal, and a work-item its row of the tile. On the device
 * the diagonals of both matrices are rows.
 */
#include "heddle/index.h"

#define TILE 16

__kernel void align(__global int *scores, __global const int *similarity, int side, int penalty,
                    int first_column, int diagonal) {
    int lane = get_local_id(0);
    int tile_column = first_column + (int)get_group_id(0);
    int row = (diagonal - tile_column) * TILE + lane + 1;

    for (int step = 0; step < 2 * TILE - 1; step++) {
        int place = step - lane;
        if (place >= 0 && place < TILE) {
            int column = tile_column * TILE + place + 1;
            int cell = hd_diagonal_at(row, column, side);
            int above = hd_diagonal_at(row - 1, column, side);
            int left = hd_diagonal_at(row, column - 1, side);
            int corner = hd_diagonal_at(row - 1, column - 1, side);
            int match = scores[corner] + similarity[cell];
            scores[cell] = max(match, max(scores[above], scores[left]) - penalty);
        }
        barrier(CLK_GLOBAL_MEM_FENCE);
    }
}
