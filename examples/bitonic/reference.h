/* What the bitonic sort must arrive at, in plain C; see bitonic.cl. */
#ifndef BITONIC_REFERENCE_H
#define BITONIC_REFERENCE_H

#include <stddef.h>
#include <stdint.h>

typedef struct bitonic_element {
    uint32_t key;
    uint32_t first, second, third;
} bitonic_element;

/* Sorts by key. Keys must differ: the order of equal ones is the network's own. */
void bitonic_sort(bitonic_element *elements, size_t count);

#endif
