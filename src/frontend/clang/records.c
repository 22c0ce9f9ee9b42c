/*
 * What libclang tells: the structs of the user's files as records, and the
 * parameters of the kernels as they are written.
 *
 *     typedef struct { float4 pos; float m[3]; } body;
 *     → record body, 32 bytes: pos at 0, m at 16 with count 3
 *
 * Two kinds of members have no address map of their own and become opaque
 * fields, moved whole: a union (its type is the field's type), and a run of
 * bit-fields (an integer, named after the first). Members of an unnamed struct
 * are fields of the struct around it, as in C.
 */
#include <llvm-c/DebugInfo.h>

#include "frontend/clang/host.h"
#include "frontend/clang/internal.h"

typedef struct reader {
    front_state *front;
    CXTranslationUnit unit;
    hd_status status;
    bool is_pointed; /* to what is at hand, by a parameter */
} reader;

static hd_place place_of(front_state *front, CXCursor cursor) {
    CXFile file;
    unsigned line, column;
    clang_getPresumedLocation(clang_getCursorLocation(cursor), NULL, &line, &column);
    clang_getExpansionLocation(clang_getCursorLocation(cursor), &file, &line, &column, NULL);
    if (!file)
        return (hd_place){0};
    return front_place(front, hd_clang_text(front->arena, clang_getFileName(file)), line, column);
}

/* The type as kernels spell it, without qualifiers; just "struct" or "union" for
 * one without a name, which libclang spells by its place in parentheses. */
static const char *spelling_of(hd_arena *arena, CXType type) {
    const char *text = hd_clang_text(arena, clang_getTypeSpelling(clang_getUnqualifiedType(type)));
    bool nameless = strstr(text, "(unnamed") || strstr(text, "(anonymous");
    return nameless ? hd_strndup(arena, text, strcspn(text, " ")) : text;
}

/* ---- records --------------------------------------------------------- */

static hd_record *record_of(reader *r, CXType type, const char *member);

typedef hd_vec(hd_field) fields;

typedef struct field_walk {
    reader *reader;
    fields fields;
    uint64_t base_bits; /* of the unnamed struct that is being walked */
    bool in_bits;       /* the last member was a bit-field */
    bool unsized;
    const char *owner; /* name of the record */
} field_walk;

static bool is_record(CXType type) { return clang_getCanonicalType(type).kind == CXType_Record; }

static bool is_union(CXType type) {
    CXCursor declaration = clang_getTypeDeclaration(clang_getCanonicalType(type));
    return clang_getCursorKind(declaration) == CXCursor_UnionDecl;
}

/* `real` of `typedef float real` is float; names that headers of the system give stay: float4. */
static CXType without_own_typedefs(CXType type) {
    for (;;) {
        CXCursor declaration = clang_getTypeDeclaration(type);
        enum CXCursorKind kind = clang_getCursorKind(declaration);
        if ((kind != CXCursor_TypedefDecl && kind != CXCursor_TypeAliasDecl) ||
            clang_Location_isInSystemHeader(clang_getCursorLocation(declaration)))
            return type;
        type = clang_getTypedefDeclUnderlyingType(declaration);
    }
}

/* The scalar or vector that a value is: float of `real`, unsigned char of CUDA's uint8_t, an
 * enum's integer. */
static CXType value_type(const front_state *front, CXType type) {
    type = without_own_typedefs(type);
    CXType canonical = clang_getCanonicalType(type);
    if (canonical.kind == CXType_Enum)
        return clang_getCanonicalType(
            clang_getEnumDeclIntegerType(clang_getTypeDeclaration(canonical)));
    bool is_scalar = canonical.kind >= CXType_Bool && canonical.kind <= CXType_Double;
    return front->is_cuda && is_scalar ? canonical : type;
}

/* The first name inside an unnamed union stands for it. */
static enum CXVisitorResult first_name(CXCursor cursor, CXClientData data) {
    CXCursor *found = data;
    *found = cursor;
    return CXVisit_Break;
}

