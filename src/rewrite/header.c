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

/* ---- C types of OpenCL's scalars and vectors ------------------------------ */

typedef struct scalar {
    const char *name, *host;
    uint32_t size;
} scalar;

static const scalar scalars[] = {
    {"char", "signed char", 1},       {"signed char", "signed char", 1},
    {"uchar", "unsigned char", 1},    {"unsigned char", "unsigned char", 1},
    {"bool", "unsigned char", 1},     {"short", "int16_t", 2},
    {"ushort", "uint16_t", 2},        {"unsigned short", "uint16_t", 2},
    {"half", "uint16_t", 2},          {"int", "int32_t", 4},
    {"uint", "uint32_t", 4},          {"unsigned int", "uint32_t", 4},
    {"unsigned", "uint32_t", 4},      {"float", "float", 4},
    {"long", "int64_t", 8},           {"ulong", "uint64_t", 8},
    {"unsigned long", "uint64_t", 8}, {"double", "double", 8},
    {"long long", "int64_t", 8},      {"unsigned long long", "uint64_t", 8},
    {"longlong", "int64_t", 8},       {"ulonglong", "uint64_t", 8},
};

/* The scalar that a field is made of, and how many make one element (2 to 16
 * for a vector, with the padding of a vector of three); NULL when its type has
 * no name here, and then the host sees bytes. */
static const scalar *scalar_of(const hd_field *field, uint32_t *lanes) {
    size_t length = field->type && !field->record ? strlen(field->type) : 0;
    while (length && field->type[length - 1] >= '0' && field->type[length - 1] <= '9')
        length--;
    uint32_t size = field->count ? field->size / field->count : 0;
    for (size_t i = 0; length && i < sizeof scalars / sizeof *scalars; i++) {
        const scalar *s = &scalars[i];
        if (strlen(s->name) != length || strncmp(s->name, field->type, length))
            continue;
        *lanes = size / s->size;
        return *lanes && size % s->size == 0 ? s : NULL;
    }
    return NULL;
}

/* Words that are names in OpenCL C but not in C or C++, or in CUDA C but not in C. */
static const char *host_name(hd_arena *arena, const char *name) {
    static const char taken[] =
        "alignas alignof and and_eq asm auto bitand bitor bool catch char char8_t char16_t "
        "char32_t class co_await co_return co_yield compl concept const_cast consteval "
        "constexpr constinit decltype delete dynamic_cast explicit export false friend "
        "import module mutable namespace new noexcept not not_eq nullptr operator or or_eq "
        "private protected public reinterpret_cast requires restrict static_assert "
        "static_cast template this thread_local throw true try typeid typename typeof "
        "typeof_unqual using virtual wchar_t xor xor_eq";
    return hd_has_word(taken, name) ? hd_format(arena, "%s_", name) : name;
}

/* The alignment that a host's compiler gives the struct of `add_members`; 0: it would put a
 * member, or the end, elsewhere, because the original is packed. */
static uint32_t host_align(const hd_record *record) {
    uint32_t most = 1;
    for (uint32_t f = 0; f < record->field_count; f++) {
        const hd_field *field = &record->fields[f];
        uint32_t lanes;
        const scalar *s = scalar_of(field, &lanes);
        uint32_t align = field->record ? host_align(field->record) : s ? s->size : 1;
        if (!align || field->offset % align)
            return 0;
        most = align > most ? align : most;
    }
    return record->size % most ? 0 : most;
}

static void add_members(hd_str *out, const hd_record *record, const char *indent);

