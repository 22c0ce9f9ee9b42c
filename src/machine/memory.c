/*
 * Loads and stores: where the active lanes point, whether they may, what is
 * announced, and the bytes themselves.
 *
 * One pass over the addresses finds the least, the greatest and whether they are
 * strided; when both ends lie in one region, so does all between, and no lane
 * needs a look of its own. Each instruction remembers the region it last met.
 */
#include "machine/lane_flow.h"

/* ---- regions ------------------------------------------------------------------------- */

uint8_t *vm_host(vm_run *r, const vm_target *t, uint32_t lane, uint64_t address) {
    const vm_region *g = t->region ? t->region : vm_find_region(r, address, 1);
    uint64_t own = g->space == KIR_PRIVATE ? lane * r->private_stride : 0;
    return g->host + (address - g->base) + own;
}

/* ---- where the lanes point --------------------------------------------------------------- */

bool vm_are_strided(const vm_run *r, const uint64_t *address, int64_t *stride) {
    uint32_t first = vm_first_active(r), second = first + 1;
    *stride = 0;
    if (r->active.count < 2)
        return true;
    while (!(r->bits[second / 64] >> second % 64 & 1))
        second++;
    int64_t apart = (int64_t)(address[second] - address[first]), lanes = second - first;
    *stride = apart / lanes;
    return apart % lanes == 0 && r->flow->handlers->strided(
                                     address, r->bits, r->padded,
                                     address[first] - first * (uint64_t)*stride, (uint64_t)*stride);
}

/* Only some lanes are active: lane by lane. */
static void survey_some(const vm_run *r, const uint64_t *address, vm_survey *s) {
    uint32_t first = vm_first_active(r);
    *s = (vm_survey){.least = address[first], .greatest = address[first]};
    VM_EACH_ACTIVE(r, l) {
        uint64_t x = address[l];
        s->least = x < s->least ? x : s->least;
        s->greatest = x > s->greatest ? x : s->greatest;
        s->all_bits |= x;
    }
    s->strided = vm_are_strided(r, address, &s->stride);
}

/* One lane by itself, when lanes do not all point into one region. */
static void check_lane(vm_run *r, const vm_op *op, const vm_memory *m, uint32_t lane,
                       uint64_t address, uint64_t width, uint32_t align, bool writes) {
    const vm_region *g = vm_find_region(r, address, width);
    if (!g || address % align || (writes && (g->read_only || m->space == KIR_CONSTANT)))
        vm_fault_access(r, op, lane, address, width, align, writes);
}

static void survey_lanes(const vm_run *r, const uint64_t *at, vm_survey *s) {
    if (r->active.count == r->lanes)
        r->flow->handlers->survey(at, r->lanes, s);
    else
        survey_some(r, at, s);
}

vm_target vm_resolve(vm_run *r, const vm_op *op, const vm_memory *m, uint32_t slot,
                     vm_operand address, uint64_t width, uint32_t align, bool writes) {
    const uint64_t *at = VM_CELL(r, address.at, uint64_t);
    vm_survey s = {*at, *at, *at, true, 0};
    if (address.varying)
        survey_lanes(r, at, &s);
    vm_target t = {.strided = s.strided, .stride = s.stride};
    const vm_region *g = r->cached[slot];
    if (!g || !vm_holds(g, s.least, width))
        g = vm_find_region(r, s.least, width);
    if (g) {
        r->cached[slot] = g;
        t.region = vm_holds(g, s.greatest, width) ? g : NULL;
    }
    t.base = *at;
    if (address.varying && s.strided) {
        uint32_t first = vm_first_active(r);
        t.base = at[first] - first * (uint64_t)s.stride;
    }
    t.address = s.strided ? NULL : at;
    bool bad = !t.region || s.all_bits & (align - 1) ||
               (writes && (t.region->read_only || m->space == KIR_CONSTANT));
    if (!bad)
        return t;
    if (!address.varying)
        check_lane(r, op, m, vm_first_active(r), *at, width, align, writes);
    else
        VM_EACH_ACTIVE(r, l)
    check_lane(r, op, m, l, at[l], width, align, writes);
    return t;
}

