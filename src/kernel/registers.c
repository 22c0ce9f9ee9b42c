/*
 * An estimate of the registers of a thread, as NVIDIA's compiler (ptxas) assigns them.
 *
 * The kernel becomes operations on registers (device_code.c), short branches go under predicates
 * (predicate.c), and each block is put into the order in which its loads go first (hoist.c). What
 * lives at one point, by the usual backward data flow (Aho, Sethi, Ullman, "Compilers", section
 * 10.6), needs registers; how many ptxas takes for it was learnt from its code:
 *
 *   - One is the stack pointer, and two are the hardware's.
 *   - Operands of an instruction are to lie in both of the two banks of the register file, numbers of
 *     64 bits at an even place. So one register in four stays empty, and most kernels have an even
 *     number.
 *   - That ends with as many registers as an SM has for each of its threads, 32 of 65,536 for 2,048
 *     (40 on those with 1,536, 64 with 1,024): as long as the values fit, neither empty registers nor
 *     loads that go first are worth fewer threads. A kernel that does not fit has the next number with
 *     which an SM holds fewer warps: 40, 48, ...
 *   - A function that is called by the ABI, as printf, asks for at least 24.
 *
 * The order of kir takes part where less lives in it.
 */
#include "kernel/device_code.h"

enum {
    FIXED = 3,
    ROOM = 2, /* registers that no order fills, since values are pairs */
    WITH_CALLS = 24,
    USUAL = 32,   /* registers of an SM for each of its threads */
    LEAST = 16,   /* the same of the first GPUs with CUDA */
    LAST = 255,   /* of a thread */
    LARGE = 4096, /* operations of a block that stay in the order of kir */
};

typedef struct liveness {
    const device_code *code;
    uint32_t bytes; /* of a set of values */
    uint64_t **in;  /* live at the start of each block, before its phis */
    uint64_t *set, *out;
    device_order *order;
} liveness;

static bool has(const uint64_t *set, device_value v) { return set[v / 64] >> (v % 64) & 1; }
static void include(uint64_t *set, device_value v) { set[v / 64] |= (uint64_t)1 << (v % 64); }
static void exclude(uint64_t *set, device_value v) { set[v / 64] &= ~((uint64_t)1 << (v % 64)); }

/* What is live behind the block's last operation: what its branch and its successors need, and what
 * their phis take from here. */
static void live_out(const liveness *l, uint32_t b, uint64_t *set) {
    const device_block *block = &l->code->blocks[b];
    memset(set, 0, l->bytes);
    for (size_t k = 0; k < block->succs.count; k++) {
        const device_block *to = &l->code->blocks[block->succs.data[k]];
        for (uint32_t w = 0; w < l->bytes / sizeof *set; w++)
            set[w] |= l->in[block->succs.data[k]][w];
        for (size_t q = 0; q < to->preds.count; q++)
            for (size_t p = 0; p < to->phis.count && to->preds.data[q] == b; p++)
                include(set, to->phis.data[p].from.data[q]);
    }
    for (size_t t = 0; t < block->tests.count; t++)
        include(set, block->tests.data[t]);
    exclude(set, 0);
}

/* Walks a block backwards from `set`; returns the most that is live at a point. */
static device_peak walk_block(const device_code *code, uint32_t b, uint64_t *set) {
    const device_block *block = &code->blocks[b];
    device_peak most = {0, 0};
    uint32_t live = 0;
    for (device_value v = 1; v < code->words.count; v++)
        live += has(set, v) ? code->words.data[v] : 0;
    most.live = live;
    for (size_t k = block->ops.count; k-- > 0;) {
        const device_op *op = &block->ops.data[k];
        for (size_t d = 0; d < op->makes.count; d++) {
            live -= has(set, op->makes.data[d]) ? code->words.data[op->makes.data[d]] : 0;
            exclude(set, op->makes.data[d]);
        }
        for (size_t u = 0; u < op->uses.count; u++) {
            live += has(set, op->uses.data[u]) ? 0 : code->words.data[op->uses.data[u]];
            include(set, op->uses.data[u]);
        }
        most.live = live > most.live ? live : most.live;
        most.with = live + op->temporaries > most.with ? live + op->temporaries : most.with;
    }
    return most;
}

