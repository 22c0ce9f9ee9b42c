/*
 * Calls. A parameter that holds laid-out records takes a reference; functions that the compiler
 * brings may take the address of one value (escape.c).
 */
#include "internal.h"

static void edit_foreign_argument(rewriter *rw, const frame *call, CXCursor argument) {
    frame child = {argument, call};
    CXCursor pointer = argument;
    for (;;) { /* conversions to generic or volatile pointers */
        record_value v = rw_record_value_of(rw, pointer);
        if (v.depth == 1 && v.what.field >= 0 && rw_touches_one_value(rw, call->cursor, argument)) {
            frame inner = {pointer, call}; /* &x[i] of an array that is a field */
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
    if (rw->refusals.count == before && !rw->has_conflicts)
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

bool rw_edit_call(rewriter *rw, const frame *at) {
    CXCursor callee = rw_callee(rw->arena, at->cursor);
    cursors inside = rw_children(rw->arena, at->cursor);
    if (rw_is_plain_copy(rw->arena, at->cursor)) { /* R v = p[i] and p[i] = v of C++ */
        bool assigns =
            clang_getCursorKind(clang_getCursorReferenced(at->cursor)) == CXCursor_CXXMethod;
        if (!assigns || inside.count != 3 || !rw_edit_store(rw, at, inside.data[0], inside.data[2]))
            rw_walk_children(rw, at);
        return true;
    }
    if (rw->with_host && (rw_edit_memory_call(rw, at) || rw_edit_exchange(rw, at)))
        return true;
    if (!rw->with_host && !clang_Cursor_isNull(callee) && rw_takes_records(rw, callee) &&
        rw_is_kernel(rw->arena, callee)) {
        rw_refuse(rw, at->cursor,
                  "the kernel '%s' is called as a function, but its parameters "
                  "change; move its body to a function that both call",
                  rw_spelling(rw->arena, callee));
        return true;
    }
    for (size_t i = 0; i < inside.count; i++)
        if (!is_argument(at->cursor, inside.data[i]))
            rw_walk_child(rw, at, inside.data[i]);
    bool is_known = !clang_Cursor_isNull(callee);
    cursors parameters = is_known ? rw_parameters(rw->arena, callee) : (cursors){0};
    int count = clang_Cursor_getNumArguments(at->cursor), skip = 0;
    if (is_known)
        skip = (int)rw_first_argument(rw, at->cursor, callee, parameters.count);
    for (int i = 0; i < count; i++) {
        CXCursor argument = clang_Cursor_getArgument(at->cursor, (unsigned)i);
        pointee wanted = {.field = -1};
        if (i >= skip && i - skip < (int)parameters.count)
            wanted = rw_pointee_of(rw, parameters.data[i - skip]);
        if (wanted.of && rw_is_given_another(rw, parameters.data[i - skip], argument))
            wanted.of = NULL;
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
        } else {
            edit_foreign_argument(rw, at, argument);
        }
    }
    return true;
}
