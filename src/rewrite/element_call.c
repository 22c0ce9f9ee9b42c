/*
 * Library functions that copy or exchange whole elements.
 *
 *     memcpy(&p[i], &v, sizeof(R));     R_store(p, i, *(&v));
 *     memcpy(&v, p + i, sizeof v);      *(&v) = R_load(p, i);
 *     std::swap(p[i], q[j]);            R_swap(R_at(p, i), R_at(q, j));
 *
 * A copy of several elements is a refusal: their bytes lie apart.
 */
#include "internal.h"

static bool calls(rewriter *rw, CXCursor call, const char *names) {
    return clang_getCursorKind(call) == CXCursor_CallExpr &&
           hd_has_word(names, rw_spelling(rw->arena, call));
}

/* A pointer to an element, or to a C struct of the same record. */
typedef struct side {
    frame at;
    record_value v;
    range text;
    const laid_record *record; /* that it points to; NULL: bytes, or another type */
} side;

static side side_of(rewriter *rw, const frame *call, unsigned number) {
    CXCursor argument = clang_Cursor_getArgument(call->cursor, number);
    CXCursor bare = rw_behind_casts(rw, argument);
    side s = {.at = {bare, call}, .v = rw_record_value_of(rw, bare)};
    CXType type = clang_getCursorType(bare);
    if (rw_pointer_depth(type) == 1)
        s.record = rw_laid_record_of(rw, rw_target_of(rw_value_type(type)));
    if (!rw_range_of(&rw->src, bare, &s.text))
        s.record = NULL;
    return s;
}

static bool is_element(const side *s) { return s->v.depth == 1 && s->v.what.field < 0; }

/* The element that a side points to, or the struct there. */
static void draft_value(rewriter *rw, draft *d, const side *s) {
    if (!is_element(s)) {
        rw_draft_text(rw, d, "*(");
        rw_draft_old(rw, d, s->text);
        rw_draft_text(rw, d, ")");
        rw_walk(rw, &s->at);
        return;
    }
    rw_accessors_of(&s->v)->loads = true;
    rw_draft_text(rw, d, "%s%s(", s->v.what.of->scope, rw_accessors_of(&s->v)->load);
    rw_draft_position(rw, d, &s->at, &s->v);
    rw_draft_text(rw, d, ")");
}

/* One record, of which one side at least is laid out. */
static bool is_copy_of_one(rewriter *rw, const frame *call, const side *to, const side *from) {
    const laid_record *l = is_element(to) ? to->v.what.of : from->v.what.of;
    long long bytes;
    return (is_element(to) || is_element(from)) && to->record == l && from->record == l &&
           rw_constant_value(clang_Cursor_getArgument(call->cursor, 2), &bytes) &&
           bytes == (long long)hd_record_declared(l->record)->size && rw_is_unused(rw, call);
}

static bool edit_copy(rewriter *rw, const frame *call) {
    if (clang_Cursor_getNumArguments(call->cursor) != 3)
        return false;
    side to = side_of(rw, call, 0), from = side_of(rw, call, 1);
    range whole;
    draft d = {0};
    if (!is_copy_of_one(rw, call, &to, &from))
        return false; /* the walk refuses it, or it is none of laid-out records */
    if (!rw_range_of(&rw->src, call->cursor, &whole))
        return rw_refuse_macro(rw, call->cursor);
    if (is_element(&to)) {
        rw_accessors_of(&to.v)->stores = true;
        rw_draft_text(rw, &d, "%s%s(", to.v.what.of->scope, rw_accessors_of(&to.v)->store);
        rw_draft_position(rw, &d, &to.at, &to.v);
        rw_draft_text(rw, &d, ", ");
        draft_value(rw, &d, &from);
        rw_draft_text(rw, &d, ")");
    } else {
        draft_value(rw, &d, &to);
        rw_draft_text(rw, &d, " = ");
        draft_value(rw, &d, &from);
    }
    for (size_t t = rw_token_from(&rw->src, whole.begin);
         t < rw->src.token_count && rw->src.tokens[t].at.begin < whole.end; t++)
        hd_push(rw->arena, &rw->seen, rw->src.tokens[t].at.begin); /* sizeof(*p) is gone */
    rw_edit(rw, whole, &d);
    return true;
}

static bool edit_swap(rewriter *rw, const frame *call) {
    if (clang_Cursor_getNumArguments(call->cursor) != 2)
        return false;
    frame first = {clang_Cursor_getArgument(call->cursor, 0), call};
    frame second = {clang_Cursor_getArgument(call->cursor, 1), call};
    record_value a = rw_record_value_of(rw, first.cursor),
                 b = rw_record_value_of(rw, second.cursor);
    range whole, ranges[2];
    draft d = {0};
    hd_cursors sides = {0};
    if (a.depth != 0 || b.depth != 0 || a.what.field >= 0 || a.what.of != b.what.of)
        return false;
    hd_push(rw->arena, &sides, first.cursor);
    hd_push(rw->arena, &sides, second.cursor);
    if (!rw_ranges_of(rw, call->cursor, &sides, &whole, ranges))
        return rw_refuse_macro(rw, call->cursor);
    accessors *f = rw_accessors_of(&a);
    f->loads = f->stores = f->swaps = true;
    rw_draft_text(rw, &d, "%s%s(", a.what.of->scope, f->swap);
    for (int i = 0; i < 2; i++) {
        rw_draft_old(rw, &d, ranges[i]);
        rw_draft_text(rw, &d, i ? ")" : ", ");
        rw_edit_reference(rw, i ? &second : &first);
    }
    rw_edit(rw, whole, &d);
    return true;
}

bool rw_edit_element_call(rewriter *rw, const frame *call) {
    CXCursor callee = clang_getCursorReferenced(call->cursor);
    if (clang_Cursor_isNull(callee) ||
        !clang_Location_isInSystemHeader(clang_getCursorLocation(callee)))
        return false;
    if (calls(rw, call->cursor, "memcpy memmove __builtin_memcpy __builtin_memmove"))
        return edit_copy(rw, call);
    return calls(rw, call->cursor, "swap") && edit_swap(rw, call);
}
