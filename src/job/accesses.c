/*
 * The accesses of a launch in terms of what is laid out.
 *
 * The front end knows the records of the source. A job may lay out others: a record taken
 * apart, whose fields are parts of the source's, or one that is made of arrays. Here the
 * accesses follow:
 *
 *     p[i].pos.y     field pos, byte 4 inside      field pos.y
 *     p[i].d[k]      field d, a variable byte      fields d[0], d[1], ..., each in its share
 *     x[i]           no record, buffer x           record of arrays, field x
 *     v[i * 5 + k]   a declared record, no field   each field, in its share
 *
 * Addresses count from a buffer's first byte, also where an argument begins inside of it.
 */
#include "base/table.h"
#include "job/job.h"

typedef hd_vec(hd_access) access_list;

/* ---- records taken apart --------------------------------------------------------- */

static hd_affine constant_form(int64_t constant) { return (hd_affine){.constant = constant}; }

static bool overlaps(const hd_field *field, int64_t begin, int64_t end) {
    return field->offset < end && (int64_t)field->offset + field->size > begin;
}

/* A known byte: one part, or all that the access covers, of the next elements, too. A variable one:
 * each part of the field in its share. */
static void add_parts(hd_arena *arena, access_list *list, const hd_access *access,
                      const hd_record *apart) {
    const hd_record *declared = hd_record_declared(apart);
    const hd_field *whole = access->field >= 0 ? &declared->fields[access->field] : NULL;
    bool known = whole && !access->inner.term_count;
    int64_t begin = (whole ? whole->offset : 0) + (known ? access->inner.constant : 0);
    int64_t end = known ? begin + access->width : begin + (whole ? whole->size : apart->size);
    uint32_t parts = 0, fields = apart->field_count;
    uint32_t elements = (uint32_t)((end + apart->size - 1) / apart->size);
    for (uint32_t i = 0; i < elements * fields; i++)
        parts += overlaps(&apart->fields[i % fields], begin - i / fields * (int64_t)apart->size,
                          end - i / fields * (int64_t)apart->size);
    for (uint32_t i = 0; i < elements * fields; i++) {
        const hd_field *field = &apart->fields[i % fields];
        int64_t ahead = i / fields, from = begin - ahead * apart->size,
                to = end - ahead * apart->size;
        if (!overlaps(field, from, to))
            continue;
        hd_access a = *access;
        a.record = apart;
        a.field = (int32_t)(i % fields);
        a.index.constant += ahead;
        if (known || parts > 1) {
            a.inner = constant_form(from > field->offset ? from - field->offset : 0);
            a.field_byte = (uint32_t)a.inner.constant;
        }
        int64_t room = field->size - a.field_byte, left = to - field->offset - a.field_byte;
        if (known && left < room)
            room = left;
        a.width = a.width > room ? (uint32_t)room : a.width;
        a.shares = known || parts == 1 ? 0 : parts;
        if (parts > 1 && !a.whole)
            a.whole = access;
        hd_push(arena, list, a);
    }
}

/* ---- records of arrays ------------------------------------------------------------- */

const hd_job_arrays *hd_job_arrays_of(const hd_job *job, uint32_t buffer, uint32_t *field) {
    const hd_buffer *of = &job->buffers[buffer];
    if (!job->arrays_count || !of->arrays)
        return NULL;
    *field = of->array_field;
    return of->arrays;
}

static void join_arrays(hd_arena *arena, const hd_job *job, const hd_launch *launch,
                        hd_access *access) {
    const hd_job_arrays *arrays = NULL;
    uint32_t field = 0;
    for (uint32_t a = 0; a < launch->arg_count && access->param >= 0 && !arrays; a++) {
        const hd_arg *arg = &launch->args[a];
        if (arg->kind == HD_ARG_BUFFER && (int64_t)arg->param == access->param)
            arrays = hd_job_arrays_of(job, arg->buffer, &field);
    }
    if (!arrays)
        return;
    if (access->record) { /* the array's own, whose field becomes a place inside the array's */
        uint32_t offset = access->field >= 0 ? access->record->fields[access->field].offset : 0;
        access->inner = hd_affine_add(arena, access->inner, constant_form(offset), 1);
        access->field_byte += offset;
    }
    access->record = arrays->record;
    access->field = (int32_t)field;
}

static void add_offset(hd_arena *arena, const hd_launch *launch, hd_access *access) {
    for (uint32_t a = 0; a < launch->arg_count && access->param >= 0; a++) {
        const hd_arg *arg = &launch->args[a];
        if (arg->offset && (int64_t)arg->param == access->param)
            access->address =
                hd_affine_add(arena, access->address, constant_form((int64_t)arg->offset), 1);
    }
}

