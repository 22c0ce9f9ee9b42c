/*
 * The order in which a compiler for GPUs issues the operations of a block, and how many registers
 * live in it.
 *
 * A thread that waits for memory does nothing, so all loads that can go first do, as far as the
 * registers last. This is list scheduling (Cooper, Torczon, "Engineering a Compiler", 12.3): of the
 * operations whose operands are there, the one with the longest way to the end of the block, in
 * latencies. When its result would not fit below the limit, whatever frees most comes first.
 * Accesses that may be to the same bytes keep their order.
 */
#include "kernel/device_code.h"

typedef struct node {
    const device_op *op;
    hd_vec(uint32_t) next; /* what waits for it */
    uint32_t waits, height;
    uint32_t waits_now, start; /* of this order: operations that it waits for, when it may go */
} node;

struct device_order {
    const device_code *code;
    node *nodes;
    uint32_t count;
    uint32_t live;   /* at the start */
    uint32_t *uses;  /* of each value, and one more where it lives on */
    uint32_t *left;  /* the same, still to come */
    uint32_t *maker; /* of each value: 1 + the node, 0: it comes from before */
    uint32_t *ready;
};

static bool is_restrict(const device_code *code, kir_value root) {
    const kir_inst *inst = &code->kernel->insts[root];
    return inst->op == KIR_PARAM && code->kernel->params[inst->index].is_restrict;
}

static bool is_static(const device_code *code, kir_value root) {
    return code->kernel->insts[root].op == KIR_STATIC;
}

static bool may_meet(const device_code *code, const device_op *a, const device_op *b) {
    if (a->access == DEVICE_ORDERED || b->access == DEVICE_ORDERED)
        return true;
    if (a->space != b->space && a->space != KIR_GENERIC && b->space != KIR_GENERIC)
        return false;
    if (a->root == b->root)
        return a->address != b->address ||
               (a->offset < b->offset + b->bytes && b->offset < a->offset + a->bytes);
    return !is_restrict(code, a->root) && !is_restrict(code, b->root) &&
           !(is_static(code, a->root) && is_static(code, b->root));
}

static bool keep_order(const device_code *code, const device_op *a, const device_op *b) {
    if (a->access == DEVICE_NO_ACCESS || b->access == DEVICE_NO_ACCESS)
        return false;
    if (a->is_volatile && b->is_volatile)
        return true;
    return !(a->access == DEVICE_LOAD && b->access == DEVICE_LOAD) && may_meet(code, a, b);
}

static void wait_for(device_order *o, uint32_t k, uint32_t first) {
    hd_push(o->code->arena, &o->nodes[first].next, k);
    o->nodes[k].waits++;
}

static bool has(const uint64_t *set, device_value v) { return set[v / 64] >> (v % 64) & 1; }

device_order *kernel_order_new(const device_code *code) {
    const size_t values = code->words.count;
    device_order *o = hd_new(code->arena, device_order);
    *o = (device_order){.code = code,
                        .uses = hd_new_array(code->arena, uint32_t, values),
                        .left = hd_new_array(code->arena, uint32_t, values),
                        .maker = hd_new_array(code->arena, uint32_t, values)};
    return o;
}

void kernel_order_block(device_order *o, uint32_t b, const uint64_t *in, const uint64_t *out) {
    const device_code *code = o->code;
    const device_block *block = &code->blocks[b];
    const uint32_t count = (uint32_t)block->ops.count, values = (uint32_t)code->words.count;
    o->count = count;
    o->live = 0;
    o->nodes = hd_new_array(code->arena, node, count);
    o->ready = hd_new_array(code->arena, uint32_t, count);
    memset(o->uses, 0, values * sizeof *o->uses);
    memset(o->maker, 0, values * sizeof *o->maker);
    for (uint32_t k = 0; k < count; k++) {
        const device_op *op = o->nodes[k].op = &block->ops.data[k];
        for (size_t u = 0; u < op->uses.count; u++) {
            o->uses[op->uses.data[u]]++;
            if (o->maker[op->uses.data[u]])
                wait_for(o, k, o->maker[op->uses.data[u]] - 1);
        }
        for (uint32_t j = 0; j < k && op->access != DEVICE_NO_ACCESS; j++)
            if (keep_order(code, o->nodes[j].op, op))
                wait_for(o, k, j);
        for (size_t d = 0; d < op->makes.count; d++)
            o->maker[op->makes.data[d]] = k + 1;
    }
    for (uint32_t k = count; k-- > 0;) {
        node *n = &o->nodes[k];
        for (size_t x = 0; x < n->next.count; x++) {
            const uint32_t behind = o->nodes[n->next.data[x]].height;
            n->height = behind > n->height ? behind : n->height;
        }
        n->height += n->op->latency;
    }
    for (device_value v = 1; v < values; v++) {
        o->live += has(in, v) ? code->words.data[v] : 0;
        o->uses[v] += has(out, v);
    }
}

