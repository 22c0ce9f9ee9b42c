/*
 * Expressions: what becomes of pointers to laid-out records, and of whole elements.
 *
 * A pointer becomes a reference, and what moves a pointer moves a reference:
 *
 *     p + i, &p[i]     R_at(p_ref, i)          q = c ? p : q     q = c ? p_ref : q
 *     q++;             q.index++;              q == p            q.index == p_ref.index
 *     *q++             (q.index += 1, q), -1   q - p             q.index - p_ref.index
 *
 * Each makes edits of its own; the text of what it is made of is a part of them. Every bracket,
 * dot and operator must stand in the text itself. Where a macro makes it, rw_refuse_macro() asks
 * for the macro to be expanded.
 */
#include "internal.h"

bool rw_is_between(const rewriter *rw, range before, const char *word, range behind) {
    size_t t = rw_token_from(&rw->src, before.end);
    return rw_token_is(&rw->src, t, word) && rw_token_at(&rw->src, behind.begin) == t + 1;
}

/* The text between two places, without blanks at its ends; a comment behind the
 * last token stays, with what ends it. */
static range trimmed(const source *src, unsigned begin, unsigned end) {
    size_t last = rw_token_from(src, end);
    unsigned stop = last ? src->tokens[last - 1].at.end : end;
    for (unsigned i = stop; i < end; i++)
        if (!strchr(" \t\r\n", src->text[i]))
            stop = end;
    while (begin < stop && strchr(" \t\r\n", src->text[begin]))
        begin++;
    return (range){begin, stop};
}

bool rw_index_text(const rewriter *rw, range base, range *text) {
    const source *src = &rw->src;
    size_t open = rw_token_from(src, base.end);
    size_t close = rw_token_is(src, open, "[") ? rw_token_matching(src, open) : src->token_count;
    if (close >= src->token_count)
        return false;
    *text = trimmed(src, src->tokens[open].at.end, src->tokens[close].at.begin);
    return true;
}

bool rw_ranges_of(rewriter *rw, CXCursor whole, const hd_cursors *parts, range *at, range *ranges) {
    bool found = rw_range_of(&rw->src, whole, at);
    for (size_t i = 0; i < parts->count && found; i++)
        found = rw_range_of(&rw->src, parts->data[i], &ranges[i]) && at->begin <= ranges[i].begin &&
                ranges[i].end <= at->end;
    return found;
}

/* ---- names ------------------------------------------------------------------------------- */

/* Text of a name's reference; NULL: a macro makes the name. */
static const char *name_text(rewriter *rw, CXCursor name, range *at) {
    CXCursor declaration = clang_getCursorReferenced(name);
    pointee what = rw_pointee_of(rw, declaration);
    bool found = rw_range_of(&rw->src, name, at);
    size_t t = found ? rw_token_at(&rw->src, at->begin) : rw->src.token_count;
    if (!rw_token_is(&rw->src, t, rw_spelling(rw->arena, name)) ||
        rw->src.tokens[t].at.end != at->end) {
        rw_refuse_macro(rw, name);
        return NULL;
    }
    hd_push(rw->arena, &rw->seen, at->begin);
    return rw_reference_name(rw, declaration, &what);
}

static void edit_name(rewriter *rw, CXCursor name) {
    range at;
    const char *text = name_text(rw, name, &at);
    if (text && strcmp(text, rw_spelling(rw->arena, name)) != 0)
        rw_edit_text(rw, at, text);
}

static const flat_node *flat_node_of(const rewriter *rw, CXCursor e) {
    range at;
    flat_spot spot;
    bool found = rw_range_of(&rw->src, e, &at) && rw_flat_spot(rw->flat, at, &spot);
    return found ? spot.node : NULL;
}

/* True for the argument of a macro whose body makes the rest of the expression: it has to become
 * a reference where it stands. */
static bool is_apart(const rewriter *rw, const frame *at) {
    return flat_node_of(rw, at->cursor) != flat_node_of(rw, at->up->cursor);
}