static void add_member(hd_str *out, const hd_record *record, uint32_t number, const char *indent) {
    hd_arena *arena = out->arena;
    const hd_field *field = &record->fields[number];
    /* A member's name, which no member before it has. */
    const char *name = host_name(arena, record->fields[number].name);
    while (name != record->fields[number].name && hd_record_find(record, name) >= 0)
        name = hd_format(arena, "%s_", name);
    uint32_t lanes = 0;
    const scalar *s = scalar_of(field, &lanes);
    const char *array = field->count > 1 ? hd_format(arena, "[%u]", field->count) : "";
    if (field->record) {
        hd_str_printf(out, "%sstruct {\n", indent);
        add_members(out, field->record, hd_format(arena, "%s    ", indent));
        hd_str_printf(out, "%s} %s%s;\n", indent, name, array);
    } else if (!s) {
        hd_str_printf(out, "%sunsigned char %s[%u]; /* %s */\n", indent, name, field->size,
                      field->type ? field->type : "unknown to the host");
    } else if (lanes > 1) {
        hd_str_printf(out, "%s%s %s%s[%u]; /* %s */\n", indent, s->host, name, array, lanes,
                      field->type);
    } else {
        hd_str_printf(out, "%s%s %s%s;\n", indent, s->host, name, array);
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

/* What differs between the languages, once for all records of a file. */
static const char languages[] =
    "#ifndef HEDDLE_FUNCTION\n"
    "#if defined(__OPENCL_VERSION__) || defined(__OPENCL_C_VERSION__)\n"
    "#define HEDDLE_FUNCTION static inline __attribute__((unused))\n"
    "#define HEDDLE_KERNELS_ONLY\n"
    "typedef ulong heddle_size;\n"
    "#elif defined(__CUDACC__)\n"
    "#define HEDDLE_FUNCTION static __host__ __device__ __forceinline__\n"
    "#ifdef __CUDACC_RTC__\n"
    "#define HEDDLE_KERNELS_ONLY\n"
    "#endif\n"
    "typedef unsigned long long heddle_size;\n"
    "#else\n"
    "#include <stddef.h>\n"
    "#define HEDDLE_FUNCTION static inline\n"
    "typedef size_t heddle_size;\n"
    "#endif\n"
    "#endif\n\n";

static void add_offsets(hd_str *out, const rw_map_text *text, const char *stem) {
    hd_str_printf(
        out,
        "%s/* Bytes from the start of its allocation to a field of element e, of `count`: "
        "for the host,\n * OpenCL C and CUDA C. */\n",
        languages);
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
    hd_str_add(out, "#ifndef HEDDLE_KERNELS_ONLY\n"
                    "#include <stddef.h>\n#include <stdint.h>\n#include <string.h>\n\n");
    if (record->of_arrays)
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

static void add_bytes(hd_str *out, const rw_map_text *text, const char *stem) {
    hd_str_printf(out,
                  "/* Bytes of allocation `allocation` for `count` elements. */\n"
                  "static inline size_t %s_bytes(size_t allocation, size_t count) {\n"
                  "    size_t at = 0;\n    if (!count)\n        return 0;\n",
                  stem);
    for (uint32_t a = 0; a < text->map->allocation_count; a++) {
        if (text->map->allocation_count > 1)
            hd_str_printf(out, "    if (allocation == %u) {\n", a);
        else
            hd_str_add(out, "    (void)allocation;\n");
        rw_map_text_bytes(out, text, &host, a);
        if (text->map->allocation_count > 1)
            hd_str_add(out, "    }\n");
    }
    hd_str_add(out, "    return at;\n}\n\n");
}

static void add_ref_struct(hd_str *out, const rw_map_text *text, const char *stem) {
    const char **bases = hd_new_array(text->arena, const char *, text->map->allocation_count);
    for (uint32_t a = 0; a < text->map->allocation_count; a++)
        bases[a] = hd_format(text->arena, "(unsigned char *)allocations[%u]", a);
    hd_str_printf(out,
                  "/* The array in its layout: where its runs and clusters start. */\n"
                  "typedef struct %s_ref {\n",
                  stem);
    rw_map_text_members(out, text, &host);
    hd_str_printf(out,
                  "} %s_ref;\n\n"
                  "static inline %s_ref %s_make(void *const *allocations, size_t count) {\n"
                  "    %s_ref ref;\n",
                  stem, stem, stem, stem);
    rw_map_text_bases(out, text, &host, bases);
    hd_str_add(out, "    (void)count;\n    return ref;\n}\n\n");
}

static void add_accessors(hd_str *out, const rw_map_text *text, const char *stem) {
    hd_str_add(out, "/* Where a field of element e lies. */\n");
    for (uint32_t f = 0; f < text->record->field_count; f++) {
        uint32_t lanes;
        const scalar *s = scalar_of(&text->record->fields[f], &lanes);
        const char *type = s ? s->host : "unsigned char";
        hd_str_printf(out, "static inline %s *%s(%s_ref ref, size_t e) {\n", type,
                      rw_header_accessor(text, stem, f), stem);
        hd_str_printf(out, "    return (%s *)(void *)(%s);\n}\n", type,
                      rw_map_text_address(text, f, "e"));
    }
    hd_str_add(out, "\n");
}

static void add_converter(hd_str *out, const rw_map_text *text, const char *stem, bool back) {
    bool arrays = text->record->of_arrays;
    const char *original = arrays ? "void *const *arrays" : back ? "void *aos" : "const void *aos";
    const char *name = back ? "from_layout" : "to_layout";
    hd_str_printf(out, "static inline void %s_%s(%s, %s, size_t count) {\n", stem, name,
                  back ? "void *const *allocations" : original,
                  back ? original : "void *const *allocations");
    if (!arrays)
        hd_str_printf(out, "    %sunsigned char *record = (%sunsigned char *)aos;\n",
                      back ? "" : "const ", back ? "" : "const ");
    hd_str_printf(out,
                  "    %s_ref ref = %s_make(allocations, count);\n    size_t e;\n"
                  "    for (e = 0; e < count; e++) {\n",
                  stem, stem);
    for (uint32_t f = 0; f < text->record->field_count; f++) {
        const char *place = hd_format(text->arena, "%s(ref, e)", rw_header_accessor(text, stem, f));
        /* The places of field f of element e in what the original has, as "record + 4". */
        const hd_field *field = &text->record->fields[f];
        const char *outside =
            text->record->of_arrays
                ? hd_format(text->arena, "(unsigned char *)arrays[%u] + e * %u", f, field->size)
                : hd_format(text->arena, "record + e * %u + %u", text->record->size, field->offset);
        hd_str_printf(out, "        memcpy(%s, %s, %u);\n", back ? outside : place,
                      back ? place : outside, text->record->fields[f].size);
    }
    hd_str_add(out, "    }\n}\n\n");
}

const char *hd_rewrite_host_header(hd_arena *arena, const hd_record *record,
                                   const hd_layout *layout, const char *stem) {
    rw_map_text *text;
    hd_diag quiet = {NULL, NULL};
    if (rw_map_text_make(arena, &quiet, record, layout, &text) != HD_OK)
        return NULL;
    hd_str out = {.arena = arena};
    hd_str_printf(&out,
                  "/*\n * Generated by heddle: '%s' in the layout\n *     %s\n"
                  " * Allocate %s_bytes(a, count) bytes for each of the %u allocation(s), and pass"
                  " them\n * to the kernel in order, followed by the number of elements"
                  " (a 64-bit unsigned).\n */\n",
                  record->name, hd_layout_print(arena, record, layout), stem,
                  text->map->allocation_count);
    hd_str_printf(&out, "#ifndef HEDDLE_LAYOUT_%s_H\n#define HEDDLE_LAYOUT_%s_H\n\n", stem, stem);
    add_offsets(&out, text, stem);
    add_record(&out, text, stem);
    add_bytes(&out, text, stem);
    add_ref_struct(&out, text, stem);
    add_accessors(&out, text, stem);
    hd_str_printf(&out, "/* `count` elements from %s into the layout, and back. */\n",
                  record->of_arrays ? "the arrays of its fields, in order," : "a C array");
    add_converter(&out, text, stem, false);
    add_converter(&out, text, stem, true);
    hd_str_add(&out, "#endif\n#endif\n");
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
