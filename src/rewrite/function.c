/*
 * Functions: parameters, calls, local pointers, and refusals.
 *
 * A kernel's parameter becomes the allocations and the number of elements, and
 * a reference is made of them at the start of its body; a helper's parameter, or
 * a local pointer, becomes a reference itself:
 *
 *     kernel void k(global R *p)   kernel void k(__global uchar *p, ulong p_count)
 *     {                            {
 *                                      R_ref p_ref = R_make(p, p_count);
 *       f(&p[i]);                    f(R_at(p_ref, i));
 *       global R *q = p + 1;         R_ref q = R_at(p_ref, 1);
 *
 *     float f(global R *r)         float f(R_ref r)
 *
 * What is no such form ends at the bare name of a variable, and the expression
 * around that name says which refusal it is.
 */
#include <stdio.h>

#include "internal.h"

/* ---- refusals -------------------------------------------------------------------- */

static void refuse_at(rewriter *rw, CXSourceLocation location, const char *text) {
    hd_place place = hd_place_of(&rw->src, location);
    const char *key =
        hd_format(rw->arena, "%s:%u:%u: %s", place.file, place.line, place.column, text);
    for (size_t i = 0; i < rw->refusals.count; i++)
        if (!strcmp(rw->refusals.data[i], key))
            return;
    hd_push(rw->arena, &rw->refusals, key);
    hd_fail(rw->diag, HD_EUNSUPPORTED, &place, "%s", text);
}

void hd_refuse(rewriter *rw, CXCursor at, const char *format, ...) {
    va_list args;
    va_start(args, format);
    const char *text = hd_vformat(rw->arena, format, args);
    va_end(args);
    refuse_at(rw, clang_getRangeStart(clang_getCursorExtent(at)), text);
}

void hd_refuse_macro(rewriter *rw, CXCursor at) {
    CXSourceLocation start = clang_getRangeStart(clang_getCursorExtent(at));
    unsigned begin;
    CXFile file;
    clang_getExpansionLocation(start, &file, NULL, NULL, &begin);
    const char *name = "";
    if (file && clang_File_isEqual(file, rw->src.file))
        name = hd_token_text(&rw->src, hd_token_from(&rw->src, begin));
    bool in_macro = false;
    for (size_t i = 0; i < rw->macro_uses.count; i++)
        in_macro |= rw->macro_uses.data[i].begin == begin;
    CXSourceLocation at_use = clang_getLocationForOffset(rw->src.unit, rw->src.file, begin);
    if (in_macro)
        refuse_at(rw, at_use,
                  hd_format(rw->arena,
                            "'%s' is reached inside the macro %s; write "
                            "the access out, or make the macro a function",
                            rw->record->name, name));
    else
        refuse_at(rw, start,
                  hd_format(rw->arena,
                            "this access to '%s' is made partly by a macro; "
                            "write it out",
                            rw->record->name));
}

static void refuse_call(rewriter *rw, CXCursor name, CXCursor call) {
    const char *callee = hd_spelling(rw->arena, call);
    const char *record = rw->record->name;
    if (!strncmp(callee, "async_", 6) || !strcmp(callee, "prefetch"))
        hd_refuse(rw, name,
                  "%s moves the bytes of whole '%s' records, which lie apart in another "
                  "layout; copy them in a loop",
                  callee, record);
    else
        hd_refuse(rw, name,
                  "the pointer to '%s' is passed to '%s' as another type; declare its "
                  "parameter '__global %s *'",
                  record, *callee ? callee : "a function", rw->spelling);
}

static const char *why_operator(enum CXBinaryOperatorKind kind) {
    switch (kind) {
    case CXBinaryOperator_Assign:
    case CXBinaryOperator_AddAssign:
    case CXBinaryOperator_SubAssign:
        return "is assigned to; keep an index, and initialise pointers once";
    case CXBinaryOperator_Sub:
        return "is subtracted from another; subtract indices";
    case CXBinaryOperator_Add:
        return "is moved in a form that Heddle cannot follow; use p[i]";
    default:
        return "is compared; compare indices";
    }
}

