/*
 * Running one block: which lanes run next, and where.
 *
 * Lanes wait at nodes. The first node that has waiting lanes runs, with all of
 * them, to its end; there each lane goes to the node that its branch leads to, and
 * waits. Nodes stand in reverse post-order, with back edges behind their loop
 * (nodes.c), so of two arms of a branch one runs, then the other, and what joins
 * them runs when both are done: lanes reconverge at the branch's immediate
 * post-dominator, or before it where the arms share code. A lane always follows
 * its own path, so any control flow is run right; how well lanes keep together is
 * all that the order decides.
 *
 *     if (a) x(); else y(); z();      lanes 0-3, a holds for 1 and 3
 *     x  -1-3    y  0-2-    z  0123
 *
 * A barrier ends a node, too (barrier.c).
 */
#include "machine/native/native.h"

/* ---- masks -------------------------------------------------------------------------- */

/* Makes the lanes of `mask`, `count` of them, the active ones. */
void vm_activate(vm_run *r, const uint64_t *mask, uint32_t count) {
    memmove(r->bits, mask, r->words * sizeof *mask);
    r->unpacked = false;
    r->active.count = count;
    r->whole = count == r->live;
    if (count == r->lanes) {
        r->spans[0] = (vm_span){0, r->padded};
        r->span_count = 1;
        return;
    }
    r->span_count = 0; /* of chunks in which some lane is active */
    for (uint32_t at = 0; at < r->padded; at += VM_CHUNK) {
        if (!(r->bits[at / 64] >> at % 64 & 0xffff))
            continue;
        if (r->span_count && r->spans[r->span_count - 1].to == at)
            r->spans[r->span_count - 1].to += VM_CHUNK;
        else
            r->spans[r->span_count++] = (vm_span){at, at + VM_CHUNK};
    }
}

void vm_unpack_active(vm_run *r) {
    if (!r->unpacked)
        r->flow->handlers->unpack(r->bits, r->padded, r->active.lane);
    r->unpacked = true;
}

void vm_activate_first(vm_run *r, uint32_t count) {
    uint64_t *mask = r->flow->taken[0];
    for (uint32_t w = 0; w < r->words; w++)
        mask[w] = count >= w * 64 + 64 ? UINT64_MAX
                  : count > w * 64     ? UINT64_MAX >> (64 - count % 64)
                                       : 0;
    vm_activate(r, mask, count);
}

static uint64_t *waiting_at(const vm_run *r, uint32_t node) {
    return r->flow->waiting + (size_t)node * r->words;
}

static void add_lanes(const vm_run *r, uint64_t *to, const uint64_t *mask) {
    for (uint32_t w = 0; w < r->words; w++)
        to[w] |= mask[w];
}

/* ---- waiting ---------------------------------------------------------------------------- */

void vm_wait_at(vm_run *r, uint32_t node, const uint64_t *mask, uint32_t count) {
    struct vm_flow_state *f = r->flow;
    add_lanes(r, waiting_at(r, node), mask);
    f->pending[node / 64] |= (uint64_t)1 << node % 64;
    f->count[node] += count;
}

/* The first node that has lanes and is no barrier that holds them. */
uint32_t vm_first_pending(const vm_run *r) {
    const struct vm_flow_state *f = r->flow;
    for (uint32_t w = 0; w < f->words; w++)
        if (f->pending[w])
            return w * 64 + (uint32_t)__builtin_ctzll(f->pending[w]);
    return VM_NO_NODE;
}

uint32_t vm_take_lanes(vm_run *r, uint32_t node) {
    struct vm_flow_state *f = r->flow;
    uint64_t *waiting = waiting_at(r, node);
    vm_activate(r, waiting, f->count[node]);
    memset(waiting, 0, r->words * sizeof *waiting);
    f->count[node] = 0;
    f->pending[node / 64] &= ~((uint64_t)1 << node % 64);
    return node;
}

/* ---- ends of nodes --------------------------------------------------------------------------- */

static void run_ops(vm_run *r, uint32_t first, uint32_t count) {
    const vm_op *op = r->program->ops + first, *end = op + count;
    vm_unpack_active(r);
    for (; op < end; op++)
        op->fn(r, op);
}

/* The operations of a node or an edge, by whichever code there is for them. */
static void run_range(vm_run *r, uint32_t range, uint32_t first, uint32_t count) {
    const vm_native_code *native = r->native;
    if (native && native->fn[range])
        native->fn[range](r);
    else
        run_ops(r, first, count);
}

/* Sends the lanes of `mask` along an edge. */
static void send(vm_run *r, const vm_edge *edge, const uint64_t *mask, uint32_t count) {
    if (!count)
        return;
    if (edge->count) {
        vm_activate(r, mask, count);
        run_range(r, edge->range, edge->first, edge->count);
    }
    vm_wait_at(r, edge->to, mask, count);
}

