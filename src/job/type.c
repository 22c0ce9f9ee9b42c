/*
 * The scalar and vector types of OpenCL C and C by name, numbers as their bytes, and
 * the leaves of a record: the scalars and vectors that it holds in the end.
 *
 * A kir_type has no sign, so it goes through here beside a flag. Numbers pass
 * as doubles where they come from generators, and exactly where they are text.
 */
#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "job/job.h"

/* ---- names -------------------------------------------------------------- */

typedef struct scalar_name {
    const char *name;
    uint8_t kind, bits;
    bool is_signed;
} scalar_name;

static const scalar_name scalars[] = {
    {"char", KIR_INT, 8, true},        {"uchar", KIR_INT, 8, false},
    {"short", KIR_INT, 16, true},      {"ushort", KIR_INT, 16, false},
    {"int", KIR_INT, 32, true},        {"uint", KIR_INT, 32, false},
    {"long", KIR_INT, 64, true},       {"ulong", KIR_INT, 64, false},
    {"longlong", KIR_INT, 64, true},   {"ulonglong", KIR_INT, 64, false},
    {"bool", KIR_INT, 8, false},       {"_Bool", KIR_INT, 8, false},
    {"size_t", KIR_INT, 64, false},    {"ptrdiff_t", KIR_INT, 64, true},
    {"uintptr_t", KIR_INT, 64, false}, {"intptr_t", KIR_INT, 64, true},
    {"int8_t", KIR_INT, 8, true},      {"uint8_t", KIR_INT, 8, false},
    {"int16_t", KIR_INT, 16, true},    {"uint16_t", KIR_INT, 16, false},
    {"int32_t", KIR_INT, 32, true},    {"uint32_t", KIR_INT, 32, false},
    {"int64_t", KIR_INT, 64, true},    {"uint64_t", KIR_INT, 64, false},
    {"char8_t", KIR_INT, 8, false},    {"char16_t", KIR_INT, 16, false},
    {"char32_t", KIR_INT, 32, false},  {"wchar_t", KIR_INT, 32, true},
    {"half", KIR_FLOAT, 16, true},     {"__half", KIR_FLOAT, 16, true},
    {"_Float16", KIR_FLOAT, 16, true}, {"float", KIR_FLOAT, 32, true},
    {"double", KIR_FLOAT, 64, true}};

static const char qualifiers[] =
    "const volatile restrict global constant private local __global __local __constant __private "
    "__restrict";

/* The next word of identifier characters; false at the end or before anything else. */
static bool next_word(const char **text, char *word, size_t size) {
    *text += strspn(*text, " \t");
    size_t length = 0;
    while (isalnum((unsigned char)(*text)[length]) || (*text)[length] == '_')
        length++;
    if (!length || length >= size)
        return false;
    memcpy(word, *text, length);
    word[length] = '\0';
    *text += length;
    return true;
}

/* "uint4" and "float": a scalar's name, then perhaps lanes. */
static bool parse_word(const char *word, kir_type *type, bool *is_signed) {
    for (size_t i = 0; i < sizeof scalars / sizeof *scalars; i++) {
        size_t length = strlen(scalars[i].name);
        if (strncmp(word, scalars[i].name, length) != 0)
            continue;
        const char *rest = word + length;
        char *end;
        long lanes = isdigit((unsigned char)*rest) && *rest != '0' ? strtol(rest, &end, 10) : 1;
        if (*rest && (lanes == 1 || *end))
            continue;
        if (lanes != 1 && lanes != 2 && lanes != 3 && lanes != 4 && lanes != 8 && lanes != 16)
            return false;
        *type =
            (kir_type){.kind = scalars[i].kind, .bits = scalars[i].bits, .lanes = (uint8_t)lanes};
        *is_signed = scalars[i].is_signed;
        return true;
    }
    return false;
}

