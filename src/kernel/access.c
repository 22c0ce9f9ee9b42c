/*
 * The accesses of a kernel, and the analysis as a whole (hd_kernel_analyse).
 *
 * An address is a base (parameter, static, private array) and an affine form of
 * bytes from it. For a buffer of records of S bytes the form is taken apart:
 *
 *     body[i - 1].d[k - 2]   S = 28, d at 12:   28*i + 4*k - 24
 *     index = i - 1          what is multiplied by S
 *     inner = 4*k - 8        the rest, counted from the start of field d
 *
 * The sum alone does not say which constant belongs to the index and which to
 * the inside of the field, so the chain of address instructions is followed:
 * each says which record it steps into and by how many constant bytes.
 */
#include "kernel/kernel_analysis.h"

enum { MOST_LEAVES = 256 };

typedef hd_vec(hd_access) access_list;

typedef struct finder {
    hd_arena *arena;
    const hd_kernel_info *info;
    const hd_divergence *divergence; /* of a block */
    const kir_kernel *kernel;
    const kernel_forms *forms;
    const hd_trip *trips;
    hd_evaluator *evaluator;
    access_list accesses;
    kernel_controls *controls;
    kernel_guards *guards; /* of blocks, found when first needed */
    bool *guards_known;
} finder;

/* Where a pointer points, as one block sees it. */
typedef struct target {
    kir_value pointer;
    kernel_base base;
    kir_space space;
    const hd_record *record;
    uint32_t element_bytes; /* 0: not known */
    hd_affine address;
    /* With a record: address = index * size + position + inner. */
    hd_affine index, inner;
    uint32_t position;
} target;

/* ---- where a pointer points ------------------------------------------------------ */

/* Adds a form whose place in the record is not told: multiples of the record's
 * size go to the index, the rest into the field. Its constant says something
 * about the field only when nothing else does. */
static void add_by_size(const finder *w, target *t, hd_affine form, int64_t *constant) {
    hd_affine whole, rest;
    kernel_affine_split(w->arena, form, t->record->size, &whole, &rest);
    whole.constant = rest.constant = 0;
    if (rest.term_count)
        rest.constant = form.constant;
    else
        *constant += form.constant;
    t->index = hd_affine_add(w->arena, t->index, whole, 1);
    t->inner = hd_affine_add(w->arena, t->inner, rest, 1);
}

static void add_step(const finder *w, target *t, const kir_inst *addr, uint32_t block,
                     int64_t *constant) {
    bool told = addr->record && !strcmp(addr->record, t->record->name);
    *constant += addr->offset;
    for (uint32_t i = 1; i < addr->arg_count; i++) {
        hd_affine form = kernel_forms_at(w->forms, addr->args[i], block);
        int64_t scale = addr->scale[i - 1];
        if (!told)
            add_by_size(w, t, hd_affine_scale(w->arena, form, scale), constant);
        else if (scale % (int64_t)t->record->size == 0)
            t->index = hd_affine_add(w->arena, t->index, form, scale / (int64_t)t->record->size);
        else
            t->inner = hd_affine_add(w->arena, t->inner, form, scale);
    }
}

static void take_apart(const finder *w, target *t, uint32_t block) {
    int64_t constant = 0, size = t->record->size;
    kir_value v = t->pointer;
    for (;;) {
        const kir_inst *inst = &w->kernel->insts[v];
        bool cast = inst->op == KIR_BITCAST || inst->op == KIR_SPACECAST || inst->op == KIR_FREEZE;
        if (inst->op == KIR_ADDR)
            add_step(w, t, inst, block, &constant);
        else if (!cast)
            break;
        v = inst->args[0];
    }
    add_by_size(w, t, kernel_forms_at(w->forms, v, block), &constant);
    if (!t->inner.term_count) {
        constant += t->inner.constant;
        t->inner.constant = 0;
    }
    t->index.constant += constant / size - (constant % size < 0);
    t->position = (uint32_t)hd_mod(constant, size);
    t->address = hd_affine_add(w->arena, kernel_affine_constant(t->position), t->index, size);
    t->address = hd_affine_add(w->arena, t->address, t->inner, 1);
}

/* A record in columns: what is multiplied by a column's bytes is the number of the field, the rest
 * the element's. Constants go to the nearest column, since v[i - 1 + k * n] is a neighbour. */
