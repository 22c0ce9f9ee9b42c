/*
 * Control flow: dominators, post-dominators, natural loops.
 *
 * Block a dominates b when every path from the entry to b passes a; it
 * post-dominates b when every path from b to the exit does. Both come from one
 * solver, the iteration of Cooper, Harvey and Kennedy ("A Simple, Fast
 * Dominance Algorithm", 2001, section 3 and figure 3): walk the blocks in
 * reverse post-order, intersect the dominators of the predecessors by climbing
 * the tree so far, until nothing changes.
 *
 * Post-dominators are dominators of the reversed graph from a virtual exit
 * that follows every block without successors. A block from which no exit can
 * be reached (an infinite loop) would be missing there, so one block of every
 * such region gets an edge to the virtual exit as well: the latest in
 * reverse post-order, which for `for (;;)` is the latch.
 *
 * A back edge u -> h has h dominating u. Its natural loop is h and all that
 * reaches u without passing h; loops with one header are one loop (Aho, Sethi,
 * Ullman, "Compilers", section 10.4). A cycle left over when the back edges are
 * removed was entered in two places: the graph is irreducible.
 */
#include "kernel/kernel_analysis.h"

typedef hd_vec(uint32_t) node_list;

/* A graph in a form both directions share: node n's successors and predecessors. */
typedef struct graph {
    uint32_t count, root;
    node_list *next, *prev;
    uint32_t *order, order_count; /* reverse post-order from the root */
    uint32_t *rank;               /* position in it, or KIR_NONE */
} graph;

static graph *graph_new(hd_arena *arena, uint32_t count, uint32_t root) {
    graph *g = hd_new(arena, graph);
    *g = (graph){.count = count, .root = root};
    g->next = hd_new_array(arena, node_list, count);
    g->prev = hd_new_array(arena, node_list, count);
    g->order = hd_new_array(arena, uint32_t, count);
    g->rank = hd_new_array(arena, uint32_t, count);
    return g;
}

static void add_edge(hd_arena *arena, graph *g, uint32_t from, uint32_t to) {
    hd_push(arena, &g->next[from], to);
    hd_push(arena, &g->prev[to], from);
}

/* Depth first from the root with an explicit stack (kernels may have thousands
 * of blocks); fills order and rank. Last successors are visited first, so that
 * the first one (the `then` of an if) follows its branch in reverse post-order. */
static void graph_order(hd_arena *arena, graph *g) {
    uint32_t *stack = hd_new_array(arena, uint32_t, g->count);
    uint32_t *edge_at = hd_new_array(arena, uint32_t, g->count);
    uint32_t depth = 0, left = g->count;
    for (uint32_t n = 0; n < g->count; n++)
        g->rank[n] = KIR_NONE;
    stack[depth++] = g->root;
    g->rank[g->root] = 0;
    while (depth) {
        uint32_t n = stack[depth - 1];
        if (edge_at[n] == g->next[n].count) {
            g->order[--left] = n;
            depth--;
            continue;
        }
        uint32_t to = g->next[n].data[g->next[n].count - ++edge_at[n]];
        if (g->rank[to] == KIR_NONE) {
            g->rank[to] = 0;
            stack[depth++] = to;
        }
    }
    g->order_count = g->count - left;
    memmove(g->order, g->order + left, g->order_count * sizeof *g->order);
    for (uint32_t i = 0; i < g->order_count; i++)
        g->rank[g->order[i]] = i;
}

static uint32_t intersect(const graph *g, const uint32_t *idom, uint32_t a, uint32_t b) {
    while (a != b) {
        while (g->rank[a] > g->rank[b])
            a = idom[a];
        while (g->rank[b] > g->rank[a])
            b = idom[b];
    }
    return a;
}

/* Immediate dominators; the root and what it does not reach have KIR_NONE. */
static uint32_t *dominators(hd_arena *arena, const graph *g) {
    uint32_t *idom = hd_new_array(arena, uint32_t, g->count);
    for (uint32_t n = 0; n < g->count; n++)
        idom[n] = KIR_NONE;
    idom[g->root] = g->root;
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t i = 1; i < g->order_count; i++) {
            uint32_t n = g->order[i], best = KIR_NONE;
            for (uint32_t k = 0; k < g->prev[n].count; k++) {
                uint32_t p = g->prev[n].data[k];
                if (g->rank[p] != KIR_NONE && idom[p] != KIR_NONE)
                    best = best == KIR_NONE ? p : intersect(g, idom, p, best);
            }
            changed |= idom[n] != best;
            idom[n] = best;
        }
    }
    idom[g->root] = KIR_NONE;
    return idom;
}

/* Marks everything that reaches `block` (going backwards from it). */
static void mark_backwards(const graph *g, uint32_t block, bool *marked, uint32_t *stack) {
    uint32_t depth = 0;
    if (!marked[block]) {
        marked[block] = true;
        stack[depth++] = block;
    }
    while (depth) {
        uint32_t n = stack[--depth];
        for (uint32_t k = 0; k < g->prev[n].count; k++) {
            uint32_t p = g->prev[n].data[k];
            if (!marked[p]) {
                marked[p] = true;
                stack[depth++] = p;
            }
        }
    }
}

