/* Sparse matrix times vector but for its device: a made-up matrix, main(), and the product in plain
 * C. */
#ifndef REMAP_SPMV_REFERENCE_H
#define REMAP_SPMV_REFERENCE_H

#include "../../../examples/host.h"

enum { SPMV_ROW = 4 }; /* elements of the matrix in each row that are not zero */

/* `count` numbers in `rows` rows of as many columns. */
typedef struct matrix {
    float *data;
    uint32_t *column, *first;
    size_t count, rows;
} matrix;

/* Element i of the matrix times its element of the vector. In plain.c and remapped.c. */
void multiply(host *h, const matrix *m, const float *vector, float *products);

#endif