static const char *why_unary(enum CXUnaryOperatorKind kind) {
    switch (kind) {
    case CXUnaryOperator_PostInc:
    case CXUnaryOperator_PostDec:
    case CXUnaryOperator_PreInc:
    case CXUnaryOperator_PreDec:
        return "is changed; keep an index, and initialise pointers once";
    case CXUnaryOperator_AddrOf:
        return "has its own address taken; pass the pointer itself";
    default:
        return "is tested; pass a flag of its own";
    }
}

static const char *why_parent(rewriter *rw, CXCursor parent) {
    switch (clang_getCursorKind(parent)) {
    case CXCursor_CStyleCastExpr:
        return hd_format(rw->arena, "is cast to '%s'; reach the fields through '%s *'",
                         hd_type_text(rw->arena, clang_getCursorType(parent)), rw->spelling);
    case CXCursor_CompoundAssignOperator:
    case CXCursor_BinaryOperator:
        return why_operator(clang_getCursorBinaryOperatorKind(parent));
    case CXCursor_UnaryOperator:
        return why_unary(clang_getCursorUnaryOperatorKind(parent));
    case CXCursor_ConditionalOperator:
        return "is chosen by a condition; choose an index";
    case CXCursor_VarDecl:
        return hd_format(rw->arena,
                         "is stored in a variable of another type; declare it '__global "
                         "%s *'",
                         rw->spelling);
    case CXCursor_ReturnStmt:
        return "is returned; return an index";
    case CXCursor_IfStmt:
    case CXCursor_WhileStmt:
    case CXCursor_DoStmt:
    case CXCursor_ForStmt:
        return "is tested; pass a flag of its own";
    default:
        return "is used in a way that Heddle cannot follow; reach the fields as p[i].field";
    }
}

/* The bare name of a variable that no form above has taken. Parts of a route
 * around it (parentheses, sums, &p[i]) belong to the name. */
static void refuse_name(rewriter *rw, const frame *at) {
    const frame *f = at;
    while (f->up && clang_isExpression(clang_getCursorKind(f->up->cursor))) {
        route p = {0};
        CXCursor up = f->up->cursor;
        if (hd_pointer_route(rw, up, &p) != OURS && hd_element_route(rw, up, &p) != OURS &&
            clang_getCursorKind(up) != CXCursor_ParenExpr &&
            clang_getCursorKind(up) != CXCursor_UnexposedExpr)
            break;
        f = f->up;
    }
    CXCursor parent = f->up ? f->up->cursor : clang_getNullCursor();
    if (clang_getCursorKind(parent) == CXCursor_CallExpr)
        refuse_call(rw, at->cursor, parent);
    else
        hd_refuse(rw, at->cursor, "the pointer '%s' to '%s' %s", hd_spelling(rw->arena, at->cursor),
                  rw->record->name, why_parent(rw, parent));
}

/* ---- the parameter list ------------------------------------------------------------ */

/* The text of each parameter, without what separates them and without attributes
 * behind it. False when the list does not stand in the file as the compiler sees it. */
static bool parameter_ranges(rewriter *rw, CXCursor function, range *ranges, int count) {
    const source *src = &rw->src;
    unsigned offset;
    if (!hd_offset_of(src, clang_getCursorLocation(function), &offset))
        return false;
    size_t open = hd_token_from(src, offset) + 1;
    if (hd_token_is(src, open, "("))
        open = hd_token_is(src, open - 1, hd_spelling(rw->arena, function))
                   ? open
                   : hd_token_matching(src, open) + 1; /* NAME(x)(...) */
    size_t close = hd_token_is(src, open, "(") ? hd_token_matching(src, open) : src->token_count;
    if (close >= src->token_count)
        return false;
    int seen = 0;
    size_t attributes = 0;
    for (size_t t = open + 1, first = t; t <= close; t++) {
        if (t == close || hd_token_is(src, t, ",")) {
            if (seen == count || t == first)
                return false;
            size_t behind = attributes ? attributes : t;
            ranges[seen++] = (range){src->tokens[first].at.begin, src->tokens[behind - 1].at.end};
            first = t + 1;
            attributes = 0;
        } else if (t > first && !attributes && hd_token_is(src, t, "__attribute__")) {
            attributes = t;
        } else if (strchr("([{", src->text[src->tokens[t].at.begin])) {
            t = hd_token_matching(src, t);
        }
    }
    return seen == count;
}

