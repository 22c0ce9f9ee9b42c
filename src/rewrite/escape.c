/*
 * Where the address of a field goes.
 *
 * In the original, the bytes behind a field are the next field; in another
 * layout they are not. So the address of a field may only go where no more than
 * that field is reached from it:
 *
 *     p[i].d[k]  *p[i].d  f(p[i].d)  f(&p[i].pos)  inside an array or a struct that
 *                                                moves whole: C's own rule
 *     atomic_add(&p[i].n, 1)  sincos(a, &p[i].c)   functions that touch one value
 *     vload3(0, p[i].d)                            when it ends inside the array
 *
 *     float *d = p[i].d;  return &p[i].pos;      by the same rule
 *     float *x = &p[i].x;  *x += 1;              a variable that is followed
 *
 * and everything else that makes a pointer of it (stored, compared, cast to
 * another size, passed on) escapes. A helper that gets the address, and in C++
 * whatever gets a reference, is followed: each expression around its name is the
 * one value in its place (*q, q[0], r), its address again (&*q, &r, (T *)q), a use
 * of the value, or something that could reach more.
 */
#include <stdlib.h>

#include "internal.h"

/* The state of the climb from the field to the expressions around it. */
typedef struct climb {
    bool is_pointer; /* the value so far is an address */
    bool in_array;   /* it lies in an array field */
    bool is_start;   /* and is that field's first byte */
    bool is_struct;  /* it is the address of a nested struct, which moves whole */
} climb;

/* Functions of the language that touch the one value that they are given the address of. */
static bool is_known(const char *name) {
    static const char names[] =
        "fract modf sincos frexp remquo lgamma_r sincosf modff frexpf remquof sincospi sincospif "
        "__sincosf __ldg __ldcg __ldca __ldcs __ldlu __ldcv __stwb __stcg __stcs __stwt";
    return hd_has_word(names, name) || !strncmp(name, "atomic", 6) || !strncmp(name, "atom_", 5);
}

static bool cast_escapes(CXType from, CXType to) {
    return !rw_is_pointer(to) || clang_Type_getSizeOf(clang_getPointeeType(from)) !=
                                     clang_Type_getSizeOf(clang_getPointeeType(to));
}

/* ---- following one value ------------------------------------------------------------ */

/* What an expression is: the value in its place, of which an address may be taken again and which
 * a reference of C++ may be bound to, or its address. */
typedef enum form { PLACE, ADDRESS } form;

/* A step from an expression to the one around it: that is the value again, or it only uses the
 * value, or more than the value may be reached from it. */
typedef enum step { GOES_ON, ENDS, LEAVES } step;

/* One question. What was looked at once need not be again: where it lets more be reached, the
 * answer is known. */
typedef struct question {
    rewriter *rw;
    hd_cursors seen; /* variables, parameters and functions that hand the value on */
} question;

static bool stays(question *q, const frame *at, form is);
static bool names_stay(question *q, const frame *at, CXCursor declaration, form is);
static bool argument_stays(question *q, CXCursor call, CXCursor argument, form is);

static bool is_new(question *q, CXCursor declaration) {
    for (size_t i = 0; i < q->seen.count; i++)
        if (clang_equalCursors(q->seen.data[i], declaration))
            return false;
    hd_push(q->rw->arena, &q->seen, declaration);
    return true;
}

static step only_if(bool good) { return good ? ENDS : LEAVES; }

static step step_unary(CXCursor up, form *is) {
    switch (clang_getCursorUnaryOperatorKind(up)) {
    case CXUnaryOperator_AddrOf:
        if (*is == ADDRESS)
            return LEAVES;
        *is = ADDRESS;
        return GOES_ON;
    case CXUnaryOperator_Deref:
        if (*is == PLACE)
            return ENDS;
        *is = PLACE;
        return GOES_ON;
    case CXUnaryOperator_PreInc:
    case CXUnaryOperator_PreDec: return *is == PLACE ? GOES_ON : LEAVES;
    default: return only_if(*is == PLACE);
    }
}

