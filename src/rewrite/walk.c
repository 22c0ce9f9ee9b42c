/*
 * The walk over the code: from the outside in, each expression that leads to laid-out records is
 * taken by the form that it is part of.
 *
 *     element = value      R_store(p_ref, i, value)         element.c
 *     element.field        (*R_field(p_ref, i))             field.c
 *     element              R_load(p_ref, i)                 element.c
 *     f(pointer)           f(p_ref)                         call.c
 *     R *q = pointer;      R_ref q = p_ref;                 local.c
 *
 * A pointer that no form has taken is met as a plain expression, and that is a refusal: so what
 * is not known to be right is never rewritten.
 */
#include "internal.h"

void rw_walk_child(rewriter *rw, const frame *at, CXCursor child) {
    frame f = {child, at};
    rw_walk(rw, &f);
}

void rw_walk_children(rewriter *rw, const frame *at) {
    cursors inside = rw_children(rw->arena, at->cursor);
    for (size_t i = 0; i < inside.count; i++)
        rw_walk_child(rw, at, inside.data[i]);
}

const frame *rw_around(const frame *at) {
    do
        at = at->up;
    while (at && (clang_getCursorKind(at->cursor) == CXCursor_ParenExpr ||
                  clang_getCursorKind(at->cursor) == CXCursor_UnexposedExpr));
    return at;
}

/* ---- whether a value is used ---------------------------------------------------------- */

/* True when an offset lies between the parentheses behind the statement's word; *clause counts the
 * semicolons before it. */
static bool lies_in_head(const rewriter *rw, CXCursor statement, unsigned offset, int *clause) {
    const source *src = &rw->src;
    range at;
    *clause = 0;
    if (!rw_range_of(src, statement, &at))
        return true;
    size_t open = rw_token_at(src, at.begin) + 1;
    if (!rw_token_is(src, open, "(")) /* do */
        return false;
    size_t close = rw_token_matching(src, open);
    if (close >= src->token_count || offset > src->tokens[close].at.begin)
        return false;
    for (size_t t = open + 1; src->tokens[t].at.begin < offset; t++) {
        if (rw_token_is(src, t, ";"))
            ++*clause;
        else if (strchr("([{", src->text[src->tokens[t].at.begin]))
            t = rw_token_matching(src, t);
    }
    return true;
}

static bool is_unused_in(const rewriter *rw, CXCursor statement, CXCursor child) {
    cursors inside = rw_children(rw->arena, statement);
    enum CXCursorKind kind = clang_getCursorKind(statement);
    range at;
    int clause;
    if (!rw_range_of(&rw->src, child, &at))
        return false;
    switch (kind) {
    case CXCursor_CompoundStmt:
    case CXCursor_LabelStmt:
    case CXCursor_DefaultStmt: return true;
    case CXCursor_CaseStmt:
        return inside.count && rw_same_expression(inside.data[inside.count - 1], child);
    case CXCursor_DoStmt: return inside.count && rw_same_expression(inside.data[0], child);
    case CXCursor_IfStmt:
    case CXCursor_WhileStmt:
    case CXCursor_SwitchStmt: return !lies_in_head(rw, statement, at.begin, &clause);
    case CXCursor_ForStmt: return !lies_in_head(rw, statement, at.begin, &clause) || clause != 1;
    default: return false;
    }
}

bool rw_is_unused(const rewriter *rw, const frame *at) {
    for (; at->up; at = at->up) {
        CXCursor up = at->up->cursor;
        enum CXCursorKind kind = clang_getCursorKind(up);
        if (kind == CXCursor_ParenExpr || kind == CXCursor_UnexposedExpr)
            continue;
        if (clang_getCursorBinaryOperatorKind(up) == CXBinaryOperator_Comma) {
            cursors sides = rw_children(rw->arena, up);
            if (sides.count == 2 && rw_same_expression(sides.data[0], at->cursor))
                return true;
            continue;
        }
        if (kind == CXCursor_CStyleCastExpr)
            return clang_getCursorType(up).kind == CXType_Void;
        return is_unused_in(rw, up, at->cursor);
    }
    return false;
}

/* ---- the walk ------------------------------------------------------------------------------ */

/* Pointers to records that come from elsewhere: their bytes are laid out anew all the same when
 * the host passes such an array. */
static bool refuse_foreign(rewriter *rw, const frame *at) {
    pointee what;
    if (!rw_typed_pointee(rw, clang_getCursorType(at->cursor), &what))
        return false;
    if (clang_getCursorKind(at->cursor) == CXCursor_FieldDecl)
        rw_refuse(rw, at->cursor, "'%s' keeps a pointer to '%s' in a struct; keep an index",
                  rw_spelling(rw->arena, at->cursor), what.of->record->name);
    else
        rw_refuse(rw, at->cursor,
                  "another pointer is cast to one to '%s', which is then not laid "
                  "out as such; declare the pointer '%s%s *' from the start",
                  what.of->record->name, what.of->accessors[what.in].qualifier, what.of->spelling);
    return true;
}

/* A cast of one of our own pointers is refused at the pointer, and says more
 * there; (void)p is no use of it. */
