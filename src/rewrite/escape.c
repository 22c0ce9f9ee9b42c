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

static bool is_array(CXType type) {
    return clang_getCanonicalType(type).kind == CXType_ConstantArray;
}

static bool is_pointer(CXType type) { return clang_getCanonicalType(type).kind == CXType_Pointer; }

/* Functions that touch the one value that they are given the address of. */
static bool touches_one_value(const char *name) {
    static const char *const names[] = {"fract", "modf", "sincos", "frexp", "remquo", "lgamma_r"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (!strcmp(name, names[i]))
            return true;
    return !strncmp(name, "atomic_", 7) || !strncmp(name, "atom_", 5);
}

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

static bool call_escapes(rewriter *rw, CXCursor call, const climb *state, CXType field,
                         const char **why) {
    const char *name = hd_spelling(rw->arena, call);
    if (touches_one_value(name))
        return false;
    if (is_vector_copy(name) && copy_stays_inside(rw, call, name, state, field))
        return false;
    CXCursor definition = clang_getCursorDefinition(clang_getCursorReferenced(call));
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

static bool cast_escapes(CXType from, CXType to) {
    return !is_pointer(to) || clang_Type_getSizeOf(clang_getPointeeType(from)) !=
                                  clang_Type_getSizeOf(clang_getPointeeType(to));
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
        if (is_array(from) && is_pointer(to))
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
            state->in_array |= is_array(from);
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
        if (state->is_pointer && state->in_array && is_pointer(to) &&
            clang_getCursorBinaryOperatorKind(up) != CXBinaryOperator_Assign) {
            state->is_start = false;
            return true;
        }
        *escapes = state->is_pointer;
        return false;
    case CXCursor_CStyleCastExpr:
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
            return call_escapes(rw, up, &state, clang_getCursorType(field->cursor), why);
        if (!climb_on(rw, &state, at->cursor, up, &escapes))
            return escapes;
    }
    return false;
}