/* CUDA's built-in vectors are values, as OpenCL's are, and so are its numbers of 16 and 8 bits. */
static bool is_value(const front_state *front, CXCursor declaration) {
    static const char numbers[] = "__half __half2 __nv_bfloat16 __nv_bfloat162 __nv_fp8_e4m3 "
                                  "__nv_fp8_e5m2 __nv_fp8x2_e4m3 __nv_fp8x2_e5m2 __nv_fp8x4_e4m3 "
                                  "__nv_fp8x4_e5m2";
    if (!front->is_cuda || !clang_Location_isInSystemHeader(clang_getCursorLocation(declaration)))
        return false;
    const char *name = hd_clang_text(front->arena, clang_getCursorSpelling(declaration));
    return front_cuda_vector_lanes(name) || hd_has_word(numbers, name);
}

/* Of a vector; else 0. */
static uint32_t lanes_of(front_state *front, CXType type) {
    CXType canonical = clang_getCanonicalType(type);
    if (canonical.kind == CXType_ExtVector || canonical.kind == CXType_Vector)
        return (uint32_t)clang_getNumElements(canonical);
    CXCursor declaration = clang_getTypeDeclaration(canonical);
    return is_record(type) && is_value(front, declaration)
               ? front_cuda_vector_lanes(
                     hd_clang_text(front->arena, clang_getCursorSpelling(declaration)))
               : 0;
}

static void add_plain(field_walk *w, CXCursor cursor, const char *name) {
    front_state *front = w->reader->front;
    CXType type = clang_getCursorType(cursor);
    long long size = clang_Type_getSizeOf(type);
    uint64_t offset = (w->base_bits + (uint64_t)clang_Cursor_getOffsetOfField(cursor)) / 8;
    uint32_t count = 1;
    CXType element = clang_getCanonicalType(type), spelled = type;
    while (element.kind == CXType_ConstantArray) {
        count *= (uint32_t)clang_getArraySize(element);
        CXType inner = clang_getArrayElementType(spelled);
        spelled = inner.kind == CXType_Invalid ? clang_getArrayElementType(element) : inner;
        element = clang_getCanonicalType(clang_getArrayElementType(element));
    }
    if (element.kind == CXType_IncompleteArray || size <= 0) {
        w->unsized = true;
        return;
    }
    hd_field field = {.name = name,
                      .offset = (uint32_t)offset,
                      .size = (uint32_t)size,
                      .align = (uint32_t)clang_Type_getAlignOf(type),
                      .count = count,
                      .lanes = lanes_of(front, element)};
    if (is_record(element) && !is_union(element))
        field.record =
            record_of(w->reader, element, hd_format(front->arena, "%s.%s", w->owner, name));
    field.type = spelling_of(front->arena, field.record ? spelled : value_type(front, spelled));
    hd_push(front->arena, &w->fields, field);
}

/* Bit-fields side by side are one field, named after the first, from one multiple of four bytes and of
 * a type's alignment to the next: units that compilers load and store. */
static void add_bits(field_walk *w, CXCursor cursor, const char *name) {
    uint64_t start = w->base_bits + (uint64_t)clang_Cursor_getOffsetOfField(cursor);
    uint64_t end = start + (uint64_t)clang_getFieldDeclBitWidth(cursor);
    long long align = clang_Type_getAlignOf(clang_getCursorType(cursor));
    if (!w->in_bits || start % (8u * (align > 4 ? (uint64_t)align : 4u)) == 0) {
        hd_field field = {.name = name, .offset = (uint32_t)(start / 8)};
        hd_push(w->reader->front->arena, &w->fields, field);
    }
    w->in_bits = true;
    hd_field *field = &w->fields.data[w->fields.count - 1];
    field->size = (uint32_t)((end + 7) / 8) - field->offset;
    field->align = (uint32_t)align;
}

/* Makes bit-fields integers, or bytes. They end with the unit of the last one's type where nothing
 * else begins before. */
static void end_bits(hd_record *record) {
    static const char *const integers[] = {
        [1] = "uchar", [2] = "ushort", [4] = "uint", [8] = "ulong"};
    for (uint32_t f = 0; f < record->field_count; f++) {
        hd_field *field = &record->fields[f];
        if (field->type)
            continue;
        uint32_t next = f + 1 < record->field_count ? field[1].offset : record->size;
        uint32_t end = (uint32_t)hd_align_up(field->offset + field->size, field->align);
        if (end <= next)
            field->size = end - field->offset;
        for (field->align = 8; (field->offset | field->size) % field->align;)
            field->align /= 2;
        field->type = field->size == field->align ? integers[field->size] : "bit-fields";
        field->count = 1;
    }
}