static uint32_t *post_dominators(hd_arena *arena, const graph *forward) {
    uint32_t count = forward->count, exit = count;
    graph *g = graph_new(arena, count + 1, exit);
    bool *leaves = hd_new_array(arena, bool, count); /* an exit is reached from here */
    uint32_t *stack = hd_new_array(arena, uint32_t, count);
    for (uint32_t i = forward->order_count; i-- > 0;) {
        uint32_t b = forward->order[i];
        for (uint32_t k = 0; k < forward->next[b].count; k++)
            add_edge(arena, g, forward->next[b].data[k], b);
    }
    for (uint32_t pass = 0; pass < 2; pass++) /* the exits, then what reaches none */
        for (uint32_t i = forward->order_count; i-- > 0;) {
            uint32_t b = forward->order[i];
            if (pass ? leaves[b] : forward->next[b].count > 0)
                continue;
            add_edge(arena, g, exit, b);
            mark_backwards(forward, b, leaves, stack);
        }
    graph_order(arena, g);
    uint32_t *ipdom = dominators(arena, g);
    for (uint32_t b = 0; b < count; b++)
        if (ipdom[b] == exit)
            ipdom[b] = KIR_NONE;
    return ipdom;
}

bool hd_flow_dominates(const hd_flow *flow, uint32_t a, uint32_t b) {
    while (b != a && b != KIR_NONE)
        b = flow->idom[b];
    return a == b;
}

bool hd_loop_holds(const hd_flow *flow, int32_t outer, int32_t loop) {
    while (loop >= 0 && loop != outer)
        loop = flow->loops[loop].parent;
    return loop == outer;
}

int32_t hd_common_loop(const hd_flow *flow, int32_t a, int32_t b) {
    while (!hd_loop_holds(flow, a, b))
        a = flow->loops[a].parent;
    return a;
}

bool hd_flow_in_loop(const hd_flow *flow, int32_t loop, uint32_t block) {
    return hd_loop_holds(flow, loop, flow->loop_of[block]);
}

int32_t hd_flow_loop_at(const hd_flow *flow, uint32_t header) {
    int32_t loop = flow->loop_of[header];
    return loop >= 0 && flow->loops[loop].header == header ? loop : -1;
}

/* The graph without its back edges must have no cycle: peel blocks off that
 * have no other predecessor left (Kahn); what stays lies on a cycle or behind one. */
static bool has_unnatural_cycle(hd_arena *arena, const graph *g, const hd_flow *flow) {
    uint32_t *waiting = hd_new_array(arena, uint32_t, g->count);
    uint32_t *ready = hd_new_array(arena, uint32_t, g->count);
    uint32_t ready_count = 0, done = 0;
    for (uint32_t i = 0; i < g->order_count; i++) {
        uint32_t b = g->order[i];
        for (uint32_t k = 0; k < g->next[b].count; k++)
            waiting[g->next[b].data[k]] += !hd_flow_dominates(flow, g->next[b].data[k], b);
    }
    ready[ready_count++] = g->root;
    if (waiting[g->root])
        return true;
    while (done < ready_count) {
        uint32_t b = ready[done++];
        for (uint32_t k = 0; k < g->next[b].count; k++) {
            uint32_t to = g->next[b].data[k];
            if (!hd_flow_dominates(flow, to, b) && --waiting[to] == 0)
                ready[ready_count++] = to;
        }
    }
    return done < g->order_count;
}

/* Blocks of the loop with this header, in reverse post-order. */
static void collect_loop(hd_arena *arena, const graph *g, const hd_flow *flow, hd_loop *loop,
                         bool *inside, uint32_t *stack) {
    memset(inside, 0, g->count * sizeof *inside);
    inside[loop->header] = true;
    for (uint32_t i = 0; i < loop->latch_count; i++)
        mark_backwards(g, loop->latches[i], inside, stack);
    node_list blocks = {0}, exits = {0};
    for (uint32_t i = 0; i < flow->rpo_count; i++) {
        uint32_t b = flow->rpo[i];
        if (!inside[b])
            continue;
        hd_push(arena, &blocks, b);
        bool leaves = false;
        for (uint32_t k = 0; k < g->next[b].count; k++)
            leaves |= !inside[g->next[b].data[k]];
        if (leaves)
            hd_push(arena, &exits, b);
    }
    hd_keep(&blocks, loop->blocks, loop->block_count);
    hd_keep(&exits, loop->exits, loop->exit_count);
}

/* Where its condition is tested, at the top of a loop as it is written, and often at the bottom of
 * one as it is compiled. 0: not known. */
