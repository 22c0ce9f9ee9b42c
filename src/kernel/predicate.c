/*
 * Short branches as a compiler for GPUs takes them: `if (c) { a; } b;` becomes a and b in one block,
 * with a under the predicate c, so that loads of both are under way at once.
 *
 * An arm is short when it has few operations, none of them atomic or a barrier, and when it stores
 * nothing that it has loaded itself: else there is something to jump over.
 */
#include "kernel/device_code.h"

enum { SHORT = 16 }; /* operations */

static size_t place_of_pred(const device_block *block, uint32_t pred) {
    size_t p = 0;
    while (block->preds.data[p] != pred)
        p++;
    return p;
}

static bool uses_of(const device_op *op, const device_op *maker) {
    for (size_t u = 0; u < op->uses.count; u++)
        for (size_t d = 0; d < maker->makes.count; d++)
            if (op->uses.data[u] == maker->makes.data[d])
                return true;
    return false;
}

static bool is_arm(const device_code *code, uint32_t arm, uint32_t from, uint32_t *join) {
    const device_block *block = &code->blocks[arm];
    if (arm == from || block->preds.count != 1 || block->succs.count != 1 || block->phis.count ||
        block->ops.count > SHORT)
        return false;
    bool is_loaded[SHORT];
    for (size_t k = 0; k < block->ops.count; k++) {
        const device_op *op = &block->ops.data[k];
        is_loaded[k] = op->access == DEVICE_LOAD;
        for (size_t j = 0; j < k; j++)
            is_loaded[k] = is_loaded[k] || (is_loaded[j] && uses_of(op, &block->ops.data[j]));
        if (op->access == DEVICE_ORDERED || (op->access == DEVICE_STORE && is_loaded[k]))
            return false;
    }
    *join = block->succs.data[0];
    return true;
}

/* Its accesses wait for the predicate. */
static void append_arm(device_code *code, uint32_t to, uint32_t arm) {
    device_block *block = &code->blocks[to], *from = &code->blocks[arm];
    for (size_t k = 0; k < from->ops.count; k++) {
        device_op op = from->ops.data[k];
        for (size_t t = 0; op.access != DEVICE_NO_ACCESS && t < block->tests.count; t++)
            kernel_add_use(code, &op, block->tests.data[t]);
        hd_push(code->arena, &block->ops, op);
    }
    from->ops.count = 0;
    from->is_gone = true;
}

/* Where ways from two predecessors become one, both its values become one, in one register. */
static void join_ways(device_code *code, uint32_t to, device_block *join, size_t way,
                      size_t other) {
    for (size_t p = 0; p < join->phis.count; p++) {
        device_values *from = &join->phis.data[p].from;
        device_op op = {.latency = 1};
        const device_value joined =
            kernel_new_value(code, code->words.data[join->phis.data[p].makes]);
        kernel_add_use(code, &op, from->data[way]);
        kernel_add_use(code, &op, from->data[other]);
        hd_push(code->arena, &op.makes, joined);
        hd_push(code->arena, &code->blocks[to].ops, op);
        from->data[way] = joined;
        from->data[other] = from->data[--from->count];
    }
    join->preds.data[way] = to;
    join->preds.data[other] = join->preds.data[--join->preds.count];
}

/* A block and the only one behind it, which has no other before it. */
static bool join_chain(device_code *code, uint32_t b) {
    device_block *block = &code->blocks[b];
    const uint32_t next = block->succs.data[0];
    device_block *behind = &code->blocks[next];
    if (next == b || behind->preds.count != 1)
        return false;
    for (size_t p = 0; p < behind->phis.count; p++) {
        device_op op = {.latency = 1};
        kernel_add_use(code, &op, behind->phis.data[p].from.data[0]);
        hd_push(code->arena, &op.makes, behind->phis.data[p].makes);
        hd_push(code->arena, &block->ops, op);
    }
    behind->phis.count = 0;
    append_arm(code, b, next);
    block->tests = behind->tests;
    block->succs = behind->succs;
    for (size_t k = 0; k < block->succs.count; k++) {
        device_block *to = &code->blocks[block->succs.data[k]];
        to->preds.data[place_of_pred(to, next)] = b;
    }
    return true;
}

static bool predicate_arms(device_code *code, uint32_t b) {
    device_block *block = &code->blocks[b];
    const uint32_t first = block->succs.data[0], second = block->succs.data[1];
    uint32_t join = KIR_NONE, other = KIR_NONE;
    const bool has_first = is_arm(code, first, b, &join),
               has_second = is_arm(code, second, b, &other);
    if (has_first && has_second && join == other && join != b) {
        append_arm(code, b, first);
        append_arm(code, b, second);
        join_ways(code, b, &code->blocks[join], place_of_pred(&code->blocks[join], first),
                  place_of_pred(&code->blocks[join], second));
    } else if ((has_first && join == second) || (has_second && other == first)) {
        const uint32_t arm = has_first && join == second ? first : second;
        join = arm == first ? second : first;
        append_arm(code, b, arm);
        join_ways(code, b, &code->blocks[join], place_of_pred(&code->blocks[join], b),
                  place_of_pred(&code->blocks[join], arm));
    } else {
        return false;
    }
    block->succs.data[0] = join;
    block->succs.count = 1;
    block->tests.count = 0;
    return true;
}

static bool shorten(device_code *code, uint32_t b) {
    const device_block *block = &code->blocks[b];
    if (block->is_gone)
        return false;
    return block->succs.count == 1   ? join_chain(code, b)
           : block->succs.count == 2 ? predicate_arms(code, b)
                                     : false;
}

void kernel_predicate(device_code *code) {
    for (bool again = true; again;) {
        again = false;
        for (uint32_t i = code->flow->rpo_count; i-- > 0;)
            while (shorten(code, code->flow->rpo[i]))
                again = true;
    }
}
