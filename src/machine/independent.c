/*
 * May the blocks of a launch run side by side, and nothing of the results or of
 * the trace depend on how they do? They may when no block can see what another
 * one writes:
 *
 *     memory that is only read, or only written
 *     memory with atomics whose results nobody uses, of operations whose order
 *     does not matter
 *     memory of which every block touches a stretch of its own: all addresses
 *     are affine, move by the same number of bytes from block to block, span no
 *     more than that inside a block, and stay where 32-bit indices cannot wrap
 *     around
 *
 * Memory is what arguments and variables point to. Several that point into one region
 * are apart where it is known which bytes the launch touches through each, and these do not
 * overlap; else they are one. In a buffer of records fields are apart, as long as the field of
 * every access to it is known: velocities may be written while all blocks read positions.
 *
 * Anything else runs block after block. (A kernel in which two blocks write the
 * same place without atomics is not race-free; there the last writer wins.)
 * launch.c asks, and has further reasons to run blocks one by one.
 *
 * What follows from the kernel alone is found once. Stretches follow from sizes and scalars, and
 * are kept for the last few of these; where memory is, each launch says anew.
 */
#include "machine/launch.h"

/* What the kernel does through one argument or variable, or to one field behind it. */
typedef struct use {
    uint32_t object;         /* a parameter, or parameters plus a static */
    const hd_record *record; /* that all accesses of the object know a field of, or NULL */
    int32_t field;           /* of that */
    bool reads, writes;
    bool indirect; /* some address can't be affine in any launch: loaded values are in it */
} use;

/* Bytes that a launch touches so, from the object's address. */
typedef struct stretch {
    bool started, scattered; /* scattered: some access is not affine in what is known */
    int64_t step;            /* bytes from block to block */
    int64_t low, high;       /* of the first block */
} stretch;

/* Stretches of one kind of launch. */
enum { KINDS = 8 };
typedef struct kind {
    int64_t *key; /* sizes and scalars; NULL: none yet */
    stretch *stretches;
} kind;

typedef struct vm_verdicts {
    bool known, answer; /* whatever the launch is */
    bool has_atomics;
    use *uses;
    uint32_t use_count;
    uint32_t *use_of; /* [access_count], KIR_NONE: none */
    kind kinds[KINDS];
    uint32_t next_kind;
    double analysis_seconds; /* what the last analysis took */
} vm_verdicts;

/* What an atomic gives, or what is left of several, depends on which of them is first. */
static bool order_matters(const kir_kernel *k, kir_value atomic) {
    switch ((kir_rmw)k->insts[atomic].index) {
    case KIR_RMW_ADD:
    case KIR_RMW_SUB:
    case KIR_RMW_AND:
    case KIR_RMW_OR:
    case KIR_RMW_XOR:
    case KIR_RMW_MIN:
    case KIR_RMW_MAX:
    case KIR_RMW_UMIN:
    case KIR_RMW_UMAX: break;
    default: return true;
    }
    for (kir_value u = 0; u < k->inst_count; u++)
        for (uint32_t a = 0; a < k->insts[u].arg_count; a++)
            if (k->insts[u].args[a] == atomic)
                return true;
    return false;
}

/* ---- the kernel -------------------------------------------------------------------------- */

/* KIR_NONE: nobody knows what it points to. */
static uint32_t object_of(const kir_kernel *k, const hd_access *a) {
    return a->static_index >= 0 ? k->param_count + (uint32_t)a->static_index
           : a->param >= 0      ? (uint32_t)a->param
                                : KIR_NONE;
}

/* The record that all accesses of an object know a field of, or NULL. */
static const hd_record *record_of(const vm_program *p, uint32_t object) {
    const hd_record *record = NULL;
    bool first = true;
    for (uint32_t i = 0; i < p->info->access_count; i++) {
        const hd_access *a = &p->info->accesses[i];
        if (object_of(p->kernel, a) != object)
            continue;
        record = (first || record == a->record) && a->field >= 0 && !hd_access_is_wide(a)
                     ? a->record
                     : NULL;
        first = false;
        if (!record)
            break;
    }
    return record;
}

static uint32_t use_for(hd_arena *arena, vm_verdicts *v, size_t *capacity, const use *wanted) {
    for (uint32_t i = 0; i < v->use_count; i++)
        if (v->uses[i].object == wanted->object && v->uses[i].field == wanted->field)
            return i;
    if (v->use_count == *capacity)
        v->uses = hd_grow(arena, v->uses, capacity, v->use_count, sizeof *v->uses);
    v->uses[v->use_count] = *wanted;
    return v->use_count++;
}

