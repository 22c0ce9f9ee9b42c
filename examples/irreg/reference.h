/* Relaxation over a mesh in plain C; see irreg.cl. */
#ifndef IRREG_REFERENCE_H
#define IRREG_REFERENCE_H

#include <stddef.h>
#include <stdint.h>

typedef struct irreg_node {
    uint32_t first, end;
    float value, change;
} irreg_node;

void irreg_sweep(irreg_node *nodes, size_t count, const uint32_t *neighbours);

#endif