static void take_columns_apart(const finder *w, target *t, uint64_t count) {
    int64_t scalar = t->record->align, column = (int64_t)count * scalar;
    hd_affine fields, elements;
    kernel_affine_split(w->arena, t->address, column, &fields, &elements);
    int64_t constant = t->address.constant;
    int64_t field = (constant + (constant < 0 ? -column : column) / 2) / column;
    elements.constant = constant - field * column;
    kernel_affine_split(w->arena, elements, scalar, &t->index, &elements);
    fields.constant = 0;
    t->inner = hd_affine_scale(w->arena, fields, scalar);
    t->position = (uint32_t)hd_mod(field * scalar, t->record->size);
}

static target find_target(const finder *w, kir_value pointer, uint32_t block) {
    target t = {.pointer = pointer, .base = w->forms->base[pointer]};
    kir_type type = w->kernel->insts[t.pointer].type;
    t.space = (kir_space)type.space;
    if (t.base.kind == KERNEL_BASE_PARAM) {
        const kir_param *param = &w->kernel->params[t.base.index];
        const hd_record *const *told = w->info->binding.records;
        t.record = told && told[t.base.index] ? told[t.base.index] : param->record;
        t.element_bytes = param->element_bytes;
        t.space = (kir_space)param->type.space;
    } else if (t.base.kind == KERNEL_BASE_STATIC) {
        t.record = w->kernel->statics[t.base.index].record;
        t.space = w->kernel->statics[t.base.index].space;
    } else if (t.base.kind == KERNEL_BASE_ALLOCA) {
        t.space = KIR_PRIVATE;
    }
    if (t.record && !t.record->size)
        t.record = NULL;
    t.address = kernel_forms_at(w->forms, pointer, block);
    if (t.record && t.record->in_columns)
        take_columns_apart(w, &t, w->info->binding.counts[t.base.index]);
    else if (t.record)
        take_apart(w, &t, block);
    return t;
}

/* ---- one access --------------------------------------------------------------------- */

/* The field at the target's position; -1 when a variable offset may lead anywhere. */
static int32_t field_of(const target *t) {
    int32_t field = hd_record_field_at(t->record, t->position);
    if (field < 0 || !t->inner.term_count)
        return field;
    const hd_field *f = &t->record->fields[field];
    for (uint32_t i = 0; i < t->inner.term_count; i++) {
        int64_t factor = t->inner.terms[i].factor;
        if (factor >= f->size || -factor >= f->size)
            return -1;
    }
    return f->count > 1 || f->record || f->size > f->align ? field : -1;
}

static void place_in_record(const finder *w, const target *t, hd_access *a) {
    a->record = t->record;
    a->field = field_of(t);
    a->index = t->index;
    int64_t start = t->position;
    if (a->field >= 0)
        start -= t->record->fields[a->field].offset;
    a->inner = hd_affine_add(w->arena, t->inner, kernel_affine_constant(start), 1);
    bool inside = a->field >= 0 && a->inner.constant >= 0 &&
                  a->inner.constant < t->record->fields[a->field].size;
    a->field_byte = inside ? (uint32_t)a->inner.constant : 0;
}

/* Of each term of the address, whether all lanes of a block agree on it; and of all of them. */
static const bool *find_shared(const finder *w, hd_affine address, uint32_t block, bool *all) {
    bool *shared = hd_new_array(w->arena, bool, address.term_count + 1);
    *all = true;
    for (uint32_t i = 0; i < address.term_count; i++) {
        const hd_term *t = &address.terms[i];
        shared[i] =
            t->kind != HD_SYM_VALUE || !hd_is_varying_at(w->info, w->divergence, t->index, block);
        *all &= shared[i];
    }
    return shared;
}

/* The value that a pointer is made of comes from memory or from an integer. */
static bool is_loaded_pointer(const finder *w, kir_value pointer, bool *seen) {
    const kir_inst *inst = &w->kernel->insts[pointer];
    if (inst->type.kind != KIR_PTR || seen[pointer])
        return false;
    seen[pointer] = true;
    uint32_t first, end = kernel_pointer_sources(w->kernel, inst, &first);
    if (inst->op == KIR_LOAD || inst->op == KIR_ATOMIC || inst->op == KIR_EXTRACT ||
        inst->op == KIR_INTTOPTR || (inst->op == KIR_BITCAST && !end))
        return true;
    for (uint32_t i = first; i < end; i++)
        if (is_loaded_pointer(w, inst->args[i], seen))
            return true;
    return false;
}