static enum CXVisitorResult visit_field(CXCursor cursor, CXClientData data) {
    field_walk *w = data;
    hd_arena *arena = w->reader->front->arena;
    CXType type = clang_getCursorType(cursor);
    const char *name = hd_clang_text(arena, clang_getCursorSpelling(cursor));
    bool unnamed = clang_Cursor_isAnonymous(cursor) || !*name || strchr(name, '(');
    if (clang_Cursor_isBitField(cursor)) {
        if (!unnamed)
            add_bits(w, cursor, name);
        else if (clang_getFieldDeclBitWidth(cursor) == 0)
            w->in_bits = false;
        return CXVisit_Continue;
    }
    w->in_bits = false;
    if (unnamed && is_record(type) && !is_union(type)) {
        uint64_t base = w->base_bits;
        w->base_bits += (uint64_t)clang_Cursor_getOffsetOfField(cursor);
        clang_Type_visitFields(type, visit_field, w);
        w->base_bits = base;
        w->in_bits = false;
        return CXVisit_Continue;
    }
    if (unnamed && is_record(type)) {
        CXCursor first = clang_getNullCursor();
        clang_Type_visitFields(type, first_name, &first);
        name = hd_clang_text(arena, clang_getCursorSpelling(first));
    }
    add_plain(w, cursor, name);
    return CXVisit_Continue;
}

/* Tag, or typedef name; else that of the member that has it, as "body.v". In C++ the whole
 * name, "math::pair<float, 2>". */
static void name_record(front_state *front, hd_record *record, CXType type, CXCursor declaration,
                        const char *member) {
    record->spelling = spelling_of(front->arena, clang_getCanonicalType(type));
    bool is_name = strcspn(record->spelling, "< ") == strcspn(record->spelling, "<");
    if (front->is_cuda && strcmp(record->spelling, "struct") && is_name) {
        record->name = record->spelling;
        return;
    }
    record->name = hd_clang_text(front->arena, clang_getCursorSpelling(declaration));
    if (*record->name && !strchr(record->name, '('))
        return;
    if (!member)
        member = hd_format(front->arena, "struct_%u_%u", record->place.line, record->place.column);
    record->name = strcmp(record->spelling, "struct") ? record->spelling : member;
}

/* A struct that is more than its fields: with base classes or virtual functions. */
static bool inherits(const front_state *front, CXCursor declaration) {
    hd_cursors inside = hd_cursor_children(front->arena, declaration);
    bool found = false;
    for (size_t i = 0; i < inside.count && !found; i++) {
        enum CXCursorKind kind = clang_getCursorKind(inside.data[i]);
        found = kind == CXCursor_CXXBaseSpecifier ||
                (kind == CXCursor_CXXMethod && clang_CXXMethod_isVirtual(inside.data[i]));
    }
    return found;
}

/* Instances of a template stand at one place, but differ in their spelling. */
static hd_record *known_record(const front_state *front, CXType type, const hd_place *place) {
    const char *spelling = spelling_of(front->arena, clang_getCanonicalType(type));
    for (size_t i = 0; i < front->records.count; i++) {
        hd_record *record = front->records.data[i];
        if (record->place.line == place->line && record->place.column == place->column &&
            !strcmp(record->place.file, place->file) && !strcmp(record->spelling, spelling))
            return record;
    }
    return NULL;
}

/* The record of a struct type, made at its first use; NULL for unions and the
 * like. `member` is whose type it is, for a struct without a name. */
