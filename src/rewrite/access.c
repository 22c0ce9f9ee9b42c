/*
 * Expressions: how a pointer to a record is taken apart, and what becomes of it.
 *
 * A route is a variable and the steps from it. All of
 *
 *     p   p + i   &p[i]   &*(p + i)   i + p - j
 *
 * are routes, `*route` and `route[i]` are elements, and an element's field is an
 * access. The walk goes from the outside in and looks for, in this order,
 *
 *     sizeof element            sizeof(R)
 *     element = value           R_store(p_ref, i, value)
 *     element.field             (*R_field(p_ref, i))
 *     element                   R_load(p_ref, i)
 *
 * Whatever is left when it meets the bare name of a variable is no form that it
 * knows, and a refusal (function.c). Every bracket, dot and operator of a route
 * must stand in the file itself; a macro may make an index, nothing else.
 */
#include "internal.h"

/* ---- routes ------------------------------------------------------------------- */

static const variable *variable_of(const rewriter *rw, CXCursor name) {
    CXCursor declaration = clang_getCursorReferenced(name);
    for (size_t i = 0; i < rw->variables.count; i++)
        if (clang_equalCursors(rw->variables.data[i].declaration, declaration))
            return &rw->variables.data[i];
    return NULL;
}

static found root_route(rewriter *rw, CXCursor name, route *result) {
    const variable *v = variable_of(rw, name);
    range at;
    if (!v)
        return NOT_OURS;
    result->root = v;
    if (!hd_range_of(&rw->src, name, &at) ||
        !hd_token_is(&rw->src, hd_token_from(&rw->src, at.begin), v->name))
        return IN_MACRO;
    return OURS;
}

/* The text between two places, without blanks at its ends; a comment behind the
 * last token stays, with what ends it. */
static range trimmed(const source *src, unsigned begin, unsigned end) {
    size_t last = hd_token_from(src, end);
    unsigned stop = last ? src->tokens[last - 1].at.end : end;
    for (unsigned i = stop; i < end; i++)
        if (!strchr(" \t\r\n", src->text[i]))
            stop = end;
    while (begin < stop && strchr(" \t\r\n", src->text[begin]))
        begin++;
    return (range){begin, stop};
}

static found add_step(rewriter *rw, route *result, CXCursor index, range text, bool negative) {
    bool comma = clang_getCursorBinaryOperatorKind(index) == CXBinaryOperator_Comma;
    step s = {.index = index, .text = text, .is_negative = negative, .has_comma = comma};
    hd_push(rw->arena, &result->steps, s);
    return OURS;
}

/* pointer + index, index + pointer, pointer - index */
static found sum_route(rewriter *rw, CXCursor sum, route *result) {
    cursors operands = hd_children(rw->arena, sum);
    if (operands.count != 2)
        return NOT_OURS;
    bool negative = clang_getCursorBinaryOperatorKind(sum) == CXBinaryOperator_Sub;
    space in;
    bool left = hd_pointee_of(rw, clang_getCursorType(operands.data[0]), &in) == POINTEE_RECORD;
    CXCursor pointer = operands.data[left ? 0 : 1], index = operands.data[left ? 1 : 0];
    if (hd_pointee_of(rw, clang_getCursorType(index), &in) != POINTEE_OTHER)
        return NOT_OURS;
    found f = hd_pointer_route(rw, pointer, result);
    range a, b;
    if (f != OURS)
        return f;
    if (!hd_range_of(&rw->src, operands.data[0], &a) ||
        !hd_range_of(&rw->src, operands.data[1], &b))
        return IN_MACRO;
    size_t sign = hd_token_from(&rw->src, a.end);
    if (!hd_token_is(&rw->src, sign, negative ? "-" : "+") ||
        hd_token_from(&rw->src, b.begin) != sign + 1)
        return IN_MACRO;
    return add_step(rw, result, index, left ? b : a, negative);
}

static found subscript_route(rewriter *rw, CXCursor subscript, route *result) {
    cursors operands = hd_children(rw->arena, subscript);
    space in;
    if (operands.count != 2 ||
        hd_pointee_of(rw, clang_getCursorType(operands.data[0]), &in) != POINTEE_RECORD)
        return NOT_OURS;
    found f = hd_pointer_route(rw, operands.data[0], result);
    range whole, base;
    if (f != OURS)
        return f;
    if (!hd_range_of(&rw->src, subscript, &whole) ||
        !hd_range_of(&rw->src, operands.data[0], &base))
        return IN_MACRO;
    size_t open = hd_token_from(&rw->src, base.end), close = hd_token_ending(&rw->src, whole.end);
    if (!hd_token_is(&rw->src, open, "[") || hd_token_matching(&rw->src, open) != close)
        return IN_MACRO;
    range text = trimmed(&rw->src, rw->src.tokens[open].at.end, rw->src.tokens[close].at.begin);
    return add_step(rw, result, operands.data[1], text, false);
}