/* Why the address is not affine; NULL: it is. */
static const char *reason_of(const finder *w, const target *t, bool affine, const bool *shared) {
    const char *reason = affine ? NULL : kernel_forms_reason(w->forms, t->address, shared);
    if (t->base.kind != KERNEL_BASE_UNKNOWN)
        return reason;
    bool *seen = hd_new_array(w->arena, bool, w->kernel->inst_count);
    if (!is_loaded_pointer(w, t->pointer, seen))
        return "the pointer may point into more than one buffer";
    return reason ? hd_format(w->arena, "the pointer was loaded: %s", reason)
                  : "the pointer was loaded";
}

static void emit(finder *w, kir_value v, hd_access_kind kind, const target *t, uint32_t width) {
    const kir_inst *inst = &w->kernel->insts[v];
    if (!w->guards_known[inst->block])
        w->guards[inst->block] =
            kernel_guards_of_block(w->forms, w->controls, w->trips, inst->block);
    w->guards_known[inst->block] = true;
    kernel_guards guards = w->guards[inst->block];
    hd_access a = {.id = (uint32_t)w->accesses.count,
                   .inst = v,
                   .kind = kind,
                   .space = t->space,
                   .param = t->base.kind == KERNEL_BASE_PARAM ? (int32_t)t->base.index : -1,
                   .static_index = t->base.kind == KERNEL_BASE_STATIC ? (int32_t)t->base.index : -1,
                   .field = -1,
                   .width = width,
                   .address = t->address,
                   .loop = w->forms->flow->loop_of[inst->block],
                   .guards = guards.guards,
                   .guard_count = guards.count,
                   .conditional = guards.conditional,
                   .file = inst->file,
                   .line = inst->line,
                   .column = inst->column};
    if (t->record) {
        place_in_record(w, t, &a);
    } else {
        uint32_t size = t->element_bytes ? t->element_bytes : width;
        kernel_affine_split(w->arena, t->address, size ? size : 1, &a.index, &a.inner);
    }
    a.affine = t->base.kind != KERNEL_BASE_UNKNOWN && !hd_affine_is_opaque(t->address);
    a.indirect_load = kernel_forms_load_of(w->forms, t->address);
    a.indirect = a.indirect_load != KIR_NONE;
    kernel_dependence on = kernel_dependence_new(w->forms, w->kernel->insts[a.inst].block);
    kernel_depend_on_form(w->evaluator, t->address, &on);
    a.computable = t->base.kind != KERNEL_BASE_UNKNOWN && !on.unknown;
    const bool *shared = find_shared(w, t->address, inst->block, &a.uniform);
    a.reason = reason_of(w, t, a.affine, shared);
    hd_push(w->arena, &w->accesses, a);
}

/* ---- accesses of several fields -------------------------------------------------------- */

typedef struct leaf {
    uint32_t offset, size;
} leaf;
typedef hd_vec(leaf) leaf_list;

/* Scalars and vectors of a record, in order of memory. */
static void collect_leaves(hd_arena *arena, const hd_record *record, uint32_t offset,
                           leaf_list *leaves) {
    for (uint32_t i = 0; i < record->field_count; i++) {
        const hd_field *field = &record->fields[i];
        uint32_t size = field->size / (field->count ? field->count : 1);
        for (uint32_t k = 0; k < field->count && leaves->count <= MOST_LEAVES; k++) {
            uint32_t at = offset + field->offset + k * size;
            if (field->record)
                collect_leaves(arena, field->record, at, leaves);
            else
                hd_push(arena, leaves, (leaf){at, size});
        }
    }
}

/* The leaves that bytes from .. from+width-1 of an element cover; false when one is
 * covered in part. */
static bool leaves_in(const finder *w, const target *t, uint64_t from, uint64_t width,
                      leaf_list *covered) {
    leaf_list all = {0};
    collect_leaves(w->arena, t->record, 0, &all);
    for (size_t i = 0; i < all.count; i++) {
        leaf l = all.data[i];
        if (l.offset >= from + width || l.offset + l.size <= from)
            continue;
        if (l.offset < from || l.offset + l.size > from + width)
            return false;
        hd_push(w->arena, covered, l);
    }
    return all.count <= MOST_LEAVES && covered->count > 0;
}