/* In C++ an assignment is the place on its left. */
static step step_binary(CXCursor up, bool is_first, form is) {
    bool assigns = clang_getCursorKind(up) == CXCursor_CompoundAssignOperator ||
                   clang_getCursorBinaryOperatorKind(up) == CXBinaryOperator_Assign;
    if (clang_getCursorBinaryOperatorKind(up) == CXBinaryOperator_Comma)
        return is_first ? ENDS : GOES_ON;
    return is == ADDRESS ? LEAVES : assigns && is_first ? GOES_ON : ENDS;
}

/* A token for a reference stands in a range. */
static bool has_ampersand(const rewriter *rw, unsigned begin, unsigned end) {
    return rw_has_token(&rw->src, (range){begin, end}, "&") ||
           rw_has_token(&rw->src, (range){begin, end}, "&&");
}

/* [=]() -> float & { return p->x; } */
static bool gives_reference(const rewriter *rw, CXCursor lambda) {
    range whole, body;
    if (!rw_range_of(&rw->src, lambda, &whole) ||
        !rw_range_of(&rw->src, rw_body(rw->arena, lambda), &body))
        return true;
    for (size_t t = rw_token_from(&rw->src, whole.begin);
         t < rw->src.token_count && rw->src.tokens[t].at.begin < body.begin; t++)
        if (rw_token_is(&rw->src, t, "->"))
            return has_ampersand(rw, rw->src.tokens[t].at.end, body.begin);
    return false;
}

static step step_cast(const rewriter *rw, CXCursor up, CXCursor inner, form is) {
    CXType from = clang_getCanonicalType(clang_getCursorType(inner));
    CXType to = clang_getCanonicalType(clang_getCursorType(up));
    if (is == ADDRESS)
        return cast_escapes(from, to) ? LEAVES : GOES_ON;
    range whole, value; /* (float &)x, static_cast<float &>(x) */
    if (rw_range_of(&rw->src, up, &whole) && rw_range_of(&rw->src, inner, &value) &&
        !has_ampersand(rw, whole.begin, value.begin))
        return ENDS;
    return clang_Type_getSizeOf(from) == clang_Type_getSizeOf(to) ? GOES_ON : LEAVES;
}

/* A variable that is the value's address, or a reference to it, is followed. */
static step step_variable(question *q, const frame *up, form is) {
    CXType type = clang_getCursorType(up->cursor);
    bool refers = rw_is_reference(type);
    if (is == PLACE && !refers)
        return ENDS;
    if ((is == ADDRESS) == refers || (!refers && !rw_is_pointer(type)))
        return LEAVES;
    const frame *outermost = up;
    while (outermost->up)
        outermost = outermost->up;
    return only_if(!is_new(q, up->cursor) || names_stay(q, outermost, up->cursor, is));
}

/* Every call of a function, of which each is the value in its place. */
static bool calls_stay(question *q, const frame *at, CXCursor function) {
    bool calls = clang_getCursorKind(at->cursor) == CXCursor_CallExpr &&
                 clang_equalCursors(clang_getCanonicalCursor(rw_callee(q->rw->arena, at->cursor)),
                                    clang_getCanonicalCursor(function));
    if (calls && !stays(q, at, PLACE))
        return false;
    hd_cursors inside = hd_cursor_children(q->rw->arena, at->cursor);
    for (size_t i = 0; i < inside.count; i++) {
        frame child = {inside.data[i], at};
        if (!clang_Location_isInSystemHeader(clang_getCursorLocation(child.cursor)) &&
            !calls_stay(q, &child, function))
            return false;
    }
    return true;
}

static step step_return(question *q, const frame *up, form is) {
    const rewriter *rw = q->rw;
    const frame *around = rw_function_around(up);
    if (!around || is == ADDRESS)
        return LEAVES;
    if (!rw_is_function(around->cursor))
        return only_if(!gives_reference(rw, around->cursor));
    if (!rw_is_reference(clang_getCursorResultType(around->cursor)))
        return ENDS;
    frame file = {clang_getTranslationUnitCursor(rw->src.unit), NULL};
    return only_if(!is_new(q, around->cursor) || calls_stay(q, &file, around->cursor));
}