/* Checks that a cursor begins with this token, in the file itself. */
static bool begins_with(const rewriter *rw, CXCursor cursor, const char *text) {
    range at;
    return hd_range_of(&rw->src, cursor, &at) &&
           hd_token_is(&rw->src, hd_token_from(&rw->src, at.begin), text);
}

static found inner_route(rewriter *rw, CXCursor cursor, const char *first_token, route *result,
                         found (*next)(rewriter *, CXCursor, route *)) {
    cursors inside = hd_children(rw->arena, cursor);
    if (inside.count != 1)
        return NOT_OURS;
    found f = next(rw, inside.data[0], result);
    return f == OURS && first_token && !begins_with(rw, cursor, first_token) ? IN_MACRO : f;
}

found hd_pointer_route(rewriter *rw, CXCursor pointer, route *result) {
    space in;
    if (hd_pointee_of(rw, clang_getCursorType(pointer), &in) != POINTEE_RECORD)
        return NOT_OURS;
    switch (clang_getCursorKind(pointer)) {
    case CXCursor_DeclRefExpr:
        return root_route(rw, pointer, result);
    case CXCursor_UnexposedExpr:
        return inner_route(rw, pointer, NULL, result, hd_pointer_route);
    case CXCursor_ParenExpr:
        return inner_route(rw, pointer, "(", result, hd_pointer_route);
    case CXCursor_BinaryOperator:
        switch (clang_getCursorBinaryOperatorKind(pointer)) {
        case CXBinaryOperator_Add:
        case CXBinaryOperator_Sub:
            return sum_route(rw, pointer, result);
        default:
            return NOT_OURS;
        }
    case CXCursor_UnaryOperator:
        if (clang_getCursorUnaryOperatorKind(pointer) == CXUnaryOperator_AddrOf)
            return inner_route(rw, pointer, "&", result, hd_element_route);
        return NOT_OURS;
    default:
        return NOT_OURS;
    }
}

found hd_element_route(rewriter *rw, CXCursor element, route *result) {
    if (!hd_is_record(rw, clang_getCursorType(element)))
        return NOT_OURS;
    switch (clang_getCursorKind(element)) {
    case CXCursor_ParenExpr:
        return inner_route(rw, element, "(", result, hd_element_route);
    case CXCursor_ArraySubscriptExpr:
        return subscript_route(rw, element, result);
    case CXCursor_UnaryOperator:
        if (clang_getCursorUnaryOperatorKind(element) == CXUnaryOperator_Deref)
            return inner_route(rw, element, "*", result, hd_pointer_route);
        return NOT_OURS;
    default:
        return NOT_OURS;
    }
}

/* ---- text of a route ------------------------------------------------------------ */

static void add_steps(rewriter *rw, edit *e, const route *p) {
    if (!p->steps.count)
        hd_edit_text(&rw->src, e, "0");
    for (size_t i = 0; i < p->steps.count; i++) {
        const step *s = &p->steps.data[i];
        bool alone = p->steps.count == 1 && !s->is_negative;
        if (!alone)
            hd_edit_text(&rw->src, e, "%s(long)(",
                         s->is_negative ? (i ? " - " : "-") : (i ? " + " : ""));
        else if (s->has_comma)
            hd_edit_text(&rw->src, e, "(");
        hd_edit_old(&rw->src, e, s->text);
        if (!alone || s->has_comma)
            hd_edit_text(&rw->src, e, ")");
    }
}

void hd_edit_position(rewriter *rw, edit *e, const route *p) {
    hd_edit_text(&rw->src, e, "%s, ", p->root->ref);
    add_steps(rw, e, p);
}

void hd_edit_reference(rewriter *rw, edit *e, const route *p) {
    if (!p->steps.count) {
        hd_edit_text(&rw->src, e, "%s", p->root->ref);
        return;
    }
    hd_edit_text(&rw->src, e, "%s(", rw->families[p->root->in].at);
    hd_edit_position(rw, e, p);
    hd_edit_text(&rw->src, e, ")");
}

