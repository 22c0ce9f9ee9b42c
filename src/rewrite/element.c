/* Whole elements, assignments to them, and operators that take pointers and give numbers. */
#include "internal.h"

/* ---- elements ------------------------------------------------------------------------ */

void rw_walk_value(rewriter *rw, const frame *at, const record_value *v) {
    enum CXCursorKind kind = clang_getCursorKind(at->cursor);
    accessors *f = rw_accessors_of(v);
    const frame *up = rw_around(at);
    if (v->depth == 1 && rw_edit_test(rw, at, v))
        return;
    if (v->depth > 0 && (rw_is_unused(rw, at) || rw_is_launch_argument(rw, at->cursor))) {
        rw_edit_reference(rw, at);
    } else if (v->depth > 0) {
        rw_refuse_misplaced(rw, at, v);
    } else if (kind == CXCursor_UnexposedExpr || kind == CXCursor_ParenExpr ||
               kind == CXCursor_ConditionalOperator) {
        rw_walk_children(rw, at);
    } else if (up && clang_getCursorBinaryOperatorKind(up->cursor) == CXBinaryOperator_PtrMemD) {
        rw_refuse(rw, at->cursor,
                  "this element is used with a pointer to a member, which does not say what field "
                  "that is; name the field");
    } else if (v->what.field < 0) {
        f->loads = true;
        rw_edit_position(rw, at->cursor, at, v, "", f->load, ")");
    } else {
        rw_edit_position(rw, at->cursor, at, v, "(*", f->fields[v->what.field], "))");
    }
}

/* ---- the order of what an assignment does ---------------------------------------------- */

static bool mentions(rewriter *rw, CXCursor e, CXCursor changed) {
    if (clang_getCursorKind(e) == CXCursor_DeclRefExpr &&
        clang_equalCursors(clang_getCursorReferenced(e), changed))
        return true;
    cursors inside = rw_children(rw->arena, e);
    for (size_t i = 0; i < inside.count; i++)
        if (mentions(rw, inside.data[i], changed))
            return true;
    return false;
}

/* True when `e` changes a variable that `other` mentions. */
static bool interferes(rewriter *rw, CXCursor e, CXCursor other) {
    cursors inside = rw_children(rw->arena, e);
    bool changes =
        rw_is_change(e) || clang_getCursorBinaryOperatorKind(e) == CXBinaryOperator_Assign;
    CXCursor changed = clang_getNullCursor();
    if (changes && inside.count)
        changed = clang_getCursorReferenced(rw_bare(rw->arena, inside.data[0]));
    if (!clang_Cursor_isNull(changed) && mentions(rw, other, changed))
        return true;
    for (size_t i = 0; i < inside.count; i++)
        if (interferes(rw, inside.data[i], other))
            return true;
    return false;
}

bool rw_edit_store(rewriter *rw, const frame *at, CXCursor target, CXCursor value) {
    record_value v = rw_record_value_of(rw, target);
    cursors sides = {0};
    range whole, ranges[2];
    draft d = {0};
    if (v.depth != 0 || v.what.field >= 0)
        return false;
    hd_push(rw->arena, &sides, target);
    hd_push(rw->arena, &sides, value);
    if (!rw_ranges_of(rw, at->cursor, &sides, &whole, ranges) || ranges[0].begin != whole.begin ||
        ranges[1].end != whole.end || !rw_is_between(rw, ranges[0], "=", ranges[1])) {
        rw_refuse_macro(rw, at->cursor);
        return true;
    }
    /* C++ computes the value of p[n++] = f(n) first; arguments of a function have no order. */
    if (rw->is_cuda && (interferes(rw, target, value) || interferes(rw, value, target)))
        rw_refuse(rw, at->cursor,
                  "one side of this assignment of an element changes a variable that the other "
                  "side uses; change it in a statement of its own");
    accessors *f = rw_accessors_of(&v);
    frame left = {target, at};
    f->stores = true;
    f->store_is_value |= !rw_is_unused(rw, at);
    rw_draft_text(rw, &d, "%s%s(", v.what.of->scope, f->store);
    rw_draft_position(rw, &d, &left, &v);
    rw_draft_text(rw, &d, ", ");
    rw_draft_old(rw, &d, ranges[1]);
    rw_draft_text(rw, &d, ")");
    rw_edit(rw, whole, &d);
    rw_walk_child(rw, at, value);
    return true;
}

