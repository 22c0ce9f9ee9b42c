/*
 * Host code that goes with its kernels: launches, and the allocation, copies and fills of arrays of
 * laid-out records.
 *
 *     R *d;                                 R_ref d;
 *     cudaMalloc((void **)&d, n * size);    heddle::cudaMalloc(&d, n * size);
 *     cudaMemcpy(d + 8, host, size, ...);   heddle::cudaMemcpy(R_at(d, 8), host, size, ...);
 *     k<<<blocks, threads>>>(d, n);         the same
 *     if (d != nullptr)                     if (R_is_set(d))
 *
 * A reference knows where each field lies, so what a pointer did on its way to a kernel, through
 * wrappers, templates, members and structs, it does, too, and no launch needs the number of elements.
 * Sizes stay those of C's arrays: the functions of the same names (host_text.c) take bytes of them.
 */
#include "internal.h"
#include "kernel/cuda_calls.h"

/* ---- calls that know memory ------------------------------------------------------------------ */

CXCursor rw_behind_casts(const rewriter *rw, CXCursor e) {
    while (rw_record_value_of(rw, e).depth < 0) {
        enum CXCursorKind kind = clang_getCursorKind(e);
        CXCursor inner = rw_last_child(rw->arena, e);
        bool is_around = kind == CXCursor_UnexposedExpr || kind == CXCursor_ParenExpr;
        if ((!is_around && !rw_is_cast(e)) || clang_Cursor_isNull(inner))
            return e;
        e = inner;
    }
    return e;
}

/* Nothing is stored in it before the program does: C++ calls a constructor that does nothing. */
static bool begins_as_zeros(const rewriter *rw, CXCursor declared, const laid_record *l) {
    CXCursor value = clang_Cursor_getVarDeclInitializer(declared);
    hd_cursors members = hd_cursor_children(rw->arena, l->declaration);
    bool is_made = clang_getCursorKind(value) == CXCursor_CallExpr &&
                   clang_CXXMethod_isDefaulted(clang_getCursorReferenced(value));
    for (size_t i = 0; i < members.count; i++)
        if (clang_getCursorKind(members.data[i]) == CXCursor_FieldDecl &&
            !clang_Cursor_isNull(rw_initializer(rw, members.data[i])))
            return false;
    return clang_Cursor_isNull(value) || is_made;
}

bool rw_is_named_array(const rewriter *rw, CXCursor declared) {
    CXType type = clang_getCanonicalType(clang_getCursorType(declared));
    if (!rw->with_host || clang_getCursorKind(declared) != CXCursor_VarDecl ||
        type.kind != CXType_ConstantArray)
        return false;
    const laid_record *l = rw_laid_record_of(rw, clang_getArrayElementType(type));
    return l && rw_is_device_variable(rw->arena, declared) &&
           clang_Cursor_getStorageClass(declared) != CX_SC_Extern &&
           begins_as_zeros(rw, declared, l);
}

/* The laid-out records that an argument in this role leads to; depth -1: none. */
static record_value in_role(rewriter *rw, CXCursor argument, char role) {
    CXCursor named = clang_getCursorReferenced(rw_behind_casts(rw, argument));
    if (role == '-' || (role == 'S' && !rw_is_named_array(rw, named)))
        return (record_value){.depth = -1};
    record_value v = rw_record_value_of(rw, rw_behind_casts(rw, argument));
    return v.depth == (role == 'A' ? 2 : 1) ? v : (record_value){.depth = -1};
}

static void edit_memory_argument(rewriter *rw, const frame *call, CXCursor argument) {
    CXCursor bare = rw_behind_casts(rw, argument);
    frame child = {bare, call};
    range whole, inner;
    draft d = {0};
    if (!rw_range_of(&rw->src, argument, &whole) || !rw_range_of(&rw->src, bare, &inner)) {
        rw_refuse_macro(rw, argument);
        return;
    }
    if (inner.begin == whole.begin && inner.end == whole.end) {
        rw_edit_reference(rw, &child);
        return;
    }
    rw_draft_reference(rw, &d, &child);
    rw_edit(rw, whole, &d);
}

