/*
 * One lane of a vector of integers, computed as scalars would be: programs keep places in vectors,
 *
 *     int2 at = (int2)(x, y);    p[(at + (int2)(1, 0)).x]
 *
 * and the index is then x + 1 as in other programs. What no other lane is asked for of the vector's
 * own operations is dropped afterwards (tidy.c).
 */
#include "frontend/clang/internal.h"

/* Indices are short; what is longer, as a hash of vectors, stays one. */
enum { DEPTH = 8, MOST_LANES = 16 };

static kir_value lane_of(front_lowering *l, kir_value vector, uint32_t lane, uint32_t depth);

/* Its operation on one lane of each operand; KIR_NONE: it is no such operation. */
static kir_value by_lane(front_lowering *l, kir_value vector, uint32_t lane, uint32_t depth) {
    const kir_inst inst = l->out.insts.data[vector]; /* the array moves */
    bool is_binary = inst.op >= KIR_ADD && inst.op <= KIR_ASHR;
    bool is_cast = inst.op >= KIR_TRUNC && inst.op <= KIR_SEXT;
    kir_value args[3];
    if (!is_binary && !is_cast && inst.op != KIR_ICMP && inst.op != KIR_SELECT)
        return KIR_NONE;
    for (uint32_t i = 0; i < inst.arg_count; i++) {
        bool is_scalar = l->out.insts.data[inst.args[i]].type.lanes == 1;
        args[i] = is_scalar ? inst.args[i] : lane_of(l, inst.args[i], lane, depth + 1);
    }
    if (inst.op == KIR_ICMP)
        return front_emit_compare(&l->out, inst.pred, args[0], args[1]);
    return front_emit(&l->out, inst.op, front_element_type(inst.type), inst.arg_count, args);
}

static kir_value constant_lane(front_lowering *l, const kir_inst *inst, uint32_t lane) {
    uint64_t bits = inst->imm[lane];
    return front_leaf(&l->out, KIR_CONST, front_element_type(inst->type), &bits, 0);
}

static kir_value extracted(front_lowering *l, kir_value vector, uint32_t lane) {
    kir_type element = front_element_type(front_type_of_value(&l->out, vector));
    return front_emit2(&l->out, KIR_EXTRACT, element, vector,
                       front_const_int(&l->out, front_int_type(64, 1), lane));
}

static kir_value lane_of(front_lowering *l, kir_value vector, uint32_t lane, uint32_t depth) {
    const kir_inst *inst = &l->out.insts.data[vector];
    int64_t written;
    if (inst->type.kind != KIR_INT || depth > DEPTH)
        return extracted(l, vector, lane);
    while (inst->op == KIR_INSERT && front_is_number(&l->out, inst->args[2], &written)) {
        if (written == lane)
            return inst->args[1];
        vector = inst->args[0];
        inst = &l->out.insts.data[vector];
    }
    if (inst->op == KIR_CONST)
        return constant_lane(l, inst, lane);
    if (inst->op == KIR_SHUFFLE && inst->imm[lane] != UINT64_MAX) {
        uint32_t lanes = l->out.insts.data[inst->args[0]].type.lanes,
                 from = (uint32_t)inst->imm[lane];
        return lane_of(l, inst->args[from >= lanes], from % lanes, depth + 1);
    }
    /* What this block has already is taken again. */
    uint64_t key = (uint64_t)vector * MOST_LANES + lane;
    kir_value value = (kir_value)hd_hash_get(&l->lanes, key);
    if (value != KIR_NONE && l->out.insts.data[value].block == l->out.current_block)
        return value;
    value = by_lane(l, vector, lane, depth);
    if (value == KIR_NONE)
        return extracted(l, vector, lane);
    l->lanes.arena = l->arena;
    hd_hash_set(&l->lanes, key, value);
    return value;
}

kir_value front_lane(front_lowering *l, kir_value vector, kir_value lane) {
    kir_type type = front_type_of_value(&l->out, vector);
    int64_t number;
    if (front_is_number(&l->out, lane, &number) && number >= 0 && number < type.lanes &&
        type.kind == KIR_INT)
        return lane_of(l, vector, (uint32_t)number, 0);
    return front_emit2(&l->out, KIR_EXTRACT, front_element_type(type), vector, lane);
}
