/*
 * The record in the kernel's source: its declaration, the C types of its fields,
 * the types that point to it, and where the generated functions can stand.
 */
#include "internal.h"

/* ---- finding the declaration ---------------------------------------------------- */

static bool is_unnamed(const char *spelling) { return !*spelling || strchr(spelling, '('); }

static CXCursor definition_of(CXType type) {
    CXCursor declaration = clang_getTypeDeclaration(clang_getCanonicalType(type));
    return clang_getCursorDefinition(declaration);
}

/* Looks the name up as a tag and as a typedef; the record's own spelling says
 * which of the two counts when they name different types. */
static bool find_declaration(rewriter *rw, CXCursor *typedef_name) {
    cursors all = hd_children(rw->arena, clang_getTranslationUnitCursor(rw->src.unit));
    CXCursor none = clang_getNullCursor(), tag = none, alias = none;
    *typedef_name = none;
    for (size_t i = 0; i < all.count; i++) {
        CXCursor c = all.data[i];
        if (strcmp(hd_spelling(rw->arena, c), rw->record->name) != 0)
            continue;
        if (clang_getCursorKind(c) == CXCursor_StructDecl && clang_isCursorDefinition(c))
            tag = c;
        if (clang_getCursorKind(c) == CXCursor_TypedefDecl) {
            CXCursor target = definition_of(clang_getTypedefDeclUnderlyingType(c));
            if (clang_getCursorKind(target) == CXCursor_StructDecl) {
                alias = target;
                *typedef_name = c;
            }
        }
    }
    bool wants_tag = rw->record->spelling && !strncmp(rw->record->spelling, "struct ", 7);
    bool has_tag = !clang_Cursor_isNull(tag), has_alias = !clang_Cursor_isNull(alias);
    if (has_tag && (wants_tag || !has_alias))
        rw->declaration = tag;
    else
        rw->declaration = alias;
    if (!clang_equalCursors(rw->declaration, alias))
        *typedef_name = none;
    return has_tag || has_alias;
}

/* ---- fields ----------------------------------------------------------------------- */

typedef struct field_reader {
    rewriter *rw;
    uint32_t count;
    bool failed;
} field_reader;

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

/* Keeps the name of an element's type: canonical vector types have none. */
static void read_type(rewriter *rw, CXType type, field_type *result) {
    enum { MOST = sizeof result->dims / sizeof *result->dims };
    for (type = array_behind(type); type.kind == CXType_ConstantArray && result->dim_count < MOST;
         type = array_behind(clang_getArrayElementType(type)))
        result->dims[result->dim_count++] = (uint64_t)clang_getArraySize(type);
    result->element = hd_type_text(rw->arena, type);
    result->is_pointer = clang_getCanonicalType(type).kind == CXType_Pointer;
}

static enum CXVisitorResult read_field(CXCursor cursor, CXClientData data) {
    field_reader *r = data;
    rewriter *rw = r->rw;
    const char *name = hd_spelling(rw->arena, cursor);
    CXType type = clang_getCursorType(cursor);
    bool is_struct = clang_getCursorKind(definition_of(type)) == CXCursor_StructDecl;
    if (is_unnamed(name) && is_struct) { /* its members are the record's, as in C */
        clang_Type_visitFields(type, read_field, r);
        return r->failed ? CXVisit_Break : CXVisit_Continue;
    }
    uint32_t f = r->count++;
    bool matches = f < rw->record->field_count && !strcmp(rw->record->fields[f].name, name);
    r->failed = true;
    if (is_unnamed(name))
        hd_refuse(rw, cursor, "'%s' has a union without a name; give it one", rw->record->name);
    else if (clang_Cursor_isBitField(cursor))
        hd_refuse(rw, cursor,
                  "'%s' is a bit-field, which has no address to move; make it a plain "
                  "integer",
                  name);
    else if (!matches)
        hd_refuse(rw, cursor,
                  "field '%s' is not the one that the analysis saw here; analyse the "
                  "file again, with the same options",
                  name);
    else
        r->failed = false;
    if (r->failed)
        return CXVisit_Break;
    read_type(rw, type, &rw->types[f]);
    if (strchr(rw->types[f].element, '(')) {
        hd_refuse(rw, cursor,
                  "the type of field '%s' has no name, so the generated functions "
                  "cannot return it; give the struct, union or enum one",
                  name);
        r->failed = true;
    }
    return CXVisit_Continue;
}

static hd_status read_fields(rewriter *rw) {
    field_reader r = {.rw = rw};
    rw->types = hd_new_array(rw->arena, field_type, rw->record->field_count);
    clang_Type_visitFields(clang_getCursorType(rw->declaration), read_field, &r);
    if (r.failed)
        return HD_EUNSUPPORTED;
    if (r.count != rw->record->field_count) {
        hd_refuse(rw, rw->declaration,
                  "'%s' has %u fields here, and %u in the analysis; analyse "
                  "the file again, with the same options",
                  rw->record->name, r.count, rw->record->field_count);
        return HD_EUNSUPPORTED;
    }
    return HD_OK;
}

/* ---- where the generated functions stand ------------------------------------------- */

typedef struct inclusion {
    const source *src;
    CXFile wanted;
    unsigned offset;
    bool found;
} inclusion;

static void see_inclusion(CXFile included, CXSourceLocation *stack, unsigned depth,
                          CXClientData data) {
    inclusion *i = data;
    if (depth && !i->found && clang_File_isEqual(included, i->wanted))
        i->found = hd_offset_of(i->src, stack[depth - 1], &i->offset);
}

