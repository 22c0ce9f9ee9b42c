/*
 * The oracle of the kernel tests: runs one work-item of a kir kernel, instruction
 * by instruction, knowing nothing of forms, trips or guards. Only integers and
 * addresses have values; a load gives a number made from its address, so that
 * data-dependent branches and indices go somewhere.
 *
 * A pointer is (number of its base << 40) + offset, where parameters, statics and
 * private arrays have the numbers 1, 2, 3 ... in order of their instructions.
 */
#ifndef TEST_INTERPRET_H
#define TEST_INTERPRET_H

#include "kernel/kernel.h"

enum { MOST_STEPS = 200000, BASE_SHIFT = 40 };

typedef struct machine {
    const kir_kernel *kernel;
    const hd_flow *flow;
    hd_binding launch;
    hd_point point;
    int64_t *iteration; /* of each loop, now */
    int64_t *values;
    uint32_t seed;
    uint32_t steps;
    /* Called before a memory instruction runs. */
    void (*on_access)(struct machine *m, kir_value inst, void *user);
    /* Called when a loop is left after its header ran `runs` times. */
    void (*on_leave)(struct machine *m, uint32_t loop, uint64_t runs, void *user);
    void *user;
} machine;

static bool in_loop(const hd_flow *flow, uint32_t loop, uint32_t block) {
    for (uint32_t i = 0; i < flow->loops[loop].block_count; i++)
        if (flow->loops[loop].blocks[i] == block)
            return true;
    return false;
}

static int64_t extend(uint64_t value, uint32_t bits) {
    return bits >= 64  ? (int64_t)value
           : bits == 1 ? (int64_t)(value & 1)
                       : (int64_t)(value << (64 - bits)) >> (64 - bits);
}

static uint64_t unsigned_of(int64_t value, uint32_t bits) {
    return bits >= 64 ? (uint64_t)value : (uint64_t)value & (((uint64_t)1 << bits) - 1);
}

static int64_t machine_query(const machine *m, uint32_t query, int64_t d) {
    uint32_t dims = m->launch.dims;
    if (query == KIR_Q_WORK_DIM)
        return dims;
    bool exists = d >= 0 && d < dims;
    int64_t global = exists ? (int64_t)m->launch.global[d] : 1;
    int64_t local = exists ? (int64_t)m->launch.local[d] : 1;
    switch (query) {
    case KIR_Q_GLOBAL_ID: return exists ? m->point.global[d] : 0;
    case KIR_Q_LOCAL_ID: return exists ? m->point.local[d] : 0;
    case KIR_Q_GROUP_ID: return exists ? m->point.group[d] : 0;
    case KIR_Q_GLOBAL_SIZE: return global;
    case KIR_Q_NUM_GROUPS: return global / local;
    case KIR_Q_GLOBAL_OFFSET: return exists ? (int64_t)m->launch.offset[d] : 0;
    default: return local;
    }
}

static int64_t machine_linear(const machine *m, bool global) {
    int64_t id = 0;
    for (uint32_t d = m->launch.dims; d-- > 0;) {
        const uint64_t *size = global ? m->launch.global : m->launch.local;
        int64_t own =
            global ? m->point.global[d] - (int64_t)m->launch.offset[d] : m->point.local[d];
        id = id * (int64_t)size[d] + own;
    }
    return id;
}

static int64_t machine_binary(kir_op op, uint32_t bits, int64_t a, int64_t b) {
    uint64_t ua = unsigned_of(a, bits), ub = unsigned_of(b, bits);
    switch (op) {
    case KIR_ADD: return extend(ua + ub, bits);
    case KIR_SUB: return extend(ua - ub, bits);
    case KIR_MUL: return extend(ua * ub, bits);
    case KIR_SDIV: return b == -1 ? extend(0 - ua, bits) : b ? a / b : 0;
    case KIR_SREM: return b == -1 || b == 0 ? 0 : a % b;
    case KIR_UDIV: return ub ? extend(ua / ub, bits) : 0;
    case KIR_UREM: return ub ? extend(ua % ub, bits) : 0;
    case KIR_AND: return extend(ua & ub, bits);
    case KIR_OR: return extend(ua | ub, bits);
    case KIR_XOR: return extend(ua ^ ub, bits);
    case KIR_SHL: return extend(ua << (ub & 63), bits);
    case KIR_LSHR: return extend(ua >> (ub & 63), bits);
    default: return extend((uint64_t)(a >> (ub & 63)), bits);
    }
}

static bool machine_compare(kir_pred pred, uint32_t bits, int64_t a, int64_t b) {
    uint64_t ua = unsigned_of(a, bits), ub = unsigned_of(b, bits);
    switch (pred) {
    case KIR_P_EQ: return ua == ub;
    case KIR_P_NE: return ua != ub;
    case KIR_P_SLT: return a < b;
    case KIR_P_SLE: return a <= b;
    case KIR_P_SGT: return a > b;
    case KIR_P_SGE: return a >= b;
    case KIR_P_ULT: return ua < ub;
    case KIR_P_ULE: return ua <= ub;
    case KIR_P_UGT: return ua > ub;
    default: return ua >= ub;
    }
}