static hd_record *record_of(reader *r, CXType type, const char *member) {
    front_state *front = r->front;
    CXCursor declaration = clang_getTypeDeclaration(clang_getCanonicalType(type));
    enum CXCursorKind kind = clang_getCursorKind(declaration);
    long long size = clang_Type_getSizeOf(type);
    hd_place place = place_of(front, declaration);
    if ((kind != CXCursor_StructDecl && kind != CXCursor_ClassDecl) || size <= 0 || !place.file)
        return NULL;
    hd_record *record = known_record(front, type, &place);
    if (record || is_value(front, declaration))
        return record;
    if (inherits(front, declaration)) {
        if (r->is_pointed)
            hd_note(front->diag, &place,
                    "%s has base classes or virtual functions, so it has no layouts; make what it "
                    "inherits a field of its own",
                    spelling_of(front->arena, type));
        return NULL;
    }
    record = hd_new(front->arena, hd_record);
    record->place = place;
    name_record(front, record, type, declaration, member);
    field_walk walk = {.reader = r, .owner = record->name};
    clang_Type_visitFields(clang_getCanonicalType(type), visit_field, &walk);
    record->size = (uint32_t)size;
    record->align = (uint32_t)clang_Type_getAlignOf(type);
    hd_keep(&walk.fields, record->fields, record->field_count);
    end_bits(record);
    /* A packed struct aligns its fields less than their types ask for. */
    for (uint32_t i = 0; i < record->field_count; i++) {
        hd_field *field = &record->fields[i];
        while (field->align > record->align || field->offset % field->align)
            field->align /= 2;
    }
    if (walk.unsized) {
        if (!member) /* at its definition, so once */
            hd_note(front->diag, &place,
                    "struct %s has a member without a size, so it has no layouts", record->name);
        return NULL;
    }
    if (record->field_count > HD_MAX_FIELDS) {
        if (!r->status && r->is_pointed) /* others have no layouts */
            r->status = hd_fail(front->diag, HD_EUNSUPPORTED, &place,
                                "struct %s has %u fields, at most %d are supported; group some "
                                "in a nested struct",
                                record->name, record->field_count, HD_MAX_FIELDS);
        return NULL;
    }
    hd_push(front->arena, &front->records, record);
    return record;
}

/* ---- kernels --------------------------------------------------------- */

/* libclang adds the space that a parameter itself lives in; nobody writes it. */
static const char *type_name_of(hd_arena *arena, CXType type) {
    const char *text = hd_clang_text(arena, clang_getTypeSpelling(type));
    size_t length = strlen(text), suffix = strlen("__private");
    if (!strncmp(text, "__private ", suffix + 1) && !strchr(text, '*'))
        return text + suffix + 1;
    if (length > suffix && !strcmp(text + length - suffix, "__private"))
        length -= suffix;
    while (length && text[length - 1] == ' ')
        length--;
    return hd_strndup(arena, text, length);
}

static CXType innermost(CXType type) {
    CXType element = clang_getCanonicalType(type);
    if (element.kind != CXType_ConstantArray)
        return type;
    CXType inner = clang_getArrayElementType(type);
    return innermost(inner.kind == CXType_Invalid ? clang_getArrayElementType(element) : inner);
}

static void read_pointee(reader *r, kir_param *param, CXType pointee) {
    pointee = innermost(pointee); /* float (*a)[64] points to numbers */
    if (pointee.kind == CXType_Invalid || clang_getCanonicalType(pointee).kind == CXType_Void)
        return;
    hd_arena *arena = r->front->arena;
    long long size = clang_Type_getSizeOf(pointee);
    param->element_bytes = size > 0 ? (uint32_t)size : 0;
    if (is_record(pointee))
        param->record = record_of(r, pointee, param->name);
    param->element_type =
        spelling_of(arena, param->record ? pointee : value_type(r->front, pointee));
}

/* What a type points to; `R p[]` and `R p[8]` are pointers to R. Of an invalid kind
 * when it is no pointer. */
static CXType pointee_of(CXType type) {
    bool is_array = type.kind == CXType_ConstantArray || type.kind == CXType_IncompleteArray;
    return is_array ? clang_getArrayElementType(type) : clang_getPointeeType(type);
}

static kir_object object_of(CXType type, const char *name) {
    if (type.kind == CXType_OCLSampler)
        return KIR_SAMPLER;
    bool is_image = type.kind >= CXType_OCLImage1dRO && type.kind <= CXType_OCLImage3dRW;
    return is_image && !strstr(name, "msaa") ? KIR_IMAGE : KIR_NO_OBJECT;
}