/* Inside of conversions that the compiler adds. */
static CXCursor converted(rewriter *rw, CXCursor e) {
    while (clang_getCursorKind(e) == CXCursor_UnexposedExpr)
        e = rw_only_child(rw->arena, e);
    return e;
}

void rw_draft_reference(rewriter *rw, draft *d, const frame *at) {
    CXCursor bare = converted(rw, at->cursor);
    range whole;
    bool apart = at->up && is_apart(rw, at);
    if (!apart && clang_getCursorKind(bare) == CXCursor_DeclRefExpr) {
        const char *text = name_text(rw, bare, &whole);
        rw_draft_text(rw, d, "%s", text ? text : "");
        return;
    }
    rw_edit_reference(rw, at);
    if (rw_range_of(&rw->src, at->cursor, &whole))
        rw_draft_old(rw, d, whole);
}

/* ---- positions: a reference and an index ---------------------------------------------------- */

static void add_index(rewriter *rw, draft *d, const frame *at, CXCursor index, range text,
                      bool negative) {
    bool comma = clang_getCursorBinaryOperatorKind(index) == CXBinaryOperator_Comma;
    if (negative)
        rw_draft_text(rw, d, "-(%s)", rw->is_cuda ? "long long" : "long");
    if (negative || comma)
        rw_draft_text(rw, d, "(");
    rw_draft_old(rw, d, text);
    if (negative || comma)
        rw_draft_text(rw, d, ")");
    rw_walk_child(rw, at, index);
}

/* pointer + index, index + pointer, pointer - index */
static void add_sum(rewriter *rw, draft *d, const frame *at) {
    hd_cursors operands = hd_cursor_children(rw->arena, at->cursor);
    range whole, ranges[2];
    bool minus = clang_getCursorBinaryOperatorKind(at->cursor) == CXBinaryOperator_Sub;
    int p = rw_record_value_of(rw, operands.data[0]).depth > 0 ? 0 : 1;
    if (!rw_ranges_of(rw, at->cursor, &operands, &whole, ranges) ||
        !rw_is_between(rw, ranges[0], minus ? "-" : "+", ranges[1])) {
        rw_refuse_macro(rw, at->cursor);
        return;
    }
    frame pointer = {operands.data[p], at};
    rw_draft_reference(rw, d, &pointer);
    rw_draft_text(rw, d, ", ");
    add_index(rw, d, at, operands.data[1 - p], ranges[1 - p], minus);
}

static void add_subscript(rewriter *rw, draft *d, const frame *at) {
    hd_cursors operands = hd_cursor_children(rw->arena, at->cursor);
    const source *src = &rw->src;
    range whole, ranges[2];
    bool found = operands.count == 2 && rw_ranges_of(rw, at->cursor, &operands, &whole, ranges);
    size_t open = found ? rw_token_from(src, ranges[0].end) : src->token_count;
    size_t close = found ? rw_token_ending(src, whole.end) : src->token_count;
    if (!rw_token_is(src, open, "[") || rw_token_matching(src, open) != close) {
        rw_refuse_macro(rw, at->cursor);
        return;
    }
    range inside = trimmed(src, src->tokens[open].at.end, src->tokens[close].at.begin);
    int p = rw_record_value_of(rw, operands.data[0]).depth > 0 ? 0 : 1;
    frame pointer = {operands.data[p], at};
    rw_draft_reference(rw, d, &pointer);
    rw_draft_text(rw, d, ", ");
    add_index(rw, d, at, operands.data[1 - p], p ? ranges[0] : inside, false);
}

/* True when an expression can be named twice. */
static bool is_simple(rewriter *rw, CXCursor e) {
    e = rw_bare(rw->arena, e);
    hd_cursors inside = hd_cursor_children(rw->arena, e);
    switch (clang_getCursorKind(e)) {
    case CXCursor_DeclRefExpr:
    case CXCursor_IntegerLiteral: return true;
    case CXCursor_ArraySubscriptExpr:
        return inside.count == 2 && is_simple(rw, inside.data[0]) && is_simple(rw, inside.data[1]);
    case CXCursor_UnaryOperator:
        return clang_getCursorUnaryOperatorKind(e) == CXUnaryOperator_Deref && inside.count == 1 &&
               is_simple(rw, inside.data[0]);
    default: return false;
    }
}