bool hd_type_parse(const char *name, kir_type *type, bool *is_signed) {
    char word[64], base[64] = "";
    bool is_unsigned = false, is_explicit = false;
    while (strncmp(name + strspn(name, " "), "__attribute__", 13) != 0 &&
           next_word(&name, word, sizeof word)) {
        if (hd_has_word(qualifiers, word))
            continue;
        if (!strcmp(word, "unsigned") || !strcmp(word, "signed")) {
            is_unsigned = *word == 'u';
            is_explicit = true;
        } else if (!*base) {
            memcpy(base, word, sizeof word);
        } else if (!(!strcmp(base, "long") || !strcmp(base, "short")) ||
                   (strcmp(word, "int") && strcmp(word, "long"))) {
            return false;
        }
    }
    name += strspn(name, " ");
    if (!*base && !is_explicit)
        return false;
    if (!parse_word(*base ? base : "int", type, is_signed))
        return false;
    if (is_explicit && (type->kind != KIR_INT || type->lanes != 1))
        return false;
    if (is_unsigned)
        *is_signed = false;
    if (!*name)
        return true;
    /* "float __attribute__((ext_vector_type(4)))": how clang spells a vector's canonical type */
    const char *attribute = strstr(name, "ext_vector_type(");
    if (!attribute || type->lanes != 1)
        return false;
    long lanes = strtol(attribute + strlen("ext_vector_type("), NULL, 10);
    type->lanes = (uint8_t)lanes;
    return lanes >= 2 && lanes <= 16;
}

uint32_t hd_type_stride(kir_type type) {
    uint32_t lanes = type.lanes == 3 ? 4 : type.lanes;
    return type.bits / 8 * lanes;
}

/* ---- numbers and their bytes -------------------------------------------- */

/* Bytes in memory are little-endian, as on every host that Heddle runs on. */
static uint64_t get_bits(kir_type type, const void *bytes) {
    uint64_t value = 0;
    memcpy(&value, bytes, type.bits / 8);
    return value;
}

static void put_bits(kir_type type, uint64_t value, void *bytes) {
    memcpy(bytes, &value, type.bits / 8);
}

double hd_type_get(kir_type type, bool is_signed, const void *bytes) {
    union {
        _Float16 half;
        float single;
        double real;
        uint64_t raw;
    } value = {.raw = get_bits(type, bytes)};
    if (type.kind == KIR_FLOAT)
        return type.bits == 16   ? (double)value.half
               : type.bits == 32 ? (double)value.single
                                 : value.real;
    return is_signed ? (double)kir_sign_extend(value.raw, type.bits) : (double)value.raw;
}

void hd_type_put(kir_type type, double value, void *bytes) {
    _Float16 half = (_Float16)value;
    float single = (float)value;
    uint64_t raw;
    if (type.kind == KIR_INT) {
        raw = value >= 0x1p64    ? UINT64_MAX
              : value >= 0x1p63  ? (uint64_t)value
              : value >= -0x1p63 ? (uint64_t)(int64_t)value
                                 : (uint64_t)INT64_MIN;
        put_bits(type, raw, bytes);
    } else {
        memcpy(bytes,
               type.bits == 16   ? (void *)&half
               : type.bits == 32 ? (void *)&single
                                 : (void *)&value,
               type.bits / 8);
    }
}

/* An integer written as such: sign, then decimal or hex; suffixes u and l are let be. */
static bool parse_integer(const char *text, bool *negative, uint64_t *size) {
    *negative = *text == '-';
    text += *text == '-' || *text == '+';
    bool hex = text[0] == '0' && (text[1] == 'x' || text[1] == 'X');
    if (!isxdigit((unsigned char)text[hex ? 2 : 0]))
        return false;
    char *end;
    errno = 0;
    *size = strtoull(text, &end, hex ? 16 : 10);
    end += strspn(end, "uUlL");
    return !errno && !*end;
}