static kir_param read_param(reader *r, CXCursor cursor) {
    hd_arena *arena = r->front->arena;
    CXType type = clang_getCursorType(cursor), canonical = clang_getCanonicalType(type);
    CXType pointee = pointee_of(canonical);
    long long size = clang_Type_getSizeOf(type);
    kir_param param = {.name = hd_clang_text(arena, clang_getCursorSpelling(cursor)),
                       .type_name = type_name_of(arena, type)};
    param.object = object_of(canonical, param.type_name);
    if (pointee.kind != CXType_Invalid) {
        CXType spelled = pointee_of(type);
        r->is_pointed = true;
        read_pointee(r, &param, spelled.kind == CXType_Invalid ? pointee : spelled);
        r->is_pointed = false;
        param.is_const = clang_isConstQualifiedType(pointee);
        param.is_restrict = clang_isRestrictQualifiedType(canonical);
        return param;
    }
    param.bytes = size > 0 ? (uint32_t)size : 0;
    if (is_record(type)) {
        read_pointee(r, &param, type);
        param.by_value_struct = true;
    } else {
        param.type_name = type_name_of(arena, value_type(r->front, type));
    }
    return param;
}

/* ---- instances of templates ---------------------------------------------- */

/* libclang shows templates, not what they are instantiated with. So the file is read with
 * variables behind it that name the instances which are kernels:
 *
 *     static void *__heddle_probe_0 = (void *)&::scale<float>;
 */
static const char probe_prefix[] = "__heddle_probe_";

/* Its name as source can have it; NULL when an argument has none (a lambda). */
static const char *writable_name(hd_arena *arena, const char *source) {
    static const char nameless[] = "(anonymous namespace)::";
    hd_str name = {.arena = arena};
    for (const char *at = source, *found;; at = found + strlen(nameless)) {
        found = strstr(at, nameless);
        hd_str_addn(&name, at, found ? (size_t)(found - at) : strlen(at));
        if (!found)
            break;
    }
    const char *text = hd_str_text(&name);
    return strstr(text, "(lambda") || strstr(text, "(unnamed") ? NULL : text;
}

/* The text of the kernel file with the probes. */
static const char *with_probes(front_state *front, const char *main_text) {
    hd_str text = {.arena = front->arena};
    for (size_t i = 0; i < front->entries.count; i++) {
        const front_entry *entry = &front->entries.data[i];
        bool is_instance = hd_ends_in(entry->source, ">");
        const char *name = is_instance ? writable_name(front->arena, entry->source) : NULL;
        if (!name)
            continue;
        if (!text.length)
            hd_str_printf(&text, "%s\n#line 1 \"%s\"\n", main_text, probe_prefix);
        hd_str_printf(&text, "static void *%s%zu = (void *)&::%s;\n", probe_prefix, i, name);
    }
    return text.length ? hd_str_text(&text) : main_text;
}

/* The texts that are read instead of files: the kernel file, and what is masked. */
typedef hd_vec(struct CXUnsavedFile) read_instead;
static read_instead texts_to_read(front_state *front) {
    read_instead texts = {0};
    const char *main_text = front->files.data[0].text, *path;
    hd_push(front->arena, &texts, (struct CXUnsavedFile){.Filename = front->path});
    for (size_t i = 0; i < front->masks.count; i++) {
        const char *text = front_masked_text(front, i, &path);
        if (hd_same_file(path, front->path))
            main_text = text;
        else
            hd_push(front->arena, &texts, (struct CXUnsavedFile){path, text, strlen(text)});
    }
    texts.data[0].Contents = with_probes(front, main_text);
    texts.data[0].Length = strlen(texts.data[0].Contents);
    return texts;
}

/* What a probe's value names; a null cursor: nothing. */
static CXCursor find_instance(front_state *front, CXCursor cursor) {
    hd_cursors inside = hd_cursor_children(front->arena, cursor);
    CXCursor found = clang_getNullCursor();
    if (clang_getCursorKind(cursor) == CXCursor_DeclRefExpr)
        return clang_getCursorReferenced(cursor);
    for (size_t i = 0; i < inside.count && clang_Cursor_isNull(found); i++)
        found = find_instance(front, inside.data[i]);
    return found;
}

/* ---- instances that have no name in source ---------------------------------- */

/* Operands of what debug information says of a type. */
enum { OF_SUBPROGRAM_TYPE = 4, OF_SUBROUTINE_TYPES = 3, OF_BASE_TYPE = 3 };

static bool is_derived(LLVMMetadataRef type) {
    return type && LLVMGetMetadataKind(type) == LLVMDIDerivedTypeMetadataKind;
}

