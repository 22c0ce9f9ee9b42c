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
 * and everything else that makes a pointer of it (stored, compared, cast to
 * another size, passed on) escapes.
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

/* ---- functions that touch one value --------------------------------------------- */

static bool is_one_of(const char *name, const char *const *names, size_t count) {
    for (size_t i = 0; i < count; i++)
        if (!strcmp(name, names[i]))
            return true;
    return false;
}

/* Functions of the language that touch the one value that they are given the address of. */
static bool is_known(const char *name) {
    static const char *const names[] = {
        "fract",  "modf",    "sincos",   "frexp",     "remquo",    "lgamma_r", "sincosf", "modff",
        "frexpf", "remquof", "sincospi", "sincospif", "__sincosf", "__ldg",    "__ldcg",  "__ldca",
        "__ldcs", "__ldlu",  "__ldcv",   "__stwb",    "__stcg",    "__stcs",   "__stwt"};
    return is_one_of(name, names, sizeof names / sizeof *names) || !strncmp(name, "atomic", 6) ||
           !strncmp(name, "atom_", 5);
}

static bool is_zero(CXCursor index) {
    CXEvalResult value =
        clang_getCursorKind(index) == CXCursor_IntegerLiteral ? clang_Cursor_Evaluate(index) : NULL;
    bool zero = value && clang_EvalResult_getAsLongLong(value) == 0;
    if (value)
        clang_EvalResult_dispose(value);
    return zero;
}

enum { MOST_CALLS = 8 }; /* of helpers, and variables, that hand a pointer on */

static bool uses_one_value(rewriter *rw, const frame *at, CXCursor pointer, int depth);
static bool callee_uses_one(rewriter *rw, CXCursor call, CXCursor argument, int depth);

static bool cast_escapes(CXType from, CXType to) {
    return !hd_is_pointer(to) || clang_Type_getSizeOf(clang_getPointeeType(from)) !=
                                     clang_Type_getSizeOf(clang_getPointeeType(to));
}

static bool is_wrapping(CXCursor up, CXCursor inner) {
    switch (clang_getCursorKind(up)) {
    case CXCursor_ParenExpr:
    case CXCursor_UnexposedExpr:
        return true;
    case CXCursor_CStyleCastExpr:
    case CXCursor_CXXReinterpretCastExpr:
        return !cast_escapes(clang_getCanonicalType(clang_getCursorType(inner)),
                             clang_getCanonicalType(clang_getCursorType(up)));
    default:
        return false;
    }
}

static const frame *outermost(const frame *at) {
    while (at->up)
        at = at->up;
    return at;
}

/* One appearance of the pointer: *p, p[0], handed on to such a function, or kept as another
 * pointer of which the same is true. */
static bool use_is_one_value(rewriter *rw, const frame *name, int depth) {
    const frame *up = name->up, *below = name;
    while (up && is_wrapping(up->cursor, below->cursor)) {
        below = up;
        up = up->up;
    }
    if (!up)
        return false;
    cursors inside = hd_children(rw->arena, up->cursor);
    switch (clang_getCursorKind(up->cursor)) {
    case CXCursor_VarDecl:
        return depth < MOST_CALLS && hd_is_pointer(clang_getCursorType(up->cursor)) &&
               uses_one_value(rw, outermost(up), up->cursor, depth + 1);
    case CXCursor_UnaryOperator:
        return clang_getCursorUnaryOperatorKind(up->cursor) == CXUnaryOperator_Deref;
    case CXCursor_ArraySubscriptExpr:
        return inside.count == 2 && hd_same_expression(inside.data[0], below->cursor) &&
               is_zero(inside.data[1]);
    case CXCursor_CallExpr:
        return callee_uses_one(rw, up->cursor, below->cursor, depth + 1);
    default:
        return false;
    }
}

static bool uses_one_value(rewriter *rw, const frame *at, CXCursor pointer, int depth) {
    if (clang_getCursorKind(at->cursor) == CXCursor_DeclRefExpr &&
        clang_equalCursors(clang_getCursorReferenced(at->cursor), pointer))
        return use_is_one_value(rw, at, depth);
    cursors inside = hd_children(rw->arena, at->cursor);
    for (size_t i = 0; i < inside.count; i++) {
        frame child = {inside.data[i], at};
        if (!uses_one_value(rw, &child, pointer, depth))
            return false;
    }
    return true;
}

