/*
 * An estimate of the registers of a thread: the largest number of 32-bit values
 * that are live at one point, plus a few that every kernel needs.
 *
 * Liveness is the usual backward data flow over blocks (Aho, Sethi, Ullman,
 * "Compilers", section 10.6). What costs a GPU compiler no register counts
 * none: constants, parameters (constant memory), comparison results
 * (predicates), and operations that the next instruction absorbs: constant
 * offsets, sign extensions of indices, casts. A use of those is a use of what
 * they are computed from.
 */
#include "kernel/kernel.h"

enum { FIXED = 6, WORD_BITS = 64 };

typedef struct liveness {
    const kir_kernel *kernel;
    uint32_t words; /* of a set of values */
    uint64_t **in;  /* live at the start of each block */
} liveness;

static bool is_absorbed(const kir_inst *inst) {
    switch (inst->op) {
    case KIR_ADDR: return inst->arg_count == 1;
    case KIR_SEXT:
    case KIR_ZEXT:
    case KIR_TRUNC:
    case KIR_FREEZE:
    case KIR_BITCAST:
    case KIR_SPACECAST:
    case KIR_PTRTOINT:
    case KIR_INTTOPTR: return true;
    default: return false;
    }
}

static uint32_t weight(const kir_inst *inst) {
    if (kir_is_leaf(inst->op) || inst->op == KIR_ALLOCA || is_absorbed(inst) ||
        inst->type.kind == KIR_VOID || inst->type.bits == 1)
        return 0;
    if (inst->op == KIR_QUERY) /* sizes are constants, ids fit 32 bits */
        return inst->index <= KIR_Q_GROUP_ID || inst->index >= KIR_Q_GLOBAL_LINEAR_ID;
    return (inst->type.bits * inst->type.lanes + 31u) / 32;
}

static bool has(const uint64_t *set, kir_value v) {
    return set[v / WORD_BITS] >> (v % WORD_BITS) & 1;
}

/* Adds what a use of `v` keeps alive; returns the registers this adds. */
static uint32_t use(const liveness *l, uint64_t *set, kir_value v) {
    const kir_inst *inst = &l->kernel->insts[v];
    if (has(set, v) || kir_is_leaf(inst->op))
        return 0;
    if (is_absorbed(inst))
        return use(l, set, inst->args[0]);
    set[v / WORD_BITS] |= (uint64_t)1 << (v % WORD_BITS);
    return weight(inst);
}

/* What is live behind the block's last instruction: what its successors need, and
 * what their phis take from here. */
static uint32_t live_out(const liveness *l, uint32_t b, uint64_t *set) {
    const kir_kernel *kernel = l->kernel;
    const kir_inst *last = kir_terminator(kernel, b);
    uint32_t live = 0;
    memset(set, 0, l->words * sizeof *set);
    for (uint32_t k = 0; k < last->to_count; k++) {
        const kir_block *to = &kernel->blocks[last->to[k]];
        for (uint32_t i = 0; i < l->words; i++)
            set[i] |= l->in[last->to[k]][i];
        for (uint32_t i = 0; i < to->inst_count; i++) {
            const kir_inst *phi = &kernel->insts[to->insts[i]];
            for (uint32_t a = 0; phi->op == KIR_PHI && a < phi->arg_count; a++)
                if (phi->from[a] == b)
                    use(l, set, phi->args[a]);
        }
    }
    for (kir_value v = 0; v < kernel->inst_count; v++)
        if (has(set, v))
            live += weight(&kernel->insts[v]);
    return live;
}

/* Walks a block backwards from `set`; returns the most that is live at a point. */
static uint32_t walk_block(const liveness *l, uint32_t b, uint64_t *set, uint32_t live) {
    const kir_block *block = &l->kernel->blocks[b];
    uint32_t most = live;
    for (uint32_t i = block->inst_count; i-- > 0;) {
        kir_value v = block->insts[i];
        const kir_inst *inst = &l->kernel->insts[v];
        live -= has(set, v) ? weight(inst) : 0;
        set[v / WORD_BITS] &= ~((uint64_t)1 << (v % WORD_BITS));
        if (inst->op == KIR_PHI || is_absorbed(inst))
            continue; /* read at the end of the predecessors; where it is used */
        for (uint32_t a = 0; a < inst->arg_count; a++)
            live += use(l, set, inst->args[a]);
        most = live > most ? live : most;
    }
    return most;
}

uint32_t hd_kernel_registers(hd_arena *arena, const kir_kernel *kernel, const hd_flow *flow) {
    liveness l = {kernel, (kernel->inst_count + WORD_BITS - 1) / WORD_BITS,
                  hd_new_array(arena, uint64_t *, kernel->block_count)};
    uint64_t *set = hd_new_array(arena, uint64_t, l.words);
    uint32_t most = 0;
    for (uint32_t b = 0; b < kernel->block_count; b++)
        l.in[b] = hd_new_array(arena, uint64_t, l.words);
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t i = flow->rpo_count; i-- > 0;) {
            uint32_t b = flow->rpo[i];
            uint32_t live = walk_block(&l, b, set, live_out(&l, b, set));
            changed |= memcmp(set, l.in[b], l.words * sizeof *set) != 0;
            memcpy(l.in[b], set, l.words * sizeof *set);
            most = live > most ? live : most;
        }
    }
    return most + FIXED;
}
