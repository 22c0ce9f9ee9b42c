/*
 * Whether a method can be called on a copy of an element.
 *
 * It must not change its object. Many methods in kernels only read, without being declared const:
 * what the body does with the members decides. Each must be read at once, and `this` itself may
 * only stand before a member. And the copy is gone behind the statement, so a pointer or
 * reference that the method returns must not be kept.
 */
#include "internal.h"

enum { MOST_METHODS = 8 }; /* that call one another */

static bool code_changes(rewriter *rw, const frame *at, int depth);

static bool is_const(CXType type) {
    return clang_isConstQualifiedType(clang_getCanonicalType(type)) != 0;
}

static bool method_changes(rewriter *rw, CXCursor method, int depth) {
    if (clang_CXXMethod_isConst(method) || clang_CXXMethod_isStatic(method))
        return false;
    CXCursor definition = clang_getCursorDefinition(method);
    CXCursor body = clang_Cursor_isNull(definition) ? definition : rw_body(rw->arena, definition);
    if (clang_Cursor_isNull(body) || depth > MOST_METHODS)
        return true;
    frame whole = {body, NULL};
    return code_changes(rw, &whole, depth);
}

/* A member of the object: true when it, or what it leads to, is not just read. */
static bool use_changes(rewriter *rw, const frame *member, int depth) {
    for (const frame *at = member; at->up; at = at->up) {
        CXCursor up = at->up->cursor;
        CXType type = clang_getCursorType(at->cursor);
        if (clang_getCursorKind(clang_getCursorReferenced(at->cursor)) == CXCursor_CXXMethod)
            return method_changes(rw, clang_getCursorReferenced(at->cursor), depth + 1);
        switch (clang_getCursorKind(up)) {
        case CXCursor_ParenExpr:
        case CXCursor_MemberRefExpr:
        case CXCursor_ConditionalOperator: break;
        case CXCursor_ArraySubscriptExpr:
            if (!rw_same_expression(rw_bare(rw->arena, hd_cursor_children(rw->arena, up).data[0]),
                                    rw_bare(rw->arena, at->cursor)))
                return false; /* an index, which is a value */
            break;
        case CXCursor_UnexposedExpr: /* an array becomes a pointer; other values are read */
            if (!rw_is_array(rw_value_type(type)))
                return clang_getCanonicalType(type).kind == CXType_Record &&
                       !is_const(clang_getCursorType(up));
            break;
        default: return true;
        }
    }
    return true;
}

static bool code_changes(rewriter *rw, const frame *at, int depth) {
    enum CXCursorKind kind = clang_getCursorKind(at->cursor);
    if (kind == CXCursor_CXXThisExpr)
        return !at->up || clang_getCursorKind(at->up->cursor) != CXCursor_MemberRefExpr;
    if (kind == CXCursor_LambdaExpr)
        return true;
    hd_cursors inside = hd_cursor_children(rw->arena, at->cursor);
    size_t last = inside.count;
    while (last && !clang_isExpression(clang_getCursorKind(inside.data[last - 1])))
        last--;
    if (kind == CXCursor_MemberRefExpr && /* of this */
        (!last || clang_getCursorKind(inside.data[last - 1]) == CXCursor_CXXThisExpr))
        return use_changes(rw, at, depth);
    for (size_t i = 0; i < inside.count; i++) {
        frame child = {inside.data[i], at};
        if (code_changes(rw, &child, depth))
            return true;
    }
    return false;
}

/* ---- what it returns ---------------------------------------------------------------- */

static bool result_is_kept(const frame *call, CXCursor method) {
    CXType result = clang_getCursorResultType(method);
    if (!rw_is_reference(result) && !rw_is_pointer(result))
        return false;
    for (const frame *up = call->up; up; up = up->up) {
        CXType type = clang_getCursorType(up->cursor);
        switch (clang_getCursorKind(up->cursor)) {
        case CXCursor_VarDecl: return rw_has_pointer(type);
        case CXCursor_ReturnStmt:
        case CXCursor_InitListExpr: return true;
        case CXCursor_BinaryOperator:
            if (!rw_is_pointer(type))
                return false;
            if (clang_getCursorBinaryOperatorKind(up->cursor) == CXBinaryOperator_Assign)
                return true;
            break;
        case CXCursor_UnexposedExpr:
            type = clang_getCanonicalType(type);
            if (type.kind != CXType_Pointer && type.kind != CXType_Record && !rw_is_array(type) &&
                !is_const(type)) /* it reads the value */
                return false;
            break;
        case CXCursor_CallExpr: return false;
        default:
            if (!clang_isExpression(clang_getCursorKind(up->cursor)))
                return false;
        }
    }
    return false;
}

bool rw_method_changes(rewriter *rw, CXCursor method) { return method_changes(rw, method, 0); }

void rw_check_method(rewriter *rw, const frame *call, CXCursor method, const laid_record *l) {
    const char *name = rw_spelling(rw->arena, method);
    if (method_changes(rw, method, 0))
        rw_refuse(rw, call->cursor,
                  "the method '%s' may change the element of '%s' that it is called on; call it on "
                  "a copy and store that, or make it const",
                  name, l->record->name);
    else if (result_is_kept(call, method))
        rw_refuse(rw, call->cursor,
                  "what the method '%s' returns leads into the element of '%s' and is kept here; "
                  "keep a copy of the value, or of the element",
                  name, l->record->name);
}
