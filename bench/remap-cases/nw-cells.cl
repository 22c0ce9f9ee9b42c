/*
 * Needleman-Wunsch with a work-item for each cell of one diagonal of the whole matrix, the one
 * whose cells have this sum of row and column. Compiled with -DREMAPPED the diagonals of the scores
 * are rows, and those of the similarities, too, unless -DSIMILARITY_IN_ROWS.
 */
#include "heddle/index.h"

#define IN_ROWS(row, column) ((row) * side + (column))
#define IN_DIAGONALS(row, column) hd_diagonal_at(row, column, side)
#ifdef REMAPPED
#define SCORE IN_DIAGONALS
#else
#define SCORE IN_ROWS
#endif
#if defined(REMAPPED) && !defined(SIMILARITY_IN_ROWS)
#define SIMILARITY IN_DIAGONALS
#else
#define SIMILARITY IN_ROWS
#endif

__kernel void align(__global int *scores, __global const int *similarity, int side, int penalty,
                    int diagonal) {
    int row = (int)get_global_id(0) + 1, column = diagonal - row;
    int match = scores[SCORE(row - 1, column - 1)] + similarity[SIMILARITY(row, column)];
    int gap = max(scores[SCORE(row - 1, column)], scores[SCORE(row, column - 1)]) - penalty;
    scores[SCORE(row, column)] = max(match, gap);
}