static bool edit_cast(rewriter *rw, const frame *at) {
    cursors inside = rw_children(rw->arena, at->cursor);
    CXCursor inner = inside.count ? inside.data[inside.count - 1] : clang_getNullCursor();
    record_value v = rw_record_value_of(rw, inner);
    if (v.depth > 0 && clang_getCursorType(at->cursor).kind == CXType_Void) {
        frame child = {inner, at};
        rw_edit_reference(rw, &child);
        return true;
    }
    return v.depth < 0 && refuse_foreign(rw, at);
}

const frame *rw_function_around(const frame *at) {
    while (at && !rw_is_function(at->cursor) &&
           clang_getCursorKind(at->cursor) != CXCursor_LambdaExpr)
        at = at->up;
    return at;
}

static bool edit_return(rewriter *rw, const frame *at) {
    const frame *function = rw_function_around(at);
    CXCursor value = rw_only_child(rw->arena, at->cursor);
    if (clang_Cursor_isNull(value) || !function || !rw_is_function(function->cursor) ||
        !rw_pointee_of_result(rw, function->cursor).of)
        return false;
    frame child = {value, at};
    pointee result = rw_pointee_of_result(rw, function->cursor);
    if (rw_record_value_of(rw, value).depth < 0) {
        if (!rw_edit_null(rw, value, clang_getCursorType(value), &result))
            rw_refuse(
                rw, value,
                "this is returned as a pointer to laid-out records, but leads to none (null?); "
                "return a place in an array that came as a parameter, or an index");
        return true;
    }
    rw_edit_reference(rw, &child);
    return true;
}

/* [p] becomes [p_ref]; what [=] captures has no name there. */
static void edit_capture(rewriter *rw, const frame *at) {
    range name;
    if (!rw_range_of(&rw->src, at->cursor, &name))
        return;
    size_t t = rw_token_at(&rw->src, name.begin);
    if (!rw_token_is(&rw->src, t, rw_spelling(rw->arena, at->cursor)))
        return;
    if (rw_token_is(&rw->src, t - 1, "="))
        rw_refuse(rw, at->cursor, "this capture makes a new pointer; declare it before the lambda");
    else
        rw_edit_reference(rw, at);
}

/* A lambda's parameters have no place where their type could be told. */
static bool edit_lambda(rewriter *rw, const frame *at) {
    cursors inside = rw_children(rw->arena, at->cursor);
    for (size_t i = 0; i < inside.count; i++) {
        frame child = {inside.data[i], at};
        if (clang_getCursorKind(child.cursor) == CXCursor_ParmDecl &&
            rw_pointee_of(rw, child.cursor).of)
            rw_refuse(rw, child.cursor,
                      "this parameter of a lambda is given laid-out records; make the lambda a "
                      "function, or capture the pointer");
        if (rw_record_value_of(rw, child.cursor).depth >= 0)
            edit_capture(rw, &child);
        else
            rw_walk(rw, &child);
    }
    return true;
}

/* auto &[x, n] = p[i] */
static bool refuse_bindings(rewriter *rw, const frame *at) {
    CXCursor value = rw_last_child(rw->arena, at->cursor);
    if (!rw_is_reference(clang_getCursorType(at->cursor)) || clang_Cursor_isNull(value))
        return false;
    record_value v = rw_record_value_of(rw, value);
    if (v.depth == 0)
        rw_refuse(rw, at->cursor,
                  "this names fields of an element of '%s' where they lie; write 'auto [...]' for "
                  "copies of them, or p[i].field",
                  v.what.of->record->name);
    return false;
}

static bool edited(rewriter *rw, const frame *at) {
    switch (clang_getCursorKind(at->cursor)) {
    case CXCursor_DeclStmt: return rw_edit_declarations(rw, at);
    case CXCursor_CallExpr: return rw_edit_call(rw, at);
    case CXCursor_MemberRefExpr: return rw_edit_field(rw, at);
    case CXCursor_BinaryOperator: return rw_edit_operator(rw, at);
    case CXCursor_UnaryExpr: return rw_edit_sizeof(rw, at);
    case CXCursor_VarDecl: return rw_edit_declared_alone(rw, at);
    case CXCursor_FieldDecl: return rw_edit_declared_alone(rw, at) || refuse_foreign(rw, at);
    case CXCursor_UnexposedDecl: return refuse_bindings(rw, at);
    case CXCursor_CStyleCastExpr: return edit_cast(rw, at);
    case CXCursor_ReturnStmt: return edit_return(rw, at);
    case CXCursor_LambdaExpr: return edit_lambda(rw, at);
    case CXCursor_InitListExpr: return rw_edit_aggregate(rw, at);
    default: return false;
    }
}

void rw_walk(rewriter *rw, const frame *at) {
    unsigned offset;
    if (rw_is_function(at->cursor)) {
        rw_edit_function(rw, at);
        return;
    }
    if (rw_offset_of(&rw->src, clang_getCursorLocation(at->cursor), &offset))
        hd_push(rw->arena, &rw->seen, offset);
    record_value v = rw_record_value_of(rw, at->cursor);
    if (v.depth >= 0)
        rw_walk_value(rw, at, &v);
    else if (!edited(rw, at))
        rw_walk_children(rw, at);
}
