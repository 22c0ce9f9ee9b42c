/*
 * Records that a job declares, for buffers whose kernels know no struct: those of PTX, and those
 * that index numbers of their own, p[4 * i + 1].
 *
 *     records: [{name: body, fields: "float x, y, z; int id"}]
 *
 * The fields are written as the members of a C struct, and lie as C lays them; with
 *
 *     stride: n
 *
 * they lie in columns, v[i + k * n], and an array is as many of them, taken apart.
 */
#include <ctype.h>
#include <stdlib.h>

#include "job/internal.h"

typedef struct members {
    const resolver *r;
    const hd_job_declared *declared;
    hd_vec(hd_field) fields;
} members;

static hd_status refuse(const members *m, const char *text) {
    return hd_fail(m->r->diag, HD_EINPUT, &m->declared->place,
                   "%s in the fields of '%s'; write them as the members of a struct in C, "
                   "'float x, y, z; int id[2]'",
                   text, m->declared->name);
}

static const char *trimmed(hd_arena *arena, const char *text, size_t length) {
    while (length && isspace((unsigned char)*text)) {
        text++;
        length--;
    }
    while (length && isspace((unsigned char)text[length - 1]))
        length--;
    return hd_strndup(arena, text, length);
}

/* "d[3][2]": the name, and 6. */
static bool parse_declarator(hd_arena *arena, const char *text, const char **name,
                             uint32_t *count) {
    size_t length = 0;
    while (isalnum((unsigned char)text[length]) || text[length] == '_')
        length++;
    uint64_t elements = 1;
    const char *at = text + length + strspn(text + length, " \t");
    while (*at == '[') {
        char *end;
        unsigned long long size = strtoull(at + 1, &end, 10);
        if (!isdigit((unsigned char)at[1]) || *end != ']' || !size || size > UINT32_MAX ||
            elements * size > UINT32_MAX)
            return false;
        elements *= size;
        at = end + 1 + strspn(end + 1, " \t");
    }
    *name = hd_strndup(arena, text, length);
    *count = (uint32_t)elements;
    return length && !isdigit((unsigned char)*text) && !*at;
}

static hd_status add_field(members *m, const char *type_name, const char *text) {
    hd_arena *arena = m->r->arena;
    kir_type type;
    bool is_signed;
    hd_field field = {.type = type_name};
    if (!parse_declarator(arena, text, &field.name, &field.count))
        return refuse(m, hd_format(arena, "'%s' is no name of a field", text));
    if (!hd_type_parse(type_name, &type, &is_signed))
        return refuse(m, hd_format(arena, "'%s' is no scalar or vector type", type_name));
    for (size_t f = 0; f < m->fields.count; f++)
        if (!strcmp(m->fields.data[f].name, field.name))
            return refuse(m, hd_format(arena, "there are two fields '%s'", field.name));
    uint32_t scalar = type.bits / 8, stride = hd_type_stride(type);
    bool is_three = type.lanes == 3 && KIR_HAS(m->r->module, VECTOR_STRUCTS);
    uint32_t bytes = is_three ? 3 * scalar : stride;
    if (bytes * (uint64_t)field.count > UINT32_MAX / 2)
        return refuse(m, hd_format(arena, "'%s' has more than 2 GiB", field.name));
    field.size = bytes * field.count;
    field.align = is_three ? scalar : stride;
    field.lanes = is_three || type.lanes == 1 ? 0 : type.lanes;
    hd_push(arena, &m->fields, field);
    return HD_OK;
}

/* "float x, y[2]". The type is what stands before the last word of the first declarator. */
static hd_status add_declaration(members *m, const char *text) {
    hd_arena *arena = m->r->arena;
    size_t first = strcspn(text, ",["), type = first;
    while (type && isspace((unsigned char)text[type - 1]))
        type--;
    while (type && (isalnum((unsigned char)text[type - 1]) || text[type - 1] == '_'))
        type--;
    const char *type_name = trimmed(arena, text, type), *at = text + type;
    for (bool more = true; more;) {
        size_t length = strcspn(at, ",");
        hd_status status = add_field(m, type_name, trimmed(arena, at, length));
        if (status)
            return status;
        more = at[length] == ',';
        at += length + more;
    }
    return HD_OK;
}