/* An access of `width` bytes that covers several fields is one access for each of
 * their scalars and vectors; false when it is to be taken as a whole. */
static bool emit_fields(finder *w, kir_value v, hd_access_kind kind, const target *t,
                        uint64_t width) {
    leaf_list leaves = {0};
    if (!t->record || t->record->in_columns || t->space == KIR_PRIVATE || t->inner.term_count)
        return false;
    uint32_t size = t->record->size;
    uint64_t elements = 1, part = width;
    if (t->position == 0 && width % size == 0) {
        elements = width / size;
        part = size;
    }
    if (!width || t->position + part > size || !leaves_in(w, t, t->position, part, &leaves) ||
        elements * leaves.count > MOST_LEAVES)
        return false;
    for (uint64_t e = 0; e < elements; e++) {
        for (size_t i = 0; i < leaves.count; i++) {
            target at = *t;
            at.position = leaves.data[i].offset;
            at.index.constant += (int64_t)e;
            int64_t bytes =
                (int64_t)(e * t->record->size) + (int64_t)at.position - (int64_t)t->position;
            at.address.constant += bytes;
            emit(w, v, kind, &at, leaves.data[i].size);
            w->accesses.data[w->accesses.count - 1].part = (uint32_t)bytes;
        }
    }
    return true;
}

static void emit_scalar(finder *w, kir_value v, hd_access_kind kind, kir_value pointer,
                        kir_type type) {
    target t = find_target(w, pointer, w->kernel->insts[v].block);
    emit(w, v, kind, &t, kir_type_bytes(type));
}

/* One side of a COPY or FILL. */
static void emit_block(finder *w, kir_value v, hd_access_kind kind, kir_value pointer,
                       kir_value bytes) {
    uint32_t block = w->kernel->insts[v].block;
    target t = find_target(w, pointer, block);
    hd_affine count = kernel_forms_at(w->forms, bytes, block);
    bool known = !count.term_count && count.constant > 0 && count.constant <= UINT32_MAX;
    if (known && emit_fields(w, v, kind, &t, (uint64_t)count.constant))
        return;
    emit(w, v, kind, &t, known ? (uint32_t)count.constant : 1);
    hd_access *a = &w->accesses.data[w->accesses.count - 1];
    if (!known) {
        a->affine = a->computable = false;
        a->reason = "the number of bytes copied is not known";
    }
}

/* Bytes of the elements that are copied: the call's last argument, or what either side tells. */
static uint32_t copied_bytes(const finder *w, const kir_inst *call) {
    uint32_t bytes = 0, given = strstr(call->name, "strided") ? 6 : 5;
    int64_t said;
    if (call->arg_count == given && kir_const_int(w->kernel, call->args[given - 1], &said) &&
        said > 0 && said <= 128)
        return (uint32_t)said;
    for (uint32_t side = 0; side < 2 && !bytes; side++)
        if (w->kernel->insts[call->args[side]].type.kind == KIR_PTR)
            bytes = find_target(w, call->args[side], call->block).element_bytes;
    return bytes ? bytes : 4;
}

/* async_work_group_copy(to, from, ...): which work-item moves which element is the
 * implementation's choice, so only the start is known. */
static void emit_group_copy(finder *w, kir_value v, const kir_inst *call) {
    for (uint32_t side = 2; side-- > 0;) {
        kir_value pointer = call->args[side];
        if (w->kernel->insts[pointer].type.kind != KIR_PTR)
            continue;
        target t = find_target(w, pointer, call->block);
        hd_access_kind kind = side ? HD_LOAD : HD_STORE;
        uint32_t width = copied_bytes(w, call);
        size_t first = w->accesses.count;
        if (!emit_fields(w, v, kind, &t, width))
            emit(w, v, kind, &t, width);
        for (; first < w->accesses.count; first++) {
            hd_access *a = &w->accesses.data[first];
            a->affine = a->computable = false;
            a->reason =
                hd_format(w->arena, "%s() spreads the copy over the work-group", call->name);
        }
    }
}

/* bulk_copy(to, from, ...), tensor_load(to, from, ...) and the like, in pieces of 16 bytes. */
static void emit_bulk(finder *w, kir_value v, const kir_inst *call) {
    for (uint32_t side = 2; side-- > 0;) {
        target t = find_target(w, call->args[side], call->block);
        emit(w, v, side ? HD_LOAD : HD_STORE, &t, 16);
        hd_access *a = &w->accesses.data[w->accesses.count - 1];
        a->affine = a->computable = false;
        a->reason = "one thread asks for a copy of many bytes";
    }
}

