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
 */
#include "job/job.h"

typedef hd_vec(hd_access) access_list;

/* ---- records taken apart --------------------------------------------------------- */

static hd_affine constant_form(int64_t constant) { return (hd_affine){.constant = constant}; }

/* The access as one of a single part. */
static hd_access in_part(const hd_access *access, const hd_record *apart, uint32_t part,
                         int64_t byte) {
    const hd_field *field = &apart->fields[part];
    hd_access a = *access;
    a.record = apart;
    a.field = (int32_t)part;
    a.inner = constant_form(byte > field->offset ? byte - field->offset : 0);
    a.field_byte = (uint32_t)a.inner.constant;
    if (a.width > field->size)
        a.width = field->size;
    return a;
}

static bool overlaps(const hd_field *field, int64_t begin, int64_t end) {
    return field->offset < end && (int64_t)field->offset + field->size > begin;
}

static uint32_t count_parts(const hd_record *apart, int64_t begin, int64_t end) {
    uint32_t count = 0;
    for (uint32_t f = 0; f < apart->field_count; f++)
        count += overlaps(&apart->fields[f], begin, end);
    return count;
}

/* A known byte: one part, or all that the access covers. A variable one: each part of the
 * field in its share. */
static void add_parts(hd_arena *arena, access_list *list, const hd_access *access,
                      const hd_record *apart) {
    const hd_field *whole = &apart->whole->fields[access->field];
    bool known = !access->inner.term_count;
    int64_t begin = whole->offset + (known ? access->inner.constant : 0);
    int64_t end = known ? begin + access->width : begin + whole->size;
    uint32_t parts = count_parts(apart, begin, end);
    for (uint32_t f = 0; f < apart->field_count; f++) {
        if (!overlaps(&apart->fields[f], begin, end))
            continue;
        hd_access a = in_part(access, apart, f, begin);
        if (!known && parts == 1) { /* not taken apart */
            a.inner = access->inner;
            a.field_byte = access->field_byte;
        }
        a.shares = known || parts == 1 ? 0 : parts;
        hd_push(arena, list, a);
    }
}

static void take_apart(hd_arena *arena, hd_kernel_info *info, const hd_record *apart) {
    access_list list = {0};
    for (uint32_t i = 0; i < info->access_count; i++) {
        hd_access *access = &info->accesses[i];
        if (access->record == apart->whole && access->field >= 0) {
            add_parts(arena, &list, access, apart);
            continue;
        }
        if (access->record == apart->whole)
            access->record = apart;
        hd_push(arena, &list, *access);
    }
    info->accesses = list.data;
    info->access_count = (uint32_t)list.count;
}

/* ---- records of arrays ------------------------------------------------------------- */

const hd_job_arrays *hd_job_arrays_of(const hd_job *job, uint32_t buffer, uint32_t *field) {
    const hd_buffer *of = &job->buffers[buffer];
    if (!job->arrays_count || !of->arrays)
        return NULL;
    *field = of->array_field;
    return of->arrays;
}

/* Where the field of an array's own record lies becomes a place inside the array's field. */
static void join_array(hd_arena *arena, hd_access *access, const hd_job_arrays *arrays,
                       uint32_t field) {
    if (access->record) {
        uint32_t offset = access->field >= 0 ? access->record->fields[access->field].offset : 0;
        access->inner = hd_affine_add(arena, access->inner, constant_form(offset), 1);
        access->field_byte += offset;
    }
    access->record = arrays->record;
    access->field = (int32_t)field;
}

static void join_arrays(hd_arena *arena, const hd_job *job, const hd_launch *launch,
                        hd_kernel_info *info) {
    for (uint32_t i = 0; i < info->access_count; i++) {
        hd_access *access = &info->accesses[i];
        for (uint32_t a = 0; a < launch->arg_count && access->param >= 0; a++) {
            const hd_arg *arg = &launch->args[a];
            uint32_t field;
            if (arg->kind != HD_ARG_BUFFER || (int64_t)arg->param != access->param)
                continue;
            const hd_job_arrays *arrays = hd_job_arrays_of(job, arg->buffer, &field);
            if (arrays)
                join_array(arena, access, arrays, field);
            break;
        }
    }
}

hd_kernel_info *hd_job_analyse(hd_arena *arena, const hd_job *job, const hd_launch *launch) {
    hd_binding binding = hd_job_binding(arena, launch);
    hd_kernel_info *info = hd_kernel_analyse(arena, job->module, launch->kernel, &binding);
    if (job->record && job->record->whole)
        take_apart(arena, info, job->record);
    join_arrays(arena, job, launch, info);
    return info;
}