static step step_up(question *q, const frame *at, form *is) {
    CXCursor up = at->up->cursor;
    hd_cursors inside = hd_cursor_children(q->rw->arena, up);
    bool is_first = inside.count && rw_same_expression(inside.data[0], at->cursor);
    switch (clang_getCursorKind(up)) {
    case CXCursor_ParenExpr: return GOES_ON;
    case CXCursor_UnexposedExpr: {
        bool is_pointer = rw_is_pointer(clang_getCursorType(up));
        if (*is == ADDRESS)
            return is_pointer ? GOES_ON : LEAVES;
        return is_pointer && rw_is_array(clang_getCursorType(at->cursor)) ? LEAVES : GOES_ON;
    }
    case CXCursor_UnaryOperator: return step_unary(up, is);
    case CXCursor_UnaryExpr: /* sizeof */ return ENDS;
    case CXCursor_BinaryOperator:
    case CXCursor_CompoundAssignOperator: return step_binary(up, is_first, *is);
    case CXCursor_ConditionalOperator: return is_first ? only_if(*is == PLACE) : GOES_ON;
    case CXCursor_ArraySubscriptExpr: {
        /* q[0] and 0[q], or a part of a place; what a pointer there points to lies elsewhere. */
        if (*is == PLACE)
            return is_first && !rw_is_pointer(clang_getCursorType(inside.data[0])) ? GOES_ON : ENDS;
        *is = PLACE;
        if (inside.count != 2)
            return LEAVES;
        CXCursor index = inside.data[is_first ? 1 : 0];
        long long value;
        bool is_zero = clang_getCursorKind(index) == CXCursor_IntegerLiteral &&
                       rw_constant_value(index, &value) && value == 0;
        return is_zero ? GOES_ON : LEAVES;
    }
    case CXCursor_MemberRefExpr: {
        if (rw_is_function(clang_getCursorReferenced(up)))
            return LEAVES;
        if (*is == PLACE && rw_is_pointer(clang_getCursorType(at->cursor)))
            return ENDS;
        *is = PLACE;
        return GOES_ON;
    }
    case CXCursor_CStyleCastExpr:
    case CXCursor_CXXReinterpretCastExpr:
    case CXCursor_CXXStaticCastExpr:
    case CXCursor_CXXConstCastExpr: return step_cast(q->rw, up, at->cursor, *is);
    case CXCursor_InitListExpr: /* float &x{p->x} */ return *is == PLACE ? GOES_ON : LEAVES;
    case CXCursor_VarDecl: return step_variable(q, at->up, *is);
    case CXCursor_CallExpr: return only_if(argument_stays(q, up, at->cursor, *is));
    case CXCursor_ReturnStmt: return step_return(q, at->up, *is);
    default: return only_if(*is == PLACE);
    }
}

/* True when no more than the value, at `at`, is reached from the expressions around it. */
static bool stays(question *q, const frame *at, form is) {
    for (; at->up; at = at->up) {
        step next = step_up(q, at, &is);
        if (next != GOES_ON)
            return next == ENDS;
    }
    return is == PLACE;
}

/* Of every appearance of a name below `at`. */
static bool names_stay(question *q, const frame *at, CXCursor declaration, form is) {
    if (clang_getCursorKind(at->cursor) == CXCursor_DeclRefExpr &&
        clang_equalCursors(clang_getCursorReferenced(at->cursor), declaration))
        return stays(q, at, is);
    hd_cursors inside = hd_cursor_children(q->rw->arena, at->cursor);
    for (size_t i = 0; i < inside.count; i++) {
        frame child = {inside.data[i], at};
        if (!names_stay(q, &child, declaration, is))
            return false;
    }
    return true;
}

/* What the caller does with the parameter that an argument goes to. A place goes to one only
 * through a reference, and what libraries do with that is known: they touch the one value. */