static bool callee_uses_one(rewriter *rw, CXCursor call, CXCursor argument, int depth) {
    CXCursor callee = hd_callee(rw->arena, call);
    CXCursor definition = clang_Cursor_isNull(callee) ? callee : clang_getCursorDefinition(callee);
    CXCursor body = clang_Cursor_isNull(definition) ? definition : hd_body(rw->arena, definition);
    bool is_users = !clang_Cursor_isNull(body) &&
                    !clang_Location_isInSystemHeader(clang_getCursorLocation(definition));
    if (!is_users)
        return is_known(hd_spelling(rw->arena, call));
    if (depth > MOST_CALLS)
        return false;
    cursors parameters = hd_parameters(rw->arena, definition);
    for (unsigned i = 0; i < parameters.count; i++) {
        frame whole = {body, NULL};
        if (hd_same_expression(clang_Cursor_getArgument(call, i), argument))
            return uses_one_value(rw, &whole, parameters.data[i], depth);
    }
    return false;
}

bool hd_touches_one_value(rewriter *rw, CXCursor call, CXCursor argument) {
    return callee_uses_one(rw, call, argument, 0);
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
    while (clang_getCursorKind(offset) == CXCursor_UnexposedExpr ||
           clang_getCursorKind(offset) == CXCursor_ParenExpr) {
        cursors inside = hd_children(rw->arena, offset);
        if (inside.count != 1)
            return false;
        offset = inside.data[0];
    }
    if (clang_getCursorKind(offset) != CXCursor_IntegerLiteral)
        return false;
    CXEvalResult value = clang_Cursor_Evaluate(offset);
    long long start = value ? clang_EvalResult_getAsLongLong(value) : -1;
    if (value)
        clang_EvalResult_dispose(value);
    long long count = state->in_array ? clang_getArraySize(clang_getCanonicalType(array)) : 1;
    return start >= 0 && start < count && (start + 1) * lanes <= count;
}

static bool call_escapes(rewriter *rw, CXCursor call, CXCursor argument, const climb *state,
                         CXType field, const char **why) {
    const char *name = hd_spelling(rw->arena, call);
    if (hd_touches_one_value(rw, call, argument))
        return false;
    if (is_vector_copy(name) && copy_stays_inside(rw, call, name, state, field))
        return false;
    CXCursor callee = hd_callee(rw->arena, call);
    CXCursor definition = clang_Cursor_isNull(callee) ? callee : clang_getCursorDefinition(callee);
    if ((state->in_array || state->is_struct) && !clang_Cursor_isNull(definition))
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
static bool climb_on(rewriter *rw, climb *state, CXCursor child, CXCursor up, bool *escapes) {
    CXType from = clang_getCanonicalType(clang_getCursorType(child));
    CXType to = clang_getCanonicalType(clang_getCursorType(up));
    *escapes = false;
    switch (clang_getCursorKind(up)) {
    case CXCursor_ParenExpr:
        return true;
    case CXCursor_UnexposedExpr:
        if (hd_is_array(from) && hd_is_pointer(to))
            state->is_pointer = state->in_array = true;
        return state->is_pointer;
    case CXCursor_MemberRefExpr:
        *state = (climb){0};
        return true;
    case CXCursor_ArraySubscriptExpr:
        if (state->is_pointer && !state->in_array) {
            *escapes = true;
            return false;
        }
        state->is_start = state->is_pointer = false;
        return true;
    case CXCursor_UnaryOperator:
        if (clang_getCursorUnaryOperatorKind(up) == CXUnaryOperator_AddrOf) {
            state->in_array |= hd_is_array(from);
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
    case CXCursor_UnaryExpr:
        return false; /* sizeof */
    case CXCursor_BinaryOperator:
        if (state->is_pointer && state->in_array && hd_is_pointer(to) &&
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
    default:
        (void)rw;
        *escapes = state->is_pointer;
        return false;
    }
}

bool hd_field_escapes(rewriter *rw, const frame *field, const char **why) {
    climb state = {.is_start = true};
    *why = "is stored, compared or cast; read and assign the field itself";
    for (const frame *at = field; at->up; at = at->up) {
        CXCursor up = at->up->cursor;
        bool escapes;
        if (clang_getCursorKind(up) == CXCursor_CallExpr && state.is_pointer)
            return call_escapes(rw, up, at->cursor, &state, clang_getCursorType(field->cursor),
                                why);
        if (!climb_on(rw, &state, at->cursor, up, &escapes))
            return escapes;
    }
    return false;
}