static void see_root(rewriter *rw, CXCursor cursor) {
    unsigned offset;
    if (clang_getCursorKind(cursor) == CXCursor_DeclRefExpr && variable_of(rw, cursor) &&
        hd_offset_of(&rw->src, clang_getCursorLocation(cursor), &offset))
        hd_push(rw->arena, &rw->seen, offset);
}

/* The names inside a route's own text are explained by the route; the indices are
 * walked for accesses of their own. */
void hd_walk_steps(rewriter *rw, const frame *at, const route *p) {
    for (size_t i = 0; i < p->steps.count; i++)
        if (clang_equalCursors(at->cursor, p->steps.data[i].index)) {
            hd_walk(rw, at);
            return;
        }
    see_root(rw, at->cursor);
    cursors inside = hd_children(rw->arena, at->cursor);
    for (size_t i = 0; i < inside.count; i++) {
        frame child = {inside.data[i], at};
        hd_walk_steps(rw, &child, p);
    }
}

/* ---- accesses -------------------------------------------------------------------- */

static CXCursor without_parens(rewriter *rw, CXCursor cursor) {
    while (clang_getCursorKind(cursor) == CXCursor_ParenExpr) {
        cursors inside = hd_children(rw->arena, cursor);
        if (inside.count != 1)
            break;
        cursor = inside.data[0];
    }
    return cursor;
}

/* The base of a member access: a pointer left of ->, an element left of a dot. */
static found member_route(rewriter *rw, CXCursor base, route *result) {
    space in;
    if (hd_pointee_of(rw, clang_getCursorType(base), &in) == POINTEE_RECORD)
        return hd_pointer_route(rw, base, result);
    return hd_element_route(rw, base, result);
}

/* True when the file itself says <base> . <name> or <base> -> <name>. */
static bool member_is_plain(const rewriter *rw, CXCursor base, range whole, const char *name) {
    const source *src = &rw->src;
    range b;
    size_t last = hd_token_ending(src, whole.end);
    if (!hd_range_of(src, base, &b) || !hd_token_is(src, last, name) || last < 2)
        return false;
    return (hd_token_is(src, last - 1, ".") || hd_token_is(src, last - 1, "->")) &&
           src->tokens[last - 2].at.end == b.end && b.begin == whole.begin;
}

bool hd_edit_field(rewriter *rw, const frame *at) {
    cursors inside = hd_children(rw->arena, at->cursor);
    route p = {0};
    found f = inside.count ? member_route(rw, inside.data[0], &p) : NOT_OURS;
    if (f == NOT_OURS)
        return false;
    const char *name = hd_spelling(rw->arena, at->cursor), *why;
    int field = hd_record_find(rw->record, name);
    range whole = {0, 0};
    if (f == IN_MACRO || !hd_range_of(&rw->src, at->cursor, &whole) ||
        !member_is_plain(rw, inside.data[0], whole, name)) {
        hd_refuse_macro(rw, at->cursor);
    } else if (field < 0) {
        hd_refuse(rw, at->cursor,
                  "'%s' is no field of '%s' itself; give the struct or union that "
                  "holds it a name",
                  name, rw->record->name);
    } else if (hd_field_escapes(rw, at, &why)) {
        hd_refuse(rw, at->cursor, "the address of field '%s' %s", name, why);
    } else {
        edit *e = hd_edit_new(&rw->src, whole);
        hd_edit_text(&rw->src, e, "(*%s(", rw->families[p.root->in].fields[field]);
        hd_edit_position(rw, e, &p);
        hd_edit_text(&rw->src, e, "))");
        hd_edit_done(&rw->src);
    }
    frame base = {inside.data[0], at};
    hd_walk_steps(rw, &base, &p);
    return true;
}

/* The parent, parentheses left out; a null cursor when there is none. */
static CXCursor parent_of(const frame *at) {
    at = at->up;
    while (at && clang_getCursorKind(at->cursor) == CXCursor_ParenExpr)
        at = at->up;
    return at ? at->cursor : clang_getNullCursor();
}