/* True when the parameter's text ends in its name (or its name and []). */
static bool ends_in_name(const rewriter *rw, range at, const char *name) {
    size_t last = hd_token_ending(&rw->src, at.end);
    if (hd_token_is(&rw->src, last, "]"))
        while (last && !hd_token_is(&rw->src, last, "["))
            last--;
    else
        last++;
    return !*name || (last && hd_token_is(&rw->src, last - 1, name));
}

/* ---- parameters ---------------------------------------------------------------------- */

typedef struct kernel_names {
    const char *count, *ref;
    const char **bases; /* [allocations] */
} kernel_names;

static kernel_names names_of(rewriter *rw, const char *name) {
    uint32_t allocations = rw->plan->map->allocation_count;
    kernel_names n = {.bases = hd_new_array(rw->arena, const char *, allocations)};
    n.count = hd_free_name(rw, hd_format(rw->arena, "%s_count", name));
    n.ref = hd_free_name(rw, hd_format(rw->arena, "%s_ref", name));
    for (uint32_t a = 0; a < allocations; a++)
        n.bases[a] =
            allocations > 1 ? hd_free_name(rw, hd_format(rw->arena, "%s_%u", name, a)) : name;
    return n;
}

static void edit_kernel_parameter(rewriter *rw, CXCursor parameter, range at, space in) {
    CXType type = clang_getCursorType(parameter);
    bool is_const = hd_target_is(rw, type, "const");
    bool is_const_pointer =
        clang_getCanonicalType(type).kind == CXType_Pointer && clang_isConstQualifiedType(type);
    const char *name = hd_spelling(rw->arena, parameter);
    kernel_names names = names_of(rw, *name ? name : "records");
    edit *e = hd_edit_new(&rw->src, at);
    for (uint32_t a = 0; a < rw->plan->map->allocation_count; a++)
        hd_edit_text(&rw->src, e, "%s %suchar *%s%s%s, ", rw->families[in].qualifier,
                     is_const && in == SPACE_GLOBAL ? "const " : "",
                     clang_isRestrictQualifiedType(type) ? "restrict " : "",
                     is_const_pointer ? "const " : "", names.bases[a]);
    hd_edit_text(&rw->src, e, "ulong %s", names.count);
    hd_edit_done(&rw->src);
}

static void edit_helper_parameter(rewriter *rw, CXCursor parameter, range at, space in) {
    const char *name = hd_spelling(rw->arena, parameter);
    edit *e = hd_edit_new(&rw->src, at);
    hd_edit_text(&rw->src, e, "%s%s%s", rw->families[in].ref, *name ? " " : "", name);
    hd_edit_done(&rw->src);
}

/* The line that makes the reference, just behind the kernel's opening brace. */
static void edit_prologue(rewriter *rw, CXCursor body, const variable *v) {
    range at;
    if (!hd_range_of(&rw->src, body, &at) || rw->src.text[at.begin] != '{') {
        hd_refuse_macro(rw, body);
        return;
    }
    const family *f = &rw->families[v->in];
    kernel_names names = names_of(rw, v->name);
    hd_str text = {.arena = rw->arena};
    hd_str_printf(&text, "\n    %s %s = %s(", f->ref, v->ref, f->make);
    for (uint32_t a = 0; a < rw->plan->map->allocation_count; a++)
        hd_str_printf(&text, "(%s uchar *)%s, ", f->qualifier, names.bases[a]);
    hd_str_printf(&text, "%s);", names.count);
    for (size_t i = 0; i < rw->src.edits.count; i++) { /* one line for each parameter */
        edit *other = &rw->src.edits.data[i];
        if (other->is_added && other->at.begin == at.begin + 1) {
            hd_edit_text(&rw->src, other, "%s", hd_str_text(&text));
            return;
        }
    }
    edit *e = hd_edit_new(&rw->src, (range){at.begin + 1, at.begin + 1});
    e->is_added = true;
    hd_edit_text(&rw->src, e, "%s", hd_str_text(&text));
    hd_edit_done(&rw->src);
}

