/* Logic simulation in plain C; see gsim.cl. */
#ifndef GSIM_REFERENCE_H
#define GSIM_REFERENCE_H

#include <stddef.h>
#include <stdint.h>

enum gsim_kind {
    GSIM_INPUT,
    GSIM_DFF,
    GSIM_BUF,
    GSIM_NOT,
    GSIM_AND,
    GSIM_NAND,
    GSIM_OR,
    GSIM_NOR,
    GSIM_XOR,
    GSIM_XNOR
};

typedef struct gsim_gate {
    uint32_t first, end, kind, value, next;
} gsim_gate;

/* One cycle: all gates, then the clock. `order` has all gates by level. */
void gsim_cycle(gsim_gate *gates, size_t count, const uint32_t *operands, const uint32_t *order);

#endif