static void find_accesses_of(finder *w, kir_value v) {
    const kir_inst *inst = &w->kernel->insts[v];
    switch (inst->op) {
    case KIR_LOAD: emit_scalar(w, v, HD_LOAD, inst->args[0], inst->type); return;
    case KIR_STORE:
        emit_scalar(w, v, HD_STORE, inst->args[1], w->kernel->insts[inst->args[0]].type);
        return;
    case KIR_ATOMIC: {
        kir_type type = inst->type;
        if (type.kind == KIR_VOID && inst->arg_count > 1)
            type = w->kernel->insts[inst->args[1]].type;
        if (type.kind == KIR_VOID)
            type = (kir_type){KIR_INT, 32, 1, 0};
        emit_scalar(w, v, HD_ATOMIC, inst->args[0], type);
        return;
    }
    case KIR_COPY:
        emit_block(w, v, HD_LOAD, inst->args[1], inst->args[2]);
        emit_block(w, v, HD_STORE, inst->args[0], inst->args[2]);
        return;
    case KIR_FILL: emit_block(w, v, HD_STORE, inst->args[0], inst->args[2]); return;
    case KIR_CALL:
        if (!strncmp(inst->name, "async_work_group_", 17) && inst->arg_count >= 2)
            emit_group_copy(w, v, inst);
        if (!strncmp(inst->name, "bulk_", 5) || !strncmp(inst->name, "tensor_", 7))
            emit_bulk(w, v, inst);
        /* Rows of 16 bytes; a store has a value, too. */
        if ((!strncmp(inst->name, "ldmatrix_", 9) && inst->arg_count == 1) ||
            (!strncmp(inst->name, "stmatrix_", 9) && inst->arg_count == 2))
            emit_scalar(w, v, *inst->name == 'l' ? HD_LOAD : HD_STORE, inst->args[0],
                        (kir_type){KIR_INT, 32, 4, 0});
        return;
    default: return;
    }
}

/* ---- the whole analysis -------------------------------------------------------------- */

/* Forms and trip counts need each other: a counter tells how long its loop is, and
 * a loop of known length tells what its counter is behind it. */
static hd_evaluator *solve(hd_arena *arena, const hd_kernel_info *info, const hd_binding *binding,
                           hd_trip *trips) {
    const hd_flow *flow = info->flow;
    kernel_forms *forms = kernel_forms_new(arena, info->module, info->kernel, flow, binding);
    for (bool changed = true; changed;) {
        changed = kernel_forms_round(forms);
        kernel_trips_find(forms, trips, false);
        for (uint32_t l = 0; l < flow->loop_count; l++) {
            if (forms->last_iteration[l] >= 0 || trips[l].early_exit ||
                trips[l].kind > HD_TRIP_BOUND || trips[l].count > INT32_MAX)
                continue;
            forms->last_iteration[l] = (int64_t)trips[l].count - trips[l].after_body;
            changed = true;
        }
    }
    return kernel_trips_find(forms, trips, binding != NULL);
}

/* Of all lanes of a block of this launch, as those of one warp. */
static hd_divergence *divergence_of_block(hd_arena *arena, const hd_kernel_info *info) {
    const hd_binding *launch = &info->binding;
    uint64_t lanes = launch->dims ? 1 : 0;
    for (uint32_t d = 0; d < launch->dims; d++)
        lanes *= launch->local[d];
    return hd_divergence_of_warp(arena, info,
                                 lanes && lanes < UINT32_MAX ? (uint32_t)lanes : UINT32_MAX);
}

bool hd_access_is_wide(const hd_access *access) {
    return access->record && access->field >= 0 && !access->inner.term_count &&
           !access->record->in_columns &&
           access->inner.constant + access->width > access->record->fields[access->field].size;
}