/* All active lanes take one edge: often nobody else is there that would run first. */
static uint32_t go(vm_run *r, const vm_node *node, const vm_edge *edge) {
    struct vm_flow_state *f = r->flow;
    run_range(r, edge->range, edge->first, edge->count);
    f->spent += node->asks == KIR_NONE ? 1 : VM_ASK_COST;
    if (f->is_ahead)
        return edge->to;
    uint32_t first = vm_first_pending(r);
    f->spent = first == VM_NO_NODE ? 0 : f->spent;
    if (first > edge->to)
        return edge->to;
    vm_wait_at(r, edge->to, r->bits, r->active.count);
    return vm_take_lanes(r, vm_first_pending(r));
}

uint32_t vm_next_node(vm_run *r) {
    r->flow->is_ahead = false;
    uint32_t node = vm_first_pending(r);
    if (node == VM_NO_NODE && r->live) {
        vm_release_barrier(r);
        node = vm_first_pending(r);
    }
    return node == VM_NO_NODE ? node : vm_take_lanes(r, node);
}

static uint32_t end_if(vm_run *r, const vm_node *node) {
    struct vm_flow_state *f = r->flow;
    const uint8_t *condition = VM_CELL(r, node->condition.at, uint8_t);
    if (!node->condition.varying)
        return go(r, node, &node->edges[!*condition]);
    uint32_t yes = f->handlers->split(r->bits, condition, r->padded, f->taken[0], f->taken[1]);
    uint32_t no = r->active.count - yes;
    if (!yes || !no)
        return go(r, node, &node->edges[!yes]);
    send(r, &node->edges[0], f->taken[0], yes);
    send(r, &node->edges[1], f->taken[1], no);
    uint32_t to[] = {node->edges[0].to, node->edges[1].to};
    return f->is_ahead ? vm_take_lanes(r, to[to[1] > to[0]]) : vm_next_node(r);
}

static uint32_t case_of(const vm_node *node, uint64_t value) {
    uint64_t mask = UINT64_MAX >> (64 - 8 * vm_elem_bytes(node->condition.elem));
    for (uint32_t i = 1; i < node->edge_count; i++)
        if ((node->cases[i - 1] & mask) == value)
            return i;
    return 0;
}

/* One edge after the other, each with the lanes that take it. */
static uint32_t end_switch(vm_run *r, const vm_node *node) {
    struct vm_flow_state *f = r->flow;
    uint64_t *left = f->taken[0], *taken = f->taken[1];
    if (!node->condition.varying)
        return go(r, node, &node->edges[case_of(node, vm_element(r, node->condition, 0))]);
    memcpy(left, r->bits, r->words * sizeof *left);
    for (uint32_t l = 0; l < r->lanes; l++) {
        if (!vm_has_lane(left, l))
            continue;
        uint32_t edge = case_of(node, vm_element(r, node->condition, l)), count = 0;
        memset(taken, 0, r->words * sizeof *taken);
        for (uint32_t k = l; k < r->lanes; k++)
            if (vm_has_lane(left, k) && case_of(node, vm_element(r, node->condition, k)) == edge) {
                taken[k / 64] |= (uint64_t)1 << k % 64;
                left[k / 64] &= ~((uint64_t)1 << k % 64);
                count++;
            }
        send(r, &node->edges[edge], taken, count);
    }
    return vm_next_node(r);
}

static uint32_t end_node(vm_run *r, const vm_node *node, uint32_t number) {
    struct vm_flow_state *f = r->flow;
    switch (node->end) {
    case VM_END_GO: return go(r, node, &node->edges[0]);
    case VM_END_IF: return end_if(r, node);
    case VM_END_SWITCH: return end_switch(r, node);
    case VM_END_BARRIER:
    case VM_END_NAMED_BARRIER: vm_stop_at_barrier(r, number); return vm_next_node(r);
    case VM_END_CLUSTER: vm_stop_at_cluster(r, number); return vm_next_node(r);
    case VM_END_YIELD: vm_stop_to_yield(r, number); return vm_next_node(r);
    case VM_END_TRAP:
        vm_fault(r, node->inst, vm_first_active(r),
                 "the program says that this is never reached, and it is");
    default:
        r->live -= r->active.count;
        add_lanes(r, f->returned, r->bits);
        return vm_next_node(r);
    }
}

/* ---- a block --------------------------------------------------------------------------------- */

uint32_t vm_first_active(const vm_run *r) {
    for (uint32_t w = 0; w < r->words; w++)
        if (r->bits[w])
            return w * 64 + (uint32_t)__builtin_ctzll(r->bits[w]);
    return UINT32_MAX;
}