bool rw_edit_memory_call(rewriter *rw, const frame *at) {
    range call;
    size_t name = rw->src.token_count; /* a macro makes the call */
    if (rw_range_of(&rw->src, at->cursor, &call))
        name = rw_token_at(&rw->src, call.begin);
    name += rw_token_is(&rw->src, name, "::");
    const char *called = hd_cuda_of_hip(rw->arena, rw_token_text(&rw->src, name)),
               *roles = rw_memory_roles(called);
    int count = clang_Cursor_getNumArguments(at->cursor);
    laid_record *of = NULL;
    for (int i = 0; roles && roles[i] && i < count && !of; i++)
        of = in_role(rw, clang_Cursor_getArgument(at->cursor, (unsigned)i), roles[i]).what.of;
    if (!of)
        return false;
    for (int i = 0; i < count; i++) {
        CXCursor argument = clang_Cursor_getArgument(at->cursor, (unsigned)i);
        bool has_role = i < (int)strlen(roles) && in_role(rw, argument, roles[i]).depth > 0;
        if (has_role)
            edit_memory_argument(rw, at, argument);
        else
            rw_walk_child(rw, at, argument);
    }
    of->has_host_memory = true;
    rw->copies_symbols |= strchr(roles, 'S') != NULL;
    hd_push(rw->arena, &rw->memory_calls, called);
    range whole = rw->src.tokens[name].at;
    if (rw_token_is(&rw->src, name - 1, "::"))
        whole.begin = rw->src.tokens[name - 1].at.begin;
    rw_edit_text(rw, whole,
                 hd_format(rw->arena, "%sheddle::%s", of->scope, rw_host_words(rw, called)));
    return true;
}

/* ---- pointers in device memory, which the host sets by their names --------------------------------- */

CXCursor rw_set_by_name(rewriter *rw, CXCursor call, CXCursor *pointer) {
    const char *called = hd_cuda_of_hip(rw->arena, rw_spelling(rw->arena, call));
    bool is_set = hd_has_word("cudaMemcpyToSymbol cudaMemcpyToSymbolAsync", called);
    bool is_read = hd_has_word("cudaMemcpyFromSymbol cudaMemcpyFromSymbolAsync", called);
    *pointer = clang_getNullCursor();
    if ((!is_set && !is_read) || clang_Cursor_getNumArguments(call) < 3)
        return *pointer;
    CXCursor named = clang_getCursorReferenced(
        rw_behind_casts(rw, clang_Cursor_getArgument(call, is_set ? 0 : 1)));
    CXCursor address = rw_behind_casts(rw, clang_Cursor_getArgument(call, is_set ? 1 : 0));
    if (clang_getCursorKind(named) != CXCursor_VarDecl ||
        !rw_is_pointer(clang_getCursorType(named)) || !rw_is_device_variable(rw->arena, named) ||
        clang_getCursorUnaryOperatorKind(address) != CXUnaryOperator_AddrOf)
        return clang_getNullCursor();
    *pointer = rw_last_child(rw->arena, address);
    return named;
}

/* cudaMemcpyToSymbol(name, &pointer, sizeof pointer): a reference has more bytes. */
bool rw_edit_set_by_name(rewriter *rw, const frame *call) {
    CXCursor pointer, named = rw_set_by_name(rw, call->cursor, &pointer);
    const char *name = rw_spelling(rw->arena, named);
    range at;
    if (clang_Cursor_isNull(named) || !rw_pointee_of(rw, named).of ||
        rw_record_value_of(rw, pointer).depth != 1)
        return false;
    for (int i = 0; i < clang_Cursor_getNumArguments(call->cursor); i++) {
        CXCursor argument = clang_Cursor_getArgument(call->cursor, (unsigned)i);
        CXCursor bare = rw_behind_casts(rw, argument);
        if (clang_equalCursors(clang_getCursorReferenced(bare), named) &&
            rw_range_of(&rw->src, bare, &at))
            name = hd_strndup(rw->arena, rw->src.text + at.begin, at.end - at.begin);
        if (i < 2)
            edit_memory_argument(rw, call, argument);
        else if (i > 2)
            rw_walk_child(rw, call, argument);
        else if (rw_begins_with(rw, argument, "sizeof") && rw_range_of(&rw->src, argument, &at))
            rw_edit_sizeof(rw, at, name);
        else
            rw_refuse(rw, argument,
                      "the pointer '%s' has more bytes in a layout; write 'sizeof(%s)' here", name,
                      name);
    }
    return true;
}

/* ---- functions of the C++ library that take pointers as they are ------------------------------- */

