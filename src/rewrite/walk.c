/*
 * The walk over the code: from the outside in, each expression that leads to laid-out records is
 * taken by the form that it is part of.
 *
 *     element = value      R_store(p_ref, i, value)
 *     element.field        (*R_field(p_ref, i)), an lvalue of the field's type
 *     element              R_load(p_ref, i)
 *     f(pointer)           f(p_ref)
 *     R *q = pointer;      R_ref q = p_ref; (local.c)
 *
 * What stands behind a field (an index, a member, a component) stays; methods are called on a copy of
 * the element. A parameter that holds laid-out records takes a reference; functions that the compiler
 * brings may take the address of one value (escape.c).
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
    hd_cursors inside = hd_cursor_children(rw->arena, at->cursor);
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
    hd_cursors inside = hd_cursor_children(rw->arena, statement);
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
            hd_cursors sides = hd_cursor_children(rw->arena, up);
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

/* ---- fields ------------------------------------------------------------------------ */

/* libclang has no name for a member of what depends on a template's parameter, nor for an unnamed
 * struct or union that a member stands in. */
const char *rw_member_name(rewriter *rw, CXCursor member) {
    const char *name = rw_spelling(rw->arena, member);
    range whole;
    bool is_known = *name && (!strchr(name, '(') || !strncmp(name, "operator", 8));
    if (is_known || !rw_range_of(&rw->src, member, &whole))
        return name;
    return rw_token_text(&rw->src, rw_token_ending(&rw->src, whole.end));
}

CXCursor rw_pattern_of(CXCursor declared) {
    CXCursor pattern = clang_getSpecializedCursorTemplate(declared);
    return clang_Cursor_isNull(pattern) ? declared : pattern;
}

/* In a template the record's method of this name, where there is one alone. */
CXCursor rw_member_of(rewriter *rw, CXCursor e, const laid_record *l, const char *name) {
    CXCursor member = clang_getCursorReferenced(e), found = clang_getNullCursor();
    hd_cursors inside = {0};
    if (clang_Cursor_isNull(member) && !clang_Cursor_isNull(l->declaration))
        inside = hd_cursor_children(rw->arena, rw_pattern_of(l->declaration));
    for (size_t i = 0; i < inside.count; i++) {
        if (clang_getCursorKind(inside.data[i]) != CXCursor_CXXMethod ||
            strcmp(rw_spelling(rw->arena, inside.data[i]), name) != 0)
            continue;
        if (!clang_Cursor_isNull(found))
            return member;
        found = inside.data[i];
    }
    return clang_Cursor_isNull(found) ? member : found;
}

static bool edit_field(rewriter *rw, const frame *at) {
    hd_cursors inside = hd_cursor_children(rw->arena, at->cursor);
    if (!inside.count)
        return false;
    frame base = {inside.data[0], at};
    record_value v = rw_record_value_of(rw, base.cursor);
    const char *name = rw_member_name(rw, at->cursor), *why;
    range whole = {0, 0};
    if (v.depth < 0 || v.depth > 1 || v.what.field >= 0)
        return false;
    CXCursor member = rw_member_of(rw, at->cursor, v.what.of, name);
    if (clang_getCursorKind(member) == CXCursor_ConversionFunction) {
        rw_check_method(rw, at->up, member, v.what.of);
        rw_walk(rw, &base);
        return true;
    }
    range text; /* <base> . <name> or <base> -> <name> */
    size_t last = rw->src.token_count;
    if (rw_range_of(&rw->src, at->cursor, &whole) && rw_range_of(&rw->src, base.cursor, &text))
        last = rw_token_ending(&rw->src, whole.end);
    if (!rw_token_is(&rw->src, last, name) || last < 2 || text.begin != whole.begin ||
        (!rw_token_is(&rw->src, last - 1, ".") && !rw_token_is(&rw->src, last - 1, "->")) ||
        rw->src.tokens[last - 2].at.end != text.end)
        return rw_refuse_macro(rw, at->cursor);
    if (clang_getCursorKind(member) == CXCursor_CXXMethod) {
        /* p[i].norm(): a method that changes nothing can work on a copy. */
        accessors *f = rw_accessors_of(&v);
        rw_check_method(rw, at->up, member, v.what.of);
        f->loads = true;
        rw_edit_position(rw, at->cursor, &base, &v, "", f->load,
                         hd_format(rw->arena, ").%s", name));
        return true;
    }
    if (rw_edit_part(rw, at, &base, &v))
        return true;
    int field = rw_field_of_member(rw, v.what.of, member, name);
    if (field < 0) {
        rw_refuse(rw, at->cursor,
                  "'%s' is no field of '%s' itself; give the struct or union that "
                  "holds it a name",
                  name, v.what.of->record->name);
    } else if (rw_field_escapes(rw, at, &why)) {
        rw_refuse(rw, at->cursor, "the address of field '%s' %s", name, why);
    } else {
        bool is_member = v.what.of->types[field].members;
        rw_edit_position(rw, at->cursor, &base, &v, "(*", rw_accessors_of(&v)->fields[field],
                         is_member ? hd_format(rw->arena, ")).%s", name) : "))");
    }
    return true;
}

