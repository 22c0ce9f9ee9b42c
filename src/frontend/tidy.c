/*
 * Last touches on a lowered kernel, which is complete but not yet tidy:
 *
 *     private variables that are written and never read go, with the writes
 *     values that nobody uses go
 *     blocks that only branch on go, and a block whose only way leads to a
 *       block with no other way in is joined with it
 *     a branch on a phi is taken early where the phi's value is a constant
 *     values are numbered in program order
 *
 * Joining blocks moves nothing across a branch, unlike LLVM's simplifycfg.
 */
#include "frontend/build.h"

typedef struct tidier {
    hd_arena *arena;
    kir_inst *insts;
    uint32_t inst_count;
    front_values *lists;
    uint32_t block_count;
    bool *keep; /* [inst_count] */
    bool *gone; /* [block_count] */
} tidier;

/* ---- parts of vectors -------------------------------------------------- */

/* What was put into a vector at this place; KIR_NONE where that is not known. */
static kir_value part_of(const kir_inst *insts, kir_value vector, uint64_t place) {
    for (;;) {
        const kir_inst *inst = &insts[vector];
        const bool is_same = inst->op == KIR_BITCAST &&
                             !memcmp(&inst->type, &insts[inst->args[0]].type, sizeof inst->type);
        if (inst->op == KIR_INSERT && insts[inst->args[2]].op == KIR_CONST) {
            if (insts[inst->args[2]].imm[0] == place)
                return inst->args[1];
        } else if (!is_same) {
            return KIR_NONE;
        }
        vector = inst->args[0];
    }
}

void front_forward_parts(hd_arena *arena, kir_inst *insts, uint32_t count) {
    kir_value *part = hd_new_array(arena, kir_value, count);
    for (uint32_t v = 0; v < count; v++) {
        const kir_inst *inst = &insts[v];
        part[v] = inst->op == KIR_EXTRACT && insts[inst->args[1]].op == KIR_CONST
                      ? part_of(insts, inst->args[0], insts[inst->args[1]].imm[0])
                      : KIR_NONE;
    }
    for (uint32_t v = 0; v < count; v++)
        for (uint32_t a = 0; a < insts[v].arg_count; a++)
            while (part[insts[v].args[a]] != KIR_NONE)
                insts[v].args[a] = part[insts[v].args[a]];
}

/* ---- dead values ----------------------------------------------------- */

/* The alloca that a pointer is computed from by plain steps, or KIR_NONE. */
static kir_value alloca_of(const tidier *t, kir_value value) {
    while (t->insts[value].op == KIR_ADDR || t->insts[value].op == KIR_SPACECAST)
        value = t->insts[value].args[0];
    return t->insts[value].op == KIR_ALLOCA ? value : KIR_NONE;
}

/* The operand that a write goes to, or -1. */
static int target_operand(const kir_inst *inst) {
    if (inst->is_volatile)
        return -1;
    if (inst->op == KIR_STORE)
        return 1;
    return inst->op == KIR_COPY || inst->op == KIR_FILL ? 0 : -1;
}

static bool has_effect(const tidier *t, const kir_inst *inst, const bool *is_read) {
    int target = target_operand(inst);
    if (target >= 0) {
        kir_value to = alloca_of(t, inst->args[target]);
        return to == KIR_NONE || is_read[to];
    }
    if (inst->op == KIR_LOAD)
        return inst->is_volatile;
    return kir_is_memory(inst->op) || kir_is_terminator(inst->op) || inst->op == KIR_CALL ||
           inst->op == KIR_BARRIER || inst->op == KIR_FENCE || inst->op == KIR_PARAM;
}

void front_mark_needed(hd_arena *arena, const kir_inst *insts, front_values work, bool *needed) {
    while (work.count) {
        const kir_inst *inst = &insts[work.data[--work.count]];
        for (uint32_t a = 0; a < inst->arg_count; a++)
            if (!needed[inst->args[a]]) {
                needed[inst->args[a]] = true;
                hd_push(arena, &work, inst->args[a]);
            }
    }
}

