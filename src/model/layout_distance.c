/*
 * Bytes between two accesses of a kernel.
 *
 * Kofler et al., section 3.1, unroll all loops and then solve
 *
 *     IN_i[j] = min over predecessors x of OUT_i[x]
 *     OUT_i[j] = 0 if i = j, else IN_i[j] + bytes of j
 *
 * which is the shortest way from i to j through the control flow graph, counted in bytes of
 * global memory. Their figure 2 shows that not all loops are meant:
 *
 *     for (i = id; i < id + 32; i++)
 *         sum += t[i].a * t[i].b;
 *     t[id].c = sum;
 *
 * has 4 bytes from a to b, which stand in the same loop, and 256 from a to c behind it. So here,
 * for each pair,
 *
 *   - loops around both stay loops: what leads back to their start is one more edge;
 *   - loops around one of the two are unrolled, and the way begins in the first iteration, or
 *     ends in the last;
 *   - other loops are run through in whole.
 *
 * None of this needs the copies of an unrolled loop. A loop of N iterations is run through by
 * N - 1 of the shortest ways through its body and one way out of it, and both are the same
 * whatever N is. A loop thus shrinks to one node, from inside out, with a length for each edge
 * that leaves it; what is left of the graph for a pair has its accesses' blocks, and the loops
 * around both.
 *
 * A loop ends in its last iteration, through any edge that leaves it. Where a test at the start
 * of every iteration counts them ("for", "while"), it is passed N times and fails once more: the
 * edges that leave from this test are taken after N ways through the body, other edges after
 * N - 1.
 */
#include "model/layout_graph.h"

/* An edge that leaves a loop, or a block. */
typedef struct way {
    uint32_t from, to; /* blocks */
    uint64_t once;     /* of a loop: from its start, if it is left in its first iteration */
    uint64_t bytes;    /* from the start, with all iterations */
} way;
typedef hd_vec(way) way_list;

/* A loop as one node of the graph around it. */
typedef struct shrunk {
    uint64_t start; /* bytes from the start of an iteration of the loop around it */
    uint64_t body;  /* of the shortest way through an iteration */
    way_list out;
} shrunk;

struct hd_ways {
    hd_arena *arena;
    const hd_kernel_info *info;
    const hd_flow *flow;
    const uint64_t *lengths;
    bool *passed;        /* [block_count]: some work-item may come by */
    uint64_t *weight;    /* [block_count]: bytes of all accesses in it */
    uint64_t *up_to;     /* [access_count]: bytes in its block, up to and with it */
    uint64_t *start;     /* [block_count]: bytes from the start of an iteration of its loop */
    shrunk *loops;       /* [loop_count] */
    uint64_t **from_end; /* [block_count]: from its end to the start of each; NULL: not yet found */
    uint64_t *once, *reached; /* [block_count]: of the walks being made */
};

/* ---- sums --------------------------------------------------------------------------- */

static uint64_t plus(uint64_t a, uint64_t b) {
    if (a == HD_UNREACHABLE || b == HD_UNREACHABLE)
        return HD_UNREACHABLE;
    return a + b < HD_FARTHEST ? a + b : HD_FARTHEST;
}

static uint64_t times(uint64_t count, uint64_t bytes) {
    if (!count || !bytes)
        return 0;
    if (bytes == HD_UNREACHABLE)
        return HD_UNREACHABLE;
    return count < HD_FARTHEST / bytes ? count * bytes : HD_FARTHEST;
}

static bool shorten(uint64_t *bytes, uint64_t other) {
    bool shorter = other < *bytes;
    if (shorter)
        *bytes = other;
    return shorter;
}

static void set_unreachable(uint64_t *bytes, uint32_t count) {
    for (uint32_t i = 0; i < count; i++)
        bytes[i] = HD_UNREACHABLE;
}

/* ---- loops ---------------------------------------------------------------------------- */