/* Parts of q++, --q and q += n: the pointer, and what is behind or before it. */
typedef struct change {
    CXCursor pointer, by; /* by: null for ++ and -- */
    range by_at;
    bool minus, is_post;
} change;

static bool read_change(rewriter *rw, CXCursor e, change *c) {
    hd_cursors operands = hd_cursor_children(rw->arena, e);
    range whole, ranges[2];
    enum CXUnaryOperatorKind kind = clang_getCursorUnaryOperatorKind(e);
    bool found = operands.count >= 1 && operands.count <= 2 &&
                 rw_ranges_of(rw, e, &operands, &whole, ranges);
    if (!found)
        return false;
    *c = (change){.pointer = operands.data[0], .by = clang_getNullCursor()};
    if (operands.count == 2) {
        c->by = operands.data[1];
        c->by_at = ranges[1];
        c->minus = clang_getCursorBinaryOperatorKind(e) == CXBinaryOperator_SubAssign;
        return rw_is_between(rw, ranges[0], c->minus ? "-=" : "+=", ranges[1]);
    }
    c->is_post = kind == CXUnaryOperator_PostInc || kind == CXUnaryOperator_PostDec;
    c->minus = kind == CXUnaryOperator_PostDec || kind == CXUnaryOperator_PreDec;
    size_t sign =
        c->is_post ? rw_token_from(&rw->src, ranges[0].end) : rw_token_at(&rw->src, whole.begin);
    return rw_token_is(&rw->src, sign, c->minus ? "--" : "++");
}

bool rw_is_change(CXCursor e) {
    switch (clang_getCursorUnaryOperatorKind(e)) {
    case CXUnaryOperator_PostInc:
    case CXUnaryOperator_PostDec:
    case CXUnaryOperator_PreInc:
    case CXUnaryOperator_PreDec: return true;
    default: return clang_getCursorKind(e) == CXCursor_CompoundAssignOperator;
    }
}

void rw_draft_index(rewriter *rw, draft *d, const frame *pointer) {
    enum CXCursorKind kind = clang_getCursorKind(converted(rw, pointer->cursor));
    bool wrap = kind == CXCursor_UnaryOperator || kind == CXCursor_CStyleCastExpr ||
                kind == CXCursor_ConditionalOperator;
    CXCursor named = clang_getCursorReferenced(converted(rw, pointer->cursor));
    bool is_array = kind == CXCursor_DeclRefExpr && rw_is_named_array(rw, named);
    if (is_array) { /* which has no index itself */
        pointee what = rw_pointee_of(rw, named);
        rw_draft_text(rw, d, "%s%s", what.of->scope, what.of->accessors[what.in].ref);
        wrap = true;
    }
    if (wrap)
        rw_draft_text(rw, d, "(");
    rw_draft_reference(rw, d, pointer);
    rw_draft_text(rw, d, wrap ? ").index" : ".index");
}

static void add_change(rewriter *rw, draft *d, const frame *at, const change *c) {
    frame pointer = {c->pointer, at};
    if (rw_refuse_shared(rw, c->pointer))
        return;
    rw_draft_index(rw, d, &pointer);
    rw_draft_text(rw, d, c->minus ? " -= " : " += ");
    if (clang_Cursor_isNull(c->by)) {
        rw_draft_text(rw, d, "1");
    } else {
        rw_draft_old(rw, d, c->by_at);
        rw_walk_child(rw, at, c->by);
    }
}

/* "(q.index += 1, q)": the pointer after the change. */
static void add_changed(rewriter *rw, draft *d, const frame *at, const change *c) {
    frame pointer = {c->pointer, at};
    if (!is_simple(rw, c->pointer)) {
        rw_refuse(rw, c->pointer,
                  "this pointer to laid-out records is changed and used at once; change it in a "
                  "statement of its own");
        return;
    }
    rw_draft_text(rw, d, "(");
    add_change(rw, d, at, c);
    rw_draft_text(rw, d, ", ");
    rw_draft_reference(rw, d, &pointer);
    rw_draft_text(rw, d, ")");
}

