/*
 * The records in the kernels' source: their declarations, the C types of their fields, and where
 * the generated functions can stand.
 */
#include "internal.h"

/* ---- finding a declaration ------------------------------------------------------- */

static bool is_unnamed(const char *spelling) { return !*spelling || strchr(spelling, '('); }

static CXCursor definition_of(CXType type) {
    CXCursor declaration = clang_getTypeDeclaration(clang_getCanonicalType(type));
    return clang_getCursorDefinition(declaration);
}

/* What a name was found to be, as a tag and as a typedef. */
typedef struct names {
    const char *name; /* "body", "ns::body" */
    CXCursor tag, alias, typedef_name;
    const char *tag_scope, *alias_scope;
} names;

static void look_for(rewriter *rw, CXCursor parent, const char *scope, names *found) {
    hd_cursors all = hd_cursor_children(rw->arena, parent);
    for (size_t i = 0; i < all.count; i++) {
        CXCursor c = all.data[i];
        enum CXCursorKind kind = clang_getCursorKind(c);
        const char *name = hd_format(rw->arena, "%s%s", scope, rw_spelling(rw->arena, c));
        if (kind == CXCursor_Namespace)
            look_for(rw, c, hd_format(rw->arena, "%s::", name), found);
        else if (kind == CXCursor_LinkageSpec)
            look_for(rw, c, scope, found);
        if (strcmp(name, found->name) != 0)
            continue;
        if ((kind == CXCursor_StructDecl || kind == CXCursor_ClassDecl) &&
            clang_isCursorDefinition(c)) {
            found->tag = c;
            found->tag_scope = scope;
        }
        if (kind == CXCursor_TypedefDecl || kind == CXCursor_TypeAliasDecl) {
            CXCursor target = definition_of(clang_getTypedefDeclUnderlyingType(c));
            if (clang_getCursorKind(target) != CXCursor_StructDecl)
                continue;
            found->alias = target;
            found->alias_scope = scope;
            found->typedef_name = c;
        }
    }
}

/* An instance of a template, "body<float>", where something has it as its type. */
static CXCursor find_instance(rewriter *rw, CXCursor parent, const char *name) {
    hd_cursors all = hd_cursor_children(rw->arena, parent);
    CXCursor found = clang_getNullCursor();
    for (size_t i = 0; i < all.count && clang_Cursor_isNull(found); i++) {
        enum CXCursorKind kind = clang_getCursorKind(all.data[i]);
        if (clang_Location_isInSystemHeader(clang_getCursorLocation(all.data[i])))
            continue;
        CXType type = rw_innermost(clang_getCursorType(all.data[i]));
        bool has_type = kind == CXCursor_ParmDecl || kind == CXCursor_VarDecl ||
                        kind == CXCursor_FieldDecl || kind == CXCursor_TypedefDecl ||
                        kind == CXCursor_TypeAliasDecl;
        if (has_type && type.kind == CXType_Record &&
            !strcmp(rw_plain_type(rw->arena, rw_type_text(rw->arena, type)), name))
            found = definition_of(type);
        if (clang_Cursor_isNull(found))
            found = find_instance(rw, all.data[i], name);
    }
    return found;
}

/* The record's own spelling says which of the two counts when they name different types. */
static bool find_declaration(rewriter *rw, laid_record *l, CXCursor *typedef_name) {
    CXCursor none = clang_getNullCursor();
    names found = {l->record->name, none, none, none, "", ""};
    look_for(rw, clang_getTranslationUnitCursor(rw->src.unit), "", &found);
    bool wants_tag = l->record->spelling && !strncmp(l->record->spelling, "struct ", 7);
    bool has_tag = !clang_Cursor_isNull(found.tag), has_alias = !clang_Cursor_isNull(found.alias);
    bool is_tag = has_tag && (wants_tag || !has_alias);
    l->declaration = is_tag ? found.tag : found.alias;
    l->scope = is_tag ? found.tag_scope : found.alias_scope;
    *typedef_name = found.typedef_name;
    if (has_alias && !clang_equalCursors(l->declaration, found.alias))
        *typedef_name = none;
    const char *name = l->record->name, *last = rw_unscoped(name);
    if (!has_tag && !has_alias && strchr(last, '<')) {
        l->declaration = find_instance(rw, clang_getTranslationUnitCursor(rw->src.unit), name);
        l->scope = hd_strndup(rw->arena, name, (size_t)(last - name));
    }
    return !clang_Cursor_isNull(l->declaration);
}