/* Reads, writes and orders. */
static vm_verdicts *verdicts_new(hd_arena *arena, const vm_program *p) {
    vm_verdicts *v = hd_new(arena, vm_verdicts);
    const kir_kernel *k = p->kernel;
    const hd_record **records =
        hd_new_array(arena, const hd_record *, k->param_count + k->static_count);
    for (uint32_t o = 0; o < k->param_count + k->static_count; o++)
        records[o] = record_of(p, o);
    v->use_of = hd_new_array(arena, uint32_t, p->info->access_count);
    size_t capacity = 0;
    bool reads_anywhere = false, writes_anywhere = false, writes = false,
         ordered = p->prints || p->allocates;
    for (uint32_t i = 0; i < p->info->access_count; i++) {
        const hd_access *a = &p->info->accesses[i];
        v->use_of[i] = KIR_NONE;
        if (a->space == KIR_PRIVATE || a->space == KIR_LOCAL || a->space == KIR_CONSTANT)
            continue;
        bool only_reads = a->kind == HD_LOAD;
        writes |= !only_reads;
        v->has_atomics |= a->kind == HD_ATOMIC;
        if (a->kind == HD_ATOMIC)
            ordered |= order_matters(k, a->inst);
        uint32_t object = object_of(k, a);
        if (object == KIR_NONE) {
            reads_anywhere |= only_reads;
            writes_anywhere |= !only_reads;
            continue;
        }
        const hd_record *record = records[object];
        use own = {.object = object, .record = record, .field = record ? a->field : -1};
        v->use_of[i] = use_for(arena, v, &capacity, &own);
        use *u = &v->uses[v->use_of[i]];
        u->reads |= only_reads;
        u->writes |= !only_reads;
        u->indirect |= a->indirect;
    }
    v->answer = !ordered && !writes_anywhere && !(reads_anywhere && writes);
    v->known = !v->answer || !writes;
    return v;
}

/* ---- stretches ----------------------------------------------------------------------- */

/* Least and greatest value of one term over the threads and iterations of a block. */
static bool range_of_term(const hd_kernel_info *info, const hd_launch *l, const hd_term *t,
                          int64_t *low, int64_t *high) {
    int64_t most;
    if (t->kind == HD_SYM_LOCAL && t->index < l->dims) {
        most = (int64_t)l->local[t->index] - 1;
    } else if (t->kind == HD_SYM_LOOP) {
        const hd_trip *trip = &info->trips[t->index];
        if (trip->kind > HD_TRIP_BOUND)
            return false;
        most = (int64_t)trip->count;
    } else {
        return false;
    }
    int64_t end, *side = t->factor < 0 ? low : high;
    return !__builtin_mul_overflow(t->factor, most, &end) &&
           !__builtin_add_overflow(*side, end, side);
}

static void add_stretch(stretch *u, const hd_kernel_info *info, const hd_launch *l,
                        const hd_access *a, uint32_t dimension) {
    int64_t low = a->address.constant, high = low, step = 0;
    bool known = a->affine && dimension < 3;
    for (uint32_t i = 0; i < a->address.term_count && known; i++) {
        const hd_term *t = &a->address.terms[i];
        if (t->kind != HD_SYM_GROUP)
            known = range_of_term(info, l, t, &low, &high);
        else if (t->index == dimension)
            step = t->factor;
    }
    known &= !__builtin_add_overflow(high, a->width, &high);
    if (u->started && step != u->step)
        known = false;
    u->scattered |= !known;
    u->low = u->started && u->low < low ? u->low : low;
    u->high = u->started && u->high > high ? u->high : high;
    u->step = step;
    u->started = true;
}

/* The launch is analysed for its sizes and scalars. */
static void find_stretches(const vm_program *p, const vm_verdicts *v, const hd_launch *l,
                           const hd_binding *binding, stretch *stretches) {
    hd_arena *arena = hd_arena_new();
    hd_grid grid = hd_grid_of(l->dims, l->global, l->local);
    const hd_kernel_info *info = hd_kernel_analyse(arena, p->module, p->kernel, binding);
    uint32_t dimension = 0, dimensions = 0; /* with more than one block */
    for (uint32_t d = 0; d < 3; d++)
        if (grid.groups[d] > 1) {
            dimension = d;
            dimensions++;
        }
    if (dimensions > 1)
        dimension = 3;
    memset(stretches, 0, v->use_count * sizeof *stretches);
    for (uint32_t i = 0; i < info->access_count; i++)
        if (v->use_of[i] != KIR_NONE)
            add_stretch(&stretches[v->use_of[i]], info, l, &info->accesses[i], dimension);
    hd_arena_free(arena);
}