/* Irreducible control flow has cycles that are no loops; then all cycles stay. */
static int32_t loop_of(const hd_ways *w, uint32_t block) {
    return w->flow->irreducible ? -1 : w->flow->loop_of[block];
}

static int32_t parent_of(const hd_ways *w, int32_t loop) { return w->flow->loops[loop].parent; }

/* The outermost loop around the block that does not hold `loop`; -1: there is none. */
static int32_t loop_beside(const hd_ways *w, int32_t loop, uint32_t block) {
    int32_t beside = -1;
    for (int32_t l = loop_of(w, block); l >= 0 && !hd_loop_holds(w->flow, l, loop);
         l = parent_of(w, l))
        beside = l;
    return beside;
}

/* The block whose test counts the iterations before each of them, or KIR_NONE. */
static uint32_t first_test(const hd_ways *w, int32_t loop) {
    const hd_trip *trip = &w->info->trips[loop];
    return trip->after_body ? KIR_NONE : trip->test;
}

/* Iterations that run in whole before the last one: of the loop, or of its test and what
 * stands before that. */
static uint64_t whole_iterations(const hd_ways *w, int32_t loop, bool of_test) {
    uint64_t length = w->lengths[loop];
    return of_test || !length ? length : length - 1;
}

/* A loop without iterations is not entered from its test. */
static bool is_cut(const hd_ways *w, uint32_t from, uint32_t to) {
    for (int32_t l = loop_of(w, from); l >= 0; l = parent_of(w, l))
        if (!w->lengths[l] && first_test(w, l) == from && hd_loop_holds(w->flow, l, loop_of(w, to)))
            return true;
    return false;
}

/* ---- walking --------------------------------------------------------------------------- */

/* Over one iteration of `loop`; or, when `out` is NULL, over the whole kernel, in which `loop`
 * and the loops around it are cycles. Other loops are single nodes. */
typedef struct walk {
    hd_ways *ways;
    int32_t loop;
    uint64_t *start; /* [block_count]: bytes to the start of each block or loop */
    way_list *out;   /* edges that leave the loop */
    uint64_t back;   /* bytes to the start of the next iteration */
    bool changed;
} walk;

static walk walk_new(hd_ways *ways, int32_t loop, way_list *out) {
    walk w = {ways, loop, out ? ways->once : ways->reached, out, HD_UNREACHABLE, false};
    set_unreachable(w.start, ways->flow->block_count);
    return w;
}

static void follow(walk *w, uint32_t from, uint32_t to, uint64_t bytes) {
    const hd_ways *ways = w->ways;
    if (bytes == HD_UNREACHABLE || is_cut(ways, from, to))
        return;
    if (w->out && to == ways->flow->loops[w->loop].header)
        shorten(&w->back, bytes);
    else if (w->out && !hd_loop_holds(ways->flow, w->loop, loop_of(ways, to)))
        hd_push(ways->arena, w->out, (way){from, to, bytes, bytes});
    else
        w->changed |= shorten(&w->start[to], bytes);
}

static void follow_all(walk *w, const way_list *out, uint64_t start) {
    for (size_t i = 0; i < out->count; i++)
        follow(w, out->data[i].from, out->data[i].to, plus(start, out->data[i].bytes));
}

static void step_over(walk *w, uint32_t block) {
    const hd_ways *ways = w->ways;
    uint64_t start = w->start[block];
    if (start == HD_UNREACHABLE)
        return;
    int32_t beside = loop_beside(ways, w->loop, block);
    if (beside >= 0 && ways->flow->loops[beside].header == block)
        follow_all(w, &ways->loops[beside].out, start);
    if (beside >= 0)
        return;
    const kir_inst *last = kir_terminator(ways->info->kernel, block);
    for (uint32_t i = 0; i < last->to_count; i++)
        follow(w, block, last->to[i], plus(start, ways->weight[block]));
}