static bool calls_of_system(rewriter *rw, CXCursor call, const char *names) {
    CXCursor callee = clang_getCursorKind(call) == CXCursor_CallExpr
                          ? clang_getCursorReferenced(call)
                          : clang_getNullCursor();
    return !clang_Cursor_isNull(callee) && clang_Cursor_getNumArguments(call) > 0 &&
           hd_has_word(names, rw_spelling(rw->arena, callee)) &&
           clang_Location_isInSystemHeader(clang_getCursorLocation(callee));
}

bool rw_is_exchange(rewriter *rw, CXCursor call) {
    return calls_of_system(rw, call, "swap exchange");
}

bool rw_is_moved(const rewriter *rw, CXCursor call) {
    return calls_of_system((rewriter *)rw, call, "move forward exchange");
}

bool rw_edit_exchange(rewriter *rw, const frame *call) {
    pointee what = {.of = NULL};
    int count = clang_Cursor_getNumArguments(call->cursor);
    if (!rw_is_exchange(rw, call->cursor) && !rw_is_moved(rw, call->cursor))
        return false;
    for (int i = 0; i < count && !what.of; i++)
        what = rw_record_value_of(rw, clang_Cursor_getArgument(call->cursor, (unsigned)i)).what;
    for (int i = 0; i < count && what.of; i++) {
        frame argument = {clang_Cursor_getArgument(call->cursor, (unsigned)i), call};
        if (rw_record_value_of(rw, argument.cursor).depth == 1)
            rw_edit_reference(rw, &argument);
        else if (!rw_edit_null(rw, argument.cursor, clang_getCursorType(argument.cursor), &what))
            rw_walk(rw, &argument);
    }
    return what.of != NULL;
}

bool rw_takes_any_type(rewriter *rw, CXCursor callee, size_t number) {
    if (!rw->with_host || clang_getCursorKind(callee) != CXCursor_FunctionTemplate ||
        !rw_is_host(rw, callee) || clang_Location_isInSystemHeader(clang_getCursorLocation(callee)))
        return false;
    hd_cursors parameters = rw_parameters(rw->arena, callee);
    if (!parameters.count)
        return false;
    size_t last = parameters.count - 1; /* maybe a pack of them */
    CXType type = clang_getCursorType(parameters.data[number < last ? number : last]);
    return !rw_pointer_depth(type) && rw_is_dependent(type);
}

void rw_check_function_name(rewriter *rw, const frame *name) {
    CXCursor function = clang_getCursorReferenced(name->cursor);
    const frame *up = name;
    if (!rw->with_host || !rw_is_function(function))
        return;
    CXCursor pattern = clang_getSpecializedCursorTemplate(function);
    if (!rw_takes_records(rw, clang_Cursor_isNull(pattern) ? function : pattern))
        return;
    do
        up = rw_around(up);
    while (up && clang_getCursorUnaryOperatorKind(up->cursor) == CXUnaryOperator_AddrOf);
    CXCursor kept = up ? up->cursor : clang_getNullCursor();
    bool is_variable = clang_getCursorKind(kept) == CXCursor_VarDecl ||
                       clang_getCursorKind(kept) == CXCursor_FieldDecl;
    CXType type = clang_getCursorType(kept);
    if (clang_getCursorBinaryOperatorKind(kept) == CXBinaryOperator_Assign ||
        (is_variable && type.kind != CXType_Auto &&
         clang_getCanonicalType(rw_target_of(clang_getCanonicalType(type))).kind ==
             CXType_FunctionProto))
        rw_refuse(rw, name->cursor,
                  "'%s' takes references in this layout, and no pointer to a function keeps it as "
                  "it is declared here; declare that as 'decltype(&%s)', or 'auto'",
                  rw_spelling(rw->arena, function), rw_spelling(rw->arena, function));
}

/* ---- null ---------------------------------------------------------------------------------------- */

bool rw_is_null(const rewriter *rw, CXCursor e) {
    CXCursor bare = rw_behind_casts(rw, e);
    enum CXCursorKind kind = clang_getCursorKind(bare);
    long long value;
    return kind == CXCursor_CXXNullPtrLiteralExpr || kind == CXCursor_GNUNullExpr ||
           (rw_constant_value(bare, &value) && !value);
}