static const char *name_of_type(front_state *front, LLVMMetadataRef type) {
    size_t length = 0;
    const char *name = type ? LLVMDITypeGetName(type, &length) : NULL;
    return length ? hd_strndup(front->arena, name, length) : NULL;
}

/* Without const, volatile and restrict, which have neither a name nor a size. */
static LLVMMetadataRef unqualified(front_state *front, LLVMMetadataRef type) {
    while (is_derived(type) && !name_of_type(front, type) && !LLVMDITypeGetSizeInBits(type))
        type = front_operand_of(front, type, OF_BASE_TYPE);
    return type;
}

static const hd_record *record_named(const front_state *front, const char *name) {
    for (size_t i = 0; name && i < front->records.count; i++)
        if (!strcmp(front->records.data[i]->spelling, name) ||
            !strcmp(front->records.data[i]->name, name))
            return front->records.data[i];
    return NULL;
}

/* A parameter of an instance as its code has it. */
static kir_param param_of_code(front_state *front, LLVMValueRef function, unsigned index,
                               LLVMMetadataRef type) {
    LLVMTypeRef own = LLVMTypeOf(LLVMGetParam(function, index));
    static const char byval[] = "byval";
    unsigned kind = LLVMGetEnumAttributeKindForName(byval, strlen(byval));
    LLVMAttributeRef found = LLVMGetEnumAttributeAtIndex(function, index + 1, kind);
    uint64_t bytes = found ? LLVMABISizeOfType(LLVMGetModuleDataLayout(front->llvm),
                                               LLVMGetTypeAttributeValue(found))
                           : 0;
    kir_param param = {.name = hd_format(front->arena, "param_%u", index)};
    type = unqualified(front, type);
    const char *name = name_of_type(front, type);
    param.type_name = name ? name : "struct";
    if (bytes) {
        param.by_value_struct = true;
        param.bytes = (uint32_t)bytes;
        param.record = record_named(front, name);
        return param;
    }
    if (LLVMGetTypeKind(own) != LLVMPointerTypeKind) {
        param.bytes = (uint32_t)LLVMABISizeOfType(LLVMGetModuleDataLayout(front->llvm), own);
        return param;
    }
    LLVMMetadataRef pointee = type;
    while (is_derived(pointee) && name_of_type(front, pointee)) /* typedefs of pointers */
        pointee = front_operand_of(front, pointee, OF_BASE_TYPE);
    pointee = is_derived(pointee)
                  ? unqualified(front, front_operand_of(front, pointee, OF_BASE_TYPE))
                  : NULL;
    name = name_of_type(front, pointee);
    param.type_name = hd_format(front->arena, "%s *", name ? name : "void");
    param.element_bytes = pointee ? (uint32_t)(LLVMDITypeGetSizeInBits(pointee) / 8) : 0;
    param.record = record_named(front, name);
    param.element_type = name;
    return param;
}

/* The parameters of a template by their names: of the one of this name that stands there. */
static bool sign_by_template(front_state *front, CXCursor around, const char *name,
                             const char *file, unsigned line, front_signature *signature) {
    hd_cursors inside = hd_cursor_children(front->arena, around);
    for (size_t i = 0; i < inside.count; i++) {
        CXCursor cursor = inside.data[i];
        enum CXCursorKind kind = clang_getCursorKind(cursor);
        bool is_around = kind == CXCursor_Namespace || kind == CXCursor_LinkageSpec ||
                         kind == CXCursor_UnexposedDecl;
        if (is_around && sign_by_template(front, cursor, name, file, line, signature))
            return true;
        if (kind != CXCursor_FunctionTemplate ||
            strcmp(hd_clang_text(front->arena, clang_getCursorSpelling(cursor)), name) != 0)
            continue;
        hd_place place = place_of(front, cursor);
        if (place.line != line || !hd_same_file(place.file, file))
            continue;
        signature->place = place;
        hd_cursors parts = hd_cursor_children(front->arena, cursor);
        for (size_t p = 0, found = 0; p < parts.count && found < signature->param_count; p++) {
            if (clang_getCursorKind(parts.data[p]) != CXCursor_ParmDecl)
                continue;
            const char *param = hd_clang_text(front->arena, clang_getCursorSpelling(parts.data[p]));
            if (*param)
                signature->params[found].name = param;
            signature->param_places[found++] = place_of(front, parts.data[p]);
        }
        return true;
    }
    return false;
}

