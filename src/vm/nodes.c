/*
 * Control flow: kir's blocks as nodes in the order of their keys, edges with the
 * copies that phis need.
 *
 *     block     its pieces, cut at barriers, at its place in reverse post-order
 *     back edge of loop L: a node with the edge's copies, behind all blocks of L
 *               (and behind the inner loops' nodes), and after those of all its
 *               latches one more node, where they meet and go to the header
 *
 * flow.c always runs the first node that has lanes, so lanes that are done with an
 * iteration wait behind those that are not, and those that have left the loop
 * behind the loop.
 */
#include "vm/compile.h"

struct vm_plan {
    uint32_t *first;    /* [block] its first node */
    uint32_t *meeting;  /* [loop] node where its back edges meet */
    uint32_t **back;    /* [loop][latch] */
    uint32_t *loop_end; /* [loop] place in reverse post-order of its last block */
};

/* ---- numbering ---------------------------------------------------------------------- */

bool vm_is_barrier(const kir_inst *inst) {
    static const char *const calls[] = {"barrier_count", "barrier_and", "barrier_or"};
    if (inst->op == KIR_BARRIER)
        return true;
    for (size_t i = 0; inst->op == KIR_CALL && i < sizeof calls / sizeof *calls; i++)
        if (!strcmp(inst->name, calls[i]))
            return true;
    return false;
}

static uint32_t pieces_of(const kir_kernel *k, uint32_t block) {
    uint32_t pieces = 1;
    for (uint32_t n = 0; n < k->blocks[block].inst_count; n++)
        pieces += vm_is_barrier(&k->insts[k->blocks[block].insts[n]]);
    return pieces;
}

static void find_loop_ends(vm_compiler *c, struct vm_plan *plan) {
    uint32_t *place = hd_new_array(c->arena, uint32_t, c->kernel->block_count);
    for (uint32_t i = 0; i < c->flow->rpo_count; i++)
        place[c->flow->rpo[i]] = i;
    for (uint32_t l = 0; l < c->flow->loop_count; l++)
        for (uint32_t b = 0; b < c->flow->loops[l].block_count; b++) {
            uint32_t at = place[c->flow->loops[l].blocks[b]];
            plan->loop_end[l] = at > plan->loop_end[l] ? at : plan->loop_end[l];
        }
}

void vm_nodes_plan(vm_compiler *c) {
    const hd_flow *flow = c->flow;
    struct vm_plan *plan = c->plan = hd_new(c->arena, struct vm_plan);
    plan->first = hd_new_array(c->arena, uint32_t, c->kernel->block_count);
    plan->meeting = hd_new_array(c->arena, uint32_t, flow->loop_count);
    plan->back = hd_new_array(c->arena, uint32_t *, flow->loop_count);
    plan->loop_end = hd_new_array(c->arena, uint32_t, flow->loop_count);
    find_loop_ends(c, plan);
    uint32_t next = 0;
    for (uint32_t i = 0; i < flow->rpo_count; i++) {
        plan->first[flow->rpo[i]] = next;
        next += pieces_of(c->kernel, flow->rpo[i]);
        for (uint32_t l = flow->loop_count; l-- > 0;) { /* inner loops stand behind outer ones */
            if (plan->loop_end[l] != i)
                continue;
            plan->back[l] = hd_new_array(c->arena, uint32_t, flow->loops[l].latch_count);
            for (uint32_t e = 0; e < flow->loops[l].latch_count; e++)
                plan->back[l][e] = next++;
            plan->meeting[l] = next++;
        }
    }
    c->program->node_count = next;
    c->program->nodes = hd_new_array(c->arena, vm_node, next);
}

/* ---- copies for phis -------------------------------------------------------------------- */

typedef struct copy {
    vm_operand d, a;
} copy;
typedef hd_vec(copy) copy_list;

static void gather_copies(vm_compiler *c, uint32_t from, uint32_t to, copy_list *copies) {
    const kir_kernel *k = c->kernel;
    const kir_block *block = &k->blocks[to];
    for (uint32_t n = 0; n < block->inst_count && k->insts[block->insts[n]].op == KIR_PHI; n++) {
        kir_value v = block->insts[n];
        const kir_inst *phi = &k->insts[v];
        uint32_t a = 0;
        while (a < phi->arg_count && phi->from[a] != from)
            a++;
        for (uint32_t j = 0; j < phi->type.lanes && a < phi->arg_count; j++) {
            copy one = {vm_cell_of(c, v, j), vm_cell_of(c, phi->args[a], j)};
            if (one.d.at != one.a.at)
                hd_push(c->arena, copies, one);
        }
    }
}

static bool is_read_by_another(const copy_list *copies, size_t i) {
    for (size_t k = 0; k < copies->count; k++)
        if (k != i && copies->data[k].a.at == copies->data[i].d.at)
            return true;
    return false;
}

