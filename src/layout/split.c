/*
 * Records taken apart: some of their fields as several.
 *
 *     struct { struct { float x, y; } pos; int kind; float d[2]; float4 v; }
 *                                                           pos, kind, d, v
 *       taken apart at pos, d and v:
 *               pos.x, pos.y, kind, d[0], d[1], v.x, v.y, v.z, v.w
 *
 * What is taken apart lies where it lay, so that the array of structs is still one.
 */
#include "layout/layout.h"

bool hd_field_has_parts(const hd_field *field) {
    return field->count > 1 || field->record || field->lanes > 1;
}

static uint32_t part_count(const hd_field *field) {
    return field->count > 1 ? field->count
           : field->record  ? field->record->field_count
                            : field->lanes;
}

/* The type of a lane: "float" of "float4" and "float __attribute__((ext_vector_type(4)))". */
static const char *lane_type(hd_arena *arena, const char *vector) {
    size_t length = strcspn(vector, "0123456789");
    const char *attribute = strstr(vector, " __attribute__");
    if (attribute && (size_t)(attribute - vector) < length)
        length = (size_t)(attribute - vector);
    return hd_strndup(arena, vector, length);
}

static hd_field element_of(hd_arena *arena, const hd_field *array, uint32_t number) {
    hd_field part = *array;
    part.name = hd_format(arena, "%s[%u]", array->name, number);
    part.size = array->size / array->count;
    part.offset += number * part.size;
    part.count = 1;
    return part;
}

static hd_field member_of(hd_arena *arena, const hd_field *of, uint32_t number) {
    hd_field part = of->record->fields[number];
    part.name = hd_format(arena, "%s.%s", of->name, part.name);
    part.offset += of->offset;
    return part;
}

const char *hd_lane_name(uint32_t lanes, uint32_t number) {
    static const char *const few[] = {"x", "y", "z", "w"};
    static const char *const many[] = {"s0", "s1", "s2", "s3", "s4", "s5", "s6", "s7",
                                       "s8", "s9", "sa", "sb", "sc", "sd", "se", "sf"};
    return lanes > 4 ? many[number] : few[number];
}

static hd_field lane_of(hd_arena *arena, const hd_field *vector, uint32_t number) {
    uint32_t size = vector->size / (vector->lanes == 3 ? 4 : vector->lanes);
    const char *lane = hd_lane_name(vector->lanes, number);
    return (hd_field){.name = hd_format(arena, "%s.%s", vector->name, lane),
                      .type = lane_type(arena, vector->type),
                      .offset = vector->offset + number * size,
                      .size = size,
                      .align = vector->align < size ? vector->align : size,
                      .count = 1};
}

/* `record` with field `f` in its parts. */
static hd_record *take_apart(hd_arena *arena, const hd_record *record, uint32_t f) {
    const hd_field *whole = &record->fields[f];
    uint32_t parts = part_count(whole);
    hd_record *result = hd_new(arena, hd_record);
    *result = *record;
    result->field_count = record->field_count - 1 + parts;
    result->fields = hd_new_array(arena, hd_field, result->field_count);
    memcpy(result->fields, record->fields, f * sizeof *result->fields);
    for (uint32_t p = 0; p < parts; p++)
        result->fields[f + p] = whole->count > 1 ? element_of(arena, whole, p)
                                : whole->record  ? member_of(arena, whole, p)
                                                 : lane_of(arena, whole, p);
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
    if (!hd_field_has_parts(field))
        return hd_fail(diag, HD_EINPUT, place,
                       "field '%s' of '%s' is one %s; only arrays, nested structs and vectors are "
                       "taken apart",
                       name, record->name, field->type ? field->type : "value");
    uint64_t parts = part_count(field);
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
    *result = apart;
    return HD_OK;
}

const hd_record *hd_record_declared(const hd_record *record) {
    return record && record->whole ? record->whole : record;
}
