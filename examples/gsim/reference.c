#include "reference.h"

static uint32_t gsim_value(const gsim_gate *gates, const gsim_gate *gate,
                           const uint32_t *operands) {
    uint32_t all = ~0u, any = 0, odd = 0;
    for (uint32_t a = gate->first; a < gate->end; a++) {
        uint32_t operand = gates[operands[a]].value;
        all &= operand;
        any |= operand;
        odd ^= operand;
    }
    switch (gate->kind) {
    case GSIM_AND: return all;
    case GSIM_NAND: return ~all;
    case GSIM_OR:
    case GSIM_BUF: return any;
    case GSIM_NOR:
    case GSIM_NOT: return ~any;
    case GSIM_XOR: return odd;
    case GSIM_XNOR: return ~odd;
    default: return gate->next;
    }
}

void gsim_cycle(gsim_gate *gates, size_t count, const uint32_t *operands, const uint32_t *order) {
    for (size_t i = 0; i < count; i++)
        gates[order[i]].value = gsim_value(gates, &gates[order[i]], operands);
    for (size_t i = 0; i < count; i++) {
        gsim_gate *gate = &gates[i];
        if (gate->kind == GSIM_DFF)
            gate->next = gates[operands[gate->first]].value;
        else if (gate->kind == GSIM_INPUT)
            gate->next = gate->next * 1664525u + 1013904223u;
    }
}
