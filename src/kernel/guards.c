/*
 * Under which conditions a block runs, and so its accesses.
 *
 * A block is control dependent on an edge A -> S when it runs after S is taken
 * and might not otherwise: it post-dominates S, but not A (Ferrante, Ottenstein
 * and Warren, "The Program Dependence Graph", 1987, section 3.1). All edges
 * that a block depends on, directly or through those, are its conditions.
 *
 * An edge whose branch is affine, and which every path to the block takes,
 * becomes a guard, `expr pred 0`; any other makes the access conditional. Tests
 * that end a loop are left out: how often a loop runs is its trip's affair.
 */
#include "kernel/kernel_analysis.h"

kir_pred kernel_pred_not(kir_pred pred) {
    /* Of EQ NE, of SLT SLE SGT SGE and of the unsigned ones: the first is the contrary of the last,
     * and so on inwards. */
    if (pred <= KIR_P_NE)
        return KIR_P_EQ + KIR_P_NE - pred;
    if (pred <= KIR_P_SGE)
        return KIR_P_SLT + KIR_P_SGE - pred;
    return pred <= KIR_P_UGE ? KIR_P_ULT + KIR_P_UGE - pred : pred;
}

kir_pred kernel_pred_signed(kir_pred pred) {
    return pred >= KIR_P_ULT && pred <= KIR_P_UGE ? pred - KIR_P_ULT + KIR_P_SLT : pred;
}

