/*
 * May the blocks of a launch run side by side, and nothing of the results or of
 * the trace depend on how they do? They may when no block can see what another
 * one writes:
 *
 *     memory that is only read, or only written
 *     memory with atomics whose results nobody uses, of operations whose order
 *     does not matter
 *     memory in which no block touches a byte that another one writes, as far
 *     as all addresses are sums of ids, iterations and known numbers, and stay
 *     where 32-bit indices cannot wrap around (footprint.c)
 *
 * Memory is what arguments and variables point to; several may point into one region. In a
 * buffer of records fields are apart, as long as the field of every access to it is known:
 * velocities may be written while all blocks read positions.
 *
 * Texels that a texture is read for count for none of this: what the same launch writes of them is
 * undefined.
 *
 * Anything else runs block after block. (A kernel in which two blocks write the
 * same place without atomics is not race-free; there the last writer wins.)
 * launch.c asks, and has further reasons to run blocks one by one.
 *
 * What follows from the kernel alone is found once. What blocks touch follows from sizes and scalars,
 * and is kept for the last of these; where memory is, each launch says anew.
 */
#include "base/hash.h"
#include "machine/footprint.h"
#include "machine/launch.h"

/* What the kernel does through one argument or variable, or to one field behind it. */
typedef struct use {
    uint32_t object;         /* a parameter, or parameters plus a static */
    const hd_record *record; /* that all accesses of the object know a field of, or NULL */
    int32_t field;           /* of that */
    bool reads, writes;
    bool indirect; /* some address can't be affine in any launch: loaded values are in it */
} use;

/* What is touched through one use. */
typedef struct touched {
    bool scattered;      /* some access is no sum of what is known */
    uint32_t first, end; /* of the kind's touches */
} touched;

/* What blocks touch in one kind of launch. */
enum { KINDS = 512, MOST_STEPS = 1 << 16 };
typedef struct kind {
    uint64_t hash; /* of the key */
    int64_t *key;  /* sizes and scalars; NULL: none yet */
    touched *of;   /* [use_count] */
    vm_touch *touches;
    uint32_t touch_capacity;
} kind;