/* Keeps what has an effect and all that it needs; true when something went. */
static bool drop_dead(tidier *t) {
    bool *is_read = hd_new_array(t->arena, bool, t->inst_count);
    /* Marks the allocas that anything but a write or a step uses. */
    for (uint32_t v = 0; v < t->inst_count; v++) {
        const kir_inst *inst = &t->insts[v];
        bool step = inst->op == KIR_ADDR || inst->op == KIR_SPACECAST;
        for (uint32_t a = 0; t->keep[v] && a < inst->arg_count; a++) {
            kir_value from = alloca_of(t, inst->args[a]);
            if (from != KIR_NONE && !(step && a == 0) && (int)a != target_operand(inst))
                is_read[from] = true;
        }
    }
    bool *needed = hd_new_array(t->arena, bool, t->inst_count);
    front_values work = {0};
    for (uint32_t v = 0; v < t->inst_count; v++)
        if (t->keep[v] && has_effect(t, &t->insts[v], is_read)) {
            needed[v] = true;
            hd_push(t->arena, &work, v);
        }
    front_mark_needed(t->arena, t->insts, work, needed);
    bool dropped = false;
    for (uint32_t v = 0; v < t->inst_count; v++)
        dropped |= t->keep[v] && !needed[v];
    t->keep = needed;
    return dropped;
}

/* ---- blocks ---------------------------------------------------------- */

static kir_inst *last_of(const tidier *t, uint32_t block) {
    return &t->insts[t->lists[block].data[t->lists[block].count - 1]];
}

static bool leads_to(const tidier *t, uint32_t from, uint32_t to) {
    const kir_inst *last = last_of(t, from);
    for (uint32_t i = 0; i < last->to_count; i++)
        if (last->to[i] == to)
            return true;
    return false;
}

/* The blocks that lead to `block`, each once. */
static front_values preds_of(const tidier *t, uint32_t block) {
    front_values preds = {0};
    for (uint32_t b = 0; b < t->block_count; b++)
        if (!t->gone[b] && leads_to(t, b, block))
            hd_push(t->arena, &preds, b);
    return preds;
}

/* In the phis of `block`, what came from `old` comes from all of `now`. */
static void redirect_phis(tidier *t, uint32_t block, uint32_t old, const front_values *now) {
    for (size_t i = 0; i < t->lists[block].count; i++) {
        kir_inst *phi = &t->insts[t->lists[block].data[i]];
        if (phi->op != KIR_PHI)
            return;
        front_values args = {0}, from = {0};
        for (uint32_t a = 0; a < phi->arg_count; a++) {
            bool replaced = phi->from[a] == old;
            for (size_t k = 0; k < (replaced ? now->count : 1); k++) {
                hd_push(t->arena, &args, phi->args[a]);
                hd_push(t->arena, &from, replaced ? now->data[k] : phi->from[a]);
            }
        }
        phi->args = args.data;
        phi->from = from.data;
        phi->arg_count = (uint32_t)args.count;
    }
}

/* A → B with no other way out of A or into B: B's instructions go to A's end. */
static bool join_next(tidier *t, uint32_t a) {
    kir_inst *last = last_of(t, a);
    if (last->op != KIR_BR || last->to[0] == a)
        return false;
    uint32_t b = last->to[0];
    front_values preds = preds_of(t, b);
    if (b == 0 || preds.count != 1)
        return false;
    t->lists[a].count--;
    for (size_t i = 0; i < t->lists[b].count; i++) {
        kir_value v = t->lists[b].data[i];
        if (t->insts[v].op == KIR_PHI) {
            kir_value only = t->insts[v].args[0];
            t->insts[v].arg_count = 0;
            for (uint32_t user = 0; user < t->inst_count; user++)
                for (uint32_t k = 0; k < t->insts[user].arg_count; k++)
                    if (t->insts[user].args[k] == v)
                        t->insts[user].args[k] = only;
        } else {
            hd_push(t->arena, &t->lists[a], v);
        }
    }
    t->gone[b] = true;
    const kir_inst *end = last_of(t, a);
    front_values now = {0};
    hd_push(t->arena, &now, a);
    for (uint32_t i = 0; i < end->to_count; i++)
        redirect_phis(t, end->to[i], b, &now);
    return true;
}

