/*
 * The oracle of the divergence tests: runs a kir kernel for eight lanes with the
 * machine's scheduler, knowing nothing of divergence. Every lane has values of
 * its own; beside them each instruction has one cell, which every execution
 * overwrites. Whenever a value that was declared uniform is made, or used, the
 * active lanes' own values must be that of the cell.
 *
 * In the warp's view there is no cell: lanes of a warp that are active together must
 * agree on what is declared uniform there, when it is made and when it is used.
 *
 * Only 64-bit integers have values. A load gives a number made from its address
 * and the moment, so memory may change between any two executions.
 */
#ifndef TEST_LOCKSTEP_H
#define TEST_LOCKSTEP_H

#include "kernel/kernel.h"

enum { LANES = 8, EVERY_LANE = (1 << LANES) - 1, MOST_RUNS = 600 };

typedef struct lockstep {
    const kir_kernel *kernel;
    const hd_flow *flow;
    const hd_divergence *claim;
    const hd_kernel_info *info; /* of the warp's view */
    uint32_t warp;              /* lanes of a warp; 0: the block's view */
    bool early_phis;            /* written as an edge is taken, not when the block starts */
    uint32_t *position, *last;  /* of blocks; of loops: the position of their last block */
    uint32_t *entering;         /* [block_count] lanes that wait there */
    uint32_t *repeating;        /* [loop_count] lanes that took a back edge */
    uint32_t (*from)[LANES];    /* [block_count] the block each waiting lane came from */
    int64_t (*value)[LANES];    /* [inst_count] */
    int64_t *cell;              /* [inst_count] */
    uint64_t moment;
    uint64_t uniform, partly; /* uniform values made; by a part of the lanes */
    const char *wrong;        /* what went wrong first */
    kir_value where;
} lockstep;

static inline int64_t scrambled(uint64_t x) {
    x = (x ^ x >> 31) * 0x9e3779b97f4a7c15u;
    return (int64_t)((x ^ x >> 29) * 0xbf58476d1ce4e5b9u >> 59);
}

static inline void complain(lockstep *m, const char *wrong, kir_value where) {
    if (!m->wrong) {
        m->wrong = wrong;
        m->where = where;
    }
}

/* A lane's argument; a uniform one must be what the cell holds. */
static inline int64_t argument(lockstep *m, kir_value user, uint32_t arg, uint32_t lane) {
    kir_value v = m->kernel->insts[user].args[arg];
    if (!m->warp && !m->claim->varying[v] && m->cell[v] != m->value[v][lane])
        complain(m, "the cell does not hold the lane's value", user);
    return m->value[v][lane];
}

/* The active lanes of each warp have one value. */
static inline void check_warps(lockstep *m, kir_value v, uint32_t mask, uint32_t block) {
    if (!m->warp || hd_is_varying_at(m->info, m->claim, v, block))
        return;
    for (uint32_t lane = 0, first = 0; lane < LANES; lane++) {
        first = lane % m->warp == 0 || !(mask >> first & 1) ? lane : first;
        if (mask >> lane & 1 && m->value[v][lane] != m->value[v][first])
            complain(m, "lanes of a warp differ", v);
    }
}

/* `made` holds new values of the lanes in `mask`. */
static inline void keep(lockstep *m, kir_value v, uint32_t mask, const int64_t *made) {
    bool first = true;
    for (uint32_t lane = 0; lane < LANES; lane++) {
        if (!(mask >> lane & 1))
            continue;
        if (!m->warp && !m->claim->varying[v] && !first && m->cell[v] != made[lane])
            complain(m, "lanes differ", v);
        m->value[v][lane] = m->cell[v] = made[lane];
        first = false;
    }
    check_warps(m, v, mask, m->kernel->insts[v].block);
    m->uniform += !m->claim->varying[v];
    m->partly += !m->claim->varying[v] && mask != EVERY_LANE;
}