static bool argument_stays(question *q, CXCursor call, CXCursor argument, form is) {
    rewriter *rw = q->rw;
    CXCursor callee = rw_callee(rw->arena, call);
    CXCursor definition = clang_Cursor_isNull(callee) ? callee : clang_getCursorDefinition(callee);
    CXCursor body = clang_Cursor_isNull(definition) ? definition : rw_body(rw->arena, definition);
    bool is_users = !clang_Cursor_isNull(body) &&
                    !clang_Location_isInSystemHeader(clang_getCursorLocation(definition));
    if (!is_users)
        return is == PLACE || is_known(rw_spelling(rw->arena, call));
    hd_cursors parameters = rw_parameters(rw->arena, definition);
    unsigned skip = rw_first_argument(rw, call, definition, parameters.count);
    for (unsigned i = 0; i < parameters.count; i++) {
        CXCursor parameter = parameters.data[i];
        frame function = {definition, NULL}, whole = {body, &function};
        if (!rw_same_expression(clang_Cursor_getArgument(call, i + skip), argument))
            continue;
        if (rw_is_reference(clang_getCursorType(parameter)) != (is == PLACE))
            return is == PLACE;
        return !is_new(q, parameter) || names_stay(q, &whole, parameter, is);
    }
    return is == PLACE;
}

bool rw_touches_one_value(rewriter *rw, CXCursor call, CXCursor argument) {
    question q = {.rw = rw};
    return argument_stays(&q, call, argument, ADDRESS);
}

/* ---- copies of vectors ---------------------------------------------------------------- */

static bool is_vector_copy(const char *name) {
    return !strncmp(name, "vload", 5) || !strncmp(name, "vstore", 6);
}

/* vloadN(offset, field), vstoreN(value, offset, field), and vload_half without lanes:
 * true when the offset is constant and the vector ends inside the field. */
static bool copy_stays_inside(rewriter *rw, CXCursor call, const char *name, const climb *state,
                              CXType array) {
    bool store = name[1] == 's';
    const char *digits = name + strcspn(name, "0123456789");
    long lanes = *digits ? strtol(digits, NULL, 10) : 1;
    bool in_fours = lanes == 3 && strstr(name, "a_half"); /* vloada_half3 */
    int arguments = clang_Cursor_getNumArguments(call);
    if (!state->is_start || lanes < 1 || in_fours || arguments != (store ? 3 : 2))
        return false;
    CXCursor offset = clang_Cursor_getArgument(call, store ? 1 : 0);
    offset = rw_bare(rw->arena, offset);
    if (clang_getCursorKind(offset) != CXCursor_IntegerLiteral)
        return false;
    long long start;
    if (!rw_constant_value(offset, &start))
        return false;
    long long count = state->in_array ? clang_getArraySize(clang_getCanonicalType(array)) : 1;
    return start >= 0 && start < count && (start + 1) * lanes <= count;
}

/* Such an address leads to more than one value, all of which move together. */
static bool is_inside(const climb *state) { return state->in_array || state->is_struct; }

static bool call_escapes(rewriter *rw, CXCursor call, CXCursor argument, const climb *state,
                         CXType field, const char **why) {
    const char *name = rw_spelling(rw->arena, call);
    if (rw_touches_one_value(rw, call, argument))
        return false;
    if (is_vector_copy(name) && copy_stays_inside(rw, call, name, state, field))
        return false;
    CXCursor callee = rw_callee(rw->arena, call);
    CXCursor definition = clang_Cursor_isNull(callee) ? callee : clang_getCursorDefinition(callee);
    if (is_inside(state) && !clang_Cursor_isNull(definition))
        return false;
    *why = hd_format(rw->arena,
                     is_vector_copy(name)
                         ? "goes to '%s', which may reach the fields behind it; read or write the "
                           "fields one by one"
                         : "is passed to '%s', which could reach other fields from it; pass the "
                           "value and assign the result",
                     *name ? name : "a function");
    return true;
}