/* In reverse post-order one round is enough, but for cycles. */
static void walk_on(walk *w) {
    const hd_flow *flow = w->ways->flow;
    const uint32_t *blocks = w->out ? flow->loops[w->loop].blocks : flow->rpo;
    uint32_t count = w->out ? flow->loops[w->loop].block_count : flow->rpo_count;
    do {
        w->changed = false;
        for (uint32_t i = 0; i < count; i++)
            step_over(w, blocks[i]);
    } while (w->changed && !w->out);
}

/* ---- loops as nodes ----------------------------------------------------------------------- */

static void shrink(hd_ways *ways, int32_t loop) {
    shrunk *s = &ways->loops[loop];
    const hd_loop *shape = &ways->flow->loops[loop];
    walk w = walk_new(ways, loop, &s->out);
    w.start[shape->header] = 0;
    walk_on(&w);
    for (uint32_t i = 0; i < shape->block_count; i++) { /* where everything stands in it */
        uint32_t block = shape->blocks[i];
        int32_t inside = loop_beside(ways, loop, block);
        if (inside < 0)
            ways->start[block] = w.start[block];
        else if (ways->flow->loops[inside].header == block)
            ways->loops[inside].start = w.start[block];
    }
    s->body = w.back;
    for (size_t i = 0; i < s->out.count; i++) {
        way *out = &s->out.data[i];
        bool of_test = out->from == first_test(ways, loop);
        out->bytes = plus(times(whole_iterations(ways, loop, of_test), s->body), out->once);
    }
}

/* From ways that leave a part of the loop to ways that leave the loop: it is in its first
 * iteration. */
static way_list leave_loop(hd_ways *ways, int32_t loop, const way_list *part) {
    const shrunk *s = &ways->loops[loop];
    way_list at_once = {0}, out = {0};
    walk w = walk_new(ways, loop, &at_once);
    follow_all(&w, part, 0);
    walk_on(&w);
    for (size_t i = 0; i < s->out.count; i++) {
        way next = s->out.data[i];
        uint64_t whole = whole_iterations(ways, loop, next.from == first_test(ways, loop));
        if (!whole)
            continue;
        next.bytes = plus(w.back, plus(times(whole - 1, s->body), next.once));
        hd_push(ways->arena, &out, next);
    }
    for (size_t i = 0; i < at_once.count; i++)
        if (!whole_iterations(ways, loop, at_once.data[i].from == first_test(ways, loop)))
            hd_push(ways->arena, &out, at_once.data[i]);
    return out;
}

/* From the start of the outermost of its loops that do not hold `loop` to the block: that and
 * those inside it are in their last iterations. */
static uint64_t enter_loops(const hd_ways *w, int32_t loop, uint32_t block) {
    uint64_t start = w->start[block], sum = 0;
    for (int32_t l = loop_of(w, block); !hd_loop_holds(w->flow, l, loop); l = parent_of(w, l)) {
        uint32_t test = first_test(w, l);
        bool with_test =
            test != KIR_NONE && (block == test || !hd_flow_dominates(w->flow, test, block));
        uint64_t whole = whole_iterations(w, l, with_test);
        sum = plus(sum, plus(times(whole, w->loops[l].body), start));
        start = w->loops[l].start;
    }
    return sum;
}

/* ---- from block to block --------------------------------------------------------------------- */

