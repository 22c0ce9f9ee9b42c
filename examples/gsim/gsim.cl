/*
 * Logic simulation of a circuit, gate by gate, for 32 patterns at once: each bit of a value
 * belongs to a pattern of its own.
 *
 * `evaluate` does one level of the circuit, whose gates need nothing of each other: `order` has
 * all gates by level, those of this level from `first` on. When all levels are done, `clock`
 * goes over level 0 and prepares the next cycle: a flip-flop will take over its operand's
 * value, and an input gets new patterns.
 *
 * One work-item per gate of the level.
 */
enum { INPUT, DFF, BUF, NOT, AND, NAND, OR, NOR, XOR, XNOR }; /* odd ones from NOT on invert */

typedef struct gate {
    uint first, end; /* its operands are operands[first] to operands[end - 1] */
    uint kind;
    uint value;
    uint next; /* value of an input or flip-flop in the next cycle */
} gate;

__kernel void evaluate(__global gate *gates, __global const uint *operands,
                       __global const uint *order, uint first, uint count) {
    uint i = get_global_id(0);
    if (i >= count)
        return;
    uint g = order[first + i];
    uint kind = gates[g].kind;
    if (kind <= DFF) {
        gates[g].value = gates[g].next;
        return;
    }
    uint begin = gates[g].first;
    uint end = gates[g].end;
    uint value = kind == AND || kind == NAND ? ~0u : 0u;
    for (uint a = begin; a < end; a++) {
        uint operand = gates[operands[a]].value;
        if (kind == AND || kind == NAND)
            value &= operand;
        else if (kind == XOR || kind == XNOR)
            value ^= operand;
        else
            value |= operand;
    }
    gates[g].value = kind & 1 ? ~value : value;
}

__kernel void clock(__global gate *gates, __global const uint *operands,
                    __global const uint *order, uint first, uint count) {
    uint i = get_global_id(0);
    if (i >= count)
        return;
    uint g = order[first + i];
    if (gates[g].kind == DFF)
        gates[g].next = gates[operands[gates[g].first]].value;
    else
        gates[g].next = gates[g].next * 1664525u + 1013904223u;
}