/* ---- fields ----------------------------------------------------------------------- */

/* An array type as written, behind typedefs of it; else the type itself. */
static CXType array_behind(CXType type) {
    if (clang_getCanonicalType(type).kind != CXType_ConstantArray)
        return type;
    while (type.kind != CXType_ConstantArray) {
        CXType inner = type.kind == CXType_Elaborated ? clang_Type_getNamedType(type)
                       : type.kind == CXType_Typedef
                           ? clang_getTypedefDeclUnderlyingType(clang_getTypeDeclaration(type))
                           : clang_getCanonicalType(type);
        if (inner.kind == CXType_Invalid)
            return clang_getCanonicalType(type);
        type = inner;
    }
    return type;
}

/* Keeps the name of an element's type: canonical vector types have none. A name that a class
 * declares means nothing outside of it. */
void rw_read_type(rewriter *rw, CXType type, field_type *result) {
    enum { MOST = sizeof result->dims / sizeof *result->dims };
    for (type = array_behind(type); type.kind == CXType_ConstantArray && result->dim_count < MOST;
         type = array_behind(clang_getArrayElementType(type)))
        result->dims[result->dim_count++] = (uint64_t)clang_getArraySize(type);
    CXCursor owner = clang_getCursorSemanticParent(clang_getTypeDeclaration(type));
    bool is_local = clang_getCursorKind(owner) == CXCursor_StructDecl ||
                    clang_getCursorKind(owner) == CXCursor_ClassDecl;
    result->element = rw_type_text(rw->arena, is_local ? clang_getCanonicalType(type) : type);
    result->is_pointer = clang_getCanonicalType(type).kind == CXType_Pointer;
    long long align = clang_Type_getAlignOf(type);
    result->align = align > 0 ? (uint64_t)align : 1;
}

/* The fields of a packed record lie where their types could not; so may their places. */
static void check_alignment(rewriter *rw, const laid_record *l) {
    for (uint32_t f = 0; f < l->record->field_count; f++) {
        const hd_field_place *place = &l->text->map->fields[f];
        bool is_run = l->text->layout->clusters[place->cluster].tile == HD_TILE_SOA;
        uint64_t align = l->types[f].align ? l->types[f].align : 1; /* 0: of a union */
        uint64_t tile = is_run ? 0 : l->text->map->clusters[place->cluster].tile_bytes;
        uint64_t run = is_run ? 0 : place->run;
        if (place->size % align || tile % align || run % align)
            rw_refuse(rw, l->declaration,
                      "'%s' of '%s' is packed and would not lie at multiples of %llu bytes in this "
                      "layout; choose soa, or drop the packing",
                      l->record->fields[f].name, l->record->name, (unsigned long long)align);
    }
}

/* The analysis calls an unnamed union by its first member. NULL: this is another type. */
static const char *union_name(rewriter *rw, CXType type) {
    if (clang_getCursorKind(definition_of(type)) != CXCursor_UnionDecl)
        return NULL;
    hd_cursors fields = hd_type_fields(rw->arena, type);
    return fields.count ? rw_spelling(rw->arena, fields.data[0]) : NULL;
}

