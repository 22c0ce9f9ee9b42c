/*
 * The record that a job lays out: the one that it names or the only one that its buffers
 * hold, perhaps taken apart, or one that it makes of several arrays.
 */
#include "job/internal.h"

/* ---- records of arrays -------------------------------------------------------------- */

static hd_status find_array(const resolver *r, hd_job_arrays *arrays, uint32_t f) {
    const hd_job *job = r->job;
    const char *name = arrays->fields[f];
    uint64_t number = hd_hash_get_key(&r->buffers, name);
    if (number == HD_NO_VALUE)
        return REFUSE(r, arrays,
                      "the record '%s' has the field '%s', but there is no buffer of that name; "
                      "the buffers are: %s",
                      arrays->name, name, job_resolver_buffers(r));
    arrays->buffers[f] = (uint32_t)number;
    const hd_buffer *first = &job->buffers[arrays->buffers[0]];
    hd_buffer *buffer = &job->buffers[number];
    if (buffer->arrays)
        return REFUSE(r, arrays, "buffer '%s' is a field twice, of '%s' and '%s'; name it once",
                      name, buffer->arrays->name, arrays->name);
    if (buffer->image)
        return REFUSE(r, arrays, "'%s' is an image, which is no field of a record", name);
    buffer->arrays = arrays;
    buffer->array_field = f;
    if (buffer->count != first->count)
        return REFUSE(r, arrays,
                      "the fields of '%s' have different numbers of elements: '%s' %llu, '%s' "
                      "%llu; only arrays that are indexed alike make a record",
                      arrays->name, first->name, (ull)first->count, buffer->name,
                      (ull)buffer->count);
    return HD_OK;
}

static hd_status resolve_arrays(const resolver *r, hd_hash_table *names, hd_job_arrays *arrays) {
    uint64_t number = (uint64_t)(arrays - r->job->arrays);
    if (job_resolver_record(r, arrays->name))
        return REFUSE(r, arrays,
                      "'%s' is a record of the kernels already; give the one of arrays another "
                      "name",
                      arrays->name);
    if (hd_hash_add_key(names, arrays->name, number) != number)
        return REFUSE(r, arrays, "two records of arrays are called '%s'; give one another name",
                      arrays->name);
    arrays->buffers = hd_new_array(r->arena, uint32_t, arrays->field_count);
    arrays->record = hd_new(r->arena, hd_record);
    *arrays->record = (hd_record){.name = arrays->name,
                                  .spelling = arrays->name,
                                  .field_count = arrays->field_count,
                                  .fields = hd_new_array(r->arena, hd_field, arrays->field_count),
                                  .place = arrays->place,
                                  .of_arrays = true};
    for (uint32_t f = 0; f < arrays->field_count; f++) {
        hd_status status = find_array(r, arrays, f);
        if (status != HD_OK)
            return status;
        const hd_buffer *buffer = &r->job->buffers[arrays->buffers[f]];
        const hd_buffer *first = &r->job->buffers[arrays->buffers[0]];
        if (buffer->placement != first->placement)
            return REFUSE(r, buffer,
                          "'%s' has placement %s, and '%s' has %s; both are fields of '%s', so "
                          "give them one placement",
                          buffer->name, hd_placement_name(buffer->placement), first->name,
                          hd_placement_name(first->placement), arrays->name);
        arrays->record->fields[f] =
            (hd_field){.name = buffer->name,
                       .type = buffer->type,
                       .size = buffer->element_bytes,
                       .align = buffer->record ? buffer->record->align : buffer->element_bytes,
                       .count = 1,
                       .record = (hd_record *)buffer->record};
    }
    hd_record_lay_out(arrays->record);
    return HD_OK;
}

/* ---- which one ------------------------------------------------------------------------ */

/* The only record; of several none, which only those mind who lay one out. */
static void choose_record(hd_job *job) {
    job->record = job->arrays_count ? job->arrays[0].record : NULL;
    const hd_record *other = job->arrays_count > 1 ? job->arrays[1].record : NULL;
    for (uint32_t b = 0; b < job->buffer_count; b++) {
        uint32_t field;
        const hd_record *record = hd_job_arrays_of(job, b, &field) ? NULL : job->buffers[b].record;
        if (record && job->record && record != job->record)
            other = record;
        else if (record)
            job->record = record;
    }
    job->several[0] = other ? job->record : NULL;
    job->several[1] = other;
    if (other)
        job->record = NULL;
}

