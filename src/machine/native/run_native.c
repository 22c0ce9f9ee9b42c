/*
 * What native code leaves to C: accesses that are not where the last ones were, lanes in several
 * regions, faults, and what is announced.
 *
 * The loop of a group goes chunk by chunk, while the interpreter takes instruction by instruction. So
 * a lane that may not access what it wants is only noted, with 0 for what it loads, and when the loop
 * has ended the first instruction that has such a lane faults, after those before it were announced.
 */
#include "machine/native/run_native.h"
#include "machine/native/native.h"

static bool may_access(const vm_region *g, const vm_op *op, uint64_t address) {
    const vm_memory *m = op->more;
    bool writes = op->code == VM_CODE_STORE;
    return g && vm_holds(g, address, m->width) && address % m->align == 0 &&
           !(writes && (g->read_only || m->space == KIR_CONSTANT));
}

static void note_bad(vm_run *r, const vm_op *op, uint32_t lane, uint64_t address) {
    uint32_t index = (uint32_t)(op - r->program->ops);
    if (index < r->bad.op || (index == r->bad.op && lane < r->bad.lane))
        r->bad = (struct vm_bad){index, lane, address};
}

static void set_reach(const vm_run *r, struct vm_reach *reach, const vm_region *g) {
    reach->region = g;
    reach->base = g->base;
    reach->size = g->bytes;
    reach->delta = (uint64_t)(uintptr_t)g->host - g->base;
    reach->own = g->space == KIR_PRIVATE ? r->private_stride : 0;
}

void vm_native_begin_block(vm_run *r) {
    r->bad.op = UINT32_MAX;
    for (uint32_t i = 0; i < r->program->memory_count; i++)
        if (r->reach[i].region && r->reach[i].region->space == KIR_LOCAL)
            set_reach(r, &r->reach[i], r->reach[i].region);
}

static const uint8_t *bytes_of_lane(const vm_run *r, const vm_region *g, uint32_t lane,
                                    uint64_t address) {
    uint64_t own = g->space == KIR_PRIVATE ? lane * r->private_stride : 0;
    return g->host + (address - g->base) + own;
}

/* The lanes of `set` of the chunk at lane `at`, of which some are not where their cluster was last. What a
 * load gives them goes to `values`, 16 elements for each component. True: all active lanes so far are
 * in one region, which the cluster knows now. */
static bool look(vm_run *r, uint32_t index, uint32_t leader, uint64_t at, const uint64_t *address,
                 uint16_t set, uint8_t *values) {
    const vm_op *op = &r->program->ops[index];
    const vm_memory *m = op->more, *lead = r->program->ops[leader].more;
    struct vm_reach *reach = &r->reach[lead->slot];
    const vm_region *g = NULL, *met = NULL;
    uint32_t bytes = vm_elem_bytes(m->elem);
    bool is_one = true, all_may = true;
    for (uint32_t j = 0; j < VM_CHUNK; j++) {
        if (!(set >> j & 1))
            continue;
        if (!g || !vm_holds(g, address[j], m->width))
            g = vm_find_region(r, address[j], m->width);
        bool may = may_access(g, op, address[j]);
        is_one &= !met || met == g;
        all_may &= may;
        met = g;
        if (!may)
            note_bad(r, op, (uint32_t)at + j, address[j]);
        const uint8_t *from = may ? bytes_of_lane(r, g, (uint32_t)at + j, address[j]) : NULL;
        for (uint32_t k = 0; k < m->components && values; k++) {
            uint8_t *to = values + (k * VM_CHUNK + j) * bytes;
            if (may)
                memcpy(to, from + k * bytes, bytes);
            else
                memset(to, 0, bytes);
        }
    }
    bool has_begun = vm_first_active(r) < at;
    reach->is_mixed |= !is_one || (has_begun && reach->region && reach->region != met);
    if (is_one && all_may)
        set_reach(r, reach, met);
    return all_may && !reach->is_mixed;
}

