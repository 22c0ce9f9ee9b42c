/*
 * The twin of src/model/layout_distance.c: loops that the rule of docs/layout-graph.md unrolls are
 * unrolled, copy by copy, and the equations of Kofler et al. are solved by iteration.
 *
 * A copy of a block is the block and the number of the iteration in each unrolled loop around it.
 * A loop of N iterations has the copies 0 to N - 1. With a test at the start of each iteration
 * there is one more, of what stands up to and with the test, whose only way on leads out of the
 * loop; the test leads out of no other copy. All other edges that leave the loop leave its
 * copy N - 1.
 */
#ifndef ORACLE_LAYOUT_GRAPH_H
#define ORACLE_LAYOUT_GRAPH_H

#include "model/layout_graph.h"

enum { MOST_DEPTH = 8 };

typedef struct unrolled {
    hd_arena *arena;
    const hd_kernel_info *info;
    const uint64_t *lengths;
    uint64_t most;   /* copies of any loop, at most */
    uint32_t copies; /* of any block, at most */
    int32_t around;  /* it and the loops around it stay loops */
    bool keep_all;   /* all loops do */
} unrolled;

typedef struct block_copy {
    uint32_t block;
    uint64_t iteration[MOST_DEPTH]; /* by depth; 0 of loops that stay */
} block_copy;

static inline const hd_loop *unrolled_loop(const unrolled *u, int32_t l) {
    return &u->info->flow->loops[l];
}

static inline int32_t innermost(const unrolled *u, uint32_t block) {
    return u->info->flow->irreducible ? -1 : u->info->flow->loop_of[block];
}

static inline bool stands_in(const unrolled *u, int32_t l, uint32_t block) {
    for (uint32_t i = 0; i < unrolled_loop(u, l)->block_count; i++)
        if (unrolled_loop(u, l)->blocks[i] == block)
            return true;
    return false;
}

/* It, or one around it. */
static inline bool stays(const unrolled *u, int32_t l) {
    for (int32_t a = u->around; a >= 0; a = unrolled_loop(u, a)->parent)
        if (a == l)
            return true;
    return u->keep_all;
}

static inline uint64_t *iteration_of(const unrolled *u, block_copy *copy, int32_t l) {
    return &copy->iteration[unrolled_loop(u, l)->depth - 1];
}

static inline bool has_first_test(const unrolled *u, int32_t l, uint32_t block) {
    return u->info->trips[l].test == block && !u->info->trips[l].after_body;
}

static inline uint64_t last_whole(const unrolled *u, int32_t l) {
    return u->lengths[l] ? u->lengths[l] - 1 : 0;
}

/* Follows an edge; false when it leads nowhere from this copy. */
static inline bool follow_edge(const unrolled *u, const block_copy *from, uint32_t to,
                               block_copy *next) {
    *next = *from;
    next->block = to;
    for (int32_t l = innermost(u, from->block); l >= 0; l = unrolled_loop(u, l)->parent) {
        bool of_test = has_first_test(u, l, from->block), inside = stands_in(u, l, to);
        uint64_t n = u->lengths[l], *k = iteration_of(u, next, l);
        if (inside && of_test && !n)
            return false;
        if (stays(u, l))
            continue;
        if (inside && of_test && *k == n)
            return false;
        if (inside && to == unrolled_loop(u, l)->header) {
            bool more = u->info->trips[l].test != KIR_NONE && !u->info->trips[l].after_body;
            return ++*k <= (more ? n : last_whole(u, l));
        }
        if (inside)
            return true;
        if (*k != (of_test ? n : last_whole(u, l)))
            return false;
        *k = 0;
    }
    return true;
}

static inline uint32_t code_of(const unrolled *u, const block_copy *copy) {
    uint64_t code = 0;
    for (int32_t l = innermost(u, copy->block); l >= 0; l = unrolled_loop(u, l)->parent)
        code = code * u->most + copy->iteration[unrolled_loop(u, l)->depth - 1];
    return (uint32_t)(copy->block * u->copies + code);
}

/* IN of the first instruction of each copy; `from` is where the way begins, with `rest` bytes
 * left in its block. */
static inline uint64_t *solve(const unrolled *u, const block_copy *from, uint64_t rest,
                              const uint64_t *weight) {
    uint32_t count = u->info->flow->block_count * u->copies;
    uint64_t *in = hd_new_array(u->arena, uint64_t, count);
    for (uint32_t i = 0; i < count; i++)
        in[i] = HD_UNREACHABLE;
    hd_vec(block_copy) waiting = {0};
    hd_push(u->arena, &waiting, *from);
    for (size_t at = 0; at < waiting.count; at++) {
        block_copy copy = waiting.data[at], next;
        const kir_block *block = &u->info->kernel->blocks[copy.block];
        const kir_inst *last = &u->info->kernel->insts[block->insts[block->inst_count - 1]];
        bool first = code_of(u, &copy) == code_of(u, from);
        uint64_t out = first ? rest : in[code_of(u, &copy)] + weight[copy.block];
        for (uint32_t i = 0; i < last->to_count; i++)
            if (follow_edge(u, &copy, last->to[i], &next) && out < in[code_of(u, &next)]) {
                in[code_of(u, &next)] = out;
                hd_push(u->arena, &waiting, next);
            }
    }
    return in;
}

/* Whether `block` stands up to the test, in the copy that has no more: the header leads to it
 * without an edge from the test. */
static inline bool in_last_copy(const unrolled *u, int32_t l, uint32_t block) {
    const kir_kernel *kernel = u->info->kernel;
    uint32_t *reached = hd_new_array(u->arena, uint32_t, kernel->block_count), count = 0;
    bool *marked = hd_new_array(u->arena, bool, kernel->block_count);
    if (u->info->trips[l].test == KIR_NONE || u->info->trips[l].after_body)
        return false;
    marked[reached[count++] = unrolled_loop(u, l)->header] = true;
    for (uint32_t at = 0; at < count; at++) {
        const kir_block *b = &kernel->blocks[reached[at]];
        const kir_inst *last = &kernel->insts[b->insts[b->inst_count - 1]];
        for (uint32_t i = 0; i < last->to_count && reached[at] != u->info->trips[l].test; i++)
            if (!marked[last->to[i]] && stands_in(u, l, last->to[i]))
                marked[reached[count++] = last->to[i]] = true;
    }
    return marked[block];
}

/* The copy that runs last, if all loops run to their ends. */
static inline block_copy last_copy(const unrolled *u, uint32_t block) {
    block_copy copy = {block, {0}};
    for (int32_t l = innermost(u, block); l >= 0 && !stays(u, l); l = unrolled_loop(u, l)->parent)
        *iteration_of(u, &copy, l) = in_last_copy(u, l, block) ? u->lengths[l] : last_whole(u, l);
    return copy;
}

/* All copies, one after another; the first has only zeros. */
static inline bool next_copy(const unrolled *u, block_copy *copy) {
    for (int32_t l = innermost(u, copy->block); l >= 0 && !stays(u, l);
         l = unrolled_loop(u, l)->parent) {
        uint64_t *k = iteration_of(u, copy, l);
        if (++*k <= (in_last_copy(u, l, copy->block) ? u->lengths[l] : last_whole(u, l)))
            return true;
        *k = 0;
    }
    return false;
}

#endif