bool rw_edit_null(rewriter *rw, CXCursor value, CXType type, const pointee *wanted) {
    range at;
    if (!rw->with_host || !rw_is_null(rw, value) || !rw_range_of(&rw->src, value, &at))
        return false;
    size_t before = rw_token_from(&rw->src, at.begin);
    bool is_plain = before && (rw_token_is(&rw->src, before - 1, "=") ||
                               rw_token_is(&rw->src, before - 1, "return"));
    wanted->of->accessors[wanted->in].is_used = true;
    rw_edit_text(rw, at,
                 is_plain ? "{}"
                          : hd_format(rw->arena, "%s{}", rw_reference_type(rw, type, wanted)));
    return true;
}

static void draft_test(rewriter *rw, draft *d, const frame *pointer, const record_value *v) {
    if (rw_is_dependent(clang_getCursorType(pointer->cursor))) {
        rw_draft_text(rw, d, "%sheddle::is_set(", v->what.of->scope);
    } else {
        rw_accessors_of(v)->tests = true;
        rw_draft_text(rw, d, "%s%s(", v->what.of->scope, rw_accessors_of(v)->is_set);
    }
    rw_draft_reference(rw, d, pointer);
    rw_draft_text(rw, d, ")");
}

/* The condition of a statement, or what becomes a bool; in a template no conversion is seen. */
static bool is_tested(const frame *at) {
    if (!at->up)
        return false;
    CXCursor up = at->up->cursor;
    switch (clang_getCursorKind(up)) {
    case CXCursor_UnexposedExpr: return clang_getCursorType(up).kind == CXType_Bool;
    case CXCursor_IfStmt:
    case CXCursor_WhileStmt:
    case CXCursor_DoStmt: return true;
    case CXCursor_UnaryOperator:
        return clang_getCursorUnaryOperatorKind(up) == CXUnaryOperator_LNot;
    case CXCursor_BinaryOperator: {
        enum CXBinaryOperatorKind kind = clang_getCursorBinaryOperatorKind(up);
        return kind == CXBinaryOperator_LAnd || kind == CXBinaryOperator_LOr;
    }
    default: return false;
    }
}

bool rw_edit_test(rewriter *rw, const frame *at, const record_value *v) {
    range whole;
    draft d = {0};
    if (!rw->with_host || !is_tested(at) || !rw_range_of(&rw->src, at->cursor, &whole))
        return false;
    draft_test(rw, &d, at, v);
    rw_edit(rw, whole, &d);
    return true;
}

bool rw_edit_null_test(rewriter *rw, const frame *at) {
    hd_cursors sides = hd_cursor_children(rw->arena, at->cursor);
    enum CXBinaryOperatorKind kind = clang_getCursorBinaryOperatorKind(at->cursor);
    range whole;
    draft d = {0};
    if (!rw->with_host || (kind != CXBinaryOperator_EQ && kind != CXBinaryOperator_NE))
        return false;
    size_t pointer = rw_record_value_of(rw, sides.data[0]).depth == 1 ? 0 : 1;
    record_value v = rw_record_value_of(rw, sides.data[pointer]);
    if (v.depth != 1 || !rw_is_null(rw, sides.data[1 - pointer]) ||
        !rw_range_of(&rw->src, at->cursor, &whole))
        return false;
    rw_draft_text(rw, &d, kind == CXBinaryOperator_EQ ? "!" : "");
    draft_test(rw, &d, &(frame){sides.data[pointer], at}, &v);
    rw_edit(rw, whole, &d);
    return true;
}

hd_cursors rw_aggregate_fields(rewriter *rw, CXCursor list) {
    CXType type = rw_value_type(clang_getCursorType(list));
    bool is_struct = type.kind == CXType_Record && !rw_laid_record_of(rw, type);
    return is_struct ? hd_type_fields(rw->arena, type) : (hd_cursors){0};
}

bool rw_edit_aggregate(rewriter *rw, const frame *list) {
    hd_cursors fields = {0}, values = hd_cursor_children(rw->arena, list->cursor);
    if (rw->with_host)
        fields = rw_aggregate_fields(rw, list->cursor);
    for (size_t i = 0; i < values.count && fields.count; i++) {
        frame value = {values.data[i], list};
        pointee what = {.of = NULL};
        if (i < fields.count)
            what = rw_pointee_of(rw, fields.data[i]);
        if (what.of && rw_record_value_of(rw, value.cursor).depth >= 0)
            rw_edit_reference(rw, &value);
        else if (!what.of ||
                 !rw_edit_null(rw, value.cursor, clang_getCursorType(fields.data[i]), &what))
            rw_walk(rw, &value);
    }
    return fields.count > 0;
}

