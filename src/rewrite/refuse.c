/*
 * Refusals: what cannot be rewritten, where it stands, and what would mend it. They are collected,
 * because a macro that is expanded may make some of them go away.
 */
#include "internal.h"

bool rw_refuse_at(rewriter *rw, const hd_place *place, const char *format, ...) {
    va_list args;
    va_start(args, format);
    const char *text = hd_vformat(rw->arena, format, args);
    va_end(args);
    for (size_t i = 0; i < rw->refusals.count; i++) {
        const refusal *r = &rw->refusals.data[i];
        if (r->place.line == place->line && r->place.column == place->column &&
            !strcmp(r->place.file, place->file))
            return true; /* the first reason is the best one */
    }
    hd_push(rw->arena, &rw->refusals, (refusal){*place, text});
    return true;
}

bool rw_refuse(rewriter *rw, CXCursor at, const char *format, ...) {
    va_list args;
    va_start(args, format);
    const char *text = hd_vformat(rw->arena, format, args);
    va_end(args);
    hd_place place = rw_place_of(&rw->src, clang_getRangeStart(clang_getCursorExtent(at)));
    return rw_refuse_at(rw, &place, "%s", text);
}

bool rw_refuse_macro(rewriter *rw, CXCursor at) {
    CXSourceRange extent = clang_getCursorExtent(at);
    CXSourceLocation start = clang_getRangeStart(extent), stop = clang_getRangeEnd(extent);
    unsigned begin, end;
    CXFile file;
    const char *why = NULL;
    hd_place defined = {0};
    clang_getExpansionLocation(start, &file, NULL, NULL, &begin);
    clang_getExpansionLocation(stop, NULL, NULL, NULL, &end);
    if (!file || !clang_File_isEqual(file, rw->src.file))
        return rw_refuse(rw, at, "this is reached through a header of the system");
    if (rw_macro_request(rw, (range){begin, end > begin ? end : begin + 1}, &why, &defined))
        return true;
    for (size_t i = 0; i < rw->macro_uses.count; i++)
        if (rw->macro_uses.data[i].at.begin == begin) {
            hd_place place = rw_flat_place(rw->flat, begin);
            const char *name = rw_token_text(&rw->src, rw_token_from(&rw->src, begin));
            if (why && defined.line)
                return rw_refuse_at(
                    rw, &place, "%s inside the macro %s, which stays as it is at %s:%u:%u: %s",
                    rw->task->subject, name, defined.file, defined.line, defined.column, why);
            return rw_refuse_at(
                rw, &place,
                "%s inside the macro %s%s%s; write the access out, or make the macro a "
                "function",
                rw->task->subject, name, why ? ": " : "", why ? why : "");
        }
    return rw_refuse(rw, at, "%s here, partly by a macro; write it out", rw->task->subject);
}

/* ---- pointers that go astray -------------------------------------------------------- */

static const char *record_name(const record_value *v) { return v->what.of->record->name; }

static void refuse_call(rewriter *rw, CXCursor pointer, CXCursor call, const record_value *v) {
    const char *callee = rw_spelling(rw->arena, call);
    CXCursor called = clang_getCursorReferenced(call);
    if (!strncmp(callee, "async_", 6) || hd_has_word("prefetch memcpy memmove memset", callee))
        rw_refuse(rw, pointer,
                  "%s moves the bytes of whole '%s' records, which lie apart in another "
                  "layout; copy them in a loop",
                  callee, record_name(v));
    else if (rw->with_host && (clang_Cursor_isNull(called) || /* to a library, or another file */
                               clang_Location_isInSystemHeader(clang_getCursorLocation(called)) ||
                               clang_Cursor_isNull(clang_getCursorDefinition(called))))
        rw_refuse(rw, pointer,
                  "the array of '%s' goes to '%s', which knows nothing of its layout; give it a "
                  "copy, an array of '%s' of its own with cudaMemcpy() before and behind, or do "
                  "its work in a kernel",
                  record_name(v), *callee ? callee : "a function", v->what.of->spelling);
    else if (v->what.field >= 0)
        rw_refuse(rw, pointer,
                  "the array that is a field of '%s' is passed to '%s', which could reach more "
                  "than one element of it; read and write the elements one by one",
                  record_name(v), *callee ? callee : "a function");
    else
        rw_refuse(rw, pointer,
                  "the pointer to '%s' is passed to '%s' as another type; declare its "
                  "parameter '%s%s *'%s",
                  record_name(v), *callee ? callee : "a function",
                  rw->is_cuda ? "" : rw_accessors_of(v)->qualifier, v->what.of->spelling,
                  rw->with_host ? ", or, where it serves every type, 'T *' of a template" : "");
}

static const char tested[] =
    "is tested, but a place in a layout is never null; pass a flag of its own";

static const char *why_operator(enum CXBinaryOperatorKind kind) {
    switch (kind) {
    case CXBinaryOperator_Assign: return "is stored where only plain values can be; keep an index";
    case CXBinaryOperator_Add:
    case CXBinaryOperator_Sub: return "is moved in a form that Heddle cannot follow; use p[i]";
    case CXBinaryOperator_LAnd:
    case CXBinaryOperator_LOr: return tested;
    case CXBinaryOperator_PtrMemI:
        return "is used with a pointer to a member, which does not say what field that is; name "
               "the field";
    default:
        return "is compared with what is no pointer to laid-out records, such as null; compare "
               "indices, or pass a flag of its own";
    }
}