int rw_field_of_member(rewriter *rw, const laid_record *l, CXCursor member, const char *name) {
    bool is_owner =
        is_unnamed(rw_spelling(rw->arena, member)); /* around the member that is meant */
    CXCursor owner = is_owner ? definition_of(clang_getCursorType(member))
                              : clang_getCursorSemanticParent(member);
    for (; clang_isDeclaration(clang_getCursorKind(owner)) &&
           !clang_equalCursors(owner, l->declaration);
         owner = clang_getCursorSemanticParent(owner))
        if (clang_getCursorKind(owner) == CXCursor_UnionDecl)
            name = union_name(rw, clang_getCursorType(owner));
    if (clang_Cursor_isBitField(member) && name && hd_record_find(l->record, name) < 0) {
        /* the field that a bit-field is in has the name of its first */
        hd_cursors fields =
            hd_type_fields(rw->arena, clang_getCursorType(clang_getCursorSemanticParent(member)));
        const char *first = NULL;
        bool is_behind = false;
        for (size_t i = 0; i < fields.count && !is_behind; i++) {
            const char *one = rw_spelling(rw->arena, fields.data[i]);
            first = hd_record_find(l->record, one) >= 0 ? one : first;
            is_behind = clang_equalCursors(fields.data[i], member);
        }
        name = is_behind ? first : NULL;
    }
    return name ? hd_record_find(l->record, name) : -1;
}

/* A member whose copy is a copy of all bytes: not a struct or a vector of three, which may have
 * padding. A null cursor: none. */
static CXCursor dense_member(rewriter *rw, CXType of_union) {
    hd_cursors fields = hd_type_fields(rw->arena, of_union);
    for (size_t i = 0; i < fields.count; i++) {
        CXType type = clang_getCanonicalType(clang_getCursorType(fields.data[i])), whole = type;
        while (type.kind == CXType_ConstantArray)
            type = clang_getCanonicalType(clang_getArrayElementType(type));
        if (type.kind != CXType_Record && clang_getNumElements(type) != 3 &&
            !clang_Cursor_isBitField(fields.data[i]) &&
            clang_Type_getSizeOf(whole) == clang_Type_getSizeOf(of_union))
            return fields.data[i];
    }
    return clang_getNullCursor();
}

/* What a generated type of this field is called. */
static const char *new_type_name(rewriter *rw, const laid_record *l, const char *field,
                                 const char *ending) {
    return rw_free_name(rw, hd_format(rw->arena, "%s_%s_%s",
                                      rw_identifier(rw->arena, rw_unscoped(l->record->name)), field,
                                      ending));
}

/* The type of an unnamed union gets a name behind the record. False: it can have none. */
static bool read_union(rewriter *rw, const laid_record *l, CXCursor field, field_type *result) {
    CXType type = clang_getCursorType(field);
    CXCursor dense = dense_member(rw, type);
    range text;
    if (clang_Cursor_isNull(dense) || !rw_range_of(&rw->src, definition_of(type), &text))
        return false;
    result->element = new_type_name(rw, l, union_name(rw, type), "union");
    result->members = hd_strndup(rw->arena, rw->src.text + text.begin, text.end - text.begin);
    result->copied = rw_spelling(rw->arena, dense);
    result->as = hd_new(rw->arena, field_type);
    rw_read_type(rw, clang_getCursorType(dense), result->as);
    return true;
}

/* ---- bit-fields, and structs without a name ------------------------------------------- */

static void add_gap(hd_str *text, long long bits) {
    for (; bits > 0; bits -= 8)
        hd_str_printf(text, " unsigned char : %d;", bits < 8 ? (int)bits : 8);
}

/* The bit-fields of one field, from number `first` of a struct's members on, as a struct of its own
 * that is no larger, with each at the place that it has there. Returns the member behind them. */