static inline int64_t compute(lockstep *m, kir_value v, uint32_t lane) {
    const kir_inst *inst = &m->kernel->insts[v];
    int64_t a = inst->arg_count > 0 ? argument(m, v, 0, lane) : 0;
    int64_t b = inst->arg_count > 1 ? argument(m, v, 1, lane) : 0;
    switch (inst->op) {
    case KIR_PARAM: return inst->index * 4 + 5;
    case KIR_CONST: return (int64_t)inst->imm[0];
    case KIR_ALLOCA: return 1000;
    case KIR_QUERY: return inst->index == KIR_Q_LOCAL_ID ? lane : 3;
    case KIR_ADD: return (int64_t)((uint64_t)a + (uint64_t)b);
    case KIR_SUB: return (int64_t)((uint64_t)a - (uint64_t)b);
    case KIR_XOR: return a ^ b;
    case KIR_AND: return a & b;
    case KIR_ICMP: return inst->pred == KIR_P_EQ ? a == b : a < b;
    case KIR_SELECT: return a ? b : argument(m, v, 2, lane);
    case KIR_ADDR: return (int64_t)((uint64_t)a + (uint64_t)b * 4);
    case KIR_ATOMIC: return scrambled((uint64_t)a + lane);
    default: { /* LOAD */
        bool own = m->kernel->insts[inst->args[0]].type.space == KIR_PRIVATE;
        return scrambled((uint64_t)a + m->moment * 64 + (own ? lane * 7 : 0));
    }
    }
}

/* The phis of `to` for lanes that come from `from[lane]`, all at once. */
static inline void run_phis(lockstep *m, uint32_t to, const uint32_t *from, uint32_t mask) {
    const kir_block *block = &m->kernel->blocks[to];
    int64_t made[64][LANES];
    uint32_t count = 0;
    for (; m->kernel->insts[block->insts[count]].op == KIR_PHI; count++) {
        const kir_inst *phi = &m->kernel->insts[block->insts[count]];
        for (uint32_t lane = 0; lane < LANES; lane++)
            for (uint32_t k = 0; mask >> lane & 1 && k < phi->arg_count; k++)
                if (phi->from[k] == from[lane])
                    made[count][lane] = argument(m, block->insts[count], k, lane);
    }
    for (uint32_t k = 0; k < count; k++)
        keep(m, block->insts[k], mask, made[k]);
}

/* What was written edge by edge must agree when the lanes start together. */
static inline void check_phis(lockstep *m, uint32_t block, uint32_t mask) {
    const kir_block *b = &m->kernel->blocks[block];
    for (uint32_t i = 0; m->kernel->insts[b->insts[i]].op == KIR_PHI; i++)
        for (uint32_t lane = 0; lane < LANES; lane++)
            if (!m->warp && mask >> lane & 1 && !m->claim->varying[b->insts[i]] &&
                m->cell[b->insts[i]] != m->value[b->insts[i]][lane])
                complain(m, "lanes meet with different phis", b->insts[i]);
}

static inline void take_edge(lockstep *m, uint32_t from, uint32_t to, uint32_t lane) {
    uint32_t *waiting = &m->entering[to];
    for (uint32_t l = 0; l < m->flow->loop_count; l++)
        if (m->flow->loops[l].header == to && hd_flow_dominates(m->flow, to, from))
            waiting = &m->repeating[l];
    *waiting |= 1u << lane;
    m->from[to][lane] = from;
}

static inline uint32_t target(lockstep *m, kir_value v, uint32_t lane) {
    const kir_inst *inst = &m->kernel->insts[v];
    if (inst->op == KIR_BR)
        return inst->to[0];
    int64_t a = argument(m, v, 0, lane);
    if (inst->op == KIR_CONDBR)
        return inst->to[!a];
    for (uint32_t k = 0; k < inst->imm_count; k++)
        if ((int64_t)inst->imm[k] == a)
            return inst->to[k + 1];
    return inst->to[0];
}

