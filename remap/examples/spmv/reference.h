/* Sparse matrix times vector in plain C; see plain.cl. */
#ifndef REMAP_SPMV_REFERENCE_H
#define REMAP_SPMV_REFERENCE_H

#include <stddef.h>
#include <stdint.h>

enum { SPMV_ROW = 4 }; /* elements of the matrix in each row that are not zero */

/* result[r]: sum over row r. Row r has the elements from first[r] up to first[r + 1]. */
void spmv_multiply(const float *data, const uint32_t *column, const uint32_t *first,
                   const float *vector, float *result, size_t rows);
/* The stage after the device's: product i is data[i] * vector[column[i]]. */
void spmv_reduce(const float *products, const uint32_t *first, float *result, size_t rows);

#endif
