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

#include "base/scan.h"
#include "job/internal.h"

typedef struct members {
    const resolver *r;
    const hd_job_declared *declared;
    hd_vec(hd_field) fields;
} members;

static hd_status refuse(const members *m, const char *text) {
    return REFUSE(m->r, m->declared,
                  "%s in the fields of '%s'; write them as the members of a struct in C, "
                  "'float x, y, z; int id[2]'",
                  text, m->declared->name);
}

/* "d[3][2]": the name, and 6. */
static bool read_declarator(hd_scan *s, hd_field *field) {
    hd_span name = hd_scan_word(s);
    uint64_t size, elements = 1;
    bool is_good = name.length && !isdigit((unsigned char)*name.at);
    while (is_good && hd_scan_take(s, "[")) {
        is_good = hd_scan_number(s, 10, &size) && hd_scan_take(s, "]") && size &&
                  size <= UINT32_MAX / elements;
        elements *= size;
    }
    field->name = hd_span_text(s->arena, name);
    field->count = (uint32_t)elements;
    return is_good && (hd_scan_ends(s) || strchr(",;", hd_scan_peek(s)));
}

static hd_status add_field(members *m, const char *type_name, hd_scan *s) {
    hd_arena *arena = m->r->arena;
    hd_scan_blanks(s);
    const char *text = s->at;
    kir_type type;
    bool is_signed;
    hd_field field = {.type = type_name};
    if (!read_declarator(s, &field))
        return refuse(
            m, hd_format(arena, "'%.*s' is no name of a field", (int)strcspn(text, ",;"), text));
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
static hd_status add_declaration(members *m, hd_scan *s) {
    hd_span first = hd_scan_word(s), name = first, next;
    while ((next = hd_scan_word(s)).length)
        name = next;
    hd_span type = {first.at, (size_t)(name.at - first.at)};
    while (type.length && isspace((unsigned char)type.at[type.length - 1]))
        type.length--;
    s->at = name.at;
    hd_status status = HD_OK;
    do
        status = add_field(m, hd_span_text(s->arena, type), s);
    while (!status && hd_scan_take(s, ","));
    return status;
}

/* Columns are scalars of one type, so many numbers apart as arguments and numbers say. */
static hd_status check_columns(const members *m) {
    const hd_record *record = m->declared->record;
    for (const char *at = m->declared->stride; *at; at++)
        if (!isalnum((unsigned char)*at) && !strchr("_* ", *at))
            return REFUSE(m->r, m->declared,
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
    hd_scan s = hd_scan_text(r->arena, r->diag, NULL, declared->fields);
    while (!hd_scan_ends(&s)) {
        hd_status status = hd_scan_take(&s, ";") ? HD_OK : add_declaration(&m, &s);
        if (status)
            return status;
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

hd_status hd_job_declare(hd_arena *arena, const hd_diag *diag, hd_job_declared *declared) {
    const kir_module none = {0};
    const resolver r = {.arena = arena, .diag = diag, .module = &none};
    return make_record(&r, declared);
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
            return REFUSE(r, declared,
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
    return REFUSE(r, arg,
                  "'%s' gets '%s', which holds %s, in this launch, and '%s', which holds %s, in "
                  "an earlier one; give both buffers one type",
                  arg->name, arg->buffer_name, r->job->buffers[arg->buffer].type,
                  first->buffer_name, r->job->buffers[first->buffer].type);
}