/* A kernel that no probe can name, such as the instance for a lambda. */
static void sign_by_code(reader *r, const front_entry *entry) {
    front_state *front = r->front;
    unsigned line = 0;
    bool is_system;
    const char *file = front_function_file(front, entry->function, &line, &is_system);
    LLVMMetadataRef subprogram = LLVMGetSubprogram(entry->function);
    LLVMMetadataRef type =
        subprogram ? front_operand_of(front, subprogram, OF_SUBPROGRAM_TYPE) : NULL;
    LLVMMetadataRef types = type ? front_operand_of(front, type, OF_SUBROUTINE_TYPES) : NULL;
    if (!file || !types)
        return;
    front_signature signature = {.name = entry->symbol,
                                 .param_count = LLVMCountParams(entry->function)};
    signature.place = (hd_place){.file = front->path, .line = line};
    signature.params = hd_new_array(front->arena, kir_param, signature.param_count);
    signature.param_places = hd_new_array(front->arena, hd_place, signature.param_count);
    for (uint32_t i = 0; i < signature.param_count; i++)
        signature.params[i] =
            param_of_code(front, entry->function, i, front_operand_of(front, types, i + 1));
    sign_by_template(front, clang_getTranslationUnitCursor(r->unit),
                     front_function_of_symbol(front->arena, entry->symbol), file, line, &signature);
    hd_push(front->arena, &front->signatures, signature);
}

static void sign_others(reader *r) {
    front_state *front = r->front;
    for (size_t i = 0; i < front->entries.count; i++) {
        bool found = false;
        for (size_t k = 0; k < front->signatures.count; k++)
            found |= !strcmp(front->signatures.data[k].name, front->entries.data[i].symbol);
        if (!found)
            sign_by_code(r, &front->entries.data[i]);
    }
}

/* ---- the file -------------------------------------------------------- */

static void visit_function(reader *r, CXCursor cursor) {
    front_state *front = r->front;
    const char *name =
        hd_clang_text(front->arena, front->is_cuda ? clang_Cursor_getMangling(cursor)
                                                   : clang_getCursorSpelling(cursor));
    bool is_kernel = false;
    for (size_t i = 0; i < front->entries.count; i++)
        is_kernel |= !strcmp(front->entries.data[i].symbol, name);
    if (!is_kernel)
        return;
    int count = clang_Cursor_getNumArguments(cursor);
    front_signature signature = {.name = name,
                                 .place = place_of(front, cursor),
                                 .param_count = count > 0 ? (uint32_t)count : 0};
    signature.params = hd_new_array(front->arena, kir_param, signature.param_count);
    signature.param_places = hd_new_array(front->arena, hd_place, signature.param_count);
    for (uint32_t i = 0; i < signature.param_count; i++) {
        CXCursor param = clang_Cursor_getArgument(cursor, i);
        signature.params[i] = read_param(r, param);
        signature.param_places[i] = place_of(front, param);
    }
    hd_push(front->arena, &front->signatures, signature);
}

static void visit_probe(reader *r, CXCursor cursor) {
    const char *name = hd_clang_text(r->front->arena, clang_getCursorSpelling(cursor));
    if (starts_with(name, probe_prefix))
        visit_function(r, find_instance(r->front, cursor));
}

/* A CUDA C file has structs of the host, too; those that kernels use are in LLVM IR. */
static bool is_struct(front_state *front, CXCursor cursor) {
    enum CXCursorKind kind = clang_getCursorKind(cursor);
    if ((kind != CXCursor_StructDecl && kind != CXCursor_ClassDecl) ||
        !clang_isCursorDefinition(cursor) || clang_Cursor_isAnonymousRecordDecl(cursor))
        return false;
    const char *name = spelling_of(front->arena, clang_getCursorType(cursor));
    return !front->is_cuda ||
           LLVMGetTypeByName2(front->context, hd_format(front->arena, "struct.%s", name)) ||
           LLVMGetTypeByName2(front->context, hd_format(front->arena, "class.%s", name));
}