/* ---- announcing ------------------------------------------------------------------------------ */

void vm_announce(vm_run *r, const vm_target *t, kir_space space, const vm_announced *announced,
                 uint32_t count) {
    uint32_t wanted = r->options->spaces & ~(1u << KIR_PRIVATE); /* lanes in several spaces */
    if (t->region || space != KIR_GENERIC)
        wanted = r->options->spaces & 1u << (t->region ? t->region->space : space);
    if (!wanted)
        return;
    vm_count_mis(r, count);
    if (!r->sink || !r->sink->event)
        return;
    hd_event event = {.threads = r->lanes,
                      .active = r->active.count,
                      .mask = r->bits,
                      .stride = t->stride,
                      .address = t->address};
    for (uint32_t i = 0; i < count; i++) {
        event.access = announced[i].access;
        event.position = r->position++;
        event.base = (t->address ? 0 : t->base) + announced[i].part;
        event.same_lanes = i > 0 && t->address;
        r->sink->event(r->stream, &event);
    }
}

static void before_access(vm_run *r, const vm_op *op, const vm_memory *m, const vm_target *t,
                          bool writes) {
    bool is_atomic = r->program->kernel->insts[op->inst].order != KIR_UNSAID;
    if (r->checked && is_atomic)
        VM_EACH_ACTIVE(r, l)
    vm_check_atomic(r, op, t, l, m->width, writes ? VM_ATOMIC_WRITES : VM_ATOMIC_READS, writes);
    else if (r->checked) vm_check_access(r, op, t, m->width, writes ? VM_WRITES : VM_READS);
    vm_announce(r, t, m->space, m->announced, m->announced_count);
    if (r->workspace && t->region == r->workspace)
        r->asked = op->inst;
}

/* ---- the bytes ------------------------------------------------------------------------------- */

/* Of the component that begins `offset` bytes behind the addresses. */
static vm_places places_from(const vm_run *r, const vm_target *t, uint32_t offset) {
    vm_places p = vm_places_of(r, t);
    p.host += offset;
    return p;
}

/* All lanes are active, and their bytes follow each other. */
static bool are_adjacent(const vm_run *r, const vm_places *p, uint32_t bytes) {
    return r->active.count == r->lanes && (uint64_t)p->stride + p->own == bytes;
}

/* T is an unsigned integer as wide as the element, loose_T the same in memory, which need not
 * be aligned for it: fields of packed structs are not. */