struct vm_flow_state *vm_flow_state_new(hd_arena *arena, const vm_program *p) {
    struct vm_flow_state *f = hd_new(arena, struct vm_flow_state);
    f->handlers = vm_lanes_choose();
    f->words = (p->node_count + 63) / 64;
    f->pending = hd_new_array(arena, uint64_t, f->words);
    f->count = hd_new_array(arena, uint32_t, p->node_count);
    f->visits = hd_new_array(arena, uint64_t, p->node_count);
    uint32_t mask_words = (p->padded + 63) / 64;
    f->waiting = hd_new_array(arena, uint64_t, (size_t)p->node_count *mask_words);
    f->returned = hd_new_array(arena, uint64_t, mask_words);
    vm_barriers_new(arena, f, p);
    for (uint32_t i = 0; i < 2; i++)
        f->taken[i] = hd_new_array(arena, uint64_t, mask_words);
    return f;
}

void vm_begin_nodes(vm_run *r) {
    struct vm_flow_state *f = r->flow;
    memset(f->pending, 0, f->words * sizeof *f->pending);
    memset(f->count, 0, r->program->node_count * sizeof *f->count);
    memset(f->waiting, 0, (size_t)r->program->node_count * r->words * sizeof *f->waiting);
    vm_barriers_begin(r);
    memset(f->returned, 0, r->words * sizeof *f->returned);
    r->live = r->lanes;
    vm_activate_first(r, r->lanes);
    vm_begin_turns(r);
    vm_wait_at(r, 0, r->bits, r->lanes);
}

/* The lanes that would run next wait, while other blocks have their turn. */
static void stop_for_turn(vm_run *r, uint32_t next) {
    r->flow->is_ahead = false;
    vm_wait_at(r, next, r->bits, r->active.count);
}

void vm_count_operations(vm_run *r) {
    for (uint32_t n = 0; n < r->program->node_count; n++) {
        for (uint32_t k = 0; k < HD_OPERATIONS && r->flow->visits[n]; k++)
            r->counts.operations[k] += r->program->nodes[n].operations[k] * r->flow->visits[n];
        r->flow->visits[n] = 0;
    }
}

enum { SOME_VAIN = 32 }; /* asks */

/* What a node did tells whether lanes only wait. */
static void note_moves(vm_run *r, const vm_node *node) {
    if (!node->writes && node->is_around) {
        r->vain += node->asks != KIR_NONE;
        r->flow->vain_asks += node->asks != KIR_NONE;
        if (r->flow->vain_asks == SOME_VAIN) {
            vm_end_yielding(r); /* what lanes wait for may be what such a one has yet to do */
            r->flow->vain_asks = 0;
        }
        return;
    }
    r->vain = 0;
    r->flow->vain_asks = 0;
    r->has_moved = true;
}

/* Before others that are set aside in this iteration, whose values the next one would overwrite. */
static bool goes_round_early(const vm_run *r, uint32_t node) {
    return r->program->may_pass && r->program->nodes[node].header != VM_NO_NODE &&
           vm_leaves_behind(r, node);
}

vm_stop vm_run_nodes(vm_run *r) {
    struct vm_flow_state *f = r->flow;
    for (uint32_t n = vm_next_node(r); n != VM_NO_NODE;) {
        if (!r->program->is_apart) {
            const bool comes_early = goes_round_early(r, n) || vm_lacks_lanes(r, n);
            if (comes_early && vm_ask_behind(r, n)) {
                n = vm_next_node(r);
                continue;
            }
            if (comes_early || f->spent > f->patience) {
                stop_for_turn(r, n);
                return VM_CROWDED;
            }
        }
        if (f->spent > f->patience)
            n = vm_choose_others(r, n);
        if (r->program->nodes[n].meets && r->program->is_apart)
            n = vm_hold_incomplete(r, n);
        if (n == VM_NO_NODE)
            break;
        if (r->extent && (n = vm_extent_stop(r, n)) == VM_NO_NODE)
            break;
        const vm_node *node = &r->program->nodes[n];
        r->counts.instructions += node->insts;
        r->counts.thread_instructions += (uint64_t)node->insts * r->active.count;
        f->visits[n] += r->active.count;
        /* A kernel that runs away, and a user who has seen enough, end at a node's end. */
        if (r->counts.instructions - r->block_start > r->options->max_instructions)
            vm_fault(r, node->inst == KIR_NONE ? 0 : node->inst, vm_first_active(r),
                     "this block has executed %llu instructions and still runs; raise "
                     "--max-instructions if that is right",
                     (unsigned long long)r->options->max_instructions);
        if (r->options->stop && *r->options->stop)
            longjmp(r->escape, 1);
        if (!r->native || r->mixes)
            r->native = vm_native_enter(r);
        if (r->native && r->native->fn[n])
            r->counts.native_instructions += (uint64_t)node->insts * r->active.count;
        run_range(r, n, node->first, node->count);
        if (r->extent)
            vm_extent_note(r, node->insts);
        note_moves(r, node);
        n = end_node(r, node, n);
        if (n == VM_NO_NODE || node->asks == KIR_NONE ||
            !(r->takes_turns || r->vain > VM_MOST_VAIN))
            continue;
        stop_for_turn(r, n);
        return r->vain > VM_MOST_VAIN ? VM_STARVED : VM_TURN;
    }
    return r->gives_way ? VM_TURN : VM_ENDED;
}