/* NULL: to find them would take longer than the last launch did. */
static const stretch *stretches_of(const hd_vm *vm, vm_compiled *c, const hd_launch *l) {
    vm_verdicts *v = c->verdicts;
    hd_arena *arena = hd_arena_new();
    hd_binding binding = hd_job_binding(arena, vm->job, l);
    binding.records = c->program->info->binding.records;
    binding.counts = NULL;
    enum { SIZES = 10 }; /* all that stretches depend on: sizes of the launch, then the scalars */
    int64_t *key = hd_new_array(arena, int64_t, SIZES + binding.param_count);
    size_t bytes = (SIZES + binding.param_count) * sizeof *key;
    key[0] = binding.dims;
    memcpy(key + 1, binding.global, sizeof binding.global);
    memcpy(key + 4, binding.local, sizeof binding.local);
    memcpy(key + 7, binding.offset, sizeof binding.offset);
    memcpy(key + SIZES, binding.params, binding.param_count * sizeof *key);
    kind *found = NULL;
    for (uint32_t i = 0; i < KINDS && !found; i++)
        if (v->kinds[i].key && !memcmp(v->kinds[i].key, key, bytes))
            found = &v->kinds[i];
    if (!found && !(c->work_seconds > 0 && c->work_seconds < v->analysis_seconds)) {
        found = &v->kinds[v->next_kind++ % KINDS];
        if (!found->key) {
            found->key = hd_new_array(c->arena, int64_t, SIZES + binding.param_count);
            found->stretches = hd_new_array(c->arena, stretch, v->use_count);
        }
        memcpy(found->key, key, bytes);
        double start = hd_clock();
        find_stretches(c->program, v, l, &binding, found->stretches);
        v->analysis_seconds = hd_clock() - start;
    }
    hd_arena_free(arena);
    return found ? found->stretches : NULL;
}

/* ---- the launch ----------------------------------------------------------------------- */

/* A use in this launch. */
typedef struct placed {
    const use *use;
    uint64_t address;
    const vm_region *region; /* NULL: nobody knows */
    bool by_field;           /* other fields of its region are apart */
    uint32_t cluster;        /* the first of the uses that may touch the same bytes */
} placed;

static placed place_of(const vm_space *space, const kir_kernel *k, const vm_bound *b,
                       const use *u) {
    placed p = {.use = u};
    p.address = u->object < k->param_count ? b->args[u->object].address
                                           : b->statics[u->object - k->param_count].address;
    p.region = vm_space_at(space, p.address);
    p.by_field = p.region && u->record && p.region->record == u->record && u->record->size &&
                 (p.address - p.region->base) % u->record->size == 0;
    return p;
}

static bool may_meet(const placed *a, const placed *b) {
    return a->region == b->region &&
           !(a->by_field && b->by_field && a->use->field != b->use->field);
}

/* Affine forms know nothing of indices that wrap around, which could make blocks meet. */
static const int64_t far = (int64_t)1 << 31;

/* First and last byte of the whole launch, from the object's address; false: they are not known. */
static bool whole_stretch(const stretch *s, uint64_t blocks, int64_t *low, int64_t *high) {
    int64_t all;
    if (s->scattered || __builtin_mul_overflow(s->step, (int64_t)(blocks - 1), &all))
        return false;
    *low = s->low + (all < 0 ? all : 0);
    *high = s->high + (all > 0 ? all : 0);
    return s->low >= -far && s->high <= far && all >= -2 * far && all <= 2 * far && *low >= -far &&
           *high <= far;
}

static bool overlap(const placed *a, const stretch *x, const placed *b, const stretch *y,
                    uint64_t blocks) {
    int64_t low, high, other_low, other_high;
    if (!whole_stretch(x, blocks, &low, &high) ||
        !whole_stretch(y, blocks, &other_low, &other_high))
        return true;
    int64_t from = (int64_t)a->address, other = (int64_t)b->address;
    return from + low < other + other_high && other + other_low < from + high;
}