bool hd_access_is_copy(const hd_kernel_info *info, const hd_access *a, const hd_access *b) {
    if (a->kind != b->kind || a->space != b->space || a->param != b->param ||
        a->static_index != b->static_index || a->record != b->record || a->field != b->field ||
        a->width != b->width)
        return false;
    if (a->inst == b->inst)
        return a->field_byte == b->field_byte;
    const hd_field *field = a->record && a->field >= 0 ? &a->record->fields[a->field] : NULL;
    uint32_t element = field ? field->size / field->count : 1; /* of an array any will do */
    if (a->field_byte % element != b->field_byte % element)
        return false;
    return info->module->form != KIR_AS_WRITTEN && a->line && a->line == b->line &&
           a->column == b->column && a->file == b->file;
}

const char *hd_access_fields(hd_arena *arena, const hd_access *access) {
    const hd_record *record = access->record;
    hd_str names = {.arena = arena};
    if (!record || access->field < 0)
        return NULL;
    const hd_field *first = &record->fields[access->field];
    if (!hd_access_is_wide(access))
        return first->name;
    int64_t begin = first->offset + access->inner.constant, end = begin + access->width;
    for (uint32_t f = 0; f < record->field_count; f++) {
        const hd_field *field = &record->fields[f];
        if (field->offset < end && (int64_t)field->offset + field->size > begin)
            hd_str_printf(&names, "%s%s", names.length ? "," : "{", field->name);
    }
    hd_str_add(&names, "}");
    return hd_str_text(&names);
}

const char *hd_access_kind_name(hd_access_kind kind) {
    static const char *const names[] = {
        [HD_LOAD] = "load", [HD_STORE] = "store", [HD_ATOMIC] = "atomic"};
    return names[kind];
}

/* Every iteration passes the test, so what is not behind it is before it. */
bool hd_runs_with_test(const hd_kernel_info *info, const hd_access *access, int32_t loop) {
    const hd_trip *trip = &info->trips[loop];
    if (trip->after_body || trip->test == KIR_NONE)
        return false;
    /* Where it stands in the loop: in its own block, or where the loop inside begins. */
    uint32_t block = info->kernel->insts[access->inst].block;
    for (int32_t l = access->loop; l >= 0 && l != loop; l = info->flow->loops[l].parent)
        block = info->flow->loops[l].header;
    return block == trip->test || !hd_flow_dominates(info->flow, trip->test, block);
}

bool hd_runs_in_loop(const hd_kernel_info *info, const hd_access *access, int32_t loop,
                     uint64_t *runs) {
    const hd_trip *trip = &info->trips[loop];
    *runs = trip->count + hd_runs_with_test(info, access, loop);
    return trip->count || trip->kind == HD_TRIP_CONSTANT || trip->kind == HD_TRIP_BOUND;
}

hd_kernel_info *hd_kernel_analyse(hd_arena *arena, const kir_module *module,
                                  const kir_kernel *kernel, const hd_binding *binding) {
    hd_kernel_info *info = hd_new(arena, hd_kernel_info);
    info->module = module;
    info->kernel = kernel;
    info->flow = hd_flow_analyse(arena, kernel);
    info->trips = hd_new_array(arena, hd_trip, info->flow->loop_count);
    info->evaluator = solve(arena, info, binding, info->trips);
    info->binding = info->evaluator->f->launch;
    if (binding) { /* what the source alone says is no matter of the launch */
        hd_trip *alone = hd_new_array(arena, hd_trip, info->flow->loop_count);
        solve(arena, info, NULL, alone);
        for (uint32_t l = 0; l < info->flow->loop_count; l++)
            if (info->trips[l].kind == HD_TRIP_BOUND && alone[l].kind == HD_TRIP_CONSTANT)
                info->trips[l].kind = HD_TRIP_CONSTANT;
    }
    finder w = {.arena = arena,
                .info = info,
                .divergence = divergence_of_block(arena, info),
                .kernel = kernel,
                .forms = info->evaluator->f,
                .trips = info->trips,
                .evaluator = info->evaluator};
    const hd_flow *flow = info->flow;
    w.guards = hd_new_array(w.arena, kernel_guards, flow->block_count);
    w.controls = kernel_controls_new(w.forms);
    w.guards_known = hd_new_array(w.arena, bool, flow->block_count);
    for (uint32_t i = 0; i < flow->rpo_count; i++) {
        const kir_block *block = &w.kernel->blocks[flow->rpo[i]];
        for (uint32_t k = 0; k < block->inst_count; k++)
            find_accesses_of(&w, block->insts[k]);
    }
    hd_keep(&w.accesses, info->accesses, info->access_count);
    kernel_find_kept(info->evaluator->f, info);
    return info;
}