static inline void leave_block(lockstep *m, uint32_t block, kir_value v, uint32_t mask) {
    const kir_inst *inst = &m->kernel->insts[v];
    if (!inst->to_count)
        return;
    for (uint32_t k = 0; k < inst->arg_count; k++)
        check_warps(m, inst->args[k], mask, block);
    for (uint32_t k = 0, done = 0; k < inst->to_count; k++) { /* edge by edge */
        uint32_t taken = 0, from[LANES];
        for (uint32_t lane = 0; lane < LANES; lane++) {
            from[lane] = block;
            if (mask >> lane & 1 && !(done >> lane & 1) && target(m, v, lane) == inst->to[k])
                taken |= 1u << lane;
        }
        if (!m->warp && taken && taken != mask && !m->claim->splits[block])
            complain(m, "lanes part", v);
        for (uint32_t lane = 0; lane < LANES; lane++)
            if (taken >> lane & 1)
                take_edge(m, block, inst->to[k], lane);
        if (taken && m->early_phis)
            run_phis(m, inst->to[k], from, taken);
        done |= taken;
    }
}

static inline void run_block(lockstep *m, uint32_t block, uint32_t mask) {
    const kir_block *b = &m->kernel->blocks[block];
    if (m->early_phis)
        check_phis(m, block, mask);
    else
        run_phis(m, block, m->from[block], mask);
    for (uint32_t i = 0; i + 1 < b->inst_count; i++) {
        kir_value v = b->insts[i];
        int64_t made[LANES];
        if (m->kernel->insts[v].op == KIR_PHI)
            continue;
        m->moment++;
        for (uint32_t k = 0; k < m->kernel->insts[v].arg_count; k++)
            check_warps(m, m->kernel->insts[v].args[k], mask, block);
        for (uint32_t lane = 0; lane < LANES; lane++)
            if (mask >> lane & 1)
                made[lane] = compute(m, v, lane);
        keep(m, v, mask, made);
    }
    leave_block(m, block, b->insts[b->inst_count - 1], mask);
}

/* Runs the first of what waits; false: nothing does. */
static inline bool run_first(lockstep *m) {
    uint32_t best = UINT32_MAX, block = 0, *waiting = NULL;
    for (uint32_t b = 0; b < m->kernel->block_count; b++)
        if (m->entering[b] && 2 * m->position[b] < best) {
            best = 2 * m->position[b];
            waiting = &m->entering[block = b];
        }
    for (uint32_t l = m->flow->loop_count; l-- > 0;) /* inner loops before outer ones */
        if (m->repeating[l] && 2 * m->last[l] + 1 < best) {
            best = 2 * m->last[l] + 1;
            waiting = &m->repeating[l];
            block = m->flow->loops[l].header;
        }
    if (!waiting)
        return false;
    uint32_t mask = *waiting;
    *waiting = 0;
    run_block(m, block, mask);
    return true;
}

static inline void run_lockstep(hd_arena *arena, lockstep *m) {
    uint32_t blocks = m->kernel->block_count, values = m->kernel->inst_count;
    m->position = hd_new_array(arena, uint32_t, blocks);
    m->last = hd_new_array(arena, uint32_t, m->flow->loop_count);
    m->entering = hd_new_array(arena, uint32_t, blocks);
    m->repeating = hd_new_array(arena, uint32_t, m->flow->loop_count);
    m->from = hd_alloc(arena, sizeof *m->from * blocks);
    m->value = hd_alloc(arena, sizeof *m->value * values);
    m->cell = hd_new_array(arena, int64_t, values);
    for (uint32_t p = 0; p < m->flow->rpo_count; p++)
        m->position[m->flow->rpo[p]] = p;
    for (uint32_t l = 0; l < m->flow->loop_count; l++)
        m->last[l] = m->position[m->flow->loops[l].header] + m->flow->loops[l].block_count - 1;
    m->entering[0] = EVERY_LANE;
    for (uint32_t runs = 0; runs < MOST_RUNS && !m->wrong && run_first(m); runs++)
        ;
}

#endif
