/* Needleman and Wunsch's scores but for their device: made-up sequences, main(), and the scores in
 * plain C. */
#ifndef REMAP_NW_REFERENCE_H
#define REMAP_NW_REFERENCE_H

#include "../../../examples/host.h"

enum { TILE = 16, PENALTY = 10 };

/* Every diagonal of tiles, from the upper left corner to the lower right one. */
void run_diagonals(host *h, cl_kernel kernel, int tiles);

/* Fills the scores but for row 0 and column 0, which are given. In plain.c and remapped.c. */
void align(host *h, int *scores, const int *similarity, size_t side);

#endif