static void find_liveness(liveness *l) {
    const hd_flow *flow = l->code->flow;
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t i = flow->rpo_count; i-- > 0;) {
            const uint32_t b = flow->rpo[i];
            const device_block *block = &l->code->blocks[b];
            if (block->is_gone)
                continue;
            live_out(l, b, l->set);
            walk_block(l->code, b, l->set);
            for (size_t p = 0; p < block->phis.count; p++)
                exclude(l->set, block->phis.data[p].makes);
            changed |= memcmp(l->set, l->in[b], l->bytes) != 0;
            memcpy(l->in[b], l->set, l->bytes);
        }
    }
}

/* A third more than the values, even. */
static uint32_t spread(device_peak peak) {
    const uint32_t apart = peak.live + peak.live / 3;
    return ((apart > peak.with ? apart : peak.with) + FIXED + 1) / 2 * 2;
}

static bool fits(device_peak peak, uint32_t budget) {
    const uint32_t most = peak.live > peak.with ? peak.live : peak.with;
    return most + FIXED + ROOM <= budget;
}

/* Registers of a thread with which an SM holds all its threads. */
static uint32_t free_registers(const hd_device *device) {
    if (!device || !device->max_threads || !device->registers)
        return USUAL;
    const uint32_t share = device->registers / device->max_threads / 2 * 2;
    return share < LEAST ? LEAST : share > LAST ? LAST : share;
}

/* The next number with which an SM has fewer warps. */
static uint32_t next_budget(uint32_t budget) {
    static const uint32_t steps[] = {24, 32, 40, 48, 56, 64, 72, 80, 96, 128, 168};
    for (size_t k = 0; k < sizeof steps / sizeof *steps; k++)
        if (steps[k] > budget)
            return steps[k];
    return LAST;
}

static uint32_t registers_of_block(const liveness *l, uint32_t b, uint32_t free) {
    const device_code *code = l->code;
    const device_block *block = &code->blocks[b];
    live_out(l, b, l->out);
    memcpy(l->set, l->out, l->bytes);
    const device_peak as_written = walk_block(code, b, l->set);
    const bool is_ordered = block->ops.count <= LARGE;
    for (size_t p = 0; p < block->phis.count; p++)
        include(l->set, block->phis.data[p].makes);
    if (is_ordered)
        kernel_order_block(l->order, b, l->set, l->out);
    for (uint32_t budget = free;; budget = next_budget(budget)) {
        const device_peak peak =
            is_ordered ? kernel_order_peak(l->order, budget - FIXED - ROOM) : as_written;
        if (fits(peak, budget))
            return spread(peak) < budget ? spread(peak) : budget;
        if (fits(as_written, budget) || budget >= LAST)
            return budget;
    }
}

uint32_t hd_kernel_registers(const kir_kernel *kernel, const hd_flow *flow,
                             const hd_device *device) {
    hd_arena *arena = hd_arena_new();
    device_code *code = kernel_device_code(arena, kernel, flow);
    kernel_predicate(code);
    const uint32_t words = ((uint32_t)code->words.count + 63) / 64;
    liveness l = {.code = code,
                  .bytes = words * (uint32_t)sizeof *l.set,
                  .in = hd_new_array(arena, uint64_t *, kernel->block_count),
                  .set = hd_new_array(arena, uint64_t, words),
                  .out = hd_new_array(arena, uint64_t, words),
                  .order = kernel_order_new(code)};
    for (uint32_t b = 0; b < kernel->block_count; b++)
        l.in[b] = hd_new_array(arena, uint64_t, words);
    find_liveness(&l);
    const uint32_t free = free_registers(device);
    uint32_t most = code->calls ? WITH_CALLS : 0;
    for (uint32_t i = 0; i < flow->rpo_count; i++) {
        if (code->blocks[flow->rpo[i]].is_gone)
            continue;
        const uint32_t here = registers_of_block(&l, flow->rpo[i], free);
        most = here > most ? here : most;
    }
    hd_arena_free(arena);
    return most;
}
