#include "reference.h"

#include <stdlib.h>

static int bitonic_by_key(const void *left, const void *right) {
    uint32_t a = ((const bitonic_element *)left)->key;
    uint32_t b = ((const bitonic_element *)right)->key;
    return (a > b) - (a < b);
}

void bitonic_sort(bitonic_element *elements, size_t count) {
    qsort(elements, count, sizeof *elements, bitonic_by_key);
}
