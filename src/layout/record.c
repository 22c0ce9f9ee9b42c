/*
 * Records: what Heddle knows of a struct type.
 *
 * A record is flat: the members of the struct are its fields, and an array or
 * a nested struct is one field that moves whole. The offsets come from the
 * compiler; hd_record_lay_out computes the same ones by C's rules, for records
 * that no compiler has seen:
 *
 *     struct { char tag; double mass; short kind[3]; }
 *       tag at 0, mass at 8, kind at 16; 24 bytes, aligned to 8
 */
#include "layout/layout.h"

int hd_record_find(const hd_record *record, const char *name) {
    for (uint32_t f = 0; f < record->field_count; f++)
        if (!strcmp(record->fields[f].name, name))
            return (int)f;
    return -1;
}

const char *hd_record_field_names(hd_arena *arena, const hd_record *record) {
    hd_str names = {.arena = arena};
    for (uint32_t f = 0; f < record->field_count; f++)
        hd_str_printf(&names, "%s%s", f ? ", " : "", record->fields[f].name);
    return hd_str_text(&names);
}

int hd_record_field_at(const hd_record *record, uint32_t offset) {
    for (uint32_t f = 0; f < record->field_count; f++) {
        const hd_field *field = &record->fields[f];
        if (offset >= field->offset && offset - field->offset < field->size)
            return (int)f;
    }
    return -1;
}

void hd_record_lay_out(hd_record *record) {
    uint32_t end = 0;
    record->align = 1;
    for (uint32_t f = 0; f < record->field_count; f++) {
        hd_field *field = &record->fields[f];
        if (field->record) {
            hd_record_lay_out(field->record);
            field->size = field->record->size * field->count;
            field->align = field->record->align;
        }
        field->offset = (uint32_t)hd_align_up(end, field->align);
        end = field->offset + field->size;
        if (field->align > record->align)
            record->align = field->align;
    }
    record->size = (uint32_t)hd_align_up(end, record->align);
}

hd_status hd_record_check(const hd_diag *diag, const hd_record *record) {
    if (!record->field_count || record->field_count > HD_MAX_FIELDS)
        return hd_fail(diag, HD_EUNSUPPORTED, &record->place,
                       "'%s' has %u fields; Heddle lays out records of 1 to %d", record->name,
                       record->field_count, HD_MAX_FIELDS);
    uint64_t end = 0;
    uint32_t align = 1;
    for (uint32_t f = 0; f < record->field_count; f++) {
        const hd_field *field = &record->fields[f];
        if (!field->size)
            return hd_fail(diag, HD_EUNSUPPORTED, &record->place,
                           "field '%s' of '%s' has no size; a record to lay out can hold only "
                           "fields of a known, positive size",
                           field->name, record->name);
        if (!hd_is_power_of_two(field->align))
            return hd_fail(diag, HD_EUNSUPPORTED, &record->place,
                           "field '%s' of '%s' is aligned to %u bytes, which is not a power of two",
                           field->name, record->name, field->align);
        if (field->offset < end || field->offset % field->align)
            return hd_fail(
                diag, HD_EUNSUPPORTED, &record->place,
                "field '%s' of '%s' lies at byte %u, but the one before it ends at %llu, "
                "and it is aligned to %u (a packed struct or a union?); make it a plain "
                "struct",
                field->name, record->name, field->offset, (unsigned long long)end, field->align);
        end = (uint64_t)field->offset + field->size;
        if (field->align > align)
            align = field->align;
    }
    if (!hd_is_power_of_two(record->align) || record->align < align ||
        record->size % record->align || record->size < end)
        return hd_fail(diag, HD_EUNSUPPORTED, &record->place,
                       "'%s' has %u bytes aligned to %u, but its fields fill %llu bytes aligned to "
                       "%u; make it a plain struct",
                       record->name, record->size, record->align, (unsigned long long)end, align);
    return HD_OK;
}