/* One step up. Returns true while the climb goes on; otherwise *escapes says how it ended. */
static bool climb_on(climb *state, CXCursor child, CXCursor up, bool *escapes) {
    CXType from = clang_getCanonicalType(clang_getCursorType(child));
    CXType to = clang_getCanonicalType(clang_getCursorType(up));
    *escapes = false;
    switch (clang_getCursorKind(up)) {
    case CXCursor_ParenExpr: return true;
    case CXCursor_UnexposedExpr:
        if (rw_is_array(from) && rw_is_pointer(to))
            state->is_pointer = state->in_array = true;
        return state->is_pointer;
    case CXCursor_MemberRefExpr: *state = (climb){0}; return true;
    case CXCursor_ArraySubscriptExpr:
        if (state->is_pointer && !state->in_array) {
            *escapes = true;
            return false;
        }
        state->is_start = state->is_pointer = false;
        return true;
    case CXCursor_UnaryOperator:
        if (clang_getCursorUnaryOperatorKind(up) == CXUnaryOperator_AddrOf) {
            state->in_array |= rw_is_array(from);
            state->is_struct = from.kind == CXType_Record;
            state->is_pointer = true;
            return true;
        }
        if (clang_getCursorUnaryOperatorKind(up) == CXUnaryOperator_Deref) {
            state->is_pointer = false;
            return true;
        }
        *escapes = state->is_pointer;
        return false;
    case CXCursor_UnaryExpr: return false; /* sizeof */
    case CXCursor_BinaryOperator:
        if (state->is_pointer && state->in_array && rw_is_pointer(to) &&
            clang_getCursorBinaryOperatorKind(up) != CXBinaryOperator_Assign) {
            state->is_start = false;
            return true;
        }
        *escapes = state->is_pointer;
        return false;
    case CXCursor_CStyleCastExpr:
    case CXCursor_CXXReinterpretCastExpr:
    case CXCursor_CXXStaticCastExpr:
        *escapes = state->is_pointer && cast_escapes(from, to);
        return state->is_pointer && !*escapes;
    default: *escapes = state->is_pointer; return false;
    }
}

/* A pointer into an array or a nested struct is kept, returned or compared: C says where it may go. */
static bool keeps_inside(const climb *state, CXCursor up) {
    switch (clang_getCursorKind(up)) {
    case CXCursor_VarDecl: return rw_is_pointer(clang_getCursorType(up)) && is_inside(state);
    case CXCursor_ReturnStmt:
    case CXCursor_ConditionalOperator: return is_inside(state);
    case CXCursor_BinaryOperator:
        return is_inside(state) && clang_getCursorBinaryOperatorKind(up) != CXBinaryOperator_LAnd &&
               clang_getCursorBinaryOperatorKind(up) != CXBinaryOperator_LOr;
    default: return false;
    }
}

bool rw_field_escapes(rewriter *rw, const frame *field, const char **why) {
    climb state = {.is_start = true};
    question q = {.rw = rw};
    CXType type = clang_getCanonicalType(clang_getCursorType(field->cursor));
    *why = "is stored, compared or cast; read and assign the field itself";
    for (const frame *at = field; at->up; at = at->up) {
        CXCursor up = at->up->cursor;
        bool escapes;
        if (clang_getCursorKind(up) == CXCursor_CallExpr && state.is_pointer)
            return call_escapes(rw, up, at->cursor, &state, clang_getCursorType(field->cursor),
                                why);
        if (climb_on(&state, at->cursor, up, &escapes))
            continue;
        if (escapes) /* or it is the address of one value, in a variable that is followed */
            return !keeps_inside(&state, up) && !stays(&q, field, PLACE);
        /* C++: a reference to a scalar field is as good as its address. */
        if (!rw->is_cuda || type.kind == CXType_Record || rw_is_array(type) ||
            rw_is_pointer(type) || stays(&q, field, PLACE))
            return false;
        *why = "is kept or passed on as a reference, from which other fields could be reached; "
               "copy the value, and assign the result";
        return true;
    }
    return false;
}