/* The end of the line at `offset`, or `offset` itself when more code or a
 * comment over several lines follows there. */
static unsigned end_of_line(const source *src, unsigned offset) {
    const char *rest = src->text + offset;
    size_t length = strcspn(rest, "\n");
    size_t next = hd_token_from(src, offset);
    if (next < src->token_count && src->tokens[next].at.begin < offset + length)
        return offset;
    const char *comment = strstr(rest, "/*");
    if (comment && comment < rest + length) {
        const char *close = strstr(comment, "*/");
        if (!close || close > rest + length)
            return offset;
    }
    return offset + (unsigned)length;
}

static hd_status find_prelude(rewriter *rw) {
    source *src = &rw->src;
    range at;
    if (hd_range_of(src, rw->declaration, &at)) {
        size_t t = hd_token_from(src, at.end);
        while (t < src->token_count && !hd_token_is(src, t, ";"))
            t++;
        if (t < src->token_count) {
            rw->prelude = end_of_line(src, src->tokens[t].at.end);
            return HD_OK;
        }
    }
    inclusion i = {.src = src};
    clang_getFileLocation(clang_getCursorLocation(rw->declaration), &i.wanted, NULL, NULL, NULL);
    clang_getInclusions(src->unit, see_inclusion, &i);
    if (!i.found) {
        hd_refuse(rw, rw->declaration,
                  "no place for the generated functions behind the "
                  "declaration of '%s'; declare it at file scope",
                  rw->record->name);
        return HD_EUNSUPPORTED;
    }
    rw->prelude = i.offset + (unsigned)strcspn(src->text + i.offset, "\n");
    return HD_OK;
}

static void choose_spelling(rewriter *rw, CXCursor typedef_name) {
    const char *tag = hd_spelling(rw->arena, rw->declaration);
    rw->spelling = is_unnamed(tag) ? rw->record->name : hd_format(rw->arena, "struct %s", tag);
    unsigned offset;
    if (!clang_Cursor_isNull(typedef_name) &&
        hd_offset_of(&rw->src, clang_getCursorLocation(typedef_name), &offset) &&
        offset < rw->prelude)
        rw->spelling = rw->record->name;
}

hd_status hd_find_record(rewriter *rw) {
    CXCursor typedef_name;
    if (!find_declaration(rw, &typedef_name)) {
        hd_place place = {.file = rw->src.path};
        return hd_fail(rw->diag, HD_EINPUT, &place,
                       "no struct '%s' is declared at file scope here; name a record of this file",
                       rw->record->name);
    }
    hd_status status = read_fields(rw);
    if (status == HD_OK)
        status = find_prelude(rw);
    if (status == HD_OK)
        choose_spelling(rw, typedef_name);
    return status;
}

/* ---- types ---------------------------------------------------------------------------- */

bool hd_is_record(const rewriter *rw, CXType type) {
    return clang_getCanonicalType(type).kind == CXType_Record &&
           clang_equalCursors(definition_of(type), rw->declaration);
}

/* What a pointer, or a parameter declared as an array, points to. */
static CXType target_of(CXType type) {
    CXType t = clang_getCanonicalType(type);
    return t.kind == CXType_Pointer ? clang_getPointeeType(t) : clang_getArrayElementType(t);
}

/* The canonical text of that with its qualifiers, which libclang has no other
 * question for (address spaces) or keeps on the array (all of them). */
static const char *target_text(const rewriter *rw, CXType type) {
    CXType t = clang_getCanonicalType(type);
    return hd_type_text(rw->arena, t.kind == CXType_Pointer ? clang_getPointeeType(t) : t);
}

bool hd_target_is(const rewriter *rw, CXType type, const char *qualifier) {
    const char *text = target_text(rw, type), *at = strstr(text, qualifier);
    return at && (at == text || at[-1] == ' ') && at[strlen(qualifier)] == ' ';
}

static bool space_of(const rewriter *rw, CXType type, space *in) {
    *in = hd_target_is(rw, type, "__global") ? SPACE_GLOBAL : SPACE_CONSTANT;
    return *in == SPACE_GLOBAL || hd_target_is(rw, type, "__constant");
}

/* libclang gives a parameter `R p[]` the type of an array. */
pointee hd_pointee_of(const rewriter *rw, CXType type, space *in) {
    bool nested = false;
    for (CXType t = clang_getCanonicalType(type);; nested = true) {
        if (t.kind == CXType_Pointer || (t.kind == CXType_IncompleteArray && !nested)) {
            CXType target = target_of(t);
            if (hd_is_record(rw, target))
                return !space_of(rw, t, in) ? POINTEE_OTHER
                       : nested             ? POINTEE_NESTED
                                            : POINTEE_RECORD;
            t = clang_getCanonicalType(target);
        } else if (t.kind == CXType_ConstantArray || t.kind == CXType_IncompleteArray ||
                   t.kind == CXType_VariableArray) {
            t = clang_getCanonicalType(clang_getArrayElementType(t));
        } else {
            return POINTEE_OTHER;
        }
    }
}

bool hd_is_fixed_array(const rewriter *rw, CXType type) {
    CXType t = clang_getCanonicalType(type);
    space in;
    return t.kind == CXType_ConstantArray && hd_is_record(rw, target_of(t)) && space_of(rw, t, &in);
}