/* ---- operators that take pointers and give numbers ----------------------------------- */

/* q < p and q - p: pointers into the same array differ by their indices. Equal ones may lead into
 * different arrays. */
static bool edit_comparison(rewriter *rw, const frame *at, const cursors *sides) {
    enum CXBinaryOperatorKind kind = clang_getCursorBinaryOperatorKind(at->cursor);
    bool compares = kind >= CXBinaryOperator_LT && kind <= CXBinaryOperator_NE;
    record_value a = rw_record_value_of(rw, sides->data[0]),
                 b = rw_record_value_of(rw, sides->data[1]);
    range whole, ranges[2];
    draft d = {0};
    if (!compares && kind != CXBinaryOperator_Sub)
        return false;
    if (a.depth != 1 || b.depth != 1 || a.what.of != b.what.of || a.what.field != b.what.field)
        return false;
    if (!rw_ranges_of(rw, at->cursor, sides, &whole, ranges) ||
        rw_token_from(&rw->src, ranges[0].end) + 1 != rw_token_at(&rw->src, ranges[1].begin)) {
        rw_refuse_macro(rw, at->cursor);
        return true;
    }
    frame left = {sides->data[0], at}, right = {sides->data[1], at};
    if (kind == CXBinaryOperator_EQ || kind == CXBinaryOperator_NE) {
        accessors *f = rw_accessors_of(&a);
        f->compares = true;
        rw_draft_text(rw, &d, "%s%s%s(", kind == CXBinaryOperator_NE ? "!" : "", a.what.of->scope,
                      f->same);
        rw_draft_reference(rw, &d, &left);
        rw_draft_text(rw, &d, ", ");
        rw_draft_reference(rw, &d, &right);
        rw_draft_text(rw, &d, ")");
    } else {
        rw_draft_index(rw, &d, &left);
        rw_draft_old(rw, &d, (range){ranges[0].end, ranges[1].begin});
        rw_draft_index(rw, &d, &right);
    }
    rw_edit(rw, whole, &d);
    return true;
}

bool rw_edit_operator(rewriter *rw, const frame *at) {
    cursors sides = rw_children(rw->arena, at->cursor);
    if (sides.count != 2)
        return false;
    if (clang_getCursorBinaryOperatorKind(at->cursor) == CXBinaryOperator_Assign)
        return rw_edit_store(rw, at, sides.data[0], sides.data[1]);
    return rw_edit_null_test(rw, at) || edit_comparison(rw, at, &sides);
}

/* sizeof of an element; its operand is not evaluated, so what it is made of just goes. */
bool rw_edit_sizeof(rewriter *rw, const frame *at) {
    CXCursor operand = rw_only_child(rw->arena, at->cursor);
    range whole;
    if (clang_Cursor_isNull(operand))
        return false;
    record_value v = rw_record_value_of(rw, operand);
    if (v.depth != 0 || v.what.field >= 0)
        return false;
    if (!rw_begins_with(rw, at->cursor, "sizeof") || !rw_range_of(&rw->src, at->cursor, &whole)) {
        rw_refuse_macro(rw, at->cursor);
        return true;
    }
    rw_edit_text(rw, whole,
                 hd_format(rw->arena, "sizeof(%s%s)", v.what.of->scope, v.what.of->spelling));
    for (size_t i = rw_token_from(&rw->src, whole.begin);
         i < rw->src.token_count && rw->src.tokens[i].at.begin < whole.end; i++)
        hd_push(rw->arena, &rw->seen, rw->src.tokens[i].at.begin);
    return true;
}