/* One of several numbers, v[i * 5 + k], any of which may be meant. */
static bool is_any_number(const hd_access *access, const hd_record *record) {
    bool is_any = record->by_job && access->field < 0 && access->inner.term_count;
    for (uint32_t f = 0; f < record->field_count && is_any; f++)
        is_any = record->fields[f].size == access->width;
    return is_any;
}

hd_kernel_info *hd_job_analyse(hd_arena *arena, const hd_job *job, const hd_launch *launch) {
    hd_binding binding = hd_job_binding(arena, job, launch);
    hd_kernel_info *info = hd_kernel_analyse(arena, job->module, launch->kernel, &binding);
    const hd_record *whole = hd_record_declared(job->record);
    bool has_parts = whole && (whole != job->record || whole->by_job);
    access_list list = {0};
    for (uint32_t i = 0; i < info->access_count; i++) {
        hd_access *access = &info->accesses[i];
        bool is_parted = has_parts ? access->field >= 0 || is_any_number(access, job->record)
                                   : hd_access_is_wide(access);
        if (whole && access->record == whole && is_parted) {
            add_parts(arena, &list, access, job->record);
            continue;
        }
        if (whole && access->record == whole)
            access->record = job->record;
        hd_push(arena, &list, *access);
    }
    info->accesses = list.data;
    info->access_count = (uint32_t)list.count;
    for (uint32_t i = 0; i < info->access_count; i++) {
        join_arrays(arena, job, launch, &info->accesses[i]);
        add_offset(arena, launch, &info->accesses[i]);
    }
    return info;
}

/* ---- what kernels write --------------------------------------------------------------- */

/* By numbers of parameters, and behind them of variables. */
static bool *written_by(hd_arena *arena, const hd_job *job, const hd_launch *launch) {
    const kir_kernel *kernel = launch->kernel;
    uint32_t count = kernel->param_count + kernel->static_count;
    bool *written = hd_new_array(arena, bool, count);
    hd_arena *scratch = hd_arena_new();
    hd_binding binding = hd_job_binding(scratch, job, launch);
    const hd_kernel_info *info = hd_kernel_analyse(scratch, job->module, kernel, &binding);
    for (uint32_t i = 0; i < info->access_count; i++) {
        const hd_access *access = &info->accesses[i];
        if (access->kind == HD_LOAD || access->space == KIR_LOCAL || access->space == KIR_PRIVATE)
            continue;
        if (access->param >= 0)
            written[access->param] = true;
        else if (access->static_index >= 0)
            written[kernel->param_count + (uint32_t)access->static_index] = true;
        else /* anywhere */
            memset(written, true, count);
    }
    hd_arena_free(scratch);
    return written;
}

bool *hd_job_written(hd_arena *arena, const hd_job *job) {
    bool *written = hd_new_array(arena, bool, job->buffer_count);
    hd_hash_table kernels = {.arena = arena}; /* by address: number in `known` */
    hd_vec(bool *) known = {0};
    for (uint32_t l = 0; l < job->launch_count; l++) {
        const hd_launch *launch = &job->launches[l];
        const kir_kernel *kernel = launch->kernel;
        uint64_t k = hd_hash_add(&kernels, (uintptr_t)kernel, known.count);
        if (k == known.count)
            hd_push(arena, &known, written_by(arena, job, launch));
        const bool *of = known.data[k];
        for (uint32_t a = 0; a < launch->arg_count; a++) {
            const hd_arg *arg = &launch->args[a];
            if (arg->kind == HD_ARG_BUFFER)
                written[arg->buffer] |=
                    of[arg->param == KIR_NONE ? kernel->param_count + arg->variable : arg->param];
        }
    }
    return written;
}

bool hd_job_is_of_record(const hd_job *job, uint32_t buffer) {
    uint32_t field;
    const hd_job_arrays *arrays = hd_job_arrays_of(job, buffer, &field);
    const hd_record *record = arrays ? arrays->record : job->buffers[buffer].record;
    return record && job->record && record == hd_record_declared(job->record);
}

const char *hd_job_placement(hd_arena *arena, const hd_job *job) {
    hd_str names = {.arena = arena};
    bool named[HD_PLACEMENTS] = {0};
    for (uint32_t b = 0; b < job->buffer_count; b++) {
        hd_placement at = job->buffers[b].placement;
        if (!hd_job_is_of_record(job, b) || named[at])
            continue;
        named[at] = true;
        hd_str_printf(&names, "%s%s", names.length ? ", " : "", hd_placement_name(at));
    }
    return hd_str_text(&names);
}
