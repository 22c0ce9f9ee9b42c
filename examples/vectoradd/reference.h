/* The sum of two vectors in plain C; see vectoradd.cl. */
#ifndef VECTORADD_REFERENCE_H
#define VECTORADD_REFERENCE_H

#include <stddef.h>

void vectoradd_add(const float *a, const float *b, float *c, size_t count);

#endif