static const char *why_parent(rewriter *rw, CXCursor parent, const record_value *v) {
    enum CXCursorKind kind = clang_getCursorKind(parent);
    switch (kind) {
    case CXCursor_CStyleCastExpr:
    case CXCursor_CXXStaticCastExpr:
    case CXCursor_CXXReinterpretCastExpr:
    case CXCursor_CXXConstCastExpr:
        return hd_format(rw->arena, "is cast to '%s'; reach the fields through '%s *'",
                         rw_type_text(rw->arena, clang_getCursorType(parent)),
                         v->what.of->spelling);
    case CXCursor_CompoundAssignOperator:
    case CXCursor_BinaryOperator: return why_operator(clang_getCursorBinaryOperatorKind(parent));
    case CXCursor_UnaryOperator:
    case CXCursor_ConditionalOperator:
    case CXCursor_IfStmt:
    case CXCursor_WhileStmt:
    case CXCursor_DoStmt:
    case CXCursor_ForStmt: return tested;
    case CXCursor_VarDecl:
    case CXCursor_InitListExpr:
        if (rw_are_numbers(&v->what))
            return "is kept where it is not followed; index the array itself";
        return hd_format(rw->arena, "is stored in a variable of another type; declare it '%s%s *'",
                         rw->is_cuda ? "" : rw_accessors_of(v)->qualifier, v->what.of->spelling);
    case CXCursor_ReturnStmt:
        return "is returned as another type; return it as what it is, or return an index";
    default: return "is used in a way that Heddle cannot follow; reach the fields as p[i].field";
    }
}

/* The declaration that a pointer comes from, for messages. */
static CXCursor root_of(rewriter *rw, CXCursor pointer) {
    if (clang_getCursorKind(pointer) == CXCursor_DeclRefExpr)
        return pointer;
    hd_cursors inside = hd_cursor_children(rw->arena, pointer);
    for (size_t i = 0; i < inside.count; i++)
        if (rw_record_value_of(rw, inside.data[i]).depth >= 0)
            return root_of(rw, inside.data[i]);
    return pointer;
}

void rw_refuse_misplaced(rewriter *rw, const frame *at, const record_value *v) {
    const frame *up = rw_around(at);
    CXCursor parent = up ? up->cursor : clang_getNullCursor();
    CXCursor bare = rw_bare(rw->arena, at->cursor), root = root_of(rw, bare);
    const char *name = rw_spelling(rw->arena, root);
    unsigned offset;
    if (rw_offset_of(&rw->src, clang_getCursorLocation(root), &offset))
        hd_push(rw->arena, &rw->seen, offset);
    if (rw_points_to_bytes(clang_getCursorType(clang_getCursorReferenced(root))))
        rw_refuse(
            rw, root,
            "'%s' is declared as bytes, in which there are laid-out records '%s', and is used "
            "here as what it is declared; declare it '%s *', and count records",
            name, record_name(v), v->what.of->spelling);
    else if (clang_getCursorKind(parent) == CXCursor_CallExpr)
        refuse_call(rw, at->cursor, parent, v);
    else if (clang_getCursorUnaryOperatorKind(bare) == CXUnaryOperator_AddrOf && v->depth == 1)
        rw_refuse(rw, bare,
                  "the address of an element of '%s' is stored or passed on; pass it to a "
                  "helper function with a parameter '%s%s *', or keep the index",
                  name, rw->is_cuda ? "" : rw_accessors_of(v)->qualifier, v->what.of->spelling);
    else
        rw_refuse(rw, root, "the pointer '%s' to '%s' %s", name, record_name(v),
                  why_parent(rw, parent, v));
}

static bool is_explained(const rewriter *rw, size_t t) {
    range at = rw->src.tokens[t].at;
    if (t && (rw_token_is(&rw->src, t - 1, ".") || rw_token_is(&rw->src, t - 1, "->")))
        return true;
    for (size_t i = 0; i < rw->seen.count; i++)
        if (rw->seen.data[i] == at.begin)
            return true;
    for (size_t i = 0; i < rw->macro_uses.count; i++)
        if (rw->macro_uses.data[i].at.begin <= at.begin && at.end <= rw->macro_uses.data[i].at.end)
            return true;
    return rw_is_within(&rw->inactive, at);
}

/* libclang does not show every corner of the tree (the operand of typeof in a
 * cast, for one). A variable's name that was seen as a token but not as a
 * cursor would keep its old meaning there. */
void rw_check_all_seen(rewriter *rw) {
    const source *src = &rw->src;
    for (size_t i = 0; i < rw->variables.count; i++) {
        const variable *v = &rw->variables.data[i];
        for (size_t t = rw_token_from(src, v->scope.begin);
             t < src->token_count && src->tokens[t].at.begin < v->scope.end; t++) {
            if (!rw_token_is(src, t, v->name) || is_explained(rw, t))
                continue;
            hd_place place = rw_flat_place(rw->flat, src->tokens[t].at.begin);
            rw_refuse_at(rw, &place,
                         "'%s' is used where Heddle cannot follow it (in a type?); reach the "
                         "fields as p[i].field",
                         v->name);
        }
    }
}
