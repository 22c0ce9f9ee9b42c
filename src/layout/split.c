/*
 * Records taken apart: some of their fields as several.
 *
 *     struct { struct { float x, y; } pos; int kind; float d[2]; }      pos, kind, d
 *       taken apart at pos and d:                    pos.x, pos.y, kind, d[0], d[1]
 *
 * What is taken apart lies where it lay, so that the array of structs is still one; a
 * record where C's rules would place the parts elsewhere is refused.
 */
#include "layout/layout.h"

/* `record` with field `f` in its parts. */
static hd_record *take_apart(hd_arena *arena, const hd_record *record, uint32_t f) {
    const hd_field *whole = &record->fields[f];
    bool array = whole->count > 1;
    uint32_t parts = array ? whole->count : whole->record->field_count;
    hd_record *result = hd_new(arena, hd_record);
    *result = *record;
    result->field_count = record->field_count - 1 + parts;
    result->fields = hd_new_array(arena, hd_field, result->field_count);
    memcpy(result->fields, record->fields, f * sizeof *result->fields);
    for (uint32_t p = 0; p < parts; p++) {
        hd_field *part = &result->fields[f + p];
        *part = array ? *whole : whole->record->fields[p];
        if (array) {
            part->name = hd_format(arena, "%s[%u]", whole->name, p);
            part->size = whole->size / whole->count;
            part->offset += p * part->size;
            part->count = 1;
        } else {
            part->name = hd_format(arena, "%s.%s", whole->name, part->name);
            part->offset += whole->offset;
        }
    }
    memcpy(result->fields + f + parts, record->fields + f + 1,
           (record->field_count - f - 1) * sizeof *result->fields);
    return result;
}

static hd_status check_whole(hd_arena *arena, const hd_diag *diag, const hd_place *place,
                             const hd_record *record, const char *name) {
    int f = hd_record_find(record, name);
    if (f < 0)
        return hd_fail(diag, HD_EINPUT, place,
                       "'%s' has no field '%s' to take apart; its fields are %s", record->name,
                       name, hd_record_field_names(arena, record));
    const hd_field *field = &record->fields[f];
    if (field->count == 1 && !field->record)
        return hd_fail(diag, HD_EINPUT, place,
                       "field '%s' of '%s' is one %s; only arrays and nested structs are taken "
                       "apart",
                       name, record->name, field->type ? field->type : "value");
    uint64_t parts = field->count > 1 ? field->count : field->record->field_count;
    if (record->field_count - 1 + parts > HD_MAX_FIELDS)
        return hd_fail(diag, HD_EUNSUPPORTED, place,
                       "'%s' with '%s' taken apart has %llu fields; Heddle lays out records of up "
                       "to %d",
                       record->name, name, (unsigned long long)(record->field_count - 1 + parts),
                       HD_MAX_FIELDS);
    return HD_OK;
}

hd_status hd_record_split(hd_arena *arena, const hd_diag *diag, const hd_place *place,
                          const hd_record *record, const char *const *names, uint32_t count,
                          const hd_record **result) {
    const hd_record *apart = record;
    for (uint32_t n = 0; n < count; n++) {
        hd_status status = check_whole(arena, diag, place, apart, names[n]);
        if (status != HD_OK)
            return status;
        hd_record *next = take_apart(arena, apart, (uint32_t)hd_record_find(apart, names[n]));
        next->whole = record;
        apart = next;
    }
    /* The parts as a struct of their own must lie where they lie now. */
    hd_record plain = *apart;
    plain.fields = hd_new_array(arena, hd_field, apart->field_count);
    for (uint32_t f = 0; f < apart->field_count; f++) {
        plain.fields[f] = apart->fields[f];
        plain.fields[f].record = NULL; /* its size and alignment stand in the field */
    }
    hd_record_lay_out(&plain);
    for (uint32_t f = 0; f < apart->field_count; f++)
        if (plain.fields[f].offset != apart->fields[f].offset)
            return hd_fail(diag, HD_EUNSUPPORTED, place,
                           "'%s' cannot be taken apart like this: padding inside a nested struct "
                           "puts '%s' at byte %u, where C's rules would have %u; leave that struct "
                           "whole",
                           apart->name, apart->fields[f].name, apart->fields[f].offset,
                           plain.fields[f].offset);
    *result = apart;
    return HD_OK;
}

const hd_record *hd_record_declared(const hd_record *record) {
    return record && record->whole ? record->whole : record;
}