static void add_target(rewriter *rw, draft *d, const frame *at);

/* The same of a part of an expression. */
static void add_inner_target(rewriter *rw, draft *d, const frame *at) {
    if (!is_apart(rw, at)) {
        add_target(rw, d, at);
        return;
    }
    rw_draft_reference(rw, d, at);
    rw_draft_text(rw, d, ", 0");
}

/* What a pointer points to. */
static void add_target(rewriter *rw, draft *d, const frame *at) {
    CXCursor e = at->cursor;
    CXCursor inner = rw_only_child(rw->arena, e);
    frame child = {inner, at};
    record_value v;
    change c;
    switch (clang_getCursorKind(e)) {
    case CXCursor_UnexposedExpr:
    case CXCursor_ParenExpr: add_inner_target(rw, d, &child); return;
    case CXCursor_UnaryOperator:
        if (clang_getCursorUnaryOperatorKind(e) == CXUnaryOperator_AddrOf) {
            v = rw_record_value_of(rw, inner);
            rw_draft_position(rw, d, &child, &v);
            return;
        }
        if (rw_is_change(e) && read_change(rw, e, &c) && c.is_post) {
            add_changed(rw, d, at, &c);
            rw_draft_text(rw, d, c.minus ? ", 1" : ", -1");
            return;
        }
        break;
    case CXCursor_BinaryOperator:
        if (clang_getCursorBinaryOperatorKind(e) == CXBinaryOperator_Add ||
            clang_getCursorBinaryOperatorKind(e) == CXBinaryOperator_Sub) {
            add_sum(rw, d, at);
            return;
        }
        break;
    default: break;
    }
    bool comma = clang_getCursorBinaryOperatorKind(e) == CXBinaryOperator_Comma;
    rw_draft_text(rw, d, comma ? "(" : "");
    rw_draft_reference(rw, d, at);
    rw_draft_text(rw, d, comma ? "), 0" : ", 0");
}

bool rw_begins_with(rewriter *rw, CXCursor e, const char *word) {
    range at;
    return rw_range_of(&rw->src, e, &at) &&
           rw_token_is(&rw->src, rw_token_at(&rw->src, at.begin), word);
}

/* The position of an expression that is edited whole. */
static void draft_own_position(rewriter *rw, draft *d, const frame *at, const record_value *v) {
    CXCursor e = at->cursor;
    frame child = {rw_only_child(rw->arena, e), at};
    if (v->depth == 1) {
        add_target(rw, d, at);
        return;
    }
    switch (clang_getCursorKind(e)) {
    case CXCursor_UnexposedExpr:
    case CXCursor_ParenExpr: rw_draft_position(rw, d, &child, v); return;
    case CXCursor_ArraySubscriptExpr: add_subscript(rw, d, at); return;
    case CXCursor_UnaryOperator:
        if (!rw_begins_with(rw, e, "*"))
            rw_refuse_macro(rw, e);
        add_inner_target(rw, d, &child);
        return;
    default: /* a reference of C++, or a function that returns one */
        rw_draft_reference(rw, d, at);
        rw_draft_text(rw, d, ", 0");
    }
}

void rw_draft_position(rewriter *rw, draft *d, const frame *at, const record_value *v) {
    if (!is_apart(rw, at)) {
        draft_own_position(rw, d, at, v);
        return;
    }
    rw_draft_reference(rw, d, at);
    rw_draft_text(rw, d, ", 0");
}

/* ---- references ------------------------------------------------------------------------------ */

void rw_edit_position(rewriter *rw, CXCursor whole, const frame *base, const record_value *v,
                      const char *open, const char *name, const char *close) {
    range at;
    draft d = {0};
    if (!rw_range_of(&rw->src, whole, &at)) {
        rw_refuse_macro(rw, whole);
        return;
    }
    rw_draft_text(rw, &d, "%s%s%s(", open, v->what.of->scope, name);
    if (clang_equalCursors(whole, base->cursor))
        draft_own_position(rw, &d, base, v);
    else
        rw_draft_position(rw, &d, base, v);
    rw_draft_text(rw, &d, "%s", close);
    rw_edit(rw, at, &d);
}