static size_t read_bits(rewriter *rw, const laid_record *l, const hd_cursors *members, size_t first,
                        const hd_field *field, field_type *result) {
    hd_str text = {.arena = rw->arena};
    long long start = clang_Cursor_getOffsetOfField(members->data[first]) / 8 * 8, at = start;
    long long end = start + 8 * (long long)field->size, align = 1;
    bool has_gaps = false;
    size_t i = first;
    for (; i < members->count && clang_Cursor_isBitField(members->data[i]); i++) {
        CXCursor member = members->data[i];
        const char *name = rw_spelling(rw->arena, member);
        if (is_unnamed(name))
            continue;
        if (clang_Cursor_getOffsetOfField(member) >= end)
            break;
        add_gap(&text, clang_Cursor_getOffsetOfField(member) - at);
        has_gaps |= clang_Cursor_getOffsetOfField(member) != at;
        field_type type = {0};
        rw_read_type(rw, clang_getCursorType(member), &type);
        align = (long long)type.align > align ? (long long)type.align : align;
        hd_str_printf(&text, " %s %s : %d;", type.element, name,
                      clang_getFieldDeclBitWidth(member));
        at = clang_Cursor_getOffsetOfField(member) + clang_getFieldDeclBitWidth(member);
    }
    /* Where the struct needs no packing, compilers load and store the same units as in the original. */
    bool is_plain = !has_gaps && field->align == align &&
                    (at - start + 8 * align - 1) / (8 * align) == field->size / align;
    if (!is_plain)
        add_gap(&text, end - at);
    const char *packing =
        is_plain ? "" : hd_format(rw->arena, "packed, aligned(%u), ", field->align);
    *result =
        (field_type){.element = new_type_name(rw, l, field->name, "bits"),
                     .members = hd_format(rw->arena, "struct __attribute__((%smay_alias)) {%s }",
                                          packing, hd_str_text(&text)),
                     .align = field->align};
    return i;
}

bool rw_name_type(rewriter *rw, const laid_record *l, CXCursor where, const char *path,
                  field_type *read) {
    if (!strchr(read->element, '('))
        return true;
    bool is_element = path[strlen(path) - 1] == ']';
    if (read->dim_count || (rw->is_cuda && is_element)) {
        rw_refuse(rw, where,
                  "the type of field '%s' has no name, so the generated functions "
                  "cannot return it; give the struct, union or enum one",
                  path);
        return false;
    }
    read->element =
        rw->is_cuda ? hd_format(rw->arena, "decltype(%s::%s)", rw_unscoped(l->record->name), path)
                    : hd_format(rw->arena, "__typeof__((0, ((%s *)0)->%s))", l->spelling, path);
    return true;
}

/* Refuses a field, number `f`, that cannot be laid out; `of_union` names an unnamed union. */
static bool refuse_field(rewriter *rw, const laid_record *l, CXCursor cursor, uint32_t f,
                         const char *of_union, field_type *read) {
    const hd_record *record = hd_record_declared(l->record);
    const char *name = rw_spelling(rw->arena, cursor);
    enum CX_CXXAccessSpecifier access = clang_getCXXAccessSpecifier(cursor);
    bool matches =
        f < record->field_count && !strcmp(record->fields[f].name, of_union ? of_union : name);
    if (of_union && (is_unnamed(of_union) || !read_union(rw, l, cursor, read)))
        rw_refuse(rw, cursor, "'%s' has a union without a name; give it one", record->name);
    else if (access == CX_CXXPrivate || access == CX_CXXProtected)
        rw_refuse(rw, cursor,
                  "'%s' is private, so the generated functions cannot copy it; make it public",
                  name);
    else if (!matches)
        rw_refuse(rw, cursor,
                  "field '%s' is not the one that the analysis saw here; analyse the "
                  "file again, with the same options",
                  name);
    else
        return false;
    return true;
}

/* Reads the fields of a struct, the first of which has number *count. False, with a refusal: one
 * cannot be laid out. */
