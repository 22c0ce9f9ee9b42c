/*
 * The header for the host: the C struct of the record, the bytes of each
 * allocation, and the two converters, all in plain C99 (and C++) with no need
 * of OpenCL's headers. For a record `body` of two floats in soa it offers
 *
 *     body_elem                                  struct { float x; float y; }
 *     body_allocations                           1
 *     body_bytes(allocation, count)              bytes to allocate
 *     body_to_layout(aos, allocations, count)    C array to layout
 *     body_from_layout(allocations, aos, count)  and back
 *     body_make(allocations, count)              a body_ref; *body_x(ref, i) is
 *                                                field x of element i
 *     body_x_offset(count, i)                    bytes to field x of element i in the
 *                                                allocation body_x_allocation
 *
 * The last can be used in OpenCL C and CUDA C, too.
 *
 * Its formulas come from the same text generator as the kernel's (map_text.c).
 */
#include <inttypes.h>

#include "map_text.h"
#include "rewrite.h"

static const rw_dialect host = {.bytes = "unsigned char *", .size = "size_t"};
static const rw_dialect any_language = {.size = "heddle_size"};

/* ---- C types of the kernel's scalars and vectors ------------------------------ */

/* The host's name of the scalar that a field is made of, and how many make one element (2 to 16
 * for a vector, with the padding of a vector of three); NULL when its type has
 * no name here, and then the host sees bytes. */
static const char *scalar_of(const hd_field *field, uint32_t *lanes, uint32_t *size) {
    static const char *const integers[][2] = {{"unsigned char", "signed char"},
                                              {"uint16_t", "int16_t"},
                                              {"uint32_t", "int32_t"},
                                              {"uint64_t", "int64_t"}};
    kir_type type;
    bool is_signed;
    uint32_t bytes = field->count ? field->size / field->count : 0;
    if (field->record || !field->type || !hd_type_parse(field->type, &type, &is_signed))
        return NULL;
    *size = type.bits / 8;
    *lanes = bytes / *size;
    if (!*lanes || bytes % *size)
        return NULL;
    if (type.kind == KIR_FLOAT && type.bits > 16)
        return type.bits == 32 ? "float" : "double";
    return integers[__builtin_ctz(*size)][is_signed && type.kind == KIR_INT];
}

/* The alignment that a host's compiler gives the struct of `add_members`; 0: it would put a
 * member, or the end, elsewhere, because the original is packed. */
static uint32_t host_align(const hd_record *record) {
    uint32_t most = 1;
    for (uint32_t f = 0; f < record->field_count; f++) {
        const hd_field *field = &record->fields[f];
        uint32_t lanes, size;
        bool is_scalar = scalar_of(field, &lanes, &size);
        uint32_t align = field->record ? host_align(field->record) : is_scalar ? size : 1;
        if (!align || field->offset % align)
            return 0;
        most = align > most ? align : most;
    }
    return record->size % most ? 0 : most;
}

static void add_members(hd_str *out, const hd_record *record, const char *indent);

/* Words that are names in OpenCL C but not in C or C++, or in CUDA C but not in C. */
static const char taken_words[] =
    "alignas alignof and and_eq asm auto bitand bitor bool catch char char8_t char16_t "
    "char32_t class co_await co_return co_yield compl concept const_cast consteval "
    "constexpr constinit decltype delete dynamic_cast explicit export false friend "
    "import module mutable namespace new noexcept not not_eq nullptr operator or or_eq "
    "private protected public reinterpret_cast requires restrict static_assert "
    "static_cast template this thread_local throw true try typeid typename typeof "
    "typeof_unqual using virtual wchar_t xor xor_eq";

static void add_member(hd_str *out, const hd_record *record, uint32_t number, const char *indent) {
    hd_arena *arena = out->arena;
    const hd_field *field = &record->fields[number];
    /* A member's name, which no member before it has. */
    const char *name = field->name;
    if (hd_has_word(taken_words, name))
        name = hd_format(arena, "%s_", name);
    while (name != field->name && hd_record_find(record, name) >= 0)
        name = hd_format(arena, "%s_", name);
    uint32_t lanes = 0, size;
    const char *scalar = scalar_of(field, &lanes, &size);
    const char *array = field->count > 1 ? hd_format(arena, "[%u]", field->count) : "";
    if (field->record) {
        hd_str_printf(out, "%sstruct {\n", indent);
        add_members(out, field->record, hd_format(arena, "%s    ", indent));
        hd_str_printf(out, "%s} %s%s;\n", indent, name, array);
    } else if (!scalar) {
        hd_str_printf(out, "%sunsigned char %s[%u]; /* %s */\n", indent, name, field->size,
                      field->type ? field->type : "unknown to the host");
    } else if (lanes > 1) {
        hd_str_printf(out, "%s%s %s%s[%u]; /* %s */\n", indent, scalar, name, array, lanes,
                      field->type);
    } else {
        hd_str_printf(out, "%s%s %s%s;\n", indent, scalar, name, array);
    }
}