static void emit_move(vm_compiler *c, vm_operand d, vm_operand a) {
    vm_emit(c, KIR_FREEZE, vm_as_integer(d), vm_as_integer(a), vm_none);
}

/* All copies happen at once: one whose target others still read must wait; when all wait
 * for each other, one target is saved first. */
static void emit_copies(vm_compiler *c, copy_list *copies) {
    while (copies->count) {
        size_t i = 0;
        while (i < copies->count && is_read_by_another(copies, i))
            i++;
        if (i == copies->count) {
            vm_operand target = copies->data[0].d;
            vm_operand saved = vm_scratch(c, target.elem, target.varying);
            emit_move(c, saved, target);
            for (size_t k = 0; k < copies->count; k++)
                if (copies->data[k].a.at == target.at)
                    copies->data[k].a = saved;
            continue;
        }
        emit_move(c, copies->data[i].d, copies->data[i].a);
        copies->data[i] = copies->data[--copies->count];
    }
}

static vm_edge edge_with_copies(vm_compiler *c, uint32_t node, uint32_t from, uint32_t to) {
    copy_list copies = {0};
    vm_edge edge = {.to = node, .first = (uint32_t)c->ops.count};
    c->cells->scratch_used = 0;
    gather_copies(c, from, to, &copies);
    emit_copies(c, &copies);
    edge.count = (uint32_t)c->ops.count - edge.first;
    return edge;
}

/* The back edge from one block to another, if it is one of a natural loop. */
static bool find_back_edge(const vm_compiler *c, uint32_t from, uint32_t to, uint32_t *loop,
                           uint32_t *latch) {
    for (uint32_t l = 0; l < c->flow->loop_count; l++)
        for (uint32_t e = 0; c->flow->loops[l].header == to && e < c->flow->loops[l].latch_count;
             e++)
            if (c->flow->loops[l].latches[e] == from) {
                *loop = l;
                *latch = e;
                return true;
            }
    return false;
}

static vm_edge edge_of(vm_compiler *c, uint32_t from, uint32_t to) {
    uint32_t loop, latch;
    if (find_back_edge(c, from, to, &loop, &latch)) /* its node does the copies */
        return (vm_edge){.to = c->plan->back[loop][latch]};
    return edge_with_copies(c, c->plan->first[to], from, to);
}

/* ---- ends of nodes -------------------------------------------------------------------------- */

static void set_edges(vm_compiler *c, vm_node *node, uint32_t count) {
    node->edges = hd_new_array(c->arena, vm_edge, count);
    node->edge_count = count;
}

void vm_end_block(vm_compiler *c, vm_node *node, uint32_t block) {
    const kir_inst *last = c->inst;
    node->inst = c->value;
    node->end = last->op == KIR_BR            ? VM_END_GO
                : last->op == KIR_CONDBR      ? VM_END_IF
                : last->op == KIR_SWITCH      ? VM_END_SWITCH
                : last->op == KIR_UNREACHABLE ? VM_END_TRAP
                                              : VM_END_RETURN;
    if (last->arg_count)
        node->condition = vm_cell_of(c, last->args[0], 0);
    node->cases = last->imm;
    set_edges(c, node, last->to_count);
    for (uint32_t e = 0; e < last->to_count; e++)
        node->edges[e] = edge_of(c, block, last->to[e]);
}

void vm_end_piece(vm_compiler *c, vm_node *node) {
    node->inst = c->value;
    node->end = VM_END_BARRIER;
    set_edges(c, node, 1);
    node->edges[0] = (vm_edge){.to = (uint32_t)(node - c->program->nodes) + 1};
}

uint32_t vm_first_node(const vm_compiler *c, uint32_t block) { return c->plan->first[block]; }

static void finish_loop(vm_compiler *c, uint32_t l) {
    const hd_loop *loop = &c->flow->loops[l];
    vm_node *meeting = &c->program->nodes[c->plan->meeting[l]];
    for (uint32_t e = 0; e < loop->latch_count; e++) {
        vm_node *back = &c->program->nodes[c->plan->back[l][e]];
        vm_edge edge = edge_with_copies(c, c->plan->meeting[l], loop->latches[e], loop->header);
        back->first = edge.first;
        back->count = edge.count;
        back->inst = KIR_NONE;
        set_edges(c, back, 1);
        back->edges[0] = (vm_edge){.to = edge.to};
    }
    meeting->inst = KIR_NONE;
    set_edges(c, meeting, 1);
    meeting->edges[0] = (vm_edge){.to = c->plan->first[loop->header]};
}

void vm_nodes_finish(vm_compiler *c) {
    for (uint32_t l = 0; l < c->flow->loop_count; l++)
        finish_loop(c, l);
}