/* The one address and value of all lanes. */
static void look_one(vm_run *r, uint32_t index, uint64_t address, uint8_t *values) {
    const vm_op *op = &r->program->ops[index];
    const vm_memory *m = op->more;
    uint32_t lane = vm_first_active(r);
    const vm_region *g = vm_find_region(r, address, m->width);
    if (!may_access(g, op, address)) {
        note_bad(r, op, lane, address);
        memset(values, 0, m->width);
        return;
    }
    struct vm_reach *reach = &r->reach[m->slot];
    memcpy(values, bytes_of_lane(r, g, lane, address), m->width);
    reach->region = g;
    if (g->space != KIR_PRIVATE) /* where each lane has its own the code looks at none by itself */
        set_reach(r, reach, g);
}

/* Stores what is kept in the rows from `row` on. */
static void store_lanes(vm_run *r, uint32_t index, uint64_t at, const uint64_t *base,
                        int64_t offset, uint16_t set, uint32_t row) {
    const vm_op *op = &r->program->ops[index];
    const vm_memory *m = op->more;
    uint32_t bytes = vm_elem_bytes(m->elem);
    uint64_t row_bytes = (uint64_t)r->padded * 8;
    for (uint32_t j = 0; j < VM_CHUNK; j++) {
        if (!(set >> j & 1))
            continue;
        uint64_t address = base[j] + (uint64_t)offset;
        const vm_region *g = vm_find_region(r, address, m->width);
        uint8_t *to = (uint8_t *)(uintptr_t)bytes_of_lane(r, g, (uint32_t)at + j, address);
        for (uint32_t k = 0; k < m->components; k++)
            memcpy(to + k * bytes, r->saved + (row + k) * row_bytes + (at + j) * bytes, bytes);
    }
}

/* The addresses of a member, as they are kept. */
static void fill_target(const vm_run *r, const vm_group_member *a, vm_target *t) {
    const vm_memory *m = r->program->ops[a->op].more;
    const void *row = r->saved + (uint64_t)a->row * r->padded * 8;
    const uint64_t *address = row;
    int64_t stride = 0;
    t->strided = !m->address.varying || vm_are_strided(r, address, &stride);
    bool once = !m->address.varying && !m->value[0].varying && /* kept as if of lane 0 */
                r->program->ops[a->op].code == VM_CODE_LOAD;
    uint32_t first = once ? 0 : vm_first_active(r);
    t->base = address[first] - first * (uint64_t)stride;
    t->stride = stride;
    t->address = t->strided ? NULL : address;
}

static const vm_memory *memory_of(const vm_run *r, uint32_t op) { return r->program->ops[op].more; }

/* To somebody, or where it matters in which space lanes have been. */
static void announce_each(vm_run *r, const vm_group *g) {
    for (uint32_t i = 0; i < g->count; i++) {
        const vm_group_member *a = &g->members[i];
        const vm_op *op = &r->program->ops[a->op];
        const vm_memory *m = op->more;
        if (r->bad.op == a->op)
            vm_fault_access(r, op, r->bad.lane, r->bad.address, m->width, m->align,
                            op->code == VM_CODE_STORE);
        const struct vm_reach *reach = &r->reach[memory_of(r, a->leader)->slot];
        vm_target t = {.region = reach->is_mixed ? NULL : reach->region};
        if (r->native->traced)
            fill_target(r, a, &t);
        vm_announce(r, &t, m->space, m->announced, m->announced_count);
    }
}

static void announce(vm_run *r, uint32_t group) {
    const vm_group *g = &r->native->groups[group];
    if (r->native->traced || g->is_generic || r->bad.op != UINT32_MAX)
        announce_each(r, g);
    else
        for (uint32_t space = 0; space < KIR_GENERIC; space++)
            vm_count_mis(r, r->options->spaces >> space & 1 ? g->mis[space] : 0);
    for (uint32_t i = 0; i < g->count; i++) {
        struct vm_reach *reach = &r->reach[memory_of(r, g->members[i].op)->slot];
        reach->is_mixed = false;
        reach->step = 2 * (reach->now - reach->last);
        reach->last = reach->now;
    }
}

static void interpret(vm_run *r, uint32_t index) {
    const vm_op *op = &r->program->ops[index];
    vm_unpack_active(r);
    op->fn(r, op);
}

void *const vm_native_calls[] = {
    [VM_CALL_LOOK] = look,         [VM_CALL_LOOK_ONE] = look_one,   [VM_CALL_STORE] = store_lanes,
    [VM_CALL_ANNOUNCE] = announce, [VM_CALL_OPERATION] = interpret,
};