static void redirect_edge(tidier *t, uint32_t from, uint32_t old, uint32_t now) {
    kir_inst *last = last_of(t, from);
    for (uint32_t k = 0; k < last->to_count; k++)
        if (last->to[k] == old)
            last->to[k] = now;
}

/* Is there a way back to `block` that leads through it alone? Its predecessors
 * are then not all reached without it. Such blocks stay as they are, so that
 * loops keep their one entry and nested loops stay apart. */
static bool is_loop_header(const tidier *t, uint32_t block) {
    bool *reached = hd_new_array(t->arena, bool, t->block_count);
    front_values work = {0};
    reached[0] = true;
    hd_push(t->arena, &work, 0);
    while (work.count) {
        uint32_t from = work.data[--work.count];
        const kir_inst *last = last_of(t, from);
        for (uint32_t i = 0; from != block && i < last->to_count; i++)
            if (!reached[last->to[i]]) {
                reached[last->to[i]] = true;
                hd_push(t->arena, &work, last->to[i]);
            }
    }
    front_values preds = preds_of(t, block);
    for (size_t i = 0; i < preds.count; i++)
        if (!reached[preds.data[i]] || preds.data[i] == block)
            return true;
    return false;
}

/* A block that only branches on: those before it go straight to its target,
 * unless a phi there would then have two values from one block. */
static bool skip_empty(tidier *t, uint32_t block) {
    kir_inst *only = last_of(t, block);
    if (block == 0 || t->lists[block].count != 1 || only->op != KIR_BR || only->to[0] == block)
        return false;
    if (is_loop_header(t, block))
        return false;
    uint32_t target = only->to[0];
    front_values preds = preds_of(t, block);
    for (size_t i = 0; i < preds.count; i++)
        if (leads_to(t, preds.data[i], target) && t->insts[t->lists[target].data[0]].op == KIR_PHI)
            return false;
    for (size_t i = 0; i < preds.count; i++) {
        redirect_edge(t, preds.data[i], block, target);
        kir_inst *last = last_of(t, preds.data[i]);
        if (last->op == KIR_CONDBR && last->to[0] == last->to[1]) {
            last->op = KIR_BR;
            last->to_count = 1;
            last->arg_count = 0;
        }
    }
    t->gone[block] = true;
    redirect_phis(t, target, block, &preds);
    return true;
}

static uint32_t count_uses(const tidier *t, kir_value value) {
    uint32_t uses = 0;
    for (uint32_t v = 0; v < t->inst_count; v++)
        for (uint32_t a = 0; t->keep[v] && a < t->insts[v].arg_count; a++)
            uses += t->insts[v].args[a] == value;
    return uses;
}

/* clang computes the condition `a && b` of a loop into a phi and branches on
 * it: what comes with a constant knows where it goes without the phi. */
static bool thread_constant(tidier *t, uint32_t block) {
    kir_inst *last = last_of(t, block);
    kir_inst *phi = &t->insts[t->lists[block].data[0]];
    if (t->lists[block].count != 2 || phi->op != KIR_PHI || last->op != KIR_CONDBR ||
        last->args[0] != t->lists[block].data[0] || count_uses(t, last->args[0]) != 1 ||
        is_loop_header(t, block))
        return false;
    for (uint32_t a = 0; a < phi->arg_count; a++) {
        const kir_inst *value = &t->insts[phi->args[a]];
        uint32_t from = phi->from[a];
        if (value->op != KIR_CONST || from == block)
            continue;
        uint32_t target = last->to[value->imm[0] ? 0 : 1];
        if (leads_to(t, from, target) || target == block)
            continue;
        redirect_edge(t, from, block, target);
        redirect_phis(t, target, block, &(front_values){(kir_value[]){block, from}, 2, 2});
        phi->arg_count--;
        phi->args[a] = phi->args[phi->arg_count];
        phi->from[a] = phi->from[phi->arg_count];
        return true;
    }
    return false;
}