/* Uses that may touch the same bytes get the same cluster. */
static void find_clusters(placed *p, const stretch *stretches, uint32_t count, uint64_t blocks) {
    for (uint32_t i = 0; i < count; i++) {
        p[i].cluster = i;
        for (uint32_t j = 0; j < i; j++) {
            if (p[i].cluster == p[j].cluster || !may_meet(&p[i], &p[j]) ||
                !overlap(&p[i], &stretches[i], &p[j], &stretches[j], blocks))
                continue;
            uint32_t from = p[i].cluster, to = p[j].cluster;
            for (uint32_t k = 0; k <= i; k++)
                if (p[k].cluster == from)
                    p[k].cluster = to;
        }
    }
}

/* Every block has bytes of its own in what the uses of this cluster touch. */
static bool has_own_stretch(const placed *p, const stretch *stretches, uint32_t count,
                            uint32_t cluster, uint64_t blocks) {
    int64_t low = INT64_MAX, high = INT64_MIN, step = 0;
    uint64_t origin = 0;
    for (uint32_t i = 0; i < count; i++) {
        const stretch *s = &stretches[i];
        int64_t unused_low, unused_high;
        if (p[i].cluster != cluster)
            continue;
        if (low == INT64_MAX) {
            step = s->step;
            origin = p[i].address;
        }
        int64_t apart = (int64_t)(p[i].address - origin);
        if (p[i].use->indirect || s->step != step ||
            !whole_stretch(s, blocks, &unused_low, &unused_high))
            return false;
        low = low < s->low + apart ? low : s->low + apart;
        high = high > s->high + apart ? high : s->high + apart;
    }
    return high - low <= (step < 0 ? -step : step);
}

static bool are_apart(const hd_vm *vm, vm_compiled *c, const hd_launch *l, placed *p) {
    const vm_verdicts *v = c->verdicts;
    bool any_mixed = false; /* some use reads what another one, or itself, may write */
    for (uint32_t i = 0; i < v->use_count; i++)
        for (uint32_t j = 0; j < v->use_count; j++)
            any_mixed |= p[i].use->reads && p[j].use->writes && may_meet(&p[i], &p[j]);
    if (!any_mixed)
        return true;
    for (uint32_t i = 0; i < v->use_count; i++)
        if (p[i].use->indirect && p[i].use->reads && p[i].use->writes)
            return false;
    const stretch *stretches = stretches_of(vm, c, l);
    if (!stretches)
        return false;
    uint64_t blocks = hd_grid_of(l->dims, l->global, l->local).block_count;
    find_clusters(p, stretches, v->use_count, blocks);
    for (uint32_t i = 0; i < v->use_count; i++) {
        bool reads = false, writes = false;
        for (uint32_t j = 0; j < v->use_count; j++) {
            reads |= p[j].cluster == i && p[j].use->reads;
            writes |= p[j].cluster == i && p[j].use->writes;
        }
        if (reads && writes && !has_own_stretch(p, stretches, v->use_count, i, blocks))
            return false;
    }
    return true;
}

bool vm_blocks_are_independent(const hd_vm *vm, vm_compiled *c, const hd_launch *l,
                               const vm_bound *b) {
    if (!c->verdicts)
        c->verdicts = verdicts_new(c->arena, c->program);
    const vm_verdicts *v = c->verdicts;
    if (v->known)
        return v->answer;
    hd_arena *arena = hd_arena_new();
    placed *p = hd_new_array(arena, placed, v->use_count);
    for (uint32_t i = 0; i < v->use_count; i++)
        p[i] = place_of(&vm->space, c->program->kernel, b, &v->uses[i]);
    bool apart = are_apart(vm, c, l, p);
    hd_arena_free(arena);
    return apart;
}

bool vm_blocks_can_be_shared(hd_arena *arena, const hd_vm *vm, vm_compiled *c, const hd_launch *l,
                             const vm_bound *b, vm_written *written) {
    if (!vm_blocks_are_independent(vm, c, l, b) || c->verdicts->has_atomics)
        return false;
    for (uint32_t i = 0; i < c->verdicts->use_count; i++) {
        const use *u = &c->verdicts->uses[i];
        const vm_region *region = place_of(&vm->space, c->program->kernel, b, u).region;
        bool is_listed = !u->writes || !region;
        for (size_t w = 0; w < written->count && !is_listed; w++)
            is_listed = written->data[w] == region;
        if (!is_listed)
            hd_push(arena, written, region);
    }
    return true;
}