static bool read_fields(rewriter *rw, laid_record *l, CXType of, uint32_t *count) {
    hd_cursors fields = hd_type_fields(rw->arena, of);
    bool good = true;
    for (size_t i = 0; i < fields.count; i++) {
        CXCursor cursor = fields.data[i];
        const char *name = rw_spelling(rw->arena, cursor);
        CXType type = clang_getCursorType(cursor);
        bool is_struct = clang_getCursorKind(definition_of(type)) == CXCursor_StructDecl;
        if (is_unnamed(name) && is_struct) { /* its members are the record's, as in C */
            good &= read_fields(rw, l, type, count);
            if (!good)
                return false;
            continue;
        }
        bool is_bits = clang_Cursor_isBitField(cursor);
        if (is_bits && is_unnamed(name)) /* only room */
            continue;
        uint32_t f = (*count)++;
        field_type read = {0};
        const char *of_union = is_unnamed(name) ? union_name(rw, type) : NULL;
        if (refuse_field(rw, l, cursor, f, of_union, &read))
            return false;
        if (is_bits)
            i = read_bits(rw, l, &fields, i, &hd_record_declared(l->record)->fields[f], &read) - 1;
        else if (!of_union)
            rw_read_type(rw, type, &read);
        good &= rw_name_type(rw, l, cursor, name, &read);
        l->declared_types[f] = read;
    }
    return good;
}

/* ---- records of arrays, which no source declares ------------------------------------------- */

bool rw_array_is_of(const rewriter *rw, const hd_array_param *a, CXCursor kernel) {
    const char *name = a->kernel; /* without namespaces and a template's arguments */
    for (const char *at = name; *at && *at != '<'; at++)
        if (*at == ':')
            name = at + 1;
    if (!strcmp(hd_strndup(rw->arena, name, strcspn(name, "<")), rw_spelling(rw->arena, kernel)))
        return true;
    CXString mangled = clang_Cursor_getMangling(kernel);
    const char *symbol = clang_getCString(mangled);
    bool is_one = symbol && !strcmp(a->kernel, symbol);
    clang_disposeString(mangled);
    return is_one;
}

const hd_array_param *rw_array_param_of(const rewriter *rw, CXCursor kernel, CXCursor parameter) {
    const char *name = rw_spelling(rw->arena, parameter);
    for (uint32_t i = 0; i < rw->request->array_count; i++) {
        const hd_array_param *a = &rw->request->arrays[i];
        if (!strcmp(a->param, name) && rw_array_is_of(rw, a, kernel))
            return a;
    }
    return NULL;
}

uint64_t rw_count_of(const rewriter *rw, const laid_record *l) {
    const hd_array_param *first = NULL;
    for (uint32_t i = 0; i < rw->request->array_count; i++) {
        const hd_array_param *a = &rw->request->arrays[i];
        if (a->record != hd_record_declared(l->record))
            continue;
        if (first && first->count != a->count)
            return 0;
        first = a;
    }
    return first ? first->count : 0;
}

static void array_types(rewriter *rw, laid_record *l) {
    hd_cursors all = rw_functions(rw->arena, rw->src.unit);
    for (size_t k = 0; k < all.count; k++) {
        hd_cursors parameters = {0};
        if (rw_is_kernel(rw->arena, all.data[k]))
            parameters = rw_parameters(rw->arena, all.data[k]);
        for (size_t i = 0; i < parameters.count; i++) {
            const hd_array_param *a = rw_array_param_of(rw, all.data[k], parameters.data[i]);
            if (!a || a->record != hd_record_declared(l->record) || l->types[a->field].element)
                continue;
            field_type *read = &l->types[a->field];
            CXType type = clang_getCursorType(parameters.data[i]);
            if (type.kind != CXType_Pointer && type.kind != CXType_IncompleteArray)
                type = rw_value_type(type);
            rw_read_type(rw, clang_getUnqualifiedType(rw_target_of(type)), read);
            read->element = rw_plain_type(rw->arena, read->element);
            for (uint32_t f = 0; f < l->record->field_count && a->record->by_job; f++)
                l->types[f] = *read; /* numbers are of one type, whichever of the fields they are */
        }
    }
    for (uint32_t f = 0; f < l->record->field_count; f++)
        if (!l->types[f].element) /* no kernel of this file takes it */
            l->types[f].element = l->record->fields[f].type;
}

/* ---- where the generated functions stand ------------------------------------------- */