CXCursor rw_named_kernel(rewriter *rw, CXCursor e) {
    CXCursor named = rw_behind_casts(rw, e);
    if (clang_getCursorUnaryOperatorKind(named) == CXUnaryOperator_AddrOf)
        named = rw_bare(rw->arena, rw_last_child(rw->arena, named));
    if (clang_getCursorKind(named) != CXCursor_DeclRefExpr)
        return clang_getNullCursor();
    CXCursor kernel = clang_getCursorReferenced(named);
    CXCursor pattern = clang_getSpecializedCursorTemplate(kernel);
    kernel = clang_Cursor_isNull(pattern) ? kernel : pattern;
    return rw_is_function(kernel) && rw_is_kernel(rw->arena, kernel) ? kernel
                                                                     : clang_getNullCursor();
}

hd_cursors rw_launch_arguments(rewriter *rw, CXCursor call) {
    CXCursor list =
        clang_getCursorReferenced(rw_behind_casts(rw, clang_Cursor_getArgument(call, 3)));
    CXCursor value = clang_getCursorKind(list) == CXCursor_VarDecl
                         ? clang_Cursor_getVarDeclInitializer(list)
                         : clang_getNullCursor();
    hd_cursors entries = {0}, found = {0};
    if (clang_getCursorKind(value) == CXCursor_InitListExpr)
        entries = hd_cursor_children(rw->arena, value);
    for (size_t i = 0; i < entries.count; i++) {
        CXCursor address = rw_behind_casts(rw, entries.data[i]);
        bool is_address = clang_getCursorUnaryOperatorKind(address) == CXUnaryOperator_AddrOf;
        hd_push(rw->arena, &found, is_address ? rw_last_child(rw->arena, address) : address);
        hd_push(rw->arena, &rw->launch_arguments, address);
    }
    return found;
}

bool rw_is_launch_argument(const rewriter *rw, CXCursor address) {
    for (size_t i = 0; i < rw->launch_arguments.count; i++)
        if (rw_same_expression(rw->launch_arguments.data[i], address))
            return true;
    return false;
}

static void edit_host_call(rewriter *rw, CXCursor call, CXCursor callee) {
    hd_cursors parameters = rw_parameters(rw->arena, callee);
    bool is_kernel = rw_is_kernel(rw->arena, callee);
    for (size_t i = 0; i < parameters.count && (int)i < clang_Cursor_getNumArguments(call); i++) {
        pointee what = rw_pointee_of(rw, parameters.data[i]);
        CXCursor argument = clang_Cursor_getArgument(call, (unsigned)i);
        range at, whole;
        flat_spot spot;
        hd_str nothing = {.arena = rw->arena}; /* what a kernel takes in the place of a pointer */
        for (uint32_t a = 0; what.of && a < what.of->text->map->allocation_count; a++)
            hd_str_add(&nothing, "(unsigned char *)0, ");
        hd_str_add(&nothing, "0ull");
        if (what.of && what.field >= 0) {
            rw_refuse(rw, call,
                      "host code calls '%s', whose parameters change; move the host code to a file "
                      "of its own, and pass the allocations and the number of elements there",
                      rw_spelling(rw->arena, callee));
            return;
        }
        if (!what.of || !rw_range_of(&rw->src, argument, &at))
            continue;
        if (rw_range_of(&rw->src, call, &whole) && whole.begin == at.begin)
            rw_refuse_macro(rw, call); /* which makes all of the call */
        else if (rw_flat_spot(rw->flat, at, &spot) && spot.node->kind == FLAT_FILE)
            rw_edit_text(rw, at,
                         is_kernel ? hd_str_text(&nothing)
                                   : hd_format(rw->arena, "%s%s()", what.of->scope,
                                               what.of->accessors[what.in].ref));
    }
}

void rw_edit_host_calls(rewriter *rw, CXCursor cursor) {
    hd_cursors inside = hd_cursor_children(rw->arena, cursor);
    CXCursor callee = clang_getCursorKind(cursor) == CXCursor_CallExpr
                          ? rw_callee(rw->arena, cursor)
                          : clang_getNullCursor();
    if (!clang_Cursor_isNull(callee) && rw_takes_records(rw, callee))
        edit_host_call(rw, cursor, callee);
    for (size_t i = 0; i < inside.count; i++)
        rw_edit_host_calls(rw, inside.data[i]);
}