#define DEFINE_TRANSFER(T)                                                                       \
    typedef T loose_##T __attribute__((aligned(1), may_alias));                                  \
    VM_ALWAYS void load_lanes_##T(const vm_run *r, const vm_places *p, bool listed, T *d) {      \
        if (r->active.count == r->lanes)                                                         \
            for (uint32_t l = 0; l < r->lanes; l++)                                              \
                d[l] = *(const loose_##T *)vm_place(p, listed, l);                               \
        else                                                                                     \
            VM_EACH_ACTIVE(r, l)                                                                 \
        d[l] = *(const loose_##T *)vm_place(p, listed, l);                                       \
    }                                                                                            \
    static void load_##T(vm_run *r, const vm_target *t, uint32_t offset, T *d) {                 \
        if (!t->region) {                                                                        \
            VM_EACH_ACTIVE(r, l)                                                                 \
            d[l] = *(const loose_##T *)(vm_host(r, t, l, vm_lane_address(t, l)) + offset);       \
            return;                                                                              \
        }                                                                                        \
        const vm_places p = places_from(r, t, offset);                                           \
        if (p.address)                                                                           \
            load_lanes_##T(r, &p, true, d);                                                      \
        else if (are_adjacent(r, &p, sizeof(T)))                                                 \
            memcpy(d, vm_place(&p, false, 0), r->lanes * sizeof(T));                             \
        else                                                                                     \
            load_lanes_##T(r, &p, false, d);                                                     \
    }                                                                                            \
    VM_ALWAYS void store_lanes_##T(const vm_run *r, const vm_places *p, bool listed, const T *a, \
                                   uint32_t lanes) {                                             \
        VM_EACH_ACTIVE(r, l) { *(loose_##T *)vm_place(p, listed, l) = a[l & lanes]; }            \
    }                                                                                            \
    static void store_##T(vm_run *r, const vm_target *t, uint32_t offset, const T *a,            \
                          uint32_t lanes) {                                                      \
        if (!t->region) {                                                                        \
            VM_EACH_ACTIVE(r, l)                                                                 \
            *(loose_##T *)(vm_host(r, t, l, vm_lane_address(t, l)) + offset) = a[l & lanes];     \
            return;                                                                              \
        }                                                                                        \
        const vm_places p = places_from(r, t, offset);                                           \
        if (p.address)                                                                           \
            store_lanes_##T(r, &p, true, a, lanes);                                              \
        else if (lanes && are_adjacent(r, &p, sizeof(T)))                                        \
            memcpy(vm_place(&p, false, 0), a, r->lanes * sizeof(T));                             \
        else                                                                                     \
            store_lanes_##T(r, &p, false, a, lanes);                                             \
    }

DEFINE_TRANSFER(uint8_t)
DEFINE_TRANSFER(uint16_t)
DEFINE_TRANSFER(uint32_t)
DEFINE_TRANSFER(uint64_t)

static void load_component(vm_run *r, const vm_target *t, uint32_t offset, vm_operand d) {
    switch (vm_elem_bytes(d.elem)) {
    case 1: load_uint8_t(r, t, offset, VM_CELL(r, d.at, uint8_t)); return;
    case 2: load_uint16_t(r, t, offset, VM_CELL(r, d.at, uint16_t)); return;
    case 4: load_uint32_t(r, t, offset, VM_CELL(r, d.at, uint32_t)); return;
    default: load_uint64_t(r, t, offset, VM_CELL(r, d.at, uint64_t)); return;
    }
}

void vm_op_load(vm_run *r, const vm_op *op) {
    const vm_memory *m = op->more;
    vm_target t = vm_resolve(r, op, m, m->slot, m->address, m->width, m->align, false);
    before_access(r, op, m, &t, false);
    uint32_t bytes = vm_elem_bytes(m->elem);
    for (uint32_t k = 0; k < m->components; k++) {
        if (m->value[k].varying) {
            load_component(r, &t, k * bytes, m->value[k]);
            continue;
        }
        /* for all lanes, from the one address that they share */
        const uint8_t *at = vm_host(r, &t, vm_first_active(r), t.base) + k * bytes;
        vm_put_bits(r, m->value[k], 0, vm_read_bits(at, bytes));
    }
}

void vm_op_store(vm_run *r, const vm_op *op) {
    const vm_memory *m = op->more;
    vm_target t = vm_resolve(r, op, m, m->slot, m->address, m->width, m->align, true);
    before_access(r, op, m, &t, true);
    uint32_t bytes = vm_elem_bytes(m->elem);
    for (uint32_t k = 0; k < m->components; k++) {
        vm_operand a = m->value[k];
        uint32_t lanes = a.varying ? UINT32_MAX : 0, offset = k * bytes;
        switch (bytes) {
        case 1: store_uint8_t(r, &t, offset, VM_CELL(r, a.at, uint8_t), lanes); break;
        case 2: store_uint16_t(r, &t, offset, VM_CELL(r, a.at, uint16_t), lanes); break;
        case 4: store_uint32_t(r, &t, offset, VM_CELL(r, a.at, uint32_t), lanes); break;
        default: store_uint64_t(r, &t, offset, VM_CELL(r, a.at, uint64_t), lanes); break;
        }
    }
}