static void edit_at(rewriter *rw, const frame *at, const record_value *v) {
    accessors *f = rw_accessors_of(v);
    if (rw_are_numbers(&v->what)) {
        rw_edit_number(rw, at, v, NUMBER_REFERENCE);
        return;
    }
    f->is_used = true;
    rw_edit_position(rw, at->cursor, at, v, "", f->at, ")");
}

/* &*q and &b of a C++ reference b: the pointer itself. */
static void edit_address(rewriter *rw, const frame *at, const record_value *v) {
    CXCursor inner = rw_bare(rw->arena, rw_only_child(rw->arena, at->cursor));
    frame child = {rw_only_child(rw->arena, at->cursor), at};
    range whole;
    draft d = {0};
    if (!rw_begins_with(rw, at->cursor, "&") || !rw_range_of(&rw->src, at->cursor, &whole)) {
        rw_refuse_macro(rw, at->cursor);
    } else if (v->depth > 1) {
        if (!rw_refuse_shared(rw, inner))
            rw_edit_reference(rw, &child);
    } else if (clang_getCursorKind(inner) == CXCursor_DeclRefExpr) {
        frame name = {inner, at};
        rw_draft_reference(rw, &d, &name);
        rw_edit(rw, whole, &d);
    } else {
        edit_at(rw, at, v);
    }
}

static void edit_change(rewriter *rw, const frame *at) {
    change c;
    range whole;
    draft d = {0};
    if (!read_change(rw, at->cursor, &c) || !rw_range_of(&rw->src, at->cursor, &whole)) {
        rw_refuse_macro(rw, at->cursor);
        return;
    }
    frame pointer = {c.pointer, at};
    record_value v = rw_record_value_of(rw, c.pointer);
    if (v.depth == 1 && rw_are_numbers(&v.what)) {
        rw_refuse(rw, at->cursor,
                  "this pointer to numbers of '%s' is moved; keep it where it begins, and index "
                  "from there",
                  v.what.of->record->name);
        return;
    }
    if (v.depth > 1) { /* pointers to pointers move by themselves */
        rw_edit_reference(rw, &pointer);
        if (!clang_Cursor_isNull(c.by))
            rw_walk_child(rw, at, c.by);
        return;
    }
    if (rw_is_unused(rw, at)) {
        add_change(rw, &d, at, &c);
    } else if (c.is_post) {
        rw_accessors_of(&v)->is_used = true;
        rw_draft_text(rw, &d, "%s%s(", v.what.of->scope, rw_accessors_of(&v)->at);
        add_changed(rw, &d, at, &c);
        rw_draft_text(rw, &d, c.minus ? ", 1)" : ", -1)");
    } else {
        add_changed(rw, &d, at, &c);
    }
    rw_edit(rw, whole, &d);
}

/* An operand that is a pointer, or else walked as what it is. */
static void edit_operand(rewriter *rw, const frame *at, CXCursor operand) {
    frame child = {operand, at};
    if (rw_record_value_of(rw, operand).depth >= 0)
        rw_edit_reference(rw, &child);
    else
        rw_walk(rw, &child);
}

/* What is no pointer to laid-out records where one must be. */
static void refuse_source(rewriter *rw, CXCursor value, const pointee *wanted) {
    if (rw_edit_null(rw, value, clang_getCursorType(value), wanted) || rw->has_conflicts)
        return;
    rw_refuse(rw, value,
              "this is no place in an array that came as a parameter (null?); a pointer to "
              "laid-out records always is: write '&p[i]', or keep an index");
}