static void add_record(const hd_record **records, uint32_t *count, const hd_record *record) {
    for (uint32_t r = 0; r < *count; r++)
        if (records[r] == record)
            return;
    records[(*count)++] = record;
}

const hd_record **hd_job_records(hd_arena *arena, const hd_job *job, uint32_t *count) {
    const hd_record **records =
        hd_new_array(arena, const hd_record *, job->arrays_count + job->buffer_count);
    *count = 0;
    for (uint32_t a = 0; a < job->arrays_count; a++)
        add_record(records, count, job->arrays[a].record);
    for (uint32_t b = 0; b < job->buffer_count; b++)
        if (job->buffers[b].record && !job->buffers[b].arrays)
            add_record(records, count, job->buffers[b].record);
    return records;
}

/* Each element of an array of a record in columns is a column, which the source has apart already. */
static void split_columns(hd_arena *arena, hd_job *job) {
    hd_vec(const char *) columns = {0};
    for (uint32_t f = 0; f < job->record->field_count; f++)
        if (job->record->fields[f].count > 1)
            hd_push(arena, &columns, job->record->fields[f].name);
    job->split = columns.data;
    job->split_count = (uint32_t)columns.count;
}

hd_status hd_job_of_record(hd_arena *arena, const hd_diag *diag, const hd_job *job,
                           const hd_record *record, hd_job **one) {
    hd_job *made = *one = hd_new(arena, hd_job);
    *made = *job;
    made->record = record;
    made->several[0] = made->several[1] = NULL;
    if (record->in_columns)
        split_columns(arena, made);
    return made->split_count ? hd_record_split(arena, diag, &made->split_place, record, made->split,
                                               made->split_count, &made->record)
                             : HD_OK;
}

hd_status hd_job_require_record(const hd_diag *diag, const hd_job *job) {
    const hd_place place = {.file = job->path ? job->path : job->kernel_path};
    if (job->record)
        return HD_OK;
    if (job->several[0])
        return hd_fail(diag, HD_EINPUT, &job->record_place,
                       "the buffers hold several records, among them %s and %s; say which to "
                       "lay out with --record %s",
                       job->several[0]->name, job->several[1]->name, job->several[0]->name);
    hd_arena *scratch = hd_arena_new();
    const char *fitting = hd_job_suggest(scratch, job);
    const char *general = job->path ? "'records: [{name: body, fields: \"float x, y; int id\"}]'"
                                    : "--record \"float x, y; int id\" --of BUFFER";
    const char *declaration =
        fitting ? hd_format(scratch, "this would fit%s: %s", job->path ? "" : ", in a job", fitting)
                : hd_format(scratch, "where numbers are one all the same, declare it: %s", general);
    hd_status status =
        hd_fail(diag, HD_EINPUT, &place,
                "there is no record to lay out: no buffer of this %s holds structs; %s",
                job->path ? "job" : "kernel", declaration);
    hd_arena_free(scratch);
    return status;
}

static hd_status find_named(const resolver *r) {
    hd_job *job = r->job;
    for (uint32_t a = 0; a < job->arrays_count; a++)
        if (!strcmp(job->arrays[a].name, job->record_name)) {
            job->record = job->arrays[a].record;
            return HD_OK;
        }
    job->record = job_resolver_record(r, job->record_name);
    if (!job->record)
        return hd_fail(r->diag, HD_EINPUT, &job->record_place,
                       "there is no record '%s' in %s; its records are: %s", job->record_name,
                       job->kernel_path, job_resolver_records(r));
    for (uint32_t b = 0; b < job->buffer_count; b++)
        if (job->buffers[b].record == job->record)
            return HD_OK;
    return hd_fail(r->diag, HD_EINPUT, &job->record_place,
                   "no buffer holds record '%s'; give one 'type: %s'", job->record->name,
                   job->record->name);
}