static CXCursor body_of(rewriter *rw, CXCursor function) {
    cursors inside = hd_children(rw->arena, function);
    for (size_t i = 0; i < inside.count; i++)
        if (clang_getCursorKind(inside.data[i]) == CXCursor_CompoundStmt)
            return inside.data[i];
    return clang_getNullCursor();
}

static void edit_parameter(rewriter *rw, CXCursor function, CXCursor parameter, range at,
                           space in) {
    CXCursor body = body_of(rw, function);
    const char *name = hd_spelling(rw->arena, parameter);
    bool kernel = hd_is_kernel(rw->arena, function);
    if (hd_target_is(rw, clang_getCursorType(parameter), "volatile")) {
        hd_refuse(rw, parameter, "'%s' points to volatile records; drop the volatile", name);
        return;
    }
    if (!ends_in_name(rw, at, name)) {
        hd_refuse_macro(rw, parameter);
        return;
    }
    rw->families[in].is_used = true;
    if (kernel)
        edit_kernel_parameter(rw, parameter, at, in);
    else
        edit_helper_parameter(rw, parameter, at, in);
    if (clang_Cursor_isNull(body) || !*name)
        return;
    variable v = {.declaration = parameter, .name = name, .in = in};
    v.ref = kernel ? names_of(rw, name).ref : name;
    hd_range_of(&rw->src, body, &v.scope);
    hd_push(rw->arena, &rw->variables, v);
    if (kernel)
        edit_prologue(rw, body, &v);
}

/* How many parameters of `function` point to the record, when all of them do so
 * plainly; a refusal is reported, and counted in *refused. */
static int count_pointers(rewriter *rw, CXCursor function, int *refused) {
    int pointers = 0, count = clang_Cursor_getNumArguments(function);
    space in;
    for (int i = 0; i < count; i++) {
        CXCursor parameter = clang_Cursor_getArgument(function, (unsigned)i);
        CXType type = clang_getCursorType(parameter);
        pointee kind = hd_pointee_of(rw, type, &in);
        pointers += kind == POINTEE_RECORD;
        if (hd_is_fixed_array(rw, type)) {
            hd_refuse(rw, parameter, "'%s' is declared as an array of fixed size; write '*%s'",
                      hd_spelling(rw->arena, parameter), hd_spelling(rw->arena, parameter));
            ++*refused;
        }
        if (kind == POINTEE_NESTED) {
            hd_refuse(rw, parameter,
                      "'%s' is a pointer to pointers to '%s'; pass one pointer for "
                      "each array",
                      hd_spelling(rw->arena, parameter), rw->record->name);
            ++*refused;
        }
    }
    if (hd_pointee_of(rw, clang_getCursorResultType(function), &in) != POINTEE_OTHER) {
        hd_refuse(rw, function, "'%s' returns a pointer to '%s'; return an index",
                  hd_spelling(rw->arena, function), rw->record->name);
        ++*refused;
    }
    return pointers;
}

static void edit_parameters(rewriter *rw, CXCursor function) {
    int count = clang_Cursor_getNumArguments(function);
    const char *name = hd_spelling(rw->arena, function);
    range *ranges = hd_new_array(rw->arena, range, count + 1);
    unsigned offset;
    if (!hd_offset_of(&rw->src, clang_getCursorLocation(function), &offset)) {
        hd_refuse(rw, function,
                  "'%s' takes a pointer to '%s' in an included file; move it to the "
                  "kernel file",
                  name, rw->record->name);
    } else if (offset < rw->prelude) {
        hd_refuse(rw, function,
                  "'%s' takes a pointer to '%s' before that is defined; move the "
                  "struct above it",
                  name, rw->record->name);
    } else if (!parameter_ranges(rw, function, ranges, count)) {
        hd_refuse(rw, function, "a macro makes the parameters of '%s'; write them out", name);
    } else {
        rw->kernels += clang_isCursorDefinition(function) && hd_is_kernel(rw->arena, function);
        for (int i = 0; i < count; i++) {
            CXCursor parameter = clang_Cursor_getArgument(function, (unsigned)i);
            space in;
            if (hd_pointee_of(rw, clang_getCursorType(parameter), &in) == POINTEE_RECORD)
                edit_parameter(rw, function, parameter, ranges[i], in);
        }
    }
}