/* Columns are scalars of one type, so many numbers apart as arguments and numbers say. */
static hd_status check_columns(const members *m) {
    const hd_record *record = m->declared->record;
    for (const char *at = m->declared->stride; *at; at++)
        if (!isalnum((unsigned char)*at) && !strchr("_* ", *at))
            return hd_fail(m->r->diag, HD_EINPUT, &m->declared->place,
                           "'stride: %s' is no product of arguments and numbers; write 'n' or "
                           "'nx*ny', and make a member of a struct an argument of its own",
                           m->declared->stride);
    for (uint32_t f = 0; f < record->field_count; f++)
        if (strcmp(record->fields[f].type, record->fields[0].type) != 0 ||
            record->fields[f].size != record->align * record->fields[f].count)
            return refuse(m, hd_format(m->r->arena,
                                       "'%s' and '%s' differ in type or are vectors, and with a "
                                       "'stride' all lie in one array of numbers",
                                       record->fields[0].name, record->fields[f].name));
    return HD_OK;
}

static hd_status make_record(const resolver *r, hd_job_declared *declared) {
    members m = {.r = r, .declared = declared};
    for (const char *at = declared->fields; *at;) {
        size_t length = strcspn(at, ";");
        const char *text = trimmed(r->arena, at, length);
        hd_status status = *text ? add_declaration(&m, text) : HD_OK;
        if (status)
            return status;
        at += length + (at[length] == ';');
    }
    hd_record *record = declared->record = hd_new(r->arena, hd_record);
    *record = (hd_record){.name = declared->name,
                          .spelling = declared->name,
                          .field_count = (uint32_t)m.fields.count,
                          .fields = m.fields.data,
                          .place = declared->place,
                          .by_job = true,
                          .in_columns = declared->stride != NULL};
    if (!record->field_count)
        return refuse(&m, "there is no field");
    hd_record_lay_out(record);
    hd_status status = declared->stride ? check_columns(&m) : HD_OK;
    return status ? status : hd_record_check(r->diag, record);
}

hd_status job_resolve_declared(const resolver *r) {
    hd_status status = HD_OK;
    for (uint32_t d = 0; d < r->job->declared_count; d++)
        r->job->declared[d].record = NULL; /* what an earlier resolving made */
    for (uint32_t d = 0; d < r->job->declared_count && !status; d++) {
        hd_job_declared *declared = &r->job->declared[d];
        kir_type type;
        bool is_signed;
        if (job_resolver_record(r, declared->name) ||
            hd_type_parse(declared->name, &type, &is_signed))
            return hd_fail(r->diag, HD_EINPUT, &declared->place,
                           "'%s' is a type already; give the record that the job declares "
                           "another name",
                           declared->name);
        status = make_record(r, declared);
    }
    return status;
}

/* A kernel's accesses are named once, so each of its parameters points to one record. */
hd_status job_check_declared(const resolver *r, const hd_launch *launch, const hd_arg *arg) {
    const hd_arg *first = job_first_arg(r, launch, arg);
    const hd_record *record = hd_job_declared_of(r->job, arg);
    const hd_record *before = hd_job_declared_of(r->job, first);
    if (record == before)
        return HD_OK;
    return hd_fail(r->diag, HD_EINPUT, &arg->place,
                   "'%s' gets '%s', which holds %s, in this launch, and '%s', which holds %s, in "
                   "an earlier one; give both buffers one type",
                   arg->name, arg->buffer_name, r->job->buffers[arg->buffer].type,
                   first->buffer_name, r->job->buffers[first->buffer].type);
}