bool hd_compare(kir_pred pred, uint32_t bits, int64_t a, int64_t b) {
    uint64_t mask = bits >= 64 ? UINT64_MAX : ((uint64_t)1 << bits) - 1;
    uint64_t ua = (uint64_t)a & mask, ub = (uint64_t)b & mask;
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

static bool is_bit(const kernel_forms *f, kir_value value, int64_t bit) {
    int64_t number;
    return kir_const_int(f->kernel, value, &number) && number == bit;
}

void kernel_condition_parts(const kernel_forms *f, kir_value value, bool truth,
                            kernel_conditions *parts) {
    const kir_inst *inst = &f->kernel->insts[value];
    bool scalar_bit = inst->type.bits == 1 && inst->type.lanes == 1;
    if (inst->op == KIR_FREEZE) {
        kernel_condition_parts(f, inst->args[0], truth, parts);
    } else if (inst->op == KIR_XOR && scalar_bit && is_bit(f, inst->args[1], 1)) {
        kernel_condition_parts(f, inst->args[0], !truth, parts);
    } else if (inst->op == (truth ? KIR_AND : KIR_OR) && scalar_bit) {
        kernel_condition_parts(f, inst->args[0], truth, parts);
        kernel_condition_parts(f, inst->args[1], truth, parts);
    } else if (inst->op == KIR_SELECT && scalar_bit && truth && is_bit(f, inst->args[2], 0)) {
        kernel_condition_parts(f, inst->args[0], true, parts);
        kernel_condition_parts(f, inst->args[1], true, parts);
    } else if (inst->op == KIR_SELECT && scalar_bit && !truth && is_bit(f, inst->args[1], 1)) {
        kernel_condition_parts(f, inst->args[0], false, parts);
        kernel_condition_parts(f, inst->args[2], false, parts);
    } else {
        hd_push(f->arena, parts, (kernel_condition){value, truth});
    }
}

typedef hd_vec(hd_guard) guard_list;

/* Ids and counters are never negative, so neither is a sum of them. */
static bool is_natural(hd_affine a) {
    if (a.constant < 0)
        return false;
    for (uint32_t i = 0; i < a.term_count; i++)
        if (a.terms[i].factor < 0)
            return false;
    return true;
}

/* A form that an access in `block` may use: known, and not of a loop that is over. */
static bool is_usable(const kernel_forms *f, hd_affine form, uint32_t block) {
    for (uint32_t i = 0; i < form.term_count; i++)
        if (form.terms[i].kind == HD_SYM_LOOP &&
            !hd_flow_in_loop(f->flow, (int32_t)form.terms[i].index, block))
            return false;
    return !hd_affine_is_opaque(form);
}

/* `left pred right` as guards. An unsigned `x < n` also says that x is not negative
 * (so compilers write 0 <= x && x < n); its contrary, x negative or at least n, is
 * no conjunction unless x cannot be negative. */
static bool guard_compare(const kernel_forms *f, kir_pred pred, hd_affine left, hd_affine right,
                          guard_list *guards) {
    bool is_unsigned = pred >= KIR_P_ULT && pred <= KIR_P_UGE;
    bool less = pred == KIR_P_ULT || pred == KIR_P_ULE;
    hd_affine small = less ? left : right, large = less ? right : left;
    if (is_unsigned && !is_natural(large))
        return false;
    if (is_unsigned && !is_natural(small))
        hd_push(f->arena, guards, (hd_guard){small, KIR_P_SGE});
    hd_affine difference = hd_affine_add(f->arena, left, right, -1);
    hd_push(f->arena, guards, (hd_guard){difference, kernel_pred_signed(pred)});
    return true;
}

static bool guard_condition(const kernel_forms *f, kernel_condition part, uint32_t from,
                            uint32_t block, guard_list *guards) {
    const kir_inst *compare = &f->kernel->insts[part.value];
    if (compare->op != KIR_ICMP || f->kernel->insts[compare->args[0]].type.kind != KIR_INT ||
        compare->type.lanes != 1)
        return false;
    hd_affine left = kernel_forms_at(f, compare->args[0], from);
    hd_affine right = kernel_forms_at(f, compare->args[1], from);
    kir_pred pred = part.truth ? compare->pred : kernel_pred_not(compare->pred);
    return is_usable(f, left, block) && is_usable(f, right, block) &&
           guard_compare(f, pred, left, right, guards);
}

/* Every path to `block` takes the edge from -> to. */
static bool edge_dominates(const kernel_forms *f, uint32_t from, uint32_t to, uint32_t block) {
    const kir_block *target = &f->kernel->blocks[to];
    if (!hd_flow_dominates(f->flow, to, block))
        return false;
    for (uint32_t i = 0; i < target->pred_count; i++)
        if (target->preds[i] != from && !hd_flow_dominates(f->flow, to, target->preds[i]))
            return false;
    return true;
}

/* The guards that taking target `to` of the branch at the end of `from` means. */
static bool guard_edge(const kernel_forms *f, uint32_t from, uint32_t to, uint32_t block,
                       guard_list *guards) {
    const kir_inst *last = kir_terminator(f->kernel, from);
    if (!edge_dominates(f, from, to, block))
        return false;
    if (last->op == KIR_SWITCH) {
        uint32_t cases = 0, which = 0;
        for (uint32_t i = 0; i < last->to_count; i++)
            if (last->to[i] == to) {
                cases++;
                which = i;
            }
        hd_affine value = kernel_forms_at(f, last->args[0], from);
        if (cases != 1 || which == 0 || !is_usable(f, value, block))
            return false;
        value = hd_affine_add(f->arena, value,
                              kernel_affine_constant((int64_t)last->imm[which - 1]), -1);
        hd_push(f->arena, guards, (hd_guard){value, KIR_P_EQ});
        return true;
    }
    kernel_conditions parts = {0};
    kernel_condition_parts(f, last->args[0], last->to[0] == to, &parts);
    bool all = true;
    for (size_t i = 0; i < parts.count; i++)
        all &= guard_condition(f, parts.data[i], from, block, guards);
    return all;
}

/* The branch ends a loop, and the loop's trip accounts for it. */
static bool is_counted_exit(const kernel_forms *f, const hd_trip *trips, uint32_t from,
                            uint32_t block) {
    for (int32_t l = f->flow->loop_of[from]; l >= 0; l = f->flow->loops[l].parent) {
        const hd_loop *loop = &f->flow->loops[l];
        bool leaves = false;
        for (uint32_t i = 0; i < loop->exit_count; i++)
            leaves |= loop->exits[i] == from;
        if (!leaves)
            continue;
        if (trips[l].kind == HD_TRIP_UNKNOWN ? hd_flow_in_loop(f->flow, l, block)
                                             : trips[l].test == from)
            return true;
    }
    return false;
}

/* ---- control dependence ------------------------------------------------------- */

/* An edge: target `to` of the branch at the end of `from`. */
typedef struct edge {
    uint32_t from, to;
} edge;
typedef hd_vec(edge) edge_list;

struct kernel_controls {
    edge_list *of; /* [block]: the edges that it depends on directly */
};

kernel_controls *kernel_controls_new(const kernel_forms *f) {
    kernel_controls *controls = hd_new(f->arena, kernel_controls);
    controls->of = hd_new_array(f->arena, edge_list, f->kernel->block_count);
    uint32_t *stamp = hd_new_array(f->arena, uint32_t, f->kernel->block_count);
    for (uint32_t i = 0; i < f->flow->rpo_count; i++) {
        uint32_t from = f->flow->rpo[i];
        const kir_inst *last = kir_terminator(f->kernel, from);
        if (last->to_count < 2)
            continue;
        for (uint32_t p = from; p != KIR_NONE; p = f->flow->ipdom[p])
            stamp[p] = from + 1; /* post-dominates the branch */
        /* Every block on the way from the branch's target up the tree of post-dominators
         * depends on the edge, up to the first one that post-dominates the branch as well. */
        for (uint32_t k = 0; k < last->to_count; k++)
            for (uint32_t b = last->to[k]; b != KIR_NONE && (b == from || stamp[b] != from + 1);
                 b = f->flow->ipdom[b])
                hd_push(f->arena, &controls->of[b], (edge){from, last->to[k]});
    }
    return controls;
}

typedef struct search {
    const kernel_forms *f;
    const kernel_controls *controls;
    const hd_trip *trips;
    uint32_t block; /* whose conditions are sought */
    guard_list guards;
    bool conditional;
    bool *visited; /* blocks whose control dependences were followed */
} search;

/* Follows everything that `block` depends on. */
static void follow(search *s, uint32_t block) {
    s->visited[block] = true;
    for (size_t i = 0; i < s->controls->of[block].count; i++) {
        edge e = s->controls->of[block].data[i];
        if (!is_counted_exit(s->f, s->trips, e.from, s->block) &&
            !guard_edge(s->f, e.from, e.to, s->block, &s->guards))
            s->conditional = true;
        if (!s->visited[e.from])
            follow(s, e.from);
    }
}

kernel_guards kernel_guards_of_block(const kernel_forms *f, const kernel_controls *controls,
                                     const hd_trip *trips, uint32_t block) {
    search s = {.f = f,
                .controls = controls,
                .trips = trips,
                .block = block,
                .visited = hd_new_array(f->arena, bool, f->kernel->block_count)};
    follow(&s, block);
    return (kernel_guards){s.guards.data, (uint32_t)s.guards.count, s.conditional};
}