void hd_edit_function(rewriter *rw, const frame *at) {
    int refused = 0;
    int pointers = count_pointers(rw, at->cursor, &refused);
    if (pointers)
        edit_parameters(rw, at->cursor);
    CXCursor body = body_of(rw, at->cursor);
    if (!clang_Cursor_isNull(body))
        hd_walk_child(rw, at, body);
}

/* ---- calls ----------------------------------------------------------------------------- */

static void edit_argument(rewriter *rw, const frame *at, CXCursor argument) {
    route p = {0};
    range text;
    frame child = {argument, at};
    found f = hd_pointer_route(rw, argument, &p);
    if (f == NOT_OURS) {
        size_t before = rw->refusals.count;
        hd_walk(rw, &child);
        if (rw->refusals.count == before)
            hd_refuse(rw, argument,
                      "this pointer to '%s' does not come from a parameter; Heddle "
                      "lays out only what kernels are given",
                      rw->record->name);
        return;
    }
    if (f == IN_MACRO || !hd_range_of(&rw->src, argument, &text)) {
        hd_refuse_macro(rw, argument);
    } else {
        edit *e = hd_edit_new(&rw->src, text);
        hd_edit_reference(rw, e, &p);
        hd_edit_done(&rw->src);
    }
    hd_walk_steps(rw, &child, &p);
}

bool hd_edit_call(rewriter *rw, const frame *at) {
    CXCursor callee = clang_getCursorReferenced(at->cursor);
    if (clang_getCursorKind(callee) != CXCursor_FunctionDecl)
        return false;
    int count = clang_Cursor_getNumArguments(callee), pointers = 0;
    space in;
    for (int i = 0; i < count; i++)
        pointers +=
            hd_pointee_of(rw, clang_getCursorType(clang_Cursor_getArgument(callee, (unsigned)i)),
                          &in) == POINTEE_RECORD;
    if (!pointers)
        return false;
    if (hd_is_kernel(rw->arena, callee)) {
        hd_refuse(rw, at->cursor,
                  "the kernel '%s' is called as a function, but its parameters "
                  "change; move its body to a function that both call",
                  hd_spelling(rw->arena, callee));
        return true;
    }
    for (int i = 0; i < clang_Cursor_getNumArguments(at->cursor); i++) {
        CXCursor argument = clang_Cursor_getArgument(at->cursor, (unsigned)i);
        CXType type = i < count ? clang_getCursorType(clang_Cursor_getArgument(callee, (unsigned)i))
                                : clang_getCursorType(clang_getNullCursor());
        if (i < count && hd_pointee_of(rw, type, &in) == POINTEE_RECORD)
            edit_argument(rw, at, argument);
        else
            hd_walk_child(rw, at, argument);
    }
    return true;
}

/* ---- local pointers ---------------------------------------------------------------------- */

static bool local_is_plain(rewriter *rw, const frame *at, const char *name, range *declaration,
                           unsigned *name_at) {
    CXCursor statement = at->up ? at->up->cursor : clang_getNullCursor();
    if (clang_getCursorKind(statement) != CXCursor_DeclStmt) {
        hd_refuse(rw, at->cursor,
                  "'%s' points to '%s' from outside a function; pass the array as "
                  "a parameter",
                  name, rw->record->name);
    } else if (hd_children(rw->arena, statement).count != 1) {
        hd_refuse(rw, at->cursor,
                  "'%s' is declared together with others; give each pointer to "
                  "'%s' a declaration of its own",
                  name, rw->record->name);
    } else if (!hd_range_of(&rw->src, statement, declaration) ||
               !hd_offset_of(&rw->src, clang_getCursorLocation(at->cursor), name_at) ||
               !hd_token_is(&rw->src, hd_token_from(&rw->src, *name_at), name) ||
               *name_at < declaration->begin) {
        hd_refuse_macro(rw, at->cursor);
    } else {
        return true;
    }
    return false;
}