/* A block that nothing leads to any more. */
static bool drop_unreached(tidier *t, uint32_t block) {
    if (block == 0 || preds_of(t, block).count)
        return false;
    const kir_inst *last = last_of(t, block);
    t->gone[block] = true;
    for (uint32_t i = 0; i < last->to_count; i++)
        redirect_phis(t, last->to[i], block, &(front_values){0});
    return true;
}

/* ---- numbering ------------------------------------------------------- */

static void number_all(tidier *t, kir_kernel *kernel) {
    uint32_t *new_block = hd_new_array(t->arena, uint32_t, t->block_count);
    kir_value *new_value = hd_new_array(t->arena, kir_value, t->inst_count);
    for (uint32_t b = 0; b < t->block_count; b++)
        if (!t->gone[b])
            new_block[b] = kernel->block_count++;
    kernel->blocks = hd_new_array(t->arena, kir_block, kernel->block_count);
    for (uint32_t b = 0; b < t->block_count; b++)
        for (size_t i = 0; !t->gone[b] && i < t->lists[b].count; i++)
            new_value[t->lists[b].data[i]] = kernel->inst_count++;
    kernel->insts = hd_new_array(t->arena, kir_inst, kernel->inst_count);
    for (uint32_t b = 0; b < t->block_count; b++) {
        if (t->gone[b])
            continue;
        kir_block *block = &kernel->blocks[new_block[b]];
        block->inst_count = (uint32_t)t->lists[b].count;
        block->insts = hd_new_array(t->arena, kir_value, block->inst_count);
        for (uint32_t i = 0; i < block->inst_count; i++) {
            kir_value old = t->lists[b].data[i];
            block->insts[i] = new_value[old];
            kernel->insts[new_value[old]] = t->insts[old];
            kernel->insts[new_value[old]].block = new_block[b];
            kir_inst *inst = &kernel->insts[new_value[old]];
            for (uint32_t a = 0; a < inst->arg_count; a++)
                inst->args[a] = new_value[inst->args[a]];
            for (uint32_t a = 0; inst->op == KIR_PHI && a < inst->arg_count; a++)
                inst->from[a] = new_block[inst->from[a]];
            for (uint32_t k = 0; k < inst->to_count; k++)
                inst->to[k] = new_block[inst->to[k]];
        }
    }
}

void front_tidy(hd_arena *arena, kir_kernel *kernel, kir_inst *insts, uint32_t inst_count,
                front_values *lists, uint32_t block_count) {
    tidier t = {.arena = arena,
                .insts = insts,
                .inst_count = inst_count,
                .lists = lists,
                .block_count = block_count};
    t.keep = hd_new_array(arena, bool, inst_count);
    t.gone = hd_new_array(arena, bool, block_count);
    memset(t.keep, true, inst_count);
    for (int round = 0; round < 2; round++) { /* skipped blocks can leave conditions unused */
        while (drop_dead(&t))
            ;
        for (uint32_t b = 0; b < t.block_count; b++) {
            size_t kept = 0;
            for (size_t i = 0; i < t.lists[b].count; i++)
                if (t.keep[t.lists[b].data[i]])
                    t.lists[b].data[kept++] = t.lists[b].data[i];
            t.lists[b].count = kept;
        }
        for (bool changed = true; changed;) {
            changed = false;
            for (uint32_t b = 0; b < t.block_count; b++) {
                while (!t.gone[b] && join_next(&t, b))
                    changed = true;
                while (!t.gone[b] && thread_constant(&t, b))
                    changed = true;
                if (!t.gone[b] && (drop_unreached(&t, b) || skip_empty(&t, b)))
                    changed = true;
            }
        }
    }
    number_all(&t, kernel);
}
