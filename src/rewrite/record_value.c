/*
 * What an expression leads to: an element of laid-out records, a pointer to one, or a pointer to
 * such pointers. It follows from what the declarations in it hold (pointer_flow.c), and from the types
 * along the way: what is converted to another type does not lead there any more.
 */
#include "internal.h"

/* ---- types ------------------------------------------------------------------------- */

bool rw_has_pointer(CXType type) { return rw_is_reference(type) || rw_pointer_depth(type) > 0; }

/* A pointer, or what may be one in an instance of a template. */
static bool may_point(CXType type) {
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
        CXType target = rw_target_of(t);
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
static bool keeps_record(const rewriter *rw, CXCursor cast, CXCursor inner) {
    CXType to = rw_value_type(clang_getCursorType(cast));
    CXType from = rw_value_type(clang_getCursorType(inner));
    if (to.kind != CXType_Pointer || (from.kind != CXType_Pointer && !rw_is_array(from)))
        return false;
    const laid_record *record = rw_laid_record_of(rw, clang_getPointeeType(to));
    return record && rw_laid_record_of(rw, rw_target_of(from)) == record &&
           rw_target_is(rw, to, "volatile") == rw_target_is(rw, from, "volatile") &&
           rw_target_is(rw, to, "__global") == rw_target_is(rw, from, "__global") &&
           rw_target_is(rw, to, "__constant") == rw_target_is(rw, from, "__constant");
}

/* void *, char * and its like. */
bool rw_points_to_bytes(CXType type) {
    CXType t = clang_getCanonicalType(type);
    if (t.kind != CXType_Pointer)
        return false;
    switch (clang_getCanonicalType(clang_getPointeeType(t)).kind) {
    case CXType_Void:
    case CXType_Char_S:
    case CXType_Char_U:
    case CXType_SChar:
    case CXType_UChar: return true;
    default: return false;
    }
}

/* A variable, a member, or what a kernel is given. */
static bool is_variable(const rewriter *rw, CXCursor declared) {
    enum CXCursorKind kind = clang_getCursorKind(declared);
    return kind == CXCursor_VarDecl || kind == CXCursor_FieldDecl ||
           (kind == CXCursor_ParmDecl &&
            rw_is_kernel(rw->arena, clang_getCursorSemanticParent(declared)));
}

CXCursor rw_opened_bytes(const rewriter *rw, CXCursor cast) {
    CXType to = rw_value_type(clang_getCursorType(cast));
    if (!rw->with_host || !rw_is_cast(cast) || to.kind != CXType_Pointer ||
        !rw_laid_record_of(rw, clang_getPointeeType(to)))
        return clang_getNullCursor();
    CXCursor named = clang_getCursorReferenced(rw_bare(rw->arena, rw_last_child(rw->arena, cast)));
    return is_variable(rw, named) && rw_points_to_bytes(clang_getCursorType(named))
               ? named
               : clang_getNullCursor();
}

/* ---- values ------------------------------------------------------------------------- */

static record_value no_value(void) { return (record_value){.depth = -1}; }

/* A conversion that the compiler adds: to const, or to what is not laid out any more. */
static record_value converted(const rewriter *rw, CXCursor e, record_value inner) {
    CXType type = clang_getCursorType(e);
    if (inner.depth == 1 && rw_points_to_bytes(type) &&
        rw_points_to_bytes(clang_getCursorType(rw_only_child(rw->arena, e))))
        return inner; /* of a variable that is declared so (rw_opened_bytes()) */
    if (inner.depth < 1 || rw_value_type(type).kind == CXType_Dependent ||
        (rw->with_host && type.kind == CXType_Invalid)) /* in a template, (value) behind a member */
        return inner;
    if (rw_pointer_depth(type) != inner.depth)
        return no_value();
    bool keeps_space = inner.what.in == SPACE_CONSTANT
                           ? rw_target_is(rw, type, "__constant")
                           : rw_target_is(rw, type, "__global") ||
                                 rw_target_is(rw, type, "__generic"); /* followed like CUDA C's */
    if (!rw->is_cuda && inner.depth == 1 && !keeps_space)
        return no_value();
    CXType target = rw_value_type(type);
    if (inner.depth == 1 && inner.what.field < 0 && target.kind == CXType_Pointer &&
        !rw_is_dependent(target) &&
        rw_laid_record_of(rw, clang_getPointeeType(target)) != inner.what.of)
        return no_value();
    return inner;
}

/* A member of an instance of a class template is that of the template, where it leads to records
 * there. */
static CXCursor member_of_pattern(const rewriter *rw, CXCursor member) {
    CXCursor pattern = clang_getSpecializedCursorTemplate(clang_getCursorSemanticParent(member));
    if (clang_Cursor_isNull(pattern))
        return member;
    hd_cursors inside = {0};
    if (rw_laid_record_of(rw, rw_innermost(clang_getCursorType(member))))
        inside = hd_cursor_children(rw->arena, pattern);
    for (size_t i = 0; i < inside.count; i++)
        if (clang_getCursorKind(inside.data[i]) == CXCursor_FieldDecl &&
            !strcmp(rw_spelling(rw->arena, inside.data[i]), rw_spelling(rw->arena, member)))
            return inside.data[i];
    return clang_getNullCursor();
}

CXCursor rw_holder_of(const rewriter *rw, CXCursor e) {
    CXCursor named = clang_getNullCursor();
    enum CXCursorKind of = clang_getCursorKind(e);
    if (rw->follows_handles)
        return of == CXCursor_CallExpr ? e
               : of == CXCursor_DeclRefExpr || of == CXCursor_MemberRefExpr
                   ? clang_getCursorReferenced(e)
                   : named;
    if (clang_getCursorKind(e) == CXCursor_DeclRefExpr) {
        named = clang_getCursorReferenced(e);
        enum CXCursorKind kind = clang_getCursorKind(named);
        return kind == CXCursor_VarDecl || kind == CXCursor_ParmDecl ? named
                                                                     : clang_getNullCursor();
    }
    if (rw->with_host && clang_getCursorKind(e) == CXCursor_MemberRefExpr) {
        named = clang_getCursorReferenced(e);
        return clang_getCursorKind(named) == CXCursor_FieldDecl &&
                       rw_has_pointer(clang_getCursorType(named))
                   ? member_of_pattern(rw, named)
                   : clang_getNullCursor();
    }
    if (clang_getCursorKind(e) == CXCursor_CallExpr && !rw_is_plain_copy(rw->arena, e))
        named = rw_callee(rw->arena, e);
    return !clang_Cursor_isNull(named) && rw_has_pointer(clang_getCursorResultType(named))
               ? clang_getCanonicalCursor(named)
               : clang_getNullCursor();
}

/* In a template, where a device function takes or returns what depends on its parameters: that is one
 * type in all (instance.c). */
static bool is_open(const rewriter *rw, CXCursor function, CXType type) {
    return rw_is_dependent(type) && rw_is_device_function(rw->arena, function);
}

bool rw_is_of_another(const rewriter *rw, CXCursor e, CXCursor holder) {
    return rw->with_host && clang_getCursorKind(e) == CXCursor_CallExpr &&
           rw_is_dependent(rw_held_type(holder)) && !is_open(rw, holder, clang_getCursorType(e)) &&
           !rw_laid_record_of(rw, rw_innermost(clang_getCursorType(e)));
}

bool rw_is_given_another(const rewriter *rw, CXCursor parameter, CXCursor argument) {
    CXType given = clang_getCursorType(argument);
    return rw->with_host && rw_is_dependent(clang_getCursorType(parameter)) &&
           !is_open(rw, clang_getCursorSemanticParent(parameter), given) &&
           !rw_laid_record_of(rw, rw_innermost(given));
}

hd_cursors rw_carriers_of(const rewriter *rw, CXCursor e) {
    hd_cursors inside = hd_cursor_children(rw->arena, e);
    bool is_one = inside.count == 1, are_two = inside.count == 2;
    /* In a sum or p[i], 0[p] the pointer stands on either side; in a template it may have no type. */
    size_t pointer = are_two && !rw_pointer_depth(clang_getCursorType(inside.data[0])) &&
                     (!rw_is_dependent(clang_getCursorType(inside.data[0])) ||
                      rw_pointer_depth(clang_getCursorType(inside.data[1])));
    size_t first = 0, count = 0;
    switch (clang_getCursorKind(e)) {
    case CXCursor_ParenExpr:
    case CXCursor_UnexposedExpr: count = is_one; break;
    case CXCursor_UnaryOperator: {
        enum CXUnaryOperatorKind kind = clang_getCursorUnaryOperatorKind(e);
        bool leads = kind == CXUnaryOperator_Deref || kind == CXUnaryOperator_AddrOf;
        count = is_one && (leads || rw_is_change(e));
        break;
    }
    case CXCursor_BinaryOperator:
    case CXCursor_CompoundAssignOperator:
        switch (clang_getCursorBinaryOperatorKind(e)) {
        case CXBinaryOperator_Comma: first = 1, count = are_two; break;
        case CXBinaryOperator_Add:
        case CXBinaryOperator_Sub:
            first = pointer;
            count = are_two && may_point(clang_getCursorType(e));
            break;
        case CXBinaryOperator_Assign:
        case CXBinaryOperator_AddAssign:
        case CXBinaryOperator_SubAssign: count = are_two; break;
        default: break;
        }
        break;
    case CXCursor_ArraySubscriptExpr: first = pointer, count = are_two; break;
    case CXCursor_ConditionalOperator: /* in C a choice of elements is a value */
        first = 1;
        count = inside.count == 3 &&
                        (rw->is_cuda || rw->follows_handles || may_point(clang_getCursorType(e)))
                    ? 2
                    : 0;
        break;
    case CXCursor_InitListExpr: count = inside.count; break;
    default:
        if (rw_is_cast(e) && inside.count) {
            first = inside.count - 1;
            count = rw->follows_handles || keeps_record(rw, e, inside.data[first]) ||
                    !clang_Cursor_isNull(rw_opened_bytes(rw, e));
        } else {
            count = rw->follows_handles && is_one;
        }
    }
    inside.data = count ? inside.data + first : NULL;
    inside.count = count;
    return inside;
}

/* buffer + n, buffer[n], *buffer of a variable that is declared as bytes: no number of elements. */
static bool counts_bytes(const rewriter *rw, CXCursor e, const hd_cursors *parts) {
    enum CXCursorKind kind = clang_getCursorKind(e);
    bool counts = kind == CXCursor_ArraySubscriptExpr || kind == CXCursor_UnaryOperator ||
                  kind == CXCursor_CompoundAssignOperator ||
                  (kind == CXCursor_BinaryOperator &&
                   clang_getCursorBinaryOperatorKind(e) != CXBinaryOperator_Assign &&
                   clang_getCursorBinaryOperatorKind(e) != CXBinaryOperator_Comma);
    return rw->with_host && counts && parts->count &&
           rw_points_to_bytes(clang_getCursorType(parts->data[0]));
}

record_value rw_record_value_of(const rewriter *rw, CXCursor e) {
    enum CXCursorKind kind = clang_getCursorKind(e);
    enum CXUnaryOperatorKind unary = clang_getCursorUnaryOperatorKind(e);
    if (!clang_isExpression(kind) || kind == CXCursor_InitListExpr ||
        (kind == CXCursor_CXXReinterpretCastExpr && clang_Cursor_isNull(rw_opened_bytes(rw, e))))
        return no_value();
    if (rw->with_host && rw_is_moved(rw, e))
        return rw_record_value_of(rw, clang_Cursor_getArgument(e, 0));
    const laid_record *vectors = rw_unwrapped_record(rw, e);
    if (vectors) {
        pointee what = rw_pointee_of(rw, vectors->declaration);
        return what.of ? (record_value){what, 1} : no_value();
    }
    CXCursor holder = rw_holder_of(rw, e);
    if (!clang_Cursor_isNull(holder) && rw_is_of_another(rw, e, holder))
        return no_value();
    if (!clang_Cursor_isNull(holder)) {
        pointee what = rw_pointee_of(rw, holder);
        return what.of ? (record_value){what, rw_pointer_depth(rw_held_type(holder))} : no_value();
    }
    hd_cursors parts = rw_carriers_of(rw, e);
    record_value v = no_value();
    for (size_t i = 0; i < parts.count && v.depth < 0; i++)
        v = rw_record_value_of(rw, parts.data[i]);
    if (v.depth < 0)
        return v;
    if (kind == CXCursor_UnexposedExpr)
        return converted(rw, e, v);
    if (v.depth == 1 && unary != CXUnaryOperator_AddrOf && counts_bytes(rw, e, &parts))
        return no_value();
    if (unary == CXUnaryOperator_AddrOf)
        v.depth++;
    else if (unary == CXUnaryOperator_Deref || kind == CXCursor_ArraySubscriptExpr)
        v.depth--;
    else if (kind == CXCursor_UnaryOperator || kind == CXCursor_BinaryOperator ||
             kind == CXCursor_CompoundAssignOperator)
        v = v.depth > 0 ? v : no_value();
    return v;
}