/* A whole element whose value is used. */
bool hd_edit_element(rewriter *rw, const frame *at) {
    route p = {0};
    range whole = {0, 0};
    found f = hd_element_route(rw, at->cursor, &p);
    if (f == NOT_OURS)
        return false;
    CXCursor parent = parent_of(at);
    if (f == IN_MACRO || !hd_range_of(&rw->src, at->cursor, &whole)) {
        hd_refuse_macro(rw, at->cursor);
    } else if (clang_getCursorUnaryOperatorKind(parent) == CXUnaryOperator_AddrOf) {
        hd_refuse(rw, parent,
                  "the address of an element of '%s' is stored or passed on; pass it "
                  "to a helper function with a parameter '%s %s *', or keep the index",
                  p.root->name, rw->families[p.root->in].qualifier, rw->spelling);
    } else {
        rw->families[p.root->in].loads = true;
        edit *e = hd_edit_new(&rw->src, whole);
        hd_edit_text(&rw->src, e, "%s(", rw->families[p.root->in].load);
        hd_edit_position(rw, e, &p);
        hd_edit_text(&rw->src, e, ")");
        hd_edit_done(&rw->src);
    }
    hd_walk_steps(rw, at, &p);
    return true;
}

static bool value_is_used(const frame *at) {
    CXCursor parent = parent_of(at);
    enum CXCursorKind kind = clang_getCursorKind(parent);
    if (clang_getCursorBinaryOperatorKind(parent) == CXBinaryOperator_Comma)
        return false;
    return clang_isExpression(kind) || clang_isDeclaration(kind) || kind == CXCursor_ReturnStmt;
}

static bool store_is_plain(const rewriter *rw, CXCursor left, CXCursor right, range whole,
                           range *value) {
    range target;
    if (!hd_range_of(&rw->src, left, &target) || !hd_range_of(&rw->src, right, value))
        return false;
    size_t sign = hd_token_from(&rw->src, target.end);
    return target.begin == whole.begin && value->end == whole.end &&
           hd_token_is(&rw->src, sign, "=") && hd_token_from(&rw->src, value->begin) == sign + 1;
}

bool hd_edit_store(rewriter *rw, const frame *at) {
    if (clang_getCursorBinaryOperatorKind(at->cursor) != CXBinaryOperator_Assign)
        return false;
    cursors sides = hd_children(rw->arena, at->cursor);
    route p = {0};
    found f = sides.count == 2 ? hd_element_route(rw, sides.data[0], &p) : NOT_OURS;
    if (f == NOT_OURS)
        return false;
    range whole = {0, 0}, value = {0, 0};
    if (f == IN_MACRO || !hd_range_of(&rw->src, at->cursor, &whole) ||
        !store_is_plain(rw, sides.data[0], sides.data[1], whole, &value)) {
        hd_refuse_macro(rw, at->cursor);
    } else if (value_is_used(at)) {
        hd_refuse(rw, at->cursor,
                  "the value of an assignment to a whole '%s' is used; make it a "
                  "statement of its own",
                  rw->record->name);
    } else {
        rw->families[p.root->in].stores = true;
        edit *e = hd_edit_new(&rw->src, whole);
        hd_edit_text(&rw->src, e, "%s(", rw->families[p.root->in].store);
        hd_edit_position(rw, e, &p);
        hd_edit_text(&rw->src, e, ", ");
        hd_edit_old(&rw->src, e, value);
        hd_edit_text(&rw->src, e, ")");
        hd_edit_done(&rw->src);
    }
    frame left = {sides.data[0], at};
    hd_walk_steps(rw, &left, &p);
    hd_walk_child(rw, at, sides.data[1]);
    return true;
}

/* sizeof of an element; its operand is not evaluated, so its steps just go. */
bool hd_edit_sizeof(rewriter *rw, const frame *at) {
    cursors inside = hd_children(rw->arena, at->cursor);
    route p = {0};
    if (inside.count != 1)
        return false;
    CXCursor operand = without_parens(rw, inside.data[0]);
    if (hd_element_route(rw, operand, &p) == NOT_OURS)
        return false;
    range whole;
    if (!hd_range_of(&rw->src, at->cursor, &whole) || !begins_with(rw, at->cursor, "sizeof")) {
        hd_refuse_macro(rw, at->cursor);
        return true;
    }
    edit *e = hd_edit_new(&rw->src, whole);
    hd_edit_text(&rw->src, e, "sizeof(%s)", rw->spelling);
    hd_edit_done(&rw->src);
    for (size_t t = hd_token_from(&rw->src, whole.begin);
         t < rw->src.token_count && rw->src.tokens[t].at.begin < whole.end; t++)
        hd_push(rw->arena, &rw->seen, rw->src.tokens[t].at.begin);
    return true;
}