/* Behind the declaration, or before the first function that needs what no source declares. */
static void find_place(rewriter *rw, laid_record *l) {
    source *src = &rw->src;
    range at;
    size_t t = src->token_count;
    if (rw_range_of(src, l->declaration, &at))
        for (t = rw_token_from(src, at.end); t < src->token_count && !rw_token_is(src, t, ";");)
            t++;
    if (t < src->token_count)
        l->declared = rw_line_end(src, src->tokens[t].at.end);
    else
        rw_refuse(rw, l->declaration,
                  "no place for the generated functions behind the "
                  "declaration of '%s'; declare it at file scope, in a file of yours",
                  l->record->name);
}

static hd_status find_record(rewriter *rw, laid_record *l) {
    CXCursor typedef_name;
    l->types = hd_new_array(rw->arena, field_type, l->record->field_count);
    l->declared_types = l->types;
    if (l->record->whole)
        l->declared_types = hd_new_array(rw->arena, field_type, l->record->whole->field_count);
    l->scope = l->spelling = "";
    l->declaration = clang_getNullCursor();
    if (l->record->of_arrays || l->record->by_job) {
        l->spelling = l->record->name;
        array_types(rw, l);
        return HD_OK;
    }
    if (!find_declaration(rw, l, &typedef_name)) {
        hd_place place = {.file = rw->src.path};
        return hd_fail(rw->diag, HD_EINPUT, &place,
                       "no struct '%s' is declared at file scope here; name a record of this file",
                       l->record->name);
    }
    find_place(rw, l);
    const char *tag = rw_spelling(rw->arena, l->declaration);
    const char *name = rw_unscoped(l->record->name);
    unsigned offset;
    l->spelling = is_unnamed(tag) || rw->is_cuda ? name : hd_format(rw->arena, "struct %s", tag);
    if (!clang_Cursor_isNull(typedef_name) &&
        rw_offset_of(&rw->src, clang_getCursorLocation(typedef_name), &offset) &&
        offset < l->declared)
        l->spelling = name;
    uint32_t count = 0, analysed = hd_record_declared(l->record)->field_count;
    if (read_fields(rw, l, clang_getCursorType(l->declaration), &count) && count != analysed)
        rw_refuse(rw, l->declaration,
                  "'%s' has %u fields here, and %u in the analysis; analyse "
                  "the file again, with the same options",
                  l->record->name, count, analysed);
    if (l->record->whole && !rw->refusals.count)
        rw_split_types(rw, l);
    if (!rw->refusals.count)
        check_alignment(rw, l);
    return HD_OK;
}

hd_status rw_find_records(rewriter *rw) {
    rw->record_count = rw->request->layout_count;
    rw->records = hd_new_array(rw->arena, laid_record, rw->record_count);
    for (uint32_t i = 0; i < rw->record_count; i++) {
        const hd_record_layout *chosen = &rw->request->layouts[i];
        laid_record *l = &rw->records[i];
        l->record = chosen->record;
        hd_status status = rw_map_text_make(rw->arena, rw->diag, chosen->record, chosen->layout,
                                            (rw_map_text **)&l->text);
        if (status == HD_OK)
            status = find_record(rw, l);
        if (status != HD_OK)
            return status;
    }
    for (uint32_t i = 0; i < rw->record_count; i++)
        for (int s = 0; s < SPACE_COUNT; s++)
            rw_name_accessors(rw, &rw->records[i], (space)s);
    return HD_OK;
}

laid_record *rw_laid_record_of(const rewriter *rw, CXType type) {
    if (clang_getCanonicalType(type).kind != CXType_Record)
        return NULL;
    CXCursor definition = definition_of(type);
    for (uint32_t i = 0; i < rw->record_count; i++)
        if (clang_equalCursors(definition, rw->records[i].declaration))
            return &rw->records[i];
    return NULL;
}

