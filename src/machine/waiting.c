/*
 * Lanes that wait for each other without a barrier: for a lock, or for a flag that another lane sets.
 *
 * The order of lane_flow.c starves lanes that others wait for: one has taken a lock and left the loop,
 * where it waits for the rest, and the rest waits for the lock. On a device of compute capability 7.0
 * and newer each thread makes progress. So when lanes have gone round for long while others waited,
 * those others have a turn, in slices, and after it the first ones, and so on.
 *
 * Lanes in different places of one loop need values of their own, where lanes that are together have
 * one: in another iteration the counter is another. The block goes on in a program that is apart
 * (vm_program), in which lanes may run in any order. So it does when lanes come to a loop's back edge
 * before others that are set aside in the loop, by a barrier of some warps or a question that has no
 * answer yet. Functions of warps wait there until the lanes of their masks have come.
 */
#include <stdio.h>

#include "machine/builtin.h"
#include "machine/lane_flow.h"

/* Before the first turn of others; then what each of those has, and the first ones, which as a rule only
 * ask, between. */
enum { PATIENCE = 1 << 20, SLICE = 1 << 12, LOOK = 2 * VM_ASK_COST };

void vm_begin_turns(vm_run *r) {
    struct vm_flow_state *f = r->flow;
    f->spent = f->turn = 0;
    f->is_ahead = false;
    f->patience = r->program->is_apart ? LOOK : r->program->may_wait ? PATIENCE : UINT64_MAX;
}

static bool is_pending(const struct vm_flow_state *f, uint32_t node) {
    return f->pending[node / 64] >> node % 64 & 1;
}

/* Some lanes that wait at a node can go on there. */
static bool can_run(vm_run *r, uint32_t node) {
    struct vm_flow_state *f = r->flow;
    if (!is_pending(f, node) || !r->program->nodes[node].meets)
        return is_pending(f, node);
    return vm_complete_lanes(r, node, f->waiting + (size_t)node * r->words, f->taken[0]) > 0;
}

/* The next node whose lanes can run; VM_NO_NODE: there is none. */
static uint32_t next_to_run(vm_run *r, uint32_t but) {
    struct vm_flow_state *f = r->flow;
    uint32_t count = r->program->node_count, other = f->turn;
    for (uint32_t i = 0; i < count; i++) {
        other = (other + 1) % count;
        if (other != but && can_run(r, other))
            return other;
    }
    return VM_NO_NODE;
}

static uint32_t run_ahead(vm_run *r, uint32_t node) {
    r->flow->is_ahead = true;
    r->flow->turn = node;
    r->flow->spent = 0;
    r->flow->patience = SLICE;
    return vm_take_lanes(r, node);
}

uint32_t vm_choose_others(vm_run *r, uint32_t node) {
    struct vm_flow_state *f = r->flow;
    const bool was_ahead = f->is_ahead;
    vm_wait_at(r, node, r->bits, r->active.count);
    f->is_ahead = false;
    f->spent = 0;
    f->patience = LOOK;
    const uint32_t other = was_ahead ? VM_NO_NODE : next_to_run(r, node);
    return other == VM_NO_NODE ? vm_take_lanes(r, vm_first_pending(r)) : run_ahead(r, other);
}

bool vm_lacks_lanes(vm_run *r, uint32_t node) {
    return r->program->nodes[node].meets && r->active.count < r->live &&
           vm_complete_lanes(r, node, r->bits, r->flow->taken[0]) < r->active.count;
}

uint32_t vm_hold_incomplete(vm_run *r, uint32_t node) {
    struct vm_flow_state *f = r->flow;
    uint64_t *complete = f->taken[0];
    uint32_t count = vm_complete_lanes(r, node, r->bits, complete);
    if (count == r->active.count)
        return node;
    if (count) {
        uint64_t *rest = f->taken[1];
        for (uint32_t w = 0; w < r->words; w++)
            rest[w] = r->bits[w] & ~complete[w];
        vm_wait_at(r, node, rest, r->active.count - count);
        vm_activate(r, complete, count);
        return node;
    }
    vm_wait_at(r, node, r->bits, r->active.count);
    uint32_t other;
    do
        other = next_to_run(r, node);
    while (other == VM_NO_NODE && vm_wake(r));
    if (other != VM_NO_NODE)
        return run_ahead(r, other);
    return r->gives_way ? VM_NO_NODE : vm_take_lanes(r, node); /* which faults */
}

/* ---- values ---------------------------------------------------------------------------- */

void vm_move_values(vm_run *r, const uint8_t *before) {
    for (size_t i = 0; i < r->program->moved.count; i++) {
        const vm_operand from = r->program->moved.data[i].from, to = r->program->moved.data[i].to;
        const uint32_t bytes = vm_elem_bytes(to.elem);
        for (uint32_t l = 0; l < (to.varying ? r->lanes : VM_CHUNK); l++)
            memcpy(r->frame + to.at + (size_t)l * bytes,
                   before + from.at + (from.varying ? (size_t)l * bytes : 0), bytes);
    }
}

