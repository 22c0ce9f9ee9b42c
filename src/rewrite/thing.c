/*
 * What an expression leads to: an element of laid-out records, a pointer to one, or a pointer to
 * such pointers. It follows from what the declarations in it hold (flow.c), and from the types
 * along the way: what is converted to another type does not lead there any more.
 */
#include "internal.h"

/* ---- types ------------------------------------------------------------------------- */

bool hd_holds_values(CXType type) { return hd_is_reference(type) || hd_pointer_depth(type) > 0; }

bool hd_may_point(CXType type) {
    return hd_pointer_depth(type) > 0 || hd_value_type(type).kind == CXType_Dependent ||
           hd_value_type(type).kind == CXType_Unexposed;
}

/* The canonical text of what a type points to, with its qualifiers, which libclang has no other
 * question for (address spaces) or keeps on the array (all of them). */
static const char *target_text(const rewriter *rw, CXType type) {
    CXType t = hd_value_type(type);
    return hd_type_text(rw->arena, t.kind == CXType_Pointer ? clang_getPointeeType(t) : t);
}

bool hd_target_is(const rewriter *rw, CXType type, const char *qualifier) {
    const char *text = target_text(rw, type), *at = strstr(text, qualifier);
    return at && (at == text || at[-1] == ' ') && at[strlen(qualifier)] == ' ';
}

bool hd_typed_holding(const rewriter *rw, CXType type, holding *result) {
    if (rw->is_cuda)
        return false;
    for (CXType t = hd_value_type(type); hd_pointer_depth(t) > 0;) {
        CXType target =
            t.kind == CXType_Pointer ? clang_getPointeeType(t) : clang_getArrayElementType(t);
        laid *l = hd_laid_of(rw, target);
        bool is_global = hd_target_is(rw, t, "__global");
        *result = (holding){l, -1, is_global ? SPACE_GLOBAL : SPACE_CONSTANT};
        if (l)
            return is_global || hd_target_is(rw, t, "__constant");
        t = clang_getCanonicalType(target);
    }
    return false;
}

/* A cast that only changes const, as far as layouts are concerned. */
bool hd_keeps_record(const rewriter *rw, CXCursor cast, CXCursor inner) {
    CXType to = hd_value_type(clang_getCursorType(cast));
    CXType from = hd_value_type(clang_getCursorType(inner));
    if (to.kind != CXType_Pointer || (from.kind != CXType_Pointer && !hd_is_array(from)))
        return false;
    CXType from_target =
        from.kind == CXType_Pointer ? clang_getPointeeType(from) : clang_getArrayElementType(from);
    const laid *record = hd_laid_of(rw, clang_getPointeeType(to));
    return record && hd_laid_of(rw, from_target) == record &&
           hd_target_is(rw, to, "volatile") == hd_target_is(rw, from, "volatile") &&
           hd_target_is(rw, to, "__global") == hd_target_is(rw, from, "__global") &&
           hd_target_is(rw, to, "__constant") == hd_target_is(rw, from, "__constant");
}

/* ---- things ------------------------------------------------------------------------- */

static thing no_thing(void) { return (thing){.depth = -1}; }

static thing deeper(thing t, int by) {
    t.depth += by;
    return t.depth < 0 ? no_thing() : t;
}

static thing thing_of_declaration(const rewriter *rw, CXCursor declaration, CXType type) {
    holding what = hd_holding_of(rw, declaration);
    return what.of ? (thing){what, hd_pointer_depth(type)} : no_thing();
}

/* A generic pointer of OpenCL C 2.0 is followed like one of CUDA C. */
static bool keeps_space(const rewriter *rw, CXType type, space in) {
    if (in == SPACE_CONSTANT)
        return hd_target_is(rw, type, "__constant");
    return hd_target_is(rw, type, "__global") || hd_target_is(rw, type, "__generic");
}

/* A conversion that the compiler adds: to const, or to what is not laid out any more. */
static thing converted(const rewriter *rw, CXCursor e, thing inner) {
    CXType type = clang_getCursorType(e);
    if (inner.depth < 1 || hd_value_type(type).kind == CXType_Dependent)
        return inner;
    if (hd_pointer_depth(type) != inner.depth)
        return no_thing();
    if (!rw->is_cuda && inner.depth == 1 && !keeps_space(rw, type, inner.what.in))
        return no_thing();
    CXType target = hd_value_type(type);
    if (inner.depth == 1 && inner.what.field < 0 && target.kind == CXType_Pointer &&
        hd_laid_of(rw, clang_getPointeeType(target)) != inner.what.of)
        return no_thing();
    return inner;
}