/* typedef struct body_s { ... } body; */
static void take_alias(reader *r, CXCursor named) {
    front_state *front = r->front;
    CXType type = clang_getCanonicalType(clang_getTypedefDeclUnderlyingType(named));
    if (!is_record(type))
        return;
    hd_place place = place_of(front, clang_getTypeDeclaration(type));
    hd_record *record = place.file ? known_record(front, type, &place) : NULL;
    const char *name = hd_clang_text(front->arena, clang_getCursorSpelling(named));
    if (record && !record->alias && strcmp(record->name, name) != 0)
        record->alias = name;
}

static void visit(reader *r, CXCursor around) {
    hd_cursors inside = hd_cursor_children(r->front->arena, around);
    for (size_t i = 0; i < inside.count && !r->status; i++) {
        CXCursor cursor = inside.data[i];
        enum CXCursorKind kind = clang_getCursorKind(cursor);
        if (clang_Location_isInSystemHeader(clang_getCursorLocation(cursor)))
            continue;
        if (kind == CXCursor_Namespace || kind == CXCursor_LinkageSpec)
            visit(r, cursor);
        else if (is_struct(r->front, cursor))
            record_of(r, clang_getCursorType(cursor), NULL);
        else if (kind == CXCursor_FunctionDecl && clang_isCursorDefinition(cursor))
            visit_function(r, cursor);
        else if (kind == CXCursor_VarDecl)
            visit_probe(r, cursor);
        else if (kind == CXCursor_TypedefDecl || kind == CXCursor_TypeAliasDecl)
            take_alias(r, cursor);
    }
}

static bool is_in_probes(CXDiagnostic diagnostic) {
    CXString file;
    unsigned line, column;
    clang_getPresumedLocation(clang_getDiagnosticLocation(diagnostic), &file, &line, &column);
    const char *name = clang_getCString(file);
    bool found = name && !strcmp(name, probe_prefix);
    clang_disposeString(file);
    return found;
}

/* clang has compiled the file, so an error here means that libclang sees it
 * differently: better no answer than one with wrong sizes. An instance whose probe
 * fails has no signature, which is an error later. */
static hd_status check_parse(front_state *front, CXTranslationUnit unit) {
    for (unsigned i = 0; i < clang_getNumDiagnostics(unit); i++) {
        CXDiagnostic diagnostic = clang_getDiagnostic(unit, i);
        bool bad = clang_getDiagnosticSeverity(diagnostic) >= CXDiagnostic_Error &&
                   !is_in_probes(diagnostic);
        const char *text = hd_clang_text(front->arena, clang_getDiagnosticSpelling(diagnostic));
        clang_disposeDiagnostic(diagnostic);
        if (bad)
            return hd_fail(front->diag, HD_ESYSTEM, &(hd_place){.file = front->path},
                           "libclang cannot read what %s compiled: %s; install both in the same "
                           "version",
                           front_clang(front), text);
    }
    return HD_OK;
}

static void keep_header(CXFile file, CXSourceLocation *stack, unsigned depth, CXClientData user) {
    const reader *r = user;
    front_state *front = r->front;
    size_t length;
    (void)stack;
    CXSourceLocation start = clang_getLocationForOffset(r->unit, file, 0);
    const char *text = clang_getFileContents(r->unit, file, &length);
    if (depth && text && !clang_Location_isInSystemHeader(start))
        hd_push(front->arena, &front->headers, hd_strndup(front->arena, text, length));
}

hd_status front_declarations(front_state *front) {
    CXIndex index = clang_createIndex(0, 0);
    front_words words = {0};
    front_libclang_words(front, &words);
    hd_status status = front_missing_words(front, &words);
    if (status)
        return status;
    read_instead texts = texts_to_read(front);
    CXTranslationUnit unit = NULL;
    clang_parseTranslationUnit2(index, front->path, words.data, (int)words.count, texts.data,
                                (unsigned)texts.count, CXTranslationUnit_None, &unit);
    reader r = {.front = front, .unit = unit};
    r.status = unit ? check_parse(front, unit)
                    : hd_fail(front->diag, HD_ESYSTEM, &(hd_place){.file = front->path},
                              "libclang cannot read the file that clang compiled");
    if (!r.status)
        visit(&r, clang_getTranslationUnitCursor(unit));
    if (!r.status)
        sign_others(&r);
    if (!r.status)
        clang_getInclusions(unit, keep_header, &r);
    if (unit)
        clang_disposeTranslationUnit(unit);
    clang_disposeIndex(index);
    return r.status;
}
