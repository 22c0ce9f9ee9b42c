/*
 * Which cells are read after an operation, by whatever lane: what a native function has computed and
 * nobody reads any more is not stored.
 *
 * A cell counts by where it begins. Lanes follow paths of their own, and a varying cell's elements are
 * theirs alone, so what may be read is what some path from here reads before it writes.
 */
#include "machine/builtin.h"
#include "machine/native/native.h"

struct vm_cell_lives {
    const vm_program *program;
    uint32_t *id; /* of the cell that begins at byte VM_CELL_ALIGN * i */
    uint32_t words;
    uint64_t *in; /* [range][words] */
};

static void add(const vm_cell_lives *l, uint64_t *set, uint32_t at) {
    uint32_t id = l->id[at / VM_CELL_ALIGN];
    set[id / 64] |= (uint64_t)1 << id % 64;
}

static void take(const vm_cell_lives *l, uint64_t *set, uint32_t at) {
    uint32_t id = l->id[at / VM_CELL_ALIGN];
    set[id / 64] &= ~((uint64_t)1 << id % 64);
}

bool vm_is_live(const vm_cell_lives *l, const uint64_t *live, uint32_t cell) {
    uint32_t id = l->id[cell / VM_CELL_ALIGN];
    return live[id / 64] >> id % 64 & 1;
}

uint32_t vm_live_words(const vm_cell_lives *l) { return l->words; }

/* Every cell that the operation names; false: it may read any. */
static bool each_cell(const vm_op *op, void (*use)(void *self, uint32_t at, bool writes),
                      void *self) {
    vm_signature s;
    if (op->code == VM_CODE_LOAD || op->code == VM_CODE_STORE) {
        const vm_memory *m = op->more;
        for (uint32_t k = 0; k < m->components; k++)
            use(self, m->value[k].at, op->code == VM_CODE_LOAD);
        use(self, m->address.at, false);
    } else if (op->code == VM_CODE_ATOMIC) {
        const vm_memory *m = op->more;
        if (m->has_result)
            use(self, m->value[0].at, true);
        use(self, m->address.at, false);
        use(self, m->second.at, false);
        use(self, m->third.at, false);
    } else if (op->code == VM_CODE_CALL) {
        const vm_call *call = op->more;
        if (call->has_result)
            use(self, call->d.at, true);
        for (uint32_t i = 0; i < call->count && i < sizeof call->x / sizeof *call->x; i++)
            use(self, call->x[i].at, false);
    } else if (op->code == VM_CODE_OPERANDS) {
        use(self, op->d, true);
        use(self, op->a, false);
        use(self, op->b, false);
        use(self, op->c, false);
    } else if (op->code < FN_COUNT) {
        const uint32_t x[] = {op->a, op->b, op->c};
        uint32_t operands = vm_native_knows(op->code, &s) ? s.operands : 3;
        use(self, op->d, true);
        for (uint32_t i = 0; i < operands; i++)
            use(self, x[i], false);
    } else {
        return false;
    }
    return true;
}

typedef struct step {
    const vm_cell_lives *l;
    uint64_t *set;
    bool writes; /* which of the two are looked at */
} step;

static void apply(void *self, uint32_t at, bool writes) {
    const step *s = self;
    if (writes != s->writes)
        return;
    if (writes)
        take(s->l, s->set, at);
    else
        add(s->l, s->set, at);
}

void vm_live_step(const vm_cell_lives *l, const vm_op *op, uint64_t *live) {
    step s = {l, live, true};
    bool known = each_cell(op, apply, &s);
    s.writes = false;
    each_cell(op, apply, &s);
    if (!known)
        memset(live, 0xff, l->words * sizeof *live);
}

static void add_all(uint64_t *to, const uint64_t *from, uint32_t words) {
    for (uint32_t w = 0; w < words; w++)
        to[w] |= from[w];
}

static void note_cell(void *self, uint32_t at, bool writes) {
    (void)writes;
    ((uint32_t *)self)[at / VM_CELL_ALIGN] = 1;
}

/* Behind the last operation of a node: what its end reads, and what its edges do. */
static void at_end_of_node(const vm_cell_lives *l, uint32_t n, uint64_t *set) {
    const vm_node *node = &l->program->nodes[n];
    if (node->end == VM_END_IF || node->end == VM_END_SWITCH)
        add(l, set, node->condition.at);
    if (node->end == VM_END_NAMED_BARRIER) {
        add(l, set, node->barrier.at);
        add(l, set, node->threads.at);
    }
    if (node->counts)
        add(l, set, node->vote.at);
    for (uint32_t e = 0; e < node->edge_count; e++)
        add_all(set, l->in + (size_t)node->edges[e].range * l->words, l->words);
}

static bool grow(const vm_cell_lives *l, uint32_t range, uint32_t first, uint32_t count,
                 uint64_t *now) {
    for (uint32_t i = count; i-- > 0;)
        vm_live_step(l, &l->program->ops[first + i], now);
    uint64_t *in = l->in + (size_t)range * l->words;
    bool grew = memcmp(in, now, l->words * sizeof *now) != 0;
    memcpy(in, now, l->words * sizeof *now);
    return grew;
}

uint64_t *vm_live_at_end(hd_arena *arena, const vm_cell_lives *l, uint32_t node,
                         const vm_edge *edge) {
    uint64_t *set = hd_new_array(arena, uint64_t, l->words);
    if (edge)
        memcpy(set, l->in + (size_t)edge->to * l->words, l->words * sizeof *set);
    else
        at_end_of_node(l, node, set);
    return set;
}

vm_cell_lives *vm_cell_lives_of(hd_arena *arena, const vm_program *p, uint32_t range_count) {
    vm_cell_lives *l = hd_new(arena, vm_cell_lives);
    uint32_t places = p->frame_bytes / VM_CELL_ALIGN + 1, count = 1;
    l->program = p;
    l->id = hd_new_array(arena, uint32_t, places);
    for (uint32_t i = 0; i < p->op_count; i++)
        each_cell(&p->ops[i], note_cell, l->id);
    for (uint32_t n = 0; n < p->node_count; n++) {
        const vm_node *node = &p->nodes[n];
        const uint32_t cells[] = {node->condition.at, node->barrier.at, node->threads.at,
                                  node->vote.at};
        for (uint32_t i = 0; i < sizeof cells / sizeof *cells; i++)
            l->id[cells[i] / VM_CELL_ALIGN] = 1;
    }
    for (uint32_t i = 0; i < places; i++) /* 0: what nobody names */
        l->id[i] = l->id[i] ? count++ : 0;
    l->words = (count + 63) / 64;
    l->in = hd_new_array(arena, uint64_t, (size_t)range_count * l->words);
    uint64_t *now = hd_new_array(arena, uint64_t, l->words);
    for (bool grew = true; grew;) {
        grew = false;
        for (uint32_t n = p->node_count; n-- > 0;) {
            const vm_node *node = &p->nodes[n];
            for (uint32_t e = 0; e < node->edge_count; e++) {
                const vm_edge *edge = &node->edges[e];
                memcpy(now, l->in + (size_t)edge->to * l->words, l->words * sizeof *now);
                grew |= grow(l, edge->range, edge->first, edge->count, now);
            }
            memset(now, 0, l->words * sizeof *now);
            at_end_of_node(l, n, now);
            grew |= grow(l, n, node->first, node->count, now);
        }
    }
    return l;
}
