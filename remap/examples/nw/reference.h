/* Needleman and Wunsch's scores in plain C; see plain.cl. */
#ifndef REMAP_NW_REFERENCE_H
#define REMAP_NW_REFERENCE_H

#include <stddef.h>

/* `scores` and `similarity` have size + 1 rows of size + 1 numbers. Row 0 and column 0 of the
 * scores are given, the others are filled. */
void nw_fill(int *scores, const int *similarity, size_t size, int penalty);

#endif
