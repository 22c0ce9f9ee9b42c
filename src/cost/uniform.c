/*
 * Which values all active lanes of a warp agree on.
 *
 * A value is varying when it comes from a local or global id, from private
 * memory or from an atomic; when one of its arguments is varying; or when it
 * is a phi at which lanes meet that a varying branch had sent different ways.
 * A phi in a loop's header stays uniform under a varying exit: lanes that are
 * still inside the loop are all in the same iteration. Everything starts as
 * uniform, and marks spread until nothing changes.
 */
#include "cost/internal.h"

typedef struct uniformity {
    const hd_kernel_info *info;
    const kir_kernel *kernel;
    bool *varying; /* by instruction */
    bool *joined;  /* by block: lanes that went different ways meet here */
    bool *seen;    /* by block, of one walk */
    bool changed;
} uniformity;

static bool starts_varying(const kir_kernel *kernel, const kir_inst *inst) {
    switch (inst->op) {
    case KIR_QUERY:
        return inst->index == KIR_Q_GLOBAL_ID || inst->index == KIR_Q_LOCAL_ID ||
               inst->index == KIR_Q_GLOBAL_LINEAR_ID || inst->index == KIR_Q_LOCAL_LINEAR_ID;
    case KIR_ATOMIC:
        return true;
    case KIR_LOAD: {
        const kir_type *pointer = &kernel->insts[inst->args[0]].type;
        return pointer->space == KIR_PRIVATE;
    }
    default:
        return false;
    }
}

static bool is_varying(const uniformity *u, const kir_inst *inst) {
    for (uint32_t i = 0; i < inst->arg_count; i++)
        if (u->varying[inst->args[i]])
            return true;
    return inst->op == KIR_PHI && inst->arg_count > 1 && u->joined[inst->block];
}

/* Marks the blocks that lanes reach on different ways from `block` on, up to `stop`. */
static void mark_region(uniformity *u, uint32_t block, uint32_t stop, uint32_t loop_header) {
    if (block == loop_header)
        return;
    if (!u->joined[block]) {
        u->joined[block] = true;
        u->changed = true;
    }
    if (block == stop || u->seen[block])
        return;
    u->seen[block] = true;
    const kir_block *b = &u->kernel->blocks[block];
    const kir_inst *end = &u->kernel->insts[b->insts[b->inst_count - 1]];
    for (uint32_t i = 0; i < end->to_count; i++)
        mark_region(u, end->to[i], stop, loop_header);
}

static void spread_from_branch(uniformity *u, const kir_inst *branch) {
    const hd_flow *flow = u->info->flow;
    int32_t loop = flow->loop_of[branch->block];
    uint32_t header = loop >= 0 ? flow->loops[loop].header : KIR_NONE;
    memset(u->seen, 0, u->kernel->block_count * sizeof(bool));
    for (uint32_t i = 0; i < branch->to_count; i++)
        mark_region(u, branch->to[i], flow->ipdom[branch->block], header);
}

bool *hd_uniform_values(hd_arena *arena, const hd_kernel_info *info) {
    const kir_kernel *kernel = info->kernel;
    uniformity u = {.info = info, .kernel = kernel, .changed = true};
    u.varying = hd_new_array(arena, bool, kernel->inst_count);
    u.joined = hd_new_array(arena, bool, kernel->block_count);
    u.seen = hd_new_array(arena, bool, kernel->block_count);
    for (uint32_t i = 0; i < kernel->inst_count; i++)
        u.varying[i] = starts_varying(kernel, &kernel->insts[i]);
    while (u.changed) {
        u.changed = false;
        for (uint32_t i = 0; i < kernel->inst_count; i++) {
            const kir_inst *inst = &kernel->insts[i];
            if (!u.varying[i] && is_varying(&u, inst))
                u.varying[i] = u.changed = true;
            if ((inst->op == KIR_CONDBR || inst->op == KIR_SWITCH) && u.varying[inst->args[0]])
                spread_from_branch(&u, inst);
        }
    }
    for (uint32_t i = 0; i < kernel->inst_count; i++)
        u.varying[i] = !u.varying[i];
    return u.varying;
}
