/*
 * Control flow: kir's blocks as nodes in the order of their keys, edges with the
 * copies that phis need.
 *
 *     block     its pieces, cut at barriers, at its place in reverse post-order
 *     back edge of loop L: a node with the edge's copies, behind all blocks of L
 *               (and behind the inner loops' nodes), and after those of all its
 *               latches one more node, where they meet and go to the header
 *
 * lane_flow.c always runs the first node that has lanes, so lanes that are done with an
 * iteration wait behind those that are not, and those that have left the loop
 * behind the loop.
 */
#include "machine/builtin.h"
#include "machine/compile.h"

struct vm_plan {
    uint32_t *first;   /* [block] its first node */
    uint32_t *meeting; /* [loop] node where its back edges meet */
    uint32_t **back;   /* [loop][latch] */
};

/* ---- numbering ---------------------------------------------------------------------- */

/* barrier_named, and its forms that count. */
static bool is_named_barrier(const kir_inst *inst) {
    return inst->op == KIR_CALL && !strncmp(inst->name, "barrier_named", 13) &&
           inst->arg_count >= 2;
}

/* yield, yield_unless. */
static bool is_yield(const kir_inst *inst) {
    return inst->op == KIR_CALL && !strncmp(inst->name, "yield", 5);
}

static bool is_cluster_wait(const kir_inst *inst) {
    return inst->op == KIR_CALL && !strcmp(inst->name, "cluster_wait");
}

bool vm_sets_aside(const kir_inst *inst) {
    return is_named_barrier(inst) || is_yield(inst) || is_cluster_wait(inst);
}

bool vm_is_barrier(const kir_inst *inst) {
    static const char *const calls[] = {"barrier_count", "barrier_and", "barrier_or"};
    if (inst->op == KIR_BARRIER || vm_sets_aside(inst))
        return true;
    for (size_t i = 0; inst->op == KIR_CALL && i < sizeof calls / sizeof *calls; i++)
        if (!strcmp(inst->name, calls[i]))
            return true;
    return false;
}

/* Where lanes may wait for each other, functions of warps begin a node, so that it is known there whom a
 * lane waits for. */
bool vm_cuts(const vm_compiler *c, const kir_inst *inst) {
    return vm_is_barrier(inst) || ((c->program->may_wait || c->program->may_pass) &&
                                   inst->op == KIR_CALL && vm_is_warp_function(inst->name));
}

void vm_nodes_plan(vm_compiler *c) {
    const hd_flow *flow = c->flow;
    struct vm_plan *plan = c->plan = hd_new(c->arena, struct vm_plan);
    plan->first = hd_new_array(c->arena, uint32_t, c->kernel->block_count);
    plan->meeting = hd_new_array(c->arena, uint32_t, flow->loop_count);
    plan->back = hd_new_array(c->arena, uint32_t *, flow->loop_count);
    /* [loop] place in reverse post-order of its last block */
    uint32_t *loop_end = hd_new_array(c->arena, uint32_t, flow->loop_count);
    uint32_t *place = hd_new_array(c->arena, uint32_t, c->kernel->block_count);
    for (uint32_t i = 0; i < flow->rpo_count; i++)
        place[flow->rpo[i]] = i;
    for (uint32_t l = 0; l < flow->loop_count; l++)
        for (uint32_t b = 0; b < flow->loops[l].block_count; b++) {
            uint32_t at = place[flow->loops[l].blocks[b]];
            loop_end[l] = at > loop_end[l] ? at : loop_end[l];
        }
    uint32_t next = 0;
    for (uint32_t i = 0; i < flow->rpo_count; i++) {
        plan->first[flow->rpo[i]] = next;
        const kir_block *block = &c->kernel->blocks[flow->rpo[i]];
        next++;
        for (uint32_t n = 0; n < block->inst_count; n++)
            next += vm_cuts(c, &c->kernel->insts[block->insts[n]]);
        for (uint32_t l = flow->loop_count; l-- > 0;) { /* inner loops stand behind outer ones */
            if (loop_end[l] != i)
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

static vm_edge edge_of(vm_compiler *c, uint32_t from, uint32_t to) {
    for (uint32_t l = 0; l < c->flow->loop_count; l++) {
        const hd_loop *loop = &c->flow->loops[l];
        for (uint32_t e = 0; loop->header == to && e < loop->latch_count; e++)
            if (loop->latches[e] == from) /* a back edge, whose node does the copies */
                return (vm_edge){.to = c->plan->back[l][e]};
    }
    return edge_with_copies(c, c->plan->first[to], from, to);
}

/* ---- ends of nodes -------------------------------------------------------------------------- */

uint32_t vm_first_node(const vm_compiler *c, uint32_t block) { return c->plan->first[block]; }

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
    node->end = vm_is_barrier(c->inst) ? VM_END_BARRIER : VM_END_GO;
    if (is_named_barrier(c->inst)) {
        node->end = VM_END_NAMED_BARRIER;
        node->barrier = vm_cell_of(c, c->inst->args[0], 0);
        node->threads = vm_cell_of(c, c->inst->args[1], 0);
        node->counts = c->inst->arg_count > 2;
        if (node->counts)
            node->vote = vm_cell_of(c, c->inst->args[2], 0);
    }
    if (is_cluster_wait(c->inst))
        node->end = VM_END_CLUSTER;
    if (is_yield(c->inst)) {
        node->end = VM_END_YIELD;
        node->counts = c->inst->arg_count > 0;
        if (node->counts)
            node->vote = vm_cell_of(c, c->inst->args[0], 0);
    }
    set_edges(c, node, 1);
    node->edges[0] = (vm_edge){.to = (uint32_t)(node - c->program->nodes) + 1};
}

void vm_nodes_finish(vm_compiler *c) {
    for (uint32_t l = 0; l < c->flow->loop_count; l++) {
        const hd_loop *loop = &c->flow->loops[l];
        uint32_t meeting = c->plan->meeting[l];
        for (uint32_t e = 0; e <= loop->latch_count; e++) { /* back edges, then where they meet */
            bool meets = e == loop->latch_count;
            uint32_t number = meets ? meeting : c->plan->back[l][e];
            vm_edge edge = {.to = c->plan->first[loop->header]};
            if (!meets)
                edge = edge_with_copies(c, meeting, loop->latches[e], loop->header);
            vm_node *node = &c->program->nodes[number];
            *node = (vm_node){.first = edge.first,
                              .count = edge.count,
                              .inst = KIR_NONE,
                              .asks = KIR_NONE,
                              .header = meets ? VM_NO_NODE : c->plan->first[loop->header],
                              .is_around = vm_goes_round(c, loop->header)};
            set_edges(c, node, 1);
            node->edges[0] = (vm_edge){.to = edge.to};
        }
    }
}