static bool parse_double(const char *text, double *value) {
    char *end;
    if (isspace((unsigned char)*text))
        return false;
    *value = strtod(text, &end);
    bool is_hex = strchr(text, 'x') || strchr(text, 'X');
    end += !is_hex && end != text && (*end == 'f' || *end == 'F' || *end == 'h');
    return end != text && !*end;
}

bool hd_type_parse_value(kir_type type, bool is_signed, const char *text, void *bytes) {
    double value;
    if (type.kind == KIR_FLOAT) {
        char *end;
        if (!parse_double(text, &value))
            return false;
        if (type.bits == 32) { /* rounded once, as the compiler does */
            float f = strtof(text, &end);
            memcpy(bytes, &f, sizeof f);
            return true;
        }
        hd_type_put(type, value, bytes);
        return true;
    }
    bool negative;
    uint64_t size;
    if (!strcmp(text, "true") || !strcmp(text, "false")) {
        negative = false;
        size = *text == 't';
    } else if (!parse_integer(text, &negative, &size)) {
        if (!parse_double(text, &value) || value != floor(value) || fabs(value) > 0x1p53)
            return false;
        negative = value < 0;
        size = (uint64_t)fabs(value);
    }
    uint64_t half_range = (uint64_t)1 << (type.bits - 1);
    uint64_t limit = negative    ? (is_signed ? half_range : 0)
                     : is_signed ? half_range - 1
                                 : half_range - 1 + half_range;
    if (size > limit)
        return false;
    put_bits(type, negative ? 0 - size : size, bytes);
    return true;
}

const char *hd_type_print(hd_arena *arena, kir_type type, bool is_signed, const void *bytes) {
    if (type.kind == KIR_INT && is_signed)
        return hd_format(arena, "%lld",
                         (long long)kir_sign_extend(get_bits(type, bytes), type.bits));
    if (type.kind == KIR_INT)
        return hd_format(arena, "%llu", (unsigned long long)get_bits(type, bytes));
    double value = hd_type_get(type, true, bytes);
    const char *text = "";
    for (int digits = type.bits == 64 ? 15 : 6; digits <= 17; digits++) {
        text = hd_format(arena, "%.*g", digits, value);
        uint64_t again = 0;
        if (hd_type_parse_value(type, true, text, &again) && !memcmp(&again, bytes, type.bits / 8))
            break;
    }
    return text;
}

/* ---- leaves ------------------------------------------------------------- */

typedef hd_vec(hd_leaf) leaf_list;

static void add_record(hd_arena *arena, leaf_list *list, const hd_record *record, uint32_t offset);

static uint32_t element_bytes(const hd_field *field) {
    return field->size / (field->count ? field->count : 1);
}

/* Elements `first` to `last` of a field of the record that begins at `offset`. What is of no
 * scalar type (pointer, union, unknown name) is its bytes, one by one. */
static void add_elements(hd_arena *arena, leaf_list *list, const hd_field *field, uint32_t offset,
                         uint32_t first, uint32_t last) {
    hd_leaf leaf = {0};
    uint32_t size = element_bytes(field);
    bool plain = !field->record && field->type &&
                 hd_type_parse(field->type, &leaf.type, &leaf.is_signed) &&
                 leaf.type.bits / 8 * leaf.type.lanes <= size;
    if (!plain)
        leaf = (hd_leaf){.type = {.kind = KIR_INT, .bits = 8, .lanes = 1},
                         .opaque = true,
                         .is_pointer = field->type && strchr(field->type, '*')};
    uint32_t leaves = plain ? 1 : size;
    for (uint32_t i = first; i <= last; i++) {
        leaf.offset = offset + field->offset + i * size;
        if (field->record)
            add_record(arena, list, field->record, leaf.offset);
        for (uint32_t l = 0; l < leaves && !field->record; l++, leaf.offset++)
            hd_push(arena, list, leaf);
    }
}

static void add_field(hd_arena *arena, leaf_list *list, const hd_field *field, uint32_t offset) {
    add_elements(arena, list, field, offset, 0, field->count ? field->count - 1 : 0);
}