/* Padding is written out, so that the offsets hold for any host compiler. */
static void add_members(hd_str *out, const hd_record *record, const char *indent) {
    uint32_t end = 0, pads = 0;
    /* What no field's name begins with. */
    const char *stem = "padding";
    for (uint32_t f = 0; f < record->field_count; f++)
        if (!strncmp(record->fields[f].name, stem, strlen(stem))) {
            stem = hd_format(out->arena, "%s_", stem);
            f = UINT32_MAX; /* from the first again */
        }
    for (uint32_t f = 0; f <= record->field_count; f++) {
        const hd_field *field = f < record->field_count ? &record->fields[f] : NULL;
        uint32_t start = field ? field->offset : record->size;
        if (start > end)
            hd_str_printf(out, "%sunsigned char %s%u[%u];\n", indent, stem, pads++, start - end);
        if (!field)
            break;
        add_member(out, record, f, indent);
        end = field->offset + field->size;
    }
}

/* ---- the parts of the header ------------------------------------------------ */

/* True for the name of something else in the header than this field: of x, also "x_offset". */
static bool is_taken(const rw_map_text *text, const char *name, uint32_t field) {
    if (hd_has_word("elem ref make bytes to_layout from_layout allocations size_is_right", name))
        return true;
    for (uint32_t f = 0; f < text->record->field_count; f++) {
        size_t length = strlen(text->names[f]);
        if (strncmp(name, text->names[f], length) != 0)
            continue;
        if ((f != field && !name[length]) || !strcmp(name + length, "_offset") ||
            !strcmp(name + length, "_allocation"))
            return true;
    }
    return false;
}

/* A name that is taken gets a _ at its end. */
const char *rw_header_accessor(const rw_map_text *text, const char *stem, uint32_t field) {
    const char *name = text->names[field];
    while (is_taken(text, name, field))
        name = hd_format(text->arena, "%s_", name);
    return hd_format(text->arena, "%s_%s", stem, name);
}

static void add_offsets(hd_str *out, const rw_map_text *text, const char *stem) {
    for (uint32_t f = 0; f < text->record->field_count; f++) {
        hd_str_printf(out,
                      "HEDDLE_FUNCTION heddle_size %s_offset(heddle_size count, heddle_size e) {\n",
                      rw_header_accessor(text, stem, f));
        rw_map_text_base(out, text, &any_language, f);
        hd_str_printf(out, "    (void)count;\n    return base + %s;\n}\n",
                      rw_map_text_step(text, f, "e"));
    }
    hd_str_printf(out, "\n/* The allocation that a field lies in. */\nenum {");
    for (uint32_t f = 0; f < text->record->field_count; f++)
        hd_str_printf(out, "%s\n    %s_allocation = %u", f ? "," : "",
                      rw_header_accessor(text, stem, f),
                      text->map->clusters[text->map->fields[f].cluster].allocation);
    hd_str_printf(out, ",\n    %s_allocations = %u\n};\n\n", stem, text->map->allocation_count);
}

static void add_record(hd_str *out, const rw_map_text *text, const char *stem) {
    const hd_record *record = hd_record_declared(text->record);
    rw_add_text(out, "header.host", NULL);
    if (hd_record_is_soa(record))
        return;
    bool is_packed = !host_align(record);
    hd_str_printf(out,
                  "/* One record as the original kernel sees it, %u bytes. */\n"
                  "%stypedef struct %s_elem {\n",
                  record->size, is_packed ? "#pragma pack(push, 1)\n" : "", stem);
    add_members(out, record, "    ");
    hd_str_printf(out,
                  "} %s_elem;\n%stypedef char %s_size_is_right[sizeof(%s_elem) == %u ? 1 : "
                  "-1];\n\n",
                  stem, is_packed ? "#pragma pack(pop)\n" : "", stem, stem, record->size);
}