/* Registers more than before, when it has run. */
static int32_t growth_of(const device_order *o, const node *n) {
    const uint8_t *words = o->code->words.data;
    int32_t growth = 0;
    for (size_t d = 0; d < n->op->makes.count; d++)
        growth += words[n->op->makes.data[d]];
    for (size_t u = 0; u < n->op->uses.count; u++)
        growth -= o->left[n->op->uses.data[u]] == 1 ? words[n->op->uses.data[u]] : 0;
    return growth;
}

/* How an operation that is ready stands to the others. */
typedef struct claim {
    bool fits, is_now;
    uint32_t start, height;
    int32_t growth;
} claim;

static bool goes_before(const claim *a, const claim *b) {
    if (a->fits != b->fits)
        return a->fits;
    if (!a->fits)
        return a->growth < b->growth;
    if (a->is_now != b->is_now)
        return a->is_now;
    if (!a->is_now && a->start != b->start)
        return a->start < b->start;
    return a->height > b->height;
}

/* Its place in `ready`. */
static uint32_t choose(const device_order *o, uint32_t ready, uint32_t live, uint32_t clock,
                       uint32_t limit) {
    uint32_t best = 0;
    claim best_claim = {0};
    for (uint32_t r = 0; r < ready; r++) {
        const node *n = &o->nodes[o->ready[r]];
        const int32_t growth = growth_of(o, n);
        uint32_t most = live + (growth > 0 ? (uint32_t)growth : 0);
        most = live + n->op->temporaries > most ? live + n->op->temporaries : most;
        const claim c = {most <= limit, n->start <= clock, n->start, n->height, growth};
        if (!r || goes_before(&c, &best_claim)) {
            best = r;
            best_claim = c;
        }
    }
    return best;
}

device_peak kernel_order_peak(device_order *o, uint32_t limit) {
    const uint8_t *words = o->code->words.data;
    device_peak peak = {o->live, o->live};
    uint32_t live = o->live, clock = 0, ready = 0;
    memcpy(o->left, o->uses, o->code->words.count * sizeof *o->left);
    for (uint32_t k = 0; k < o->count; k++) {
        o->nodes[k].start = 0;
        if (!(o->nodes[k].waits_now = o->nodes[k].waits))
            o->ready[ready++] = k;
    }
    while (ready) {
        const uint32_t at = choose(o, ready, live, clock, limit);
        const node *n = &o->nodes[o->ready[at]];
        memmove(o->ready + at, o->ready + at + 1, (--ready - at) * sizeof *o->ready);
        clock = n->start > clock ? n->start : clock;
        const uint32_t with = live + n->op->temporaries;
        for (size_t u = 0; u < n->op->uses.count; u++)
            live -= --o->left[n->op->uses.data[u]] ? 0 : words[n->op->uses.data[u]];
        for (size_t d = 0; d < n->op->makes.count; d++)
            live += words[n->op->makes.data[d]];
        peak.live = live > peak.live ? live : peak.live;
        peak.with = with > peak.with ? with : peak.with;
        peak.with = live > peak.with ? live : peak.with;
        for (size_t d = 0; d < n->op->makes.count; d++) /* whose result nobody wants */
            live -= o->left[n->op->makes.data[d]] ? 0 : words[n->op->makes.data[d]];
        for (size_t x = 0; x < n->next.count; x++) {
            node *behind = &o->nodes[n->next.data[x]];
            const uint32_t start = clock + n->op->latency;
            behind->start = start > behind->start ? start : behind->start;
            if (!--behind->waits_now)
                o->ready[ready++] = n->next.data[x];
        }
        clock++;
    }
    return peak;
}