static void walk_value(rewriter *rw, const frame *at, const record_value *v) {
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
    } else if (up && v->what.field < 0 && rw->is_cuda && rw_is_change(up->cursor) &&
               rw_same_expression(
                   rw_bare(rw->arena, hd_cursor_children(rw->arena, up->cursor).data[0]),
                   rw_bare(rw->arena, at->cursor))) {
        rw_refuse(
            rw, at->cursor,
            "this element is changed by an operator, of which a template does not say what it "
            "does; change its fields, or a copy that is stored");
    } else if (rw_are_numbers(&v->what)) {
        rw_edit_number(rw, at, v, NUMBER_VALUE);
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
    hd_cursors inside = hd_cursor_children(rw->arena, e);
    for (size_t i = 0; i < inside.count; i++)
        if (mentions(rw, inside.data[i], changed))
            return true;
    return false;
}

/* True when `e` changes a variable that `other` mentions. */
static bool interferes(rewriter *rw, CXCursor e, CXCursor other) {
    hd_cursors inside = hd_cursor_children(rw->arena, e);
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

static bool edit_store(rewriter *rw, const frame *at, CXCursor target, CXCursor value) {
    record_value v = rw_record_value_of(rw, target);
    hd_cursors sides = {0};
    range whole, ranges[2];
    draft d = {0};
    if (v.depth != 0 || v.what.field >= 0)
        return false;
    hd_push(rw->arena, &sides, target);
    hd_push(rw->arena, &sides, value);
    if (!rw_ranges_of(rw, at->cursor, &sides, &whole, ranges) || ranges[0].begin != whole.begin ||
        ranges[1].end != whole.end || !rw_is_between(rw, ranges[0], "=", ranges[1]))
        return rw_refuse_macro(rw, at->cursor);
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
static bool edit_comparison(rewriter *rw, const frame *at, const hd_cursors *sides) {
    enum CXBinaryOperatorKind kind = clang_getCursorBinaryOperatorKind(at->cursor);
    bool compares = kind >= CXBinaryOperator_LT && kind <= CXBinaryOperator_NE;
    record_value a = rw_record_value_of(rw, sides->data[0]),
                 b = rw_record_value_of(rw, sides->data[1]);
    range whole, ranges[2];
    draft d = {0};
    if (!compares && kind != CXBinaryOperator_Sub)
        return false;
    bool is_order = kind != CXBinaryOperator_EQ && kind != CXBinaryOperator_NE;
    if (a.depth == 1 && is_order && rw_are_numbers(&a.what))
        return false; /* an index does not say the order of fields */
    if (a.depth != 1 || b.depth != 1 || a.what.of != b.what.of || a.what.field != b.what.field)
        return false;
    if (!rw_ranges_of(rw, at->cursor, sides, &whole, ranges) ||
        rw_token_from(&rw->src, ranges[0].end) + 1 != rw_token_at(&rw->src, ranges[1].begin))
        return rw_refuse_macro(rw, at->cursor);
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

void rw_edit_sizeof(rewriter *rw, range whole, const char *of) {
    rw_edit_text(rw, whole, hd_format(rw->arena, "sizeof(%s)", of));
    for (size_t i = rw_token_from(&rw->src, whole.begin);
         i < rw->src.token_count && rw->src.tokens[i].at.begin < whole.end; i++)
        hd_push(rw->arena, &rw->seen, rw->src.tokens[i].at.begin);
}

/* sizeof of an element; its operand is not evaluated, so what it is made of just goes. */
static bool edit_sizeof(rewriter *rw, const frame *at) {
    CXCursor operand = rw_only_child(rw->arena, at->cursor);
    range whole;
    if (clang_Cursor_isNull(operand))
        return false;
    record_value v = rw_record_value_of(rw, operand);
    CXCursor named = clang_getCursorReferenced(rw_bare(rw->arena, operand));
    bool is_array = v.depth == 1 && rw_is_named_array(rw, named);
    if ((v.depth != 0 && !is_array) || v.what.field >= 0)
        return false;
    if (!rw_begins_with(rw, at->cursor, "sizeof") || !rw_range_of(&rw->src, at->cursor, &whole))
        return rw_refuse_macro(rw, at->cursor);
    const char *count =
        is_array ? hd_format(rw->arena, "[%s::count]",
                             hd_format(rw->arena, "decltype(%s)", rw_spelling(rw->arena, named)))
                 : "";
    rw_edit_sizeof(rw, whole,
                   hd_format(rw->arena, "%s%s%s", v.what.of->scope, v.what.of->spelling, count));
    return true;
}

/* ---- calls ----------------------------------------------------------------------------- */

static void edit_foreign_argument(rewriter *rw, const frame *call, CXCursor argument) {
    frame child = {argument, call};
    CXCursor pointer = argument;
    for (;;) { /* conversions to generic or volatile pointers */
        record_value v = rw_record_value_of(rw, pointer);
        if (v.depth == 1 && v.what.field >= 0 && rw_touches_one_value(rw, call->cursor, argument)) {
            frame inner = {pointer, call}; /* &x[i] of an array that is a field */
            if (rw_are_numbers(&v.what)) {
                rw_edit_number(rw, &inner, &v, NUMBER_ADDRESS);
                return;
            }
            accessors *f = rw_accessors_of(&v);
            f->is_used = true;
            rw_edit_position(rw, pointer, &inner, &v, "", f->fields[v.what.field], ")");
            return;
        }
        CXCursor inside = rw_only_child(rw->arena, pointer);
        if (v.depth >= 0 || clang_getCursorKind(pointer) != CXCursor_UnexposedExpr)
            break;
        pointer = inside;
    }
    rw_walk(rw, &child);
}

static void edit_argument(rewriter *rw, const frame *call, CXCursor argument,
                          const pointee *wanted) {
    frame child = {argument, call};
    record_value v = rw_record_value_of(rw, argument);
    if (v.depth >= 0) {
        rw_edit_reference(rw, &child);
        return;
    }
    if (rw_edit_null(rw, argument, clang_getCursorType(argument), wanted))
        return;
    size_t before = rw->refusals.count;
    rw_walk(rw, &child);
    if (rw->refusals.count == before && !rw->has_conflicts &&
        !rw_is_other_class(rw, clang_getCursorType(argument))) /* which converts to one */
        rw_refuse(rw, argument,
                  "this pointer to '%s' does not come from a parameter; Heddle "
                  "lays out only what kernels are given",
                  wanted->of->record->name);
}

static bool is_argument(CXCursor call, CXCursor child) {
    for (int i = 0; i < clang_Cursor_getNumArguments(call); i++)
        if (rw_same_expression(clang_Cursor_getArgument(call, (unsigned)i), child))
            return true;
    return false;
}

/* An element, given to what is no parameter for places but a reference that is not const. */
static bool may_change_element(rewriter *rw, CXCursor parameter, CXCursor argument) {
    CXType type = clang_getCanonicalType(clang_getCursorType(parameter));
    return type.kind == CXType_LValueReference &&
           !clang_isConstQualifiedType(clang_getPointeeType(type)) &&
           rw_laid_record_of(rw, clang_getPointeeType(type)) &&
           rw_record_value_of(rw, argument).depth == 0;
}

/* What a functor or a lambda takes, by a reference through which it may change elements. */
static bool takes_to_change(const rewriter *rw, CXCursor parameter, const laid_record *l) {
    CXType type = clang_getCanonicalType(clang_getCursorType(parameter));
    CXType target = clang_getPointeeType(type);
    return clang_getCursorKind(parameter) == CXCursor_ParmDecl &&
           type.kind == CXType_LValueReference && !clang_isConstQualifiedType(target) &&
           (rw_is_dependent(target) || rw_laid_record_of(rw, target) == l);
}

/* The first operator() or lambda of the user's that does; a null cursor: none. */
static CXCursor changing_functor(const rewriter *rw, CXCursor at, const laid_record *l) {
    hd_cursors inside = hd_cursor_children(rw->arena, at);
    bool is_called = clang_getCursorKind(at) == CXCursor_LambdaExpr ||
                     (rw_is_function(at) && !strcmp(rw_spelling(rw->arena, at), "operator()"));
    CXCursor found = clang_getNullCursor();
    for (size_t i = 0; i < inside.count && clang_Cursor_isNull(found); i++) {
        if (is_called && takes_to_change(rw, inside.data[i], l))
            return at;
        if (!clang_Location_isInSystemHeader(clang_getCursorLocation(inside.data[i])))
            found = changing_functor(rw, inside.data[i], l);
    }
    return found;
}

/* f(p[i]) in a template whose parameter says what f is: one of the functors that there are. */
static void refuse_functor(rewriter *rw, CXCursor call, CXCursor argument) {
    record_value v = rw_record_value_of(rw, argument);
    CXCursor found = clang_getNullCursor();
    if (v.depth == 0 && v.what.field < 0)
        found = changing_functor(rw, clang_getTranslationUnitCursor(rw->src.unit), v.what.of);
    if (clang_Cursor_isNull(found))
        return;
    hd_place place = rw_place_of(&rw->src, clang_getCursorLocation(found));
    const char *name = v.what.of->spelling;
    rw_refuse(rw, call,
              "what is called here is not known before there is an instance, and takes the "
              "element of '%s' by a reference through which it may change it (%s:%u:%u); "
              "call it on a copy, '%s v = p[i];', and store that",
              name, place.file, place.line, place.column, name);
}

/* A template that is given laid-out records elsewhere, and another type here. From a reference no
 * compiler finds out what it leads to, so such a template is one of that record; where its arguments
 * are written, host code has both. */
static void refuse_another(rewriter *rw, const frame *call, CXCursor callee, CXCursor parameter,
                           const laid_record *l) {
    range at;
    size_t t = rw->src.token_count;
    hd_cursors inside = hd_cursor_children(rw->arena, call->cursor);
    if (inside.count && rw_range_of(&rw->src, inside.data[0], &at))
        t = rw_token_ending(&rw->src, at.end);
    bool says_type = rw_token_is(&rw->src, t, ">") || rw_is_found_out(rw, parameter);
    if (clang_getCursorKind(callee) != CXCursor_FunctionTemplate ||
        (says_type && !rw_is_record_template(rw, parameter, l)))
        return;
    rw_refuse(rw, call->cursor,
              "the template '%s' is given laid-out records '%s' elsewhere, and another type here; "
              "make a function of its own for '%s *'",
              rw_spelling(rw->arena, callee), l->record->name, l->spelling);
}

bool rw_edit_call(rewriter *rw, const frame *at) {
    CXCursor callee = rw_callee(rw->arena, at->cursor);
    hd_cursors inside = hd_cursor_children(rw->arena, at->cursor);
    if (rw_is_plain_copy(rw->arena, at->cursor)) { /* R v = p[i] and p[i] = v of C++ */
        bool assigns =
            clang_getCursorKind(clang_getCursorReferenced(at->cursor)) == CXCursor_CXXMethod;
        if (!assigns || inside.count != 3 || !edit_store(rw, at, inside.data[0], inside.data[2]))
            rw_walk_children(rw, at);
        return true;
    }
    if (rw->is_cuda && (rw_edit_element_call(rw, at) || rw_edit_changing_call(rw, at)))
        return true;
    if (rw->with_host &&
        (rw_edit_set_by_name(rw, at) || rw_edit_memory_call(rw, at) || rw_edit_exchange(rw, at)))
        return true;
    if (!rw->with_host && !clang_Cursor_isNull(callee) && rw_takes_records(rw, callee) &&
        rw_is_kernel(rw->arena, callee))
        return rw_refuse(rw, at->cursor,
                         "the kernel '%s' is called as a function, but its parameters "
                         "change; move its body to a function that both call",
                         rw_spelling(rw->arena, callee));
    for (size_t i = 0; i < inside.count; i++)
        if (!is_argument(at->cursor, inside.data[i]))
            rw_walk_child(rw, at, inside.data[i]);
    bool is_known = !clang_Cursor_isNull(callee);
    hd_cursors parameters = is_known ? rw_parameters(rw->arena, callee) : (hd_cursors){0};
    int count = clang_Cursor_getNumArguments(at->cursor), skip = 0;
    if (is_known)
        skip = (int)rw_first_argument(rw, at->cursor, callee, parameters.count);
    for (int i = 0; i < count; i++) {
        CXCursor argument = clang_Cursor_getArgument(at->cursor, (unsigned)i);
        pointee wanted = {.field = -1};
        if (i >= skip && i - skip < (int)parameters.count)
            wanted = rw_pointee_of(rw, parameters.data[i - skip]);
        if (wanted.of && rw_is_given_another(rw, parameters.data[i - skip], argument)) {
            refuse_another(rw, at, callee, parameters.data[i - skip], wanted.of);
            wanted.of = NULL;
        }
        if (i < skip) { /* p[i] += v, p[i][k] of an operator in the class */
            record_value object = rw_record_value_of(rw, argument);
            if (object.depth == 0)
                rw_check_method(rw, at, callee, object.what.of);
            rw_walk_child(rw, at, argument);
        } else if (!wanted.of && rw_record_value_of(rw, argument).depth == 1 &&
                   rw_takes_any_type(rw, callee, (size_t)(i - skip))) {
            rw_edit_reference(rw, &(frame){argument, at});
        } else if (wanted.of) {
            edit_argument(rw, at, argument, &wanted);
        } else if (i - skip < (int)parameters.count &&
                   may_change_element(rw, parameters.data[i - skip], argument)) {
            rw_refuse(rw, argument,
                      "'%s' takes this element of '%s' by a reference through which it may change "
                      "it; make it a function behind the struct, with parameters '%s &'",
                      rw_spelling(rw->arena, callee),
                      rw_record_value_of(rw, argument).what.of->record->name,
                      rw_record_value_of(rw, argument).what.of->spelling);
        } else {
            if (!is_known)
                refuse_functor(rw, at->cursor, argument);
            edit_foreign_argument(rw, at, argument);
        }
    }
    return true;
}

/* ---- the walk ------------------------------------------------------------------------------ */

/* Pointers to records that come from elsewhere: their bytes are laid out anew all the same when
 * the host passes such an array. */
static bool refuse_foreign(rewriter *rw, const frame *at) {
    pointee what;
    if (!rw_typed_pointee(rw, clang_getCursorType(at->cursor), &what))
        return false;
    if (clang_getCursorKind(at->cursor) == CXCursor_FieldDecl)
        return rw_refuse(rw, at->cursor, "'%s' keeps a pointer to '%s' in a struct; keep an index",
                         rw_spelling(rw->arena, at->cursor), what.of->record->name);
    return rw_refuse(rw, at->cursor,
                     "another pointer is cast to one to '%s', which is then not laid "
                     "out as such; declare the pointer '%s%s *' from the start",
                     what.of->record->name, what.of->accessors[what.in].qualifier,
                     what.of->spelling);
}

/* A cast of one of our own pointers is refused at the pointer, and says more
 * there; (void)p is no use of it. */
static bool edit_cast(rewriter *rw, const frame *at) {
    hd_cursors inside = hd_cursor_children(rw->arena, at->cursor);
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
        !rw_pointee_of(rw, clang_getCanonicalCursor(function->cursor)).of)
        return false;
    frame child = {value, at};
    pointee result = rw_pointee_of(rw, clang_getCanonicalCursor(function->cursor));
    if (rw_record_value_of(rw, value).depth < 0) {
        if (!rw_edit_null(rw, value, clang_getCursorType(value), &result))
            return rw_refuse(
                rw, value,
                "this is returned as a pointer to laid-out records, but leads to none (null?); "
                "return a place in an array that came as a parameter, or an index");
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
    hd_cursors inside = hd_cursor_children(rw->arena, at->cursor);
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
    case CXCursor_MemberRefExpr: return edit_field(rw, at);
    case CXCursor_BinaryOperator: {
        hd_cursors sides = hd_cursor_children(rw->arena, at->cursor);
        if (sides.count != 2)
            return false;
        if (clang_getCursorBinaryOperatorKind(at->cursor) == CXBinaryOperator_Assign)
            return edit_store(rw, at, sides.data[0], sides.data[1]);
        return rw_edit_null_test(rw, at) || edit_comparison(rw, at, &sides);
    }
    case CXCursor_UnaryExpr: return edit_sizeof(rw, at);
    case CXCursor_VarDecl: return rw_edit_declared_alone(rw, at);
    case CXCursor_FieldDecl: return rw_edit_declared_alone(rw, at) || refuse_foreign(rw, at);
    case CXCursor_UnexposedDecl: return refuse_bindings(rw, at);
    case CXCursor_CStyleCastExpr: return edit_cast(rw, at);
    case CXCursor_ReturnStmt: return edit_return(rw, at);
    case CXCursor_LambdaExpr: return edit_lambda(rw, at);
    case CXCursor_InitListExpr: return rw_edit_aggregate(rw, at);
    case CXCursor_DeclRefExpr: rw_check_function_name(rw, at); return false;
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
        walk_value(rw, at, &v);
    else if (!edited(rw, at))
        rw_walk_children(rw, at);
}