static void add_array(hd_str *out, const rw_map_text *text, const char *stem) {
    const char **allocations = hd_new_array(text->arena, const char *, text->map->allocation_count);
    hd_str body = {.arena = out->arena}, members = body, bases = body;
    for (uint32_t a = 0; a < text->map->allocation_count; a++)
        allocations[a] = hd_format(text->arena, "(unsigned char *)allocations[%u]", a);
    rw_map_text_bytes(&body, text, &host);
    rw_map_text_members(&members, text, &host);
    rw_map_text_bases(&bases, text, &host, allocations);
    rw_add_text(out, "header.bytes", "stem", stem, "body", hd_str_text(&body), "members",
                hd_str_text(&members), "bases", hd_str_text(&bases), NULL);
    for (uint32_t f = 0; f < text->record->field_count; f++) {
        uint32_t lanes, size;
        const char *scalar = scalar_of(&text->record->fields[f], &lanes, &size);
        const char *type = scalar ? scalar : "unsigned char";
        hd_str_printf(out, "static inline %s *%s(%s_ref ref, size_t e) {\n", type,
                      rw_header_accessor(text, stem, f), stem);
        hd_str_printf(out, "    return (%s *)(void *)(%s);\n}\n", type,
                      rw_map_text_address(text, f, "e"));
    }
}

/* The places of field f of element e in what the original has, as "record + 4". */
static const char *outside(const rw_map_text *text, uint32_t f) {
    const hd_record *record = text->record;
    const hd_field *field = &record->fields[f];
    if (record->of_arrays)
        return hd_format(text->arena, "(unsigned char *)arrays[%u] + e * %u", f, field->size);
    if (record->in_columns)
        return hd_format(text->arena, "record + (%u * count + e) * %u", field->offset / field->size,
                         field->size);
    return hd_format(text->arena, "record + e * %u + %u", record->size, field->offset);
}

static void add_converters(hd_str *out, const rw_map_text *text, const char *stem) {
    hd_arena *arena = out->arena;
    const hd_record *record = text->record;
    const char *name = record->of_arrays ? "arrays" : record->in_columns ? "columns" : "aos";
    const char *bytes = "    %sunsigned char *record = (%sunsigned char *)%s;\n";
    hd_str into = {.arena = arena}, outof = into;
    for (uint32_t f = 0; f < record->field_count; f++) {
        const char *accessor = rw_header_accessor(text, stem, f), *original = outside(text, f);
        uint32_t size = record->fields[f].size;
        hd_str_printf(&into, "        memcpy(%s(ref, e), %s, %u);\n", accessor, original, size);
        hd_str_printf(&outof, "        memcpy(%s, %s(ref, e), %u);\n", original, accessor, size);
    }
    rw_add_text(
        out, "header.converters", "stem", stem, "original",
        record->of_arrays    ? "the arrays of its fields, in order,"
        : record->in_columns ? "the columns of its fields, one after another,"
                             : "a C array",
        "from",
        record->of_arrays ? "void *const *arrays" : hd_format(arena, "const void *%s", name), "to",
        record->of_arrays ? "void *const *arrays" : hd_format(arena, "void *%s", name), "record",
        record->of_arrays ? "" : hd_format(arena, bytes, "const ", "const ", name), "back",
        record->of_arrays ? "" : hd_format(arena, bytes, "", "", name), "into", hd_str_text(&into),
        "outof", hd_str_text(&outof), NULL);
}

const char *hd_rewrite_host_header(hd_arena *arena, const hd_record *record,
                                   const hd_layout *layout, const char *stem) {
    rw_map_text *text;
    hd_diag quiet = {NULL, NULL};
    if (rw_map_text_make(arena, &quiet, record, layout, &text) != HD_OK)
        return NULL;
    hd_str out = {.arena = arena};
    rw_add_text(&out, "header.start", "record", record->name, "layout",
                hd_layout_print(arena, record, layout), "stem", stem, "allocations",
                hd_format(arena, "%u", text->map->allocation_count), NULL);
    add_offsets(&out, text, stem);
    add_record(&out, text, stem);
    add_array(&out, text, stem);
    add_converters(&out, text, stem);
    return hd_str_text(&out);
}

const char *rw_host_header(hd_arena *arena, const hd_record_layout *layouts, uint32_t count) {
    hd_str out = {.arena = arena};
    for (uint32_t i = 0; i < count; i++)
        hd_str_printf(&out, "%s%s", i ? "\n" : "",
                      hd_rewrite_host_header(arena, layouts[i].record, layouts[i].layout,
                                             rw_identifier(arena, layouts[i].record->name)));
    return hd_str_text(&out);
}