bool hd_edit_local(rewriter *rw, const frame *at) {
    space in;
    const char *name = hd_spelling(rw->arena, at->cursor);
    pointee kind = hd_pointee_of(rw, clang_getCursorType(at->cursor), &in);
    range declaration, text;
    unsigned name_at;
    if (kind == POINTEE_OTHER)
        return false;
    if (kind == POINTEE_NESTED) {
        hd_refuse(rw, at->cursor, "'%s' holds pointers to '%s'; keep indices in it", name,
                  rw->record->name);
        return true;
    }
    if (!local_is_plain(rw, at, name, &declaration, &name_at))
        return true;
    CXCursor value = clang_Cursor_getVarDeclInitializer(at->cursor);
    route p = {0};
    found f = clang_Cursor_isNull(value) ? NOT_OURS : hd_pointer_route(rw, value, &p);
    if (f == NOT_OURS) {
        hd_refuse(rw, at->cursor,
                  "'%s' is not initialised with a place in an array that came as "
                  "a parameter; write '= &p[i]', or keep an index",
                  name);
        return true;
    }
    if (f == IN_MACRO || !hd_range_of(&rw->src, value, &text)) {
        hd_refuse_macro(rw, value);
        return true;
    }
    edit *e = hd_edit_new(&rw->src, (range){declaration.begin, name_at});
    hd_edit_text(&rw->src, e, "%s ", rw->families[in].ref);
    hd_edit_done(&rw->src);
    e = hd_edit_new(&rw->src, text);
    hd_edit_reference(rw, e, &p);
    hd_edit_done(&rw->src);
    frame init = {value, at};
    hd_walk_steps(rw, &init, &p);
    variable v = {at->cursor, name, name, in, p.root->scope};
    hd_push(rw->arena, &rw->variables, v);
    return true;
}

/* ---- the walk -------------------------------------------------------------------------------- */

void hd_walk_child(rewriter *rw, const frame *at, CXCursor child) {
    frame f = {child, at};
    hd_walk(rw, &f);
}

void hd_walk_children(rewriter *rw, const frame *at) {
    cursors inside = hd_children(rw->arena, at->cursor);
    for (size_t i = 0; i < inside.count; i++)
        hd_walk_child(rw, at, inside.data[i]);
}

static bool is_variable(const rewriter *rw, CXCursor name) {
    CXCursor declaration = clang_getCursorReferenced(name);
    for (size_t i = 0; i < rw->variables.count; i++)
        if (clang_equalCursors(rw->variables.data[i].declaration, declaration))
            return true;
    return false;
}

static void check_name(rewriter *rw, const frame *at) {
    unsigned offset;
    if (!is_variable(rw, at->cursor))
        return;
    const char *name = hd_spelling(rw->arena, at->cursor);
    if (hd_offset_of(&rw->src, clang_getCursorLocation(at->cursor), &offset) &&
        hd_token_is(&rw->src, hd_token_from(&rw->src, offset), name))
        refuse_name(rw, at);
    else
        hd_refuse_macro(rw, at->cursor);
}

/* Pointers to the record that come from elsewhere: their bytes are laid out
 * anew all the same when the host passes such an array. */
static bool refuse_foreign(rewriter *rw, const frame *at) {
    space in;
    enum CXCursorKind kind = clang_getCursorKind(at->cursor);
    if (hd_pointee_of(rw, clang_getCursorType(at->cursor), &in) == POINTEE_OTHER)
        return false;
    if (kind == CXCursor_FieldDecl)
        hd_refuse(rw, at->cursor, "'%s' keeps a pointer to '%s' in a struct; keep an index",
                  hd_spelling(rw->arena, at->cursor), rw->record->name);
    else
        hd_refuse(rw, at->cursor,
                  "another pointer is cast to one to '%s', which is then not laid "
                  "out as such; declare the pointer '%s %s *' from the start",
                  rw->record->name, rw->families[in].qualifier, rw->spelling);
    return true;
}

/* A cast of one of our own pointers is refused at the pointer, and says more
 * there; (void)p is no use of it. */