static const uint64_t *row_of(hd_ways *ways, uint32_t block) {
    if (ways->from_end[block])
        return ways->from_end[block];
    uint64_t *row = hd_new_array(ways->arena, uint64_t, ways->flow->block_count);
    set_unreachable(row, ways->flow->block_count);
    const kir_inst *last = kir_terminator(ways->info->kernel, block);
    way_list out = {0};
    for (uint32_t i = 0; i < last->to_count; i++)
        hd_push(ways->arena, &out, (way){block, last->to[i], 0, 0});
    for (int32_t loop = loop_of(ways, block);; loop = parent_of(ways, loop)) {
        walk w = walk_new(ways, loop, NULL);
        follow_all(&w, &out, 0);
        walk_on(&w);
        for (uint32_t b = 0; b < ways->flow->block_count; b++) {
            /* Blocks of which `loop` is the innermost loop that they share with `block`. */
            if (!ways->passed[b] ||
                hd_common_loop(ways->flow, loop_of(ways, block), loop_of(ways, b)) != loop)
                continue;
            int32_t beside = loop_beside(ways, loop, b);
            uint32_t node = beside < 0 ? b : ways->flow->loops[beside].header;
            row[b] = plus(w.start[node], enter_loops(ways, loop, b));
        }
        if (loop < 0)
            break;
        out = leave_loop(ways, loop, &out);
    }
    return ways->from_end[block] = row;
}

/* ---- from access to access ------------------------------------------------------------------- */

static uint32_t block_of(const hd_ways *w, uint32_t access) {
    return w->info->kernel->insts[w->info->accesses[access].inst].block;
}

/* One instruction that reaches one of several fields, which is an access for each of them. */
static bool is_one_choice(const hd_ways *w, uint32_t a, uint32_t b) {
    const hd_access *x = &w->info->accesses[a], *y = &w->info->accesses[b];
    return x->inst == y->inst && x->kind == y->kind && x->shares && y->shares;
}

hd_ways *hd_ways_make(hd_arena *arena, const hd_kernel_info *info, const uint64_t *lengths) {
    uint32_t blocks = info->flow->block_count;
    hd_ways *w = hd_new(arena, hd_ways);
    *w = (hd_ways){.arena = arena, .info = info, .flow = info->flow, .lengths = lengths};
    w->passed = hd_new_array(arena, bool, blocks);
    w->weight = hd_new_array(arena, uint64_t, blocks);
    w->up_to = hd_new_array(arena, uint64_t, info->access_count);
    w->start = hd_new_array(arena, uint64_t, blocks);
    w->loops = hd_new_array(arena, shrunk, info->flow->loop_count);
    w->from_end = hd_new_array(arena, uint64_t *, blocks);
    w->once = hd_new_array(arena, uint64_t, blocks);
    w->reached = hd_new_array(arena, uint64_t, blocks);
    for (uint32_t i = 0; i < info->access_count; i++) {
        uint64_t *weight = &w->weight[block_of(w, i)];
        bool counted = i && is_one_choice(w, i - 1, i);
        if (info->accesses[i].space == KIR_GLOBAL && !counted)
            *weight = plus(*weight, info->accesses[i].width);
        w->up_to[i] = *weight;
    }
    uint32_t *stack = hd_new_array(arena, uint32_t, blocks), depth = 1;
    w->passed[0] = true;
    while (depth) {
        uint32_t block = stack[--depth];
        const kir_inst *last = kir_terminator(info->kernel, block);
        for (uint32_t i = 0; i < last->to_count; i++) {
            uint32_t to = last->to[i];
            if (w->passed[to] || is_cut(w, block, to))
                continue;
            w->passed[to] = true;
            stack[depth++] = to;
        }
    }
    for (uint32_t l = info->flow->loop_count; l-- > 0 && !info->flow->irreducible;)
        shrink(w, (int32_t)l); /* inner loops come last */
    return w;
}

bool hd_ways_passes(const hd_ways *w, uint32_t access) { return w->passed[block_of(w, access)]; }

uint64_t hd_ways_bytes(hd_ways *w, uint32_t from, uint32_t to) {
    uint32_t a = block_of(w, from), b = block_of(w, to);
    if (!w->passed[a] || !w->passed[b])
        return HD_UNREACHABLE;
    if (is_one_choice(w, from, to))
        return 0;
    if (a == b && from <= to)
        return w->up_to[to] - w->up_to[from];
    return plus(w->weight[a] - w->up_to[from], plus(row_of(w, a)[b], w->up_to[to]));
}