hd_status job_resolve_records(const resolver *r) {
    hd_job *job = r->job;
    hd_status status = HD_OK;
    hd_hash_table names = {.arena = r->arena, .key_bytes = HD_TEXT_KEYS};
    for (uint32_t a = 0; a < job->arrays_count && status == HD_OK; a++)
        status = resolve_arrays(r, &names, &job->arrays[a]);
    if (status == HD_OK && job->record_name)
        status = find_named(r);
    else if (status == HD_OK)
        choose_record(job);
    if (status == HD_OK && job->record && job->record->in_columns)
        split_columns(r->arena, job);
    if (status != HD_OK || !job->split_count)
        return status;
    if (job->several[0])
        return hd_job_require_record(r->diag, job);
    if (!job->record || job->record->of_arrays)
        return hd_fail(r->diag, HD_EINPUT, &job->split_place,
                       "'split' takes fields of a struct apart, but %s",
                       job->record ? "the record to lay out is made of arrays"
                                   : "no buffer of the job holds structs");
    return hd_record_split(r->arena, r->diag, &job->split_place, job->record, job->split,
                           job->split_count, &job->record);
}

/* ---- what launches make of arrays ------------------------------------------------------- */

static const char *field_text(const resolver *r, const hd_job_arrays *arrays, uint32_t field) {
    return arrays ? hd_format(r->arena, "field '%s' of '%s'", arrays->fields[field], arrays->name)
                  : "no field of a record";
}

const hd_arg *job_first_arg(const resolver *r, const hd_launch *launch, const hd_arg *arg) {
    uint32_t kernel = 0;
    while (r->module->kernels[kernel] != launch->kernel)
        kernel++;
    const hd_arg **first = &r->first[kernel][arg->param];
    if (!*first)
        *first = arg;
    return *first;
}

/* A kernel is rewritten once, so each of its parameters is one field in all launches. */
static hd_status check_same_field(const resolver *r, const hd_launch *launch, const hd_arg *arg) {
    const hd_job *job = r->job;
    uint32_t field = 0, before_field = 0;
    const hd_arg *first = job_first_arg(r, launch, arg);
    const hd_job_arrays *arrays = hd_job_arrays_of(job, arg->buffer, &field);
    const hd_job_arrays *before = hd_job_arrays_of(job, first->buffer, &before_field);
    if (before == arrays && before_field == field)
        return HD_OK;
    return REFUSE(r, arg,
                  "'%s' gets '%s', %s, in this launch, and '%s', %s, in an earlier one; "
                  "a layout changes a kernel once, so make two kernels of it, or take "
                  "these buffers out of 'arrays'",
                  arg->name, arg->buffer_name, field_text(r, arrays, field), first->buffer_name,
                  field_text(r, before, before_field));
}

static hd_status check_array_arg(const resolver *r, const hd_launch *launch, const hd_arg *arg) {
    uint32_t field;
    const hd_job_arrays *arrays = hd_job_arrays_of(r->job, arg->buffer, &field);
    if (arg->param == KIR_NONE)
        return !arrays ? HD_OK
                       : hd_fail(r->diag, HD_EUNSUPPORTED, &arg->place,
                                 "variable '%s' takes '%s', a field of the record '%s' of arrays; "
                                 "only parameters of kernels can be laid out",
                                 arg->name, arg->buffer_name, arrays->name);
    hd_status status = check_same_field(r, launch, arg);
    const kir_param *param = &launch->kernel->params[arg->param];
    if (status != HD_OK || !arrays || !param->element_type)
        return status;
    kir_type type;
    bool is_signed;
    const hd_buffer *buffer = &r->job->buffers[arg->buffer];
    if (buffer->record || !hd_type_parse(param->element_type, &type, &is_signed) ||
        (type.kind == buffer->scalar.kind && type.lanes == buffer->scalar.lanes))
        return HD_OK;
    return REFUSE(r, arg,
                  "parameter '%s' points to %s, but buffer '%s', a field of '%s', holds %s; give "
                  "both the same type",
                  arg->name, param->element_type, buffer->name, arrays->name, buffer->type);
}

hd_status job_resolve_array_args(const resolver *r, const hd_launch *launch) {
    hd_status status = HD_OK;
    for (uint32_t a = 0; a < launch->arg_count && status == HD_OK && r->job->arrays_count; a++)
        if (launch->args[a].kind == HD_ARG_BUFFER)
            status = check_array_arg(r, launch, &launch->args[a]);
    return status;
}