static void add_record(hd_arena *arena, leaf_list *list, const hd_record *record, uint32_t offset) {
    for (uint32_t f = 0; f < record->field_count; f++)
        add_field(arena, list, &record->fields[f], offset);
}

/* "[12]" as a path writes it: *rest is what follows. */
static bool parse_index(const char *path, uint32_t count, uint32_t *index, const char **rest) {
    char *end;
    if (*path != '[' || !isdigit((unsigned char)path[1]) ||
        (path[1] == '0' && isdigit((unsigned char)path[2])))
        return false;
    errno = 0;
    unsigned long long number = strtoull(path + 1, &end, 10);
    *index = (uint32_t)number;
    *rest = end + 1;
    return !errno && *end == ']' && number < count;
}

/* The lane of this name of a vector at `offset`. */
static void add_lane(hd_arena *arena, leaf_list *list, const hd_field *field, uint32_t offset,
                     const char *name) {
    hd_leaf leaf = {.offset = offset};
    for (uint32_t lane = 0; lane < field->lanes; lane++)
        if (!strcmp(hd_lane_name(field->lanes, lane), name) &&
            hd_type_parse(field->type, &leaf.type, &leaf.is_signed)) {
            leaf.type.lanes = 1;
            leaf.offset += lane * leaf.type.bits / 8;
            hd_push(arena, list, leaf);
        }
}

/* What `path` names in the record that begins at `offset`. */
static void add_named(hd_arena *arena, leaf_list *list, const hd_record *record, uint32_t offset,
                      const char *path) {
    for (uint32_t f = 0; f < record->field_count; f++) {
        const hd_field *field = &record->fields[f];
        size_t length = strlen(field->name);
        uint32_t count = field->count > 1 ? field->count : 1, index = 0;
        if (strncmp(path, field->name, length) != 0)
            continue;
        const char *rest = path + length;
        if (!*rest) {
            add_field(arena, list, field, offset);
            continue;
        }
        if (count > 1 && !parse_index(rest, count, &index, &rest))
            continue;
        uint32_t at = offset + field->offset + index * element_bytes(field);
        if (!*rest)
            add_elements(arena, list, field, offset, index, index);
        else if (*rest == '.' && field->record)
            add_named(arena, list, field->record, at, rest + 1);
        else if (*rest == '.')
            add_lane(arena, list, field, at, rest + 1);
    }
}

hd_leaf *hd_leaves_of_record(hd_arena *arena, const hd_record *record, const char *path,
                             uint32_t *count) {
    leaf_list list = {0};
    if (path)
        add_named(arena, &list, record, 0, path);
    else
        add_record(arena, &list, record, 0);
    *count = (uint32_t)list.count;
    return list.data;
}

hd_leaf *hd_leaves_of_buffer(hd_arena *arena, const hd_buffer *buffer, const char *path,
                             uint32_t *count) {
    if (buffer->record)
        return hd_leaves_of_record(arena, buffer->record, path, count);
    hd_leaf *leaf = hd_new(arena, hd_leaf);
    if (!hd_type_parse(buffer->type, &leaf->type, &leaf->is_signed))
        leaf->type = buffer->scalar;
    *count = !path;
    return leaf;
}

const char *hd_leaf_path(hd_arena *arena, const hd_record *record, const hd_leaf *leaf) {
    hd_str path = {.arena = arena};
    uint32_t offset = leaf->offset;
    while (record) {
        int f = hd_record_field_at(record, offset);
        if (f < 0)
            break;
        const hd_field *field = &record->fields[f];
        uint32_t size = element_bytes(field);
        offset -= field->offset;
        hd_str_printf(&path, "%s%s", path.length ? "." : "", field->name);
        if (field->count > 1)
            hd_str_printf(&path, "[%u]", offset / size);
        offset %= size;
        if (leaf->opaque && !field->record && size > 1)
            hd_str_printf(&path, " byte %u", offset);
        record = field->record;
    }
    return hd_str_text(&path);
}