typedef struct vm_verdicts {
    bool known, answer; /* whatever the launch is */
    bool has_atomics;
    use *uses;
    uint32_t use_count;
    uint32_t *use_of; /* [access_count], KIR_NONE: none */
    kind *kinds;      /* [KINDS], NULL: none was needed so far */
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

static kir_value without_steps(const kir_kernel *k, kir_value pointer) {
    while (k->insts[pointer].op == KIR_ADDR)
        pointer = k->insts[pointer].args[0];
    return pointer;
}

/* A texel: its address stands in what a texture object says (kernel/texture_object.h), which alone is constant
 * memory by a parameter or a number. Texels that the same launch writes are undefined, so that no block
 * waits for another one's. */
static bool reads_texel(const kir_kernel *k, kir_value load) {
    if (k->insts[load].op != KIR_LOAD)
        return false;
    const kir_inst *pointer = &k->insts[without_steps(k, k->insts[load].args[0])];
    if (pointer->op != KIR_INTTOPTR)
        return false;
    const kir_inst *address = &k->insts[pointer->args[0]];
    if (address->op != KIR_LOAD || k->insts[address->args[0]].type.space != KIR_CONSTANT)
        return false;
    const kir_op from = k->insts[without_steps(k, address->args[0])].op;
    return from == KIR_PARAM || from == KIR_INTTOPTR;
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
        if (object == KIR_NONE && only_reads && reads_texel(k, a->inst))
            continue;
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

/* ---- what blocks touch ------------------------------------------------------------------ */

/* The launch is analysed for its sizes and scalars. */
static void find_touches(vm_compiled *c, const hd_binding *binding, kind *found) {
    const vm_program *p = c->program;
    const vm_verdicts *v = c->verdicts;
    hd_arena *arena = hd_arena_new();
    const hd_kernel_info *info = hd_kernel_analyse(arena, p->module, p->kernel, binding);
    vm_touch *touches = hd_new_array(arena, vm_touch, (size_t)info->access_count * VM_CHOICES);
    uint32_t count = 0;
    for (uint32_t u = 0; u < v->use_count; u++) {
        uint32_t first = count;
        bool known = true;
        for (uint32_t i = 0; i < info->access_count && known; i++) {
            if (v->use_of[i] != u)
                continue;
            uint32_t more = vm_touches_of(arena, info, &info->accesses[i], &touches[count]);
            known = more > 0;
            count += more;
        }
        count = first + (known ? vm_fold_touches(touches + first, count - first) : 0);
        found->of[u] = (touched){!known, first, count};
    }
    if (count > found->touch_capacity) {
        found->touches = hd_new_array(c->arena, vm_touch, count);
        found->touch_capacity = count;
    }
    if (count)
        memcpy(found->touches, touches, count * sizeof *touches);
    hd_arena_free(arena);
}

/* NULL: to find it would take longer than the last launch did. */
static const kind *kind_of(const hd_vm *vm, vm_compiled *c, const hd_launch *l) {
    vm_verdicts *v = c->verdicts;
    hd_arena *arena = hd_arena_new();
    hd_binding binding = hd_job_binding(arena, vm->job, l);
    binding.records = c->program->info->binding.records;
    binding.counts = NULL;
    enum { SIZES = 10 }; /* all that counts: sizes of the launch, then the scalars */
    uint32_t length = SIZES + binding.param_count;
    int64_t *key = hd_new_array(arena, int64_t, length);
    key[0] = binding.dims;
    memcpy(key + 1, binding.global, sizeof binding.global);
    memcpy(key + 4, binding.local, sizeof binding.local);
    memcpy(key + 7, binding.offset, sizeof binding.offset);
    memcpy(key + SIZES, binding.params, binding.param_count * sizeof *key);
    uint64_t hash = 0;
    for (uint32_t i = 0; i < length; i++)
        hash = hd_hash_mix(hash, (uint64_t)key[i]);
    if (!v->kinds)
        v->kinds = hd_new_array(c->arena, kind, KINDS);
    kind *found = NULL;
    for (uint32_t i = 0; i < KINDS && v->kinds[i].key && !found; i++)
        if (v->kinds[i].hash == hash && !memcmp(v->kinds[i].key, key, length * sizeof *key))
            found = &v->kinds[i];
    if (!found && !(c->work_seconds > 0 && c->work_seconds < v->analysis_seconds)) {
        found = &v->kinds[v->next_kind++ % KINDS];
        if (!found->key) {
            found->key = hd_new_array(c->arena, int64_t, length);
            found->of = hd_new_array(c->arena, touched, v->use_count);
        }
        found->hash = hash;
        memcpy(found->key, key, length * sizeof *key);
        double start = hd_clock();
        find_touches(c, &binding, found);
        v->analysis_seconds = hd_clock() - start;
    }
    hd_arena_free(arena);
    return found;
}

/* ---- the launch ----------------------------------------------------------------------- */

/* A use in this launch. */
typedef struct placed {
    const use *use;
    uint64_t address;
    const vm_region *region; /* NULL: nobody knows */
    bool by_field;           /* other fields of its region are apart */
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

/* One reads what the other one, or itself, may write. */
static bool may_conflict(const placed *a, const placed *b) {
    return may_meet(a, b) && (a->use->reads || b->use->reads) && (a->use->writes || b->use->writes);
}

static bool uses_meet(const kind *of_launch, const placed *a, const touched *x, const placed *b,
                      const touched *y, const uint64_t groups[3], uint32_t *steps) {
    if (x->scattered || y->scattered)
        return true;
    int64_t offset = (int64_t)(b->address - a->address);
    for (uint32_t i = x->first; i < x->end; i++)
        for (uint32_t k = x == y ? i : y->first; k < y->end; k++)
            if ((of_launch->touches[i].writes || of_launch->touches[k].writes) &&
                vm_touches_meet(&of_launch->touches[i], &of_launch->touches[k], offset, groups,
                                steps))
                return true;
    return false;
}

static bool are_apart(const hd_vm *vm, vm_compiled *c, const hd_launch *l, const placed *p) {
    const vm_verdicts *v = c->verdicts;
    bool any = false;
    for (uint32_t i = 0; i < v->use_count; i++)
        for (uint32_t k = 0; k <= i; k++) {
            if (!may_conflict(&p[i], &p[k]))
                continue;
            if (p[i].use->indirect || p[k].use->indirect)
                return false;
            any = true;
        }
    if (!any)
        return true;
    const kind *found = kind_of(vm, c, l);
    hd_grid grid = hd_grid_of(l->dims, l->global, l->local);
    uint32_t steps = MOST_STEPS;
    for (uint32_t i = 0; found && i < v->use_count; i++)
        for (uint32_t k = 0; k <= i; k++)
            if (may_conflict(&p[i], &p[k]) &&
                uses_meet(found, &p[i], &found->of[i], &p[k], &found->of[k], grid.groups, &steps))
                return false;
    return found != NULL;
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