static int64_t machine_compute(machine *m, kir_value v) {
    const kir_inst *inst = &m->kernel->insts[v];
    int64_t a = inst->arg_count > 0 ? m->values[inst->args[0]] : 0;
    int64_t b = inst->arg_count > 1 ? m->values[inst->args[1]] : 0;
    uint32_t from = inst->arg_count ? m->kernel->insts[inst->args[0]].type.bits : 64;
    switch (inst->op) {
    case KIR_PARAM:
        return inst->type.kind == KIR_PTR ? (int64_t)(v + 1) << BASE_SHIFT
                                          : m->launch.params[inst->index];
    case KIR_STATIC:
    case KIR_ALLOCA: return (int64_t)(v + 1) << BASE_SHIFT;
    case KIR_CONST: return extend(inst->imm[0], inst->type.bits);
    case KIR_QUERY:
        if (inst->index >= KIR_Q_GLOBAL_LINEAR_ID)
            return machine_linear(m, inst->index == KIR_Q_GLOBAL_LINEAR_ID);
        return extend((uint64_t)machine_query(m, inst->index, a), inst->type.bits);
    case KIR_ICMP: return machine_compare(inst->pred, from, a, b);
    case KIR_SELECT: return a ? b : m->values[inst->args[2]];
    case KIR_TRUNC:
    case KIR_SEXT: return from == 1 ? -a : extend((uint64_t)a, inst->type.bits);
    case KIR_ZEXT: return (int64_t)unsigned_of(a, from);
    case KIR_FREEZE:
    case KIR_SPACECAST:
    case KIR_BITCAST:
    case KIR_EXTRACT: return a; /* a vector is the lane that was put into it last */
    case KIR_INSERT: return b;
    case KIR_CALL:
        if (!strcmp(inst->name, "mad24"))
            return a * b + m->values[inst->args[2]];
        return !strcmp(inst->name, "min") ? (a < b ? a : b) : (a > b ? a : b);
    case KIR_ADDR:
        for (uint32_t i = 1; i < inst->arg_count; i++)
            a = (int64_t)((uint64_t)a +
                          (uint64_t)m->values[inst->args[i]] * (uint64_t)inst->scale[i - 1]);
        return (int64_t)((uint64_t)a + (uint64_t)inst->offset);
    case KIR_LOAD:
    case KIR_ATOMIC: { /* 0 .. 15 */
        uint64_t hash = ((uint64_t)a + m->seed) * 0x9e3779b97f4a7c15u;
        return (int64_t)(hash >> 60) & (inst->type.bits == 1 ? 1 : 15);
    }
    default:
        return inst->op >= KIR_ADD && inst->op <= KIR_ASHR
                   ? machine_binary(inst->op, inst->type.bits, a, b)
                   : 0;
    }
}

/* Keeps the loops' iteration numbers when control goes from one block to another. */
static void machine_move(machine *m, uint32_t from, uint32_t to) {
    for (uint32_t l = 0; l < m->flow->loop_count; l++) {
        bool was = in_loop(m->flow, l, from), is = in_loop(m->flow, l, to);
        if (was && !is && m->on_leave)
            m->on_leave(m, l, (uint64_t)m->iteration[l] + 1, m->user);
        if (m->flow->loops[l].header == to)
            m->iteration[l] = was ? m->iteration[l] + 1 : 0;
    }
}

static uint32_t machine_target(const machine *m, const kir_inst *last) {
    int64_t value = last->arg_count ? m->values[last->args[0]] : 0;
    if (last->op == KIR_CONDBR)
        return last->to[value ? 0 : 1];
    for (uint32_t i = 0; i < last->imm_count; i++)
        if ((int64_t)last->imm[i] == value)
            return last->to[i + 1];
    return last->to[0];
}

static void machine_enter(machine *m, uint32_t from, uint32_t block) {
    const kir_block *b = &m->kernel->blocks[block];
    int64_t incoming[16] = {0};
    uint32_t phis = 0;
    for (; phis < b->inst_count && phis < 16; phis++) {
        const kir_inst *phi = &m->kernel->insts[b->insts[phis]];
        if (phi->op != KIR_PHI)
            break;
        for (uint32_t a = 0; a < phi->arg_count; a++)
            if (phi->from[a] == from)
                incoming[phis] = m->values[phi->args[a]];
    }
    for (uint32_t i = 0; i < phis; i++)
        m->values[b->insts[i]] = incoming[i];
}

/* Runs the work-item; false when it takes too many steps. */
static bool machine_run(machine *m) {
    uint32_t block = 0;
    for (m->steps = 0; m->steps < MOST_STEPS;) {
        const kir_block *b = &m->kernel->blocks[block];
        const kir_inst *last = &m->kernel->insts[b->insts[b->inst_count - 1]];
        for (uint32_t i = 0; i < b->inst_count; i++, m->steps++) {
            kir_value v = b->insts[i];
            if (kir_is_memory(m->kernel->insts[v].op) && m->on_access)
                m->on_access(m, v, m->user);
            if (m->kernel->insts[v].op != KIR_PHI)
                m->values[v] = machine_compute(m, v);
        }
        if (!last->to_count)
            return true;
        uint32_t to = machine_target(m, last);
        machine_move(m, block, to);
        machine_enter(m, block, to);
        block = to;
    }
    return false;
}

/* Puts the machine at one work-item of the launch. */
static void machine_place(machine *m, const int64_t group[3], const int64_t local[3]) {
    for (uint32_t d = 0; d < 3; d++) {
        m->point.group[d] = group[d];
        m->point.local[d] = local[d];
        m->point.global[d] =
            (int64_t)m->launch.offset[d] + group[d] * (int64_t)m->launch.local[d] + local[d];
    }
}

#endif