static bool edit_cast(rewriter *rw, const frame *at) {
    cursors inside = hd_children(rw->arena, at->cursor);
    space in;
    route p = {0};
    if (inside.count && clang_getCursorType(at->cursor).kind == CXType_Void &&
        hd_pointer_route(rw, inside.data[inside.count - 1], &p) == OURS) {
        edit_argument(rw, at, inside.data[inside.count - 1]);
        return true;
    }
    bool ours =
        inside.count &&
        hd_pointee_of(rw, clang_getCursorType(inside.data[inside.count - 1]), &in) != POINTEE_OTHER;
    return !ours && refuse_foreign(rw, at);
}

static bool edited(rewriter *rw, const frame *at) {
    switch (clang_getCursorKind(at->cursor)) {
    case CXCursor_FunctionDecl:
        hd_edit_function(rw, at);
        return true;
    case CXCursor_VarDecl:
        return hd_edit_local(rw, at);
    case CXCursor_CallExpr:
        return hd_edit_call(rw, at);
    case CXCursor_MemberRefExpr:
        return hd_edit_field(rw, at);
    case CXCursor_ArraySubscriptExpr:
    case CXCursor_UnaryOperator:
        return hd_edit_element(rw, at);
    case CXCursor_BinaryOperator:
        return hd_edit_store(rw, at);
    case CXCursor_UnaryExpr:
        return hd_edit_sizeof(rw, at);
    case CXCursor_FieldDecl:
        return refuse_foreign(rw, at);
    case CXCursor_CStyleCastExpr:
        return edit_cast(rw, at);
    case CXCursor_DeclRefExpr:
        check_name(rw, at);
        return true;
    default:
        return false;
    }
}

void hd_walk(rewriter *rw, const frame *at) {
    unsigned offset;
    if (hd_offset_of(&rw->src, clang_getCursorLocation(at->cursor), &offset))
        hd_push(rw->arena, &rw->seen, offset);
    if (!edited(rw, at))
        hd_walk_children(rw, at);
}

/* ---- names that no cursor explained ---------------------------------------------------------- */

static bool lies_in(unsigned offset, range at) { return offset >= at.begin && offset < at.end; }

static bool is_explained(const rewriter *rw, size_t t) {
    unsigned offset = rw->src.tokens[t].at.begin;
    if (t && (hd_token_is(&rw->src, t - 1, ".") || hd_token_is(&rw->src, t - 1, "->")))
        return true;
    for (size_t i = 0; i < rw->seen.count; i++)
        if (rw->seen.data[i] == offset)
            return true;
    for (size_t i = 0; i < rw->macro_uses.count; i++)
        if (lies_in(offset, rw->macro_uses.data[i]))
            return true;
    return false;
}

/* libclang does not show every corner of the tree (the operand of typeof in a
 * cast, for one). A variable's name that was seen as a token but not as a
 * cursor would keep its old meaning there. */
void hd_check_all_seen(rewriter *rw) {
    const source *src = &rw->src;
    CXSourceRangeList *skipped = clang_getSkippedRanges(src->unit, src->file);
    for (unsigned i = 0; skipped && i < skipped->count; i++) {
        range at;
        if (hd_offset_of(src, clang_getRangeStart(skipped->ranges[i]), &at.begin) &&
            hd_offset_of(src, clang_getRangeEnd(skipped->ranges[i]), &at.end))
            hd_push(rw->arena, &rw->macro_uses, at);
    }
    if (skipped)
        clang_disposeSourceRangeList(skipped);
    for (size_t i = 0; i < rw->variables.count; i++) {
        const variable *v = &rw->variables.data[i];
        for (size_t t = hd_token_from(src, v->scope.begin);
             t < src->token_count && src->tokens[t].at.begin < v->scope.end; t++)
            if (hd_token_is(src, t, v->name) && !is_explained(rw, t))
                refuse_at(rw,
                          clang_getLocationForOffset(src->unit, src->file, src->tokens[t].at.begin),
                          hd_format(rw->arena,
                                    "'%s' is used where Heddle cannot follow it (in a "
                                    "type?); reach the fields as p[i].field",
                                    v->name));
    }
}
