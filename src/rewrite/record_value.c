/*
 * What an expression leads to: an element of laid-out records, a pointer to one, or a pointer to
 * such pointers. It follows from what the declarations in it hold (flow.c), and from the types
 * along the way: what is converted to another type does not lead there any more.
 */
#include "internal.h"

/* ---- types ------------------------------------------------------------------------- */

bool rw_has_pointer(CXType type) { return rw_is_reference(type) || rw_pointer_depth(type) > 0; }

bool rw_may_point(CXType type) {
    return rw_pointer_depth(type) > 0 || rw_value_type(type).kind == CXType_Dependent ||
           rw_value_type(type).kind == CXType_Unexposed;
}

bool rw_target_is(const rewriter *rw, CXType type, const char *qualifier) {
    /* Its canonical text has the qualifiers, which libclang has no other question for (address
     * spaces) or keeps on the array (all of them). */
    CXType t = rw_value_type(type);
    const char *text =
        rw_type_text(rw->arena, t.kind == CXType_Pointer ? clang_getPointeeType(t) : t);
    const char *at = strstr(text, qualifier);
    return at && (at == text || at[-1] == ' ') && at[strlen(qualifier)] == ' ';
}

bool rw_typed_pointee(const rewriter *rw, CXType type, pointee *result) {
    if (rw->is_cuda)
        return false;
    for (CXType t = rw_value_type(type); rw_pointer_depth(t) > 0;) {
        CXType target =
            t.kind == CXType_Pointer ? clang_getPointeeType(t) : clang_getArrayElementType(t);
        laid_record *l = rw_laid_record_of(rw, target);
        bool is_global = rw_target_is(rw, t, "__global");
        *result = (pointee){l, -1, is_global ? SPACE_GLOBAL : SPACE_CONSTANT};
        if (l)
            return is_global || rw_target_is(rw, t, "__constant");
        t = clang_getCanonicalType(target);
    }
    return false;
}

/* A cast that only changes const, as far as layouts are concerned. */
bool rw_keeps_record(const rewriter *rw, CXCursor cast, CXCursor inner) {
    CXType to = rw_value_type(clang_getCursorType(cast));
    CXType from = rw_value_type(clang_getCursorType(inner));
    if (to.kind != CXType_Pointer || (from.kind != CXType_Pointer && !rw_is_array(from)))
        return false;
    CXType from_target =
        from.kind == CXType_Pointer ? clang_getPointeeType(from) : clang_getArrayElementType(from);
    const laid_record *record = rw_laid_record_of(rw, clang_getPointeeType(to));
    return record && rw_laid_record_of(rw, from_target) == record &&
           rw_target_is(rw, to, "volatile") == rw_target_is(rw, from, "volatile") &&
           rw_target_is(rw, to, "__global") == rw_target_is(rw, from, "__global") &&
           rw_target_is(rw, to, "__constant") == rw_target_is(rw, from, "__constant");
}

/* ---- values ------------------------------------------------------------------------- */

static record_value no_value(void) { return (record_value){.depth = -1}; }

static record_value deeper(record_value v, int by) {
    v.depth += by;
    return v.depth < 0 ? no_value() : v;
}

static record_value value_of_declaration(const rewriter *rw, CXCursor declaration, CXType type) {
    pointee what = rw_pointee_of(rw, declaration);
    return what.of ? (record_value){what, rw_pointer_depth(type)} : no_value();
}

/* A generic pointer of OpenCL C 2.0 is followed like one of CUDA C. */
static bool keeps_space(const rewriter *rw, CXType type, space in) {
    if (in == SPACE_CONSTANT)
        return rw_target_is(rw, type, "__constant");
    return rw_target_is(rw, type, "__global") || rw_target_is(rw, type, "__generic");
}

/* A conversion that the compiler adds: to const, or to what is not laid out any more. */
static record_value converted(const rewriter *rw, CXCursor e, record_value inner) {
    CXType type = clang_getCursorType(e);
    if (inner.depth < 1 || rw_value_type(type).kind == CXType_Dependent)
        return inner;
    if (rw_pointer_depth(type) != inner.depth)
        return no_value();
    if (!rw->is_cuda && inner.depth == 1 && !keeps_space(rw, type, inner.what.in))
        return no_value();
    CXType target = rw_value_type(type);
    if (inner.depth == 1 && inner.what.field < 0 && target.kind == CXType_Pointer &&
        rw_laid_record_of(rw, clang_getPointeeType(target)) != inner.what.of)
        return no_value();
    return inner;
}