static uint32_t line_of_loop(const kir_kernel *kernel, const hd_loop *loop) {
    const kir_inst *first = NULL;
    for (uint32_t n = 0; n < loop->block_count && !first; n++) {
        const kir_block *block = &kernel->blocks[loop->blocks[n]];
        for (uint32_t k = 0; k < block->inst_count && !first; k++)
            first = kernel->insts[block->insts[k]].line ? &kernel->insts[block->insts[k]] : NULL;
    }
    uint32_t line = first ? first->line : 0;
    for (uint32_t l = 0; l < loop->latch_count && first; l++) {
        const kir_block *latch = &kernel->blocks[loop->latches[l]];
        const kir_inst *last = &kernel->insts[latch->insts[latch->inst_count - 1]];
        if (last->line && last->line < line && last->file == first->file)
            line = last->line;
    }
    return line;
}

/* Headers come in reverse post-order, so an outer loop comes before its inner
 * ones and the innermost loop of a block is the last that claims it. */
static void find_loops(hd_arena *arena, const kir_kernel *kernel, const graph *g, hd_flow *flow) {
    hd_vec(hd_loop) loops = {0};
    bool *inside = hd_new_array(arena, bool, g->count);
    uint32_t *stack = hd_new_array(arena, uint32_t, g->count);
    for (uint32_t i = 0; i < flow->rpo_count; i++) {
        uint32_t header = flow->rpo[i];
        node_list latches = {0};
        for (uint32_t k = 0; k < g->prev[header].count; k++) {
            uint32_t from = g->prev[header].data[k];
            bool known = latches.count && latches.data[latches.count - 1] == from;
            if (!known && g->rank[from] != KIR_NONE && hd_flow_dominates(flow, header, from))
                hd_push(arena, &latches, from);
        }
        if (!latches.count)
            continue;
        hd_loop loop = {
            .header = header, .latches = latches.data, .latch_count = (uint32_t)latches.count};
        loop.parent = flow->loop_of[header];
        loop.depth = loop.parent < 0 ? 1 : loops.data[loop.parent].depth + 1;
        collect_loop(arena, g, flow, &loop, inside, stack);
        loop.line = line_of_loop(kernel, &loop);
        for (uint32_t k = 0; k < loop.block_count; k++)
            flow->loop_of[loop.blocks[k]] = (int32_t)loops.count;
        hd_push(arena, &loops, loop);
    }
    hd_keep(&loops, flow->loops, flow->loop_count);
}

typedef struct placer {
    const hd_flow *flow;
    const uint32_t *from; /* the order so far */
    uint32_t *to, count;
    bool *placed;
} placer;

static void place_blocks(placer *p, const uint32_t *blocks, uint32_t count, int32_t loop) {
    for (uint32_t i = 0; i < count; i++) {
        uint32_t b = blocks[i];
        int32_t inner = p->flow->loop_of[b];
        if (p->placed[b])
            continue;
        if (inner != loop && inner >= 0 && p->flow->loops[inner].header == b) {
            place_blocks(p, p->flow->loops[inner].blocks, p->flow->loops[inner].block_count, inner);
            continue;
        }
        p->placed[b] = true;
        p->to[p->count++] = b;
    }
}

hd_flow *hd_flow_analyse(hd_arena *arena, const kir_kernel *kernel) {
    hd_flow *flow = hd_new(arena, hd_flow);
    graph *g = graph_new(arena, kernel->block_count, 0);
    for (uint32_t b = 0; b < kernel->block_count; b++) {
        const kir_inst *last = kir_terminator(kernel, b);
        for (uint32_t i = 0; i < last->to_count; i++)
            add_edge(arena, g, b, last->to[i]);
    }
    graph_order(arena, g);
    flow->block_count = kernel->block_count;
    flow->rpo = g->order;
    flow->rpo_count = g->order_count;
    flow->idom = dominators(arena, g);
    flow->ipdom = post_dominators(arena, g);
    flow->loop_of = hd_new_array(arena, int32_t, kernel->block_count);
    for (uint32_t b = 0; b < kernel->block_count; b++)
        flow->loop_of[b] = -1;
    find_loops(arena, kernel, g, flow);
    flow->irreducible = has_unnatural_cycle(arena, g, flow);
    /* A reverse post-order may put what follows a loop before parts of the loop. Puts
     * the blocks of every loop together, from its header on: still every block but a
     * header comes after all its predecessors, and the order is that of the program. */
    placer p = {flow, flow->rpo, hd_new_array(arena, uint32_t, flow->rpo_count), 0,
                hd_new_array(arena, bool, flow->block_count)};
    uint32_t *rank = hd_new_array(arena, uint32_t, flow->block_count);
    place_blocks(&p, flow->rpo, flow->rpo_count, -1);
    flow->rpo = p.to;
    for (uint32_t i = 0; i < flow->rpo_count; i++)
        rank[flow->rpo[i]] = i;
    for (uint32_t l = 0; l < flow->loop_count; l++) { /* a loop's blocks are one run of it */
        hd_loop *loop = &flow->loops[l];
        memcpy(loop->blocks, flow->rpo + rank[loop->header],
               loop->block_count * sizeof *loop->blocks);
    }
    return flow;
}