static thing thing_of_binary(const rewriter *rw, CXCursor e, const cursors *operands) {
    thing left, right;
    switch (clang_getCursorBinaryOperatorKind(e)) {
    case CXBinaryOperator_Comma:
        right = hd_thing_of(rw, operands->data[1]);
        return right.depth > 0 ? right : no_thing();
    case CXBinaryOperator_Add:
    case CXBinaryOperator_Sub:
        if (!hd_may_point(clang_getCursorType(e)))
            return no_thing();
        left = hd_thing_of(rw, operands->data[0]);
        right = hd_thing_of(rw, operands->data[1]);
        if (left.depth > 0 && right.depth > 0)
            return no_thing();
        return left.depth > 0 ? left : right.depth > 0 ? right : no_thing();
    case CXBinaryOperator_Assign:
    case CXBinaryOperator_AddAssign:
    case CXBinaryOperator_SubAssign:
        left = hd_thing_of(rw, operands->data[0]);
        return left.depth > 0 ? left : no_thing();
    default: return no_thing();
    }
}

static thing thing_of_unary(const rewriter *rw, CXCursor e, CXCursor operand) {
    enum CXUnaryOperatorKind kind = clang_getCursorUnaryOperatorKind(e);
    thing t = hd_thing_of(rw, operand);
    if (t.depth < 0)
        return t;
    switch (kind) {
    case CXUnaryOperator_Deref: return deeper(t, -1);
    case CXUnaryOperator_AddrOf: return deeper(t, 1);
    case CXUnaryOperator_PostInc:
    case CXUnaryOperator_PostDec:
    case CXUnaryOperator_PreInc:
    case CXUnaryOperator_PreDec: return t.depth > 0 ? t : no_thing();
    default: return no_thing();
    }
}

static thing thing_of_subscript(const rewriter *rw, const cursors *operands) {
    for (size_t i = 0; i < operands->count; i++) {
        thing t = hd_thing_of(rw, operands->data[i]);
        if (t.depth > 0)
            return deeper(t, -1);
    }
    return no_thing();
}

static thing thing_of_call(const rewriter *rw, CXCursor call) {
    CXCursor callee = hd_callee(rw->arena, call);
    if (clang_Cursor_isNull(callee) || hd_is_plain_copy(rw->arena, call) ||
        !hd_holds_values(clang_getCursorResultType(callee)))
        return no_thing();
    return thing_of_declaration(rw, clang_getCanonicalCursor(callee),
                                clang_getCursorResultType(callee));
}

static thing thing_of_cast(const rewriter *rw, CXCursor cast) {
    CXCursor inner = hd_last_child(rw->arena, cast);
    if (clang_Cursor_isNull(inner) || !hd_keeps_record(rw, cast, inner))
        return no_thing();
    return hd_thing_of(rw, inner);
}

static thing thing_of_name(const rewriter *rw, CXCursor declaration) {
    enum CXCursorKind kind = clang_getCursorKind(declaration);
    if (kind != CXCursor_VarDecl && kind != CXCursor_ParmDecl)
        return no_thing();
    return thing_of_declaration(rw, declaration, clang_getCursorType(declaration));
}

static thing thing_of_choice(const rewriter *rw, const cursors *parts) {
    thing first = parts->count == 3 ? hd_thing_of(rw, parts->data[1]) : no_thing();
    return first.depth >= 0 || parts->count != 3 ? first : hd_thing_of(rw, parts->data[2]);
}

thing hd_thing_of(const rewriter *rw, CXCursor e) {
    if (!clang_isExpression(clang_getCursorKind(e)))
        return no_thing();
    cursors inside = hd_children(rw->arena, e);
    switch (clang_getCursorKind(e)) {
    case CXCursor_DeclRefExpr: return thing_of_name(rw, clang_getCursorReferenced(e));
    case CXCursor_ParenExpr:
        return inside.count == 1 ? hd_thing_of(rw, inside.data[0]) : no_thing();
    case CXCursor_UnexposedExpr:
        return inside.count == 1 ? converted(rw, e, hd_thing_of(rw, inside.data[0])) : no_thing();
    case CXCursor_BinaryOperator:
    case CXCursor_CompoundAssignOperator:
        return inside.count == 2 ? thing_of_binary(rw, e, &inside) : no_thing();
    case CXCursor_UnaryOperator:
        return inside.count == 1 ? thing_of_unary(rw, e, inside.data[0]) : no_thing();
    case CXCursor_ArraySubscriptExpr: return thing_of_subscript(rw, &inside);
    case CXCursor_ConditionalOperator: /* in C a choice of elements is a value */
        return rw->is_cuda || hd_may_point(clang_getCursorType(e)) ? thing_of_choice(rw, &inside)
                                                                   : no_thing();
    case CXCursor_CallExpr: return thing_of_call(rw, e);
    case CXCursor_CStyleCastExpr:
    case CXCursor_CXXStaticCastExpr:
    case CXCursor_CXXConstCastExpr: return thing_of_cast(rw, e);
    default: return no_thing();
    }
}