static bool uses(rewriter *rw, CXCursor cursor, const laid_record *l) {
    if (rw_pointee_of(rw, cursor).of == l)
        return true;
    hd_cursors inside = hd_cursor_children(rw->arena, cursor);
    enum CXCursorKind kind = clang_getCursorKind(cursor);
    for (size_t i = 0; i < inside.count; i++)
        if ((kind == CXCursor_Namespace || kind == CXCursor_LinkageSpec ||
             rw_is_function(cursor)) &&
            uses(rw, inside.data[i], l))
            return true;
    return false;
}

/* True for the last token of a declaration, or of a directive. */
static bool is_end(const source *src, size_t t) {
    unsigned begin = src->tokens[t].at.begin;
    while (begin && src->text[begin - 1] != '\n')
        begin--;
    return rw_token_is(src, t, ";") || rw_token_is(src, t, "}") ||
           src->text[begin + strspn(src->text + begin, " \t")] == '#';
}

static unsigned first_use(rewriter *rw, const laid_record *l) {
    hd_cursors all = hd_cursor_children(rw->arena, clang_getTranslationUnitCursor(rw->src.unit));
    const source *src = &rw->src;
    range at;
    for (size_t i = 0; i < all.count; i++) {
        CXCursor c = all.data[i];
        if (!clang_isDeclaration(clang_getCursorKind(c)) || !rw_range_of(src, c, &at) ||
            !uses(rw, c, l))
            continue;
        size_t first = rw_token_from(src, at.begin);
        while (first && !is_end(src, first - 1))
            first--;
        unsigned begin = src->tokens[first].at.begin, line = begin;
        while (line && strchr(" \t", src->text[line - 1]))
            line--;
        return line && src->text[line - 1] == '\n' ? line - 1 : begin;
    }
    return 0;
}

/* Functions stand as far out as they can: behind the #include that brings the declaration, when
 * nothing in that header needs them, and the namespace of the record does not end in it. Of several
 * files that include it, only the first could have them. */
static unsigned outermost(const rewriter *rw, const laid_record *l) {
    unsigned offset = l->declared;
    flat_spot spot;
    if (*l->scope || rw->all_files || !rw_flat_spot(rw->flat, (range){offset, offset}, &spot))
        return offset;
    for (const flat_node *node = spot.node; node->up; node = node->up) {
        for (size_t i = 0; i < rw->src.edits.count; i++) {
            range at = rw->src.edits.data[i].at;
            if (at.begin >= offset && at.begin < node->at.end)
                return offset;
        }
        offset = rw_line_end(&rw->src, node->at.end); /* behind the #include */
    }
    return offset;
}

/* extern "C" { around the record: C++ has no templates there. */
static bool is_linked_as_c(const laid_record *l) {
    CXCursor around = clang_getCursorLexicalParent(l->declaration);
    while (clang_isDeclaration(clang_getCursorKind(around)) &&
           clang_getCursorKind(around) != CXCursor_LinkageSpec)
        around = clang_getCursorLexicalParent(around);
    return clang_getCursorKind(around) == CXCursor_LinkageSpec;
}

void rw_edit_preludes(rewriter *rw) {
    for (uint32_t i = 0; i < rw->record_count; i++) {
        laid_record *l = &rw->records[i];
        bool is_used = false;
        for (int s = 0; s < SPACE_COUNT; s++)
            is_used |= l->accessors[s].is_used;
        if (!is_used)
            continue;
        bool is_declared = !clang_Cursor_isNull(l->declaration);
        unsigned at = is_declared ? outermost(rw, l) : first_use(rw, l);
        bool is_line_end = !rw->src.text[at] || rw->src.text[at] == '\n';
        bool is_shared = rw->with_host && !hd_is_kernel_file(rw_flat_place(rw->flat, at).file);
        bool is_c = rw->is_cuda && is_declared && is_linked_as_c(l);
        rw_edit_insert(rw, at,
                       hd_format(rw->arena, "%s%s", rw_prelude(rw, l, is_shared, is_c),
                                 is_line_end ? "" : "\n"));
    }
}
