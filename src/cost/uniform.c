/*
 * Which values all active lanes of a warp agree on.
 *
 * A value is varying when it comes from a local or global id, from private
 * memory or from an atomic; when one of its arguments is varying; or when it
 * is a phi at which lanes meet that a varying branch had sent different ways.
 * A phi in a loop's header stays uniform under a varying exit: lanes that are
 * still inside the loop are all in the same iteration. But behind the loop each
 * lane has the value of the iteration in which it left:
 *
 *     while (w[i] > j) j++;    inside, j is the same for all lanes
 *     p[j].x = 0;              here it is not
 *
 * so what was made in a loop that lanes leave one by one is varying outside of it.
 * Everything starts as uniform, and marks spread until nothing changes.
 */
#include "cost/internal.h"

typedef struct marking {
    const hd_kernel_info *info;
    const kir_kernel *kernel;
    bool *varying; /* by instruction */
    bool *joined;  /* by block: lanes that went different ways meet here */
    bool *parted;  /* by loop: lanes leave it in different iterations */
    bool *seen;    /* by block, of one walk */
    bool changed;
} marking;

static bool starts_varying(const kir_kernel *kernel, const kir_inst *inst) {
    switch (inst->op) {
    case KIR_QUERY:
        return inst->index == KIR_Q_GLOBAL_ID || inst->index == KIR_Q_LOCAL_ID ||
               inst->index == KIR_Q_GLOBAL_LINEAR_ID || inst->index == KIR_Q_LOCAL_LINEAR_ID;
    case KIR_ATOMIC: return true;
    case KIR_LOAD: {
        const kir_type *pointer = &kernel->insts[inst->args[0]].type;
        return pointer->space == KIR_PRIVATE;
    }
    default: return false;
    }
}

static bool is_in_loop(const hd_flow *flow, int32_t loop, uint32_t block) {
    int32_t at = flow->loop_of[block];
    while (at >= 0 && at != loop)
        at = flow->loops[at].parent;
    return at == loop;
}

/* `value` was made in a loop that `block` is not in, and that lanes left one by one. */
static bool left_apart(const hd_kernel_info *info, const bool *parted, kir_value value,
                       uint32_t block) {
    const hd_flow *flow = info->flow;
    for (int32_t l = flow->loop_of[info->kernel->insts[value].block]; l >= 0;
         l = flow->loops[l].parent)
        if (parted[l] && !is_in_loop(flow, l, block))
            return true;
    return false;
}

static bool is_varying(const marking *m, const kir_inst *inst) {
    for (uint32_t i = 0; i < inst->arg_count; i++)
        if (m->varying[inst->args[i]] || left_apart(m->info, m->parted, inst->args[i], inst->block))
            return true;
    return inst->op == KIR_PHI && inst->arg_count > 1 && m->joined[inst->block];
}

/* Marks the blocks that lanes reach on different ways from `block` on, up to `stop`. */
static void mark_region(marking *m, uint32_t block, uint32_t stop, uint32_t loop_header) {
    const hd_flow *flow = m->info->flow;
    bool next_iteration = block == loop_header;
    if (next_iteration && flow->loops[flow->loop_of[block]].latch_count < 2)
        return; /* all lanes come from the one latch */
    if (!m->joined[block])
        m->joined[block] = m->changed = true;
    if (next_iteration || block == stop || m->seen[block])
        return;
    m->seen[block] = true;
    const kir_block *b = &m->kernel->blocks[block];
    const kir_inst *end = &m->kernel->insts[b->insts[b->inst_count - 1]];
    for (uint32_t i = 0; i < end->to_count; i++)
        mark_region(m, end->to[i], stop, loop_header);
}

/* Loops that the branch leaves are left by some lanes and not by others. */
static void part_loops(marking *m, const kir_inst *branch) {
    const hd_flow *flow = m->info->flow;
    for (int32_t l = flow->loop_of[branch->block]; l >= 0; l = flow->loops[l].parent)
        for (uint32_t i = 0; i < branch->to_count; i++)
            if (!m->parted[l] && !is_in_loop(flow, l, branch->to[i]))
                m->parted[l] = m->changed = true;
}

static void spread_from_branch(marking *m, const kir_inst *branch) {
    const hd_flow *flow = m->info->flow;
    int32_t loop = flow->loop_of[branch->block];
    uint32_t header = loop >= 0 ? flow->loops[loop].header : KIR_NONE;
    memset(m->seen, 0, m->kernel->block_count * sizeof(bool));
    for (uint32_t i = 0; i < branch->to_count; i++)
        mark_region(m, branch->to[i], flow->ipdom[branch->block], header);
    part_loops(m, branch);
}

static bool branches_apart(const marking *m, const kir_inst *inst) {
    bool branches = inst->op == KIR_CONDBR || inst->op == KIR_SWITCH;
    return branches && (m->varying[inst->args[0]] ||
                        left_apart(m->info, m->parted, inst->args[0], inst->block));
}

uniformity hd_uniform_values(hd_arena *arena, const hd_kernel_info *info) {
    const kir_kernel *kernel = info->kernel;
    marking m = {.info = info, .kernel = kernel, .changed = true};
    bool *uniform = hd_new_array(arena, bool, kernel->inst_count);
    m.varying = hd_new_array(arena, bool, kernel->inst_count);
    m.joined = hd_new_array(arena, bool, kernel->block_count);
    m.seen = hd_new_array(arena, bool, kernel->block_count);
    m.parted = hd_new_array(arena, bool, info->flow->loop_count);
    for (uint32_t i = 0; i < kernel->inst_count; i++)
        m.varying[i] = starts_varying(kernel, &kernel->insts[i]);
    while (m.changed) {
        m.changed = false;
        for (uint32_t i = 0; i < kernel->inst_count; i++) {
            const kir_inst *inst = &kernel->insts[i];
            if (!m.varying[i] && is_varying(&m, inst))
                m.varying[i] = m.changed = true;
            if (branches_apart(&m, inst))
                spread_from_branch(&m, inst);
        }
    }
    for (uint32_t i = 0; i < kernel->inst_count; i++)
        uniform[i] = !m.varying[i];
    return (uniformity){uniform, m.parted};
}

bool hd_is_uniform_at(const uniformity *uniform, const hd_kernel_info *info, kir_value value,
                      uint32_t block) {
    return uniform->values[value] && !left_apart(info, uniform->parted, value, block);
}
