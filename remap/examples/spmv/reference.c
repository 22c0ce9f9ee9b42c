#include "reference.h"

void spmv_multiply(const float *data, const uint32_t *column, const uint32_t *first,
                   const float *vector, float *result, size_t rows) {
    for (size_t row = 0; row < rows; row++) {
        double sum = 0;
        for (uint32_t i = first[row]; i < first[row + 1]; i++)
            sum += (double)data[i] * vector[column[i]];
        result[row] = (float)sum;
    }
}

void spmv_reduce(const float *products, const uint32_t *first, float *result, size_t rows) {
    for (size_t row = 0; row < rows; row++) {
        double sum = 0;
        for (uint32_t i = first[row]; i < first[row + 1]; i++)
            sum += products[i];
        result[row] = (float)sum;
    }
}