static void edit_infix(rewriter *rw, const frame *at, const record_value *v) {
    hd_cursors sides = hd_cursor_children(rw->arena, at->cursor);
    enum CXBinaryOperatorKind kind = clang_getCursorBinaryOperatorKind(at->cursor);
    if (kind == CXBinaryOperator_Comma) {
        rw_walk_child(rw, at, sides.data[0]);
        edit_operand(rw, at, sides.data[1]);
    } else if (kind == CXBinaryOperator_Assign) {
        if (rw_refuse_shared(rw, sides.data[0]))
            return;
        edit_operand(rw, at, sides.data[0]);
        if (rw_record_value_of(rw, sides.data[1]).depth < 0)
            refuse_source(rw, sides.data[1], &v->what);
        else
            edit_operand(rw, at, sides.data[1]);
    } else if (v->depth > 1) {
        edit_operand(rw, at, sides.data[0]);
        edit_operand(rw, at, sides.data[1]);
    } else {
        edit_at(rw, at, v);
    }
}

static void edit_choice(rewriter *rw, const frame *at, const record_value *v) {
    hd_cursors parts = hd_cursor_children(rw->arena, at->cursor);
    rw_walk_child(rw, at, parts.data[0]);
    for (size_t i = 1; i < parts.count; i++)
        if (rw_record_value_of(rw, parts.data[i]).depth < 0)
            refuse_source(rw, parts.data[i], &v->what);
        else
            edit_operand(rw, at, parts.data[i]);
}

/* A cast to the same pointer, const or not, goes. */
static void edit_same_cast(rewriter *rw, const frame *at) {
    hd_cursors inside = hd_cursor_children(rw->arena, at->cursor);
    frame child = {inside.data[inside.count - 1], at};
    range whole, inner;
    draft d = {0};
    if (!rw_range_of(&rw->src, at->cursor, &whole) ||
        !rw_range_of(&rw->src, child.cursor, &inner) || inner.begin <= whole.begin) {
        rw_refuse_macro(rw, at->cursor);
        return;
    }
    rw_draft_reference(rw, &d, &child);
    rw_edit(rw, whole, &d);
}

void rw_edit_reference(rewriter *rw, const frame *at) {
    record_value v = rw_record_value_of(rw, at->cursor);
    hd_cursors inside = hd_cursor_children(rw->arena, at->cursor);
    if (v.depth == 0) {
        CXCursor bare = converted(rw, at->cursor);
        frame inner = {bare, at};
        switch (clang_getCursorKind(bare)) {
        case CXCursor_DeclRefExpr: edit_name(rw, bare); return;
        case CXCursor_ConditionalOperator: edit_choice(rw, &inner, &v); return;
        case CXCursor_CallExpr: rw_edit_call(rw, &inner); return;
        case CXCursor_MemberRefExpr: rw_walk_children(rw, &inner); return;
        default: edit_at(rw, &inner, &v);
        }
        return;
    }
    switch (clang_getCursorKind(at->cursor)) {
    case CXCursor_DeclRefExpr: edit_name(rw, at->cursor); break;
    case CXCursor_UnaryOperator:
        if (clang_getCursorUnaryOperatorKind(at->cursor) == CXUnaryOperator_AddrOf)
            edit_address(rw, at, &v);
        else if (rw_is_change(at->cursor))
            edit_change(rw, at);
        else
            edit_operand(rw, at, inside.data[0]);
        break;
    case CXCursor_CompoundAssignOperator: edit_change(rw, at); break;
    case CXCursor_BinaryOperator: edit_infix(rw, at, &v); break;
    case CXCursor_ConditionalOperator: edit_choice(rw, at, &v); break;
    case CXCursor_CallExpr: rw_edit_call(rw, at); break;
    case CXCursor_MemberRefExpr: rw_walk_children(rw, at); break; /* holds a reference itself */
    case CXCursor_CStyleCastExpr:
    case CXCursor_CXXStaticCastExpr:
    case CXCursor_CXXReinterpretCastExpr:
    case CXCursor_CXXConstCastExpr: edit_same_cast(rw, at); break;
    default: /* parentheses, conversions, a[k] of an array of pointers */
        for (size_t i = 0; i < inside.count; i++)
            edit_operand(rw, at, inside.data[i]);
    }
}