/* ---- deadlocks ------------------------------------------------------------------------- */

/* What stands for a node in messages: what asks there, or its first instruction. Back edges have none: what
 * they lead to. */
static uint32_t inst_of_node(const vm_program *p, uint32_t number) {
    const vm_node *node = &p->nodes[number];
    while (node->inst == KIR_NONE)
        node = &p->nodes[node->edges[0].to];
    return node->asks != KIR_NONE ? node->asks
           : node->count          ? p->ops[node->first].inst
                                  : node->inst;
}

/* The place of a lane, for messages: an instruction, or KIR_NONE where it has returned. */
static uint32_t place_of(const vm_run *r, uint32_t lane, const char **what) {
    const struct vm_flow_state *f = r->flow;
    const vm_program *p = r->program;
    *what = "at a barrier";
    if (vm_has_lane(f->returned, lane))
        return KIR_NONE;
    for (uint32_t n = 0; n < p->node_count; n++)
        if (is_pending(f, n) && vm_has_lane(f->waiting + (size_t)n * r->words, lane)) {
            *what = p->nodes[n].meets ? "for others of its warp" : "in the loop";
            return inst_of_node(p, n);
        }
    if (vm_has_lane(f->at_barrier, lane))
        for (uint32_t n = 0; n < p->node_count; n++)
            if (f->held[n])
                return p->nodes[n].inst;
    if (vm_has_lane(f->at_cluster, lane))
        *what = "at the barrier of the cluster";
    if (vm_has_lane(f->yielding, lane))
        *what = "in the loop";
    return p->nodes[f->stopped[lane]].inst;
}

static uint32_t line_of(const vm_run *r, uint32_t inst) {
    return inst == KIR_NONE
               ? 0
               : kir_place(r->worker_arena, r->program->module, &r->program->kernel->insts[inst])
                     .line;
}

const char *vm_place_of_lane(const vm_run *r, uint32_t lane) {
    const char *what;
    const uint32_t line = r->program->is_apart ? line_of(r, place_of(r, lane, &what)) : 0;
    return line ? hd_format(r->worker_arena, " but waits %s (line %u)", what, line) : "";
}

/* ", 31 threads in the loop of line 7": lanes that stand at other lines than the first one. */
static void tell_others(const vm_run *r, uint32_t line, char *text, size_t size) {
    enum { MOST = 4 };
    uint32_t lines[MOST] = {0}, counts[MOST] = {0}, known = 0;
    const char *whats[MOST], *what;
    for (uint32_t l = 0; l < r->lanes; l++) {
        uint32_t own = line_of(r, place_of(r, l, &what)), i = 0;
        if (!own || own == line)
            continue;
        while (i < known && (lines[i] != own || whats[i] != what))
            i++;
        if (i == MOST)
            continue;
        lines[i] = own;
        whats[i] = what;
        counts[i]++;
        known = i < known ? known : i + 1;
    }
    size_t n = 0;
    for (uint32_t i = 0; i < known && n < size; i++)
        n += (size_t)snprintf(text + n, size - n, ", %u %s %s (line %u)", counts[i],
                              counts[i] == 1 ? "waits" : "wait", whats[i], lines[i]);
}

void vm_fault_of_waiting(vm_run *r, uint64_t others, const char *why) {
    char rest[512] = "", blocks[160] = "";
    const char *what, *how = "";
    uint32_t first = 0, here = 0, inst = KIR_NONE;
    for (uint32_t l = r->lanes; l-- > 0;) { /* the first one that goes round */
        uint32_t at = place_of(r, l, &what);
        bool is_better = at != KIR_NONE && (inst == KIR_NONE || !strcmp(what, "in the loop"));
        how = is_better ? what : how;
        first = is_better ? l : first;
        inst = is_better ? at : inst;
    }
    for (uint32_t l = 0; l < r->lanes; l++)
        here += line_of(r, place_of(r, l, &what)) == line_of(r, inst);
    tell_others(r, line_of(r, inst), rest, sizeof rest);
    if (others)
        snprintf(blocks, sizeof blocks, ", and so do %llu other blocks%s",
                 (unsigned long long)others, why);
    vm_fault(r, inst, first,
             "a deadlock: the thread %s%s, and no thread that can go on changes any memory; of its "
             "block %u %s here%s%s",
             !strcmp(how, "in the loop") ? "asks here again and again" : "waits here ",
             !strcmp(how, "in the loop") ? "" : how, here, here == 1 ? "waits" : "wait", rest,
             blocks);
}