static record_value value_of_binary(const rewriter *rw, CXCursor e, const cursors *operands) {
    record_value left, right;
    switch (clang_getCursorBinaryOperatorKind(e)) {
    case CXBinaryOperator_Comma:
        right = rw_record_value_of(rw, operands->data[1]);
        return right.depth > 0 ? right : no_value();
    case CXBinaryOperator_Add:
    case CXBinaryOperator_Sub:
        if (!rw_may_point(clang_getCursorType(e)))
            return no_value();
        left = rw_record_value_of(rw, operands->data[0]);
        right = rw_record_value_of(rw, operands->data[1]);
        if (left.depth > 0 && right.depth > 0)
            return no_value();
        return left.depth > 0 ? left : right.depth > 0 ? right : no_value();
    case CXBinaryOperator_Assign:
    case CXBinaryOperator_AddAssign:
    case CXBinaryOperator_SubAssign:
        left = rw_record_value_of(rw, operands->data[0]);
        return left.depth > 0 ? left : no_value();
    default: return no_value();
    }
}

static record_value value_of_unary(const rewriter *rw, CXCursor e, CXCursor operand) {
    enum CXUnaryOperatorKind kind = clang_getCursorUnaryOperatorKind(e);
    record_value v = rw_record_value_of(rw, operand);
    if (v.depth < 0)
        return v;
    switch (kind) {
    case CXUnaryOperator_Deref: return deeper(v, -1);
    case CXUnaryOperator_AddrOf: return deeper(v, 1);
    case CXUnaryOperator_PostInc:
    case CXUnaryOperator_PostDec:
    case CXUnaryOperator_PreInc:
    case CXUnaryOperator_PreDec: return v.depth > 0 ? v : no_value();
    default: return no_value();
    }
}

static record_value value_of_subscript(const rewriter *rw, const cursors *operands) {
    for (size_t i = 0; i < operands->count; i++) {
        record_value v = rw_record_value_of(rw, operands->data[i]);
        if (v.depth > 0)
            return deeper(v, -1);
    }
    return no_value();
}

static record_value value_of_call(const rewriter *rw, CXCursor call) {
    CXCursor callee = rw_callee(rw->arena, call);
    if (clang_Cursor_isNull(callee) || rw_is_plain_copy(rw->arena, call) ||
        !rw_has_pointer(clang_getCursorResultType(callee)))
        return no_value();
    return value_of_declaration(rw, clang_getCanonicalCursor(callee),
                                clang_getCursorResultType(callee));
}

static record_value value_of_cast(const rewriter *rw, CXCursor cast) {
    CXCursor inner = rw_last_child(rw->arena, cast);
    if (clang_Cursor_isNull(inner) || !rw_keeps_record(rw, cast, inner))
        return no_value();
    return rw_record_value_of(rw, inner);
}

static record_value value_of_name(const rewriter *rw, CXCursor declaration) {
    enum CXCursorKind kind = clang_getCursorKind(declaration);
    if (kind != CXCursor_VarDecl && kind != CXCursor_ParmDecl)
        return no_value();
    return value_of_declaration(rw, declaration, clang_getCursorType(declaration));
}

static record_value value_of_choice(const rewriter *rw, const cursors *parts) {
    record_value first = parts->count == 3 ? rw_record_value_of(rw, parts->data[1]) : no_value();
    return first.depth >= 0 || parts->count != 3 ? first : rw_record_value_of(rw, parts->data[2]);
}

record_value rw_record_value_of(const rewriter *rw, CXCursor e) {
    if (!clang_isExpression(clang_getCursorKind(e)))
        return no_value();
    cursors inside = rw_children(rw->arena, e);
    switch (clang_getCursorKind(e)) {
    case CXCursor_DeclRefExpr: return value_of_name(rw, clang_getCursorReferenced(e));
    case CXCursor_ParenExpr:
        return inside.count == 1 ? rw_record_value_of(rw, inside.data[0]) : no_value();
    case CXCursor_UnexposedExpr:
        return inside.count == 1 ? converted(rw, e, rw_record_value_of(rw, inside.data[0]))
                                 : no_value();
    case CXCursor_BinaryOperator:
    case CXCursor_CompoundAssignOperator:
        return inside.count == 2 ? value_of_binary(rw, e, &inside) : no_value();
    case CXCursor_UnaryOperator:
        return inside.count == 1 ? value_of_unary(rw, e, inside.data[0]) : no_value();
    case CXCursor_ArraySubscriptExpr: return value_of_subscript(rw, &inside);
    case CXCursor_ConditionalOperator: /* in C a choice of elements is a value */
        return rw->is_cuda || rw_may_point(clang_getCursorType(e)) ? value_of_choice(rw, &inside)
                                                                   : no_value();
    case CXCursor_CallExpr: return value_of_call(rw, e);
    case CXCursor_CStyleCastExpr:
    case CXCursor_CXXStaticCastExpr:
    case CXCursor_CXXConstCastExpr: return value_of_cast(rw, e);
    default: return no_value();
    }
}
