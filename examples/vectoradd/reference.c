#include "reference.h"

void vectoradd_add(const float *a, const float *b, float *c, size_t count) {
    for (size_t i = 0; i < count; i++)
        c[i] = a[i] + b[i];
}
