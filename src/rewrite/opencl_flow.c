/*
 * Which buffers of an OpenCL program hold laid-out records. Nothing in a cl_mem says so; the kernels
 * do that are given it (opencl_argument.c). From there it follows what is assigned, backward to
 * clCreateBuffer() and forward to all other uses:
 *
 *     cl_mem d = clCreateBuffer(...);             holder d
 *     upload(d, bodies, bytes);                   passes d to the holder of a parameter
 *     clSetKernelArg(move, 0, sizeof d, &d);      demands `body` of d
 *
 * Assignments make one holder of two. A function's parameters and its result do not become one with
 * what calls give and take, as long as they are the function's own: functions such as upload() serve
 * buffers of every kind. What such a holder demands by itself, its callers' holders do as well; where it demands nothing,
 * its kinds are those of the calls, and more than one make it generic.
 */
#include "opencl_host.h"

static const buffer_function functions[] = {
    {"clCreateBuffer", "heddle_create_%s_buffer", NULL, {0, 0}, true},
    {"clEnqueueReadBuffer", "heddle_read_%s", NULL, {2, 0}, false},
    {"clEnqueueWriteBuffer", "heddle_write_%s", NULL, {2, 0}, false},
    {"clEnqueueCopyBuffer", "heddle_copy_%s", NULL, {2, 3}, false},
    {"clEnqueueFillBuffer", "heddle_fill_%s", NULL, {2, 0}, false},
    {"clEnqueueMapBuffer", "heddle_map_%s", NULL, {2, 0}, false},
    {"clEnqueueUnmapMemObject", "heddle_unmap_%s", NULL, {2, 0}, false},
    {"clCreateSubBuffer", NULL, "give kernels the whole buffer, and an index", {1, 0}, true},
    {"clGetMemObjectInfo", NULL, "keep the size in a variable", {1, 0}, false},
};
/* What they do is right for buffers of every kind. */
static const char neutral[] = "clReleaseMemObject clRetainMemObject clSetKernelArg "
                              "clSetMemObjectDestructorCallback clEnqueueMigrateMemObjects";
static const buffer_function unknown = {
    NULL, NULL, "what becomes of it there is not known; do it in this file", {0, 0}, false};

/* ---- types ------------------------------------------------------------------------------------ */

bool rw_holds(CXType type, const char *what) {
    CXType canonical = clang_getCanonicalType(type);
    if (canonical.kind == CXType_FunctionProto || canonical.kind == CXType_FunctionNoProto)
        return false;
    CXString text = clang_getTypeSpelling(canonical);
    bool found = strstr(clang_getCString(text), what) && !strstr(clang_getCString(text), "(*)(");
    clang_disposeString(text);
    return found;
}

static bool is_handle(CXType type) {
    return rw_holds(type, OF_BUFFERS) || rw_holds(type, OF_KERNELS);
}

/* ---- holders ------------------------------------------------------------------------------------ */

int rw_holder(const host_flow *flow, int h) {
    while (flow->holders.data[h].up != h)
        h = flow->holders.data[h].up;
    return h;
}

static void unite(host_flow *flow, int a, int b) {
    if (a == NO_HOLDER || b == NO_HOLDER)
        return;
    a = rw_holder(flow, a);
    b = rw_holder(flow, b);
    if (a == b)
        return;
    holder *to = &flow->holders.data[a], *from = &flow->holders.data[b];
    from->up = a;
    to->demanded |= from->demanded;
    to->is_shared |= from->is_shared || !clang_equalCursors(to->home, from->home);
    for (size_t i = 0; i < from->names.count; i++)
        hd_push(flow->rw->arena, &to->names, from->names.data[i]);
}

/* The function that a variable or a result lives in; a null cursor: none. */
static CXCursor home_of(const host_flow *flow, CXCursor one) {
    if (rw_is_function(one))
        return one;
    if (!clang_isDeclaration(clang_getCursorKind(one)))
        return flow->function;
    CXCursor parent = clang_getCursorSemanticParent(one);
    bool is_local = rw_is_function(parent) && clang_Cursor_getStorageClass(one) != CX_SC_Static;
    return is_local ? clang_getCanonicalCursor(parent) : clang_getNullCursor();
}

/* Of a declaration or a call, or of one element of an array. */
static int holder_at(host_flow *flow, CXCursor declaration, long long element) {
    CXCursor one = clang_isDeclaration(clang_getCursorKind(declaration))
                       ? clang_getCanonicalCursor(declaration)
                       : declaration;
    for (size_t i = 0; i < flow->holders.count; i++)
        if (flow->holders.data[i].element == element &&
            rw_same_expression(flow->holders.data[i].declaration, one))
            return (int)i;
    int number = (int)flow->holders.count;
    holder h = {.declaration = one, .element = element, .up = number, .home = home_of(flow, one)};
    h.is_shared = clang_Cursor_isNull(h.home);
    hd_push(flow->rw->arena, &flow->holders, h);
    return number;
}

static int holder_of(host_flow *flow, CXCursor declaration) {
    return holder_at(flow, declaration, WHOLE);
}

/* An array that is used as a whole, or by an index that is not known, is one holder after all. */
static void unite_arrays(host_flow *flow) {
    for (size_t i = 0; i < flow->holders.count; i++)
        for (size_t k = 0; k < flow->holders.count; k++)
            if (flow->holders.data[i].element == WHOLE && flow->holders.data[k].element != WHOLE &&
                rw_same_expression(flow->holders.data[i].declaration,
                                   flow->holders.data[k].declaration))
                unite(flow, (int)i, (int)k);
}

/* ---- expressions ---------------------------------------------------------------------------------- */

static bool is_cast(CXCursor e) {
    switch (clang_getCursorKind(e)) {
    case CXCursor_CStyleCastExpr:
    case CXCursor_CXXStaticCastExpr:
    case CXCursor_CXXReinterpretCastExpr:
    case CXCursor_CXXConstCastExpr:
    case CXCursor_CXXFunctionalCastExpr: return true;
    default: return false;
    }
}

/* The object that a method is called on: all that it gives is one with it, as v[i] and v.at(i). */
static CXCursor object_of(host_flow *flow, CXCursor call) {
    cursors inside = rw_children(flow->rw->arena, call);
    if (!inside.count)
        return clang_getNullCursor();
    CXCursor member = rw_bare(flow->rw->arena, inside.data[0]);
    const char *name = rw_spelling(flow->rw->arena, clang_getCursorReferenced(call));
    if (!strncmp(name, "operator", 8) || clang_getCursorKind(member) != CXCursor_MemberRefExpr)
        return inside.data[0];
    return rw_only_child(flow->rw->arena, member);
}

static bool is_method(CXCursor function) {
    enum CXCursorKind around = clang_getCursorKind(clang_getCursorSemanticParent(function));
    return clang_getCursorKind(function) == CXCursor_CXXMethod ||
           (clang_getCursorKind(function) == CXCursor_FunctionTemplate &&
            around != CXCursor_Namespace && around != CXCursor_TranslationUnit);
}

static int holder_of_call(host_flow *flow, CXCursor call) {
    CXCursor callee = rw_callee(flow->rw->arena, call);
    if (!clang_Cursor_isNull(callee) && is_method(callee) &&
        clang_Location_isInSystemHeader(clang_getCursorLocation(callee)))
        return rw_holder_in(flow, object_of(flow, call));
    return holder_of(flow, call);
}

/* array[number], and the like of it. */
static int holder_of_element(host_flow *flow, const cursors *inside) {
    if (inside->count != 2)
        return NO_HOLDER;
    CXCursor array = rw_bare(flow->rw->arena, inside->data[0]);
    CXCursor declaration = clang_getCursorReferenced(array);
    long long element;
    bool is_array = clang_getCursorKind(array) == CXCursor_DeclRefExpr ||
                    clang_getCursorKind(array) == CXCursor_MemberRefExpr;
    is_array = is_array && clang_getCanonicalType(clang_getCursorType(declaration)).kind ==
                               CXType_ConstantArray;
    return is_array && rw_constant_value(inside->data[1], &element) && element >= 0
               ? holder_at(flow, declaration, element)
               : rw_holder_in(flow, inside->data[0]);
}

int rw_holder_in(host_flow *flow, CXCursor expression) {
    hd_arena *arena = flow->rw->arena;
    CXCursor e = rw_bare(arena, expression);
    cursors inside = rw_children(arena, e);
    if (is_cast(e) && inside.count)
        return rw_holder_in(flow, inside.data[inside.count - 1]);
    if (!is_handle(clang_getCursorType(e)))
        return NO_HOLDER;
    switch (clang_getCursorKind(e)) {
    case CXCursor_DeclRefExpr:
    case CXCursor_MemberRefExpr: return holder_of(flow, clang_getCursorReferenced(e));
    case CXCursor_ArraySubscriptExpr: return holder_of_element(flow, &inside);
    case CXCursor_UnaryOperator:
        return inside.count ? rw_holder_in(flow, inside.data[0]) : NO_HOLDER;
    case CXCursor_CallExpr: return holder_of_call(flow, e);
    case CXCursor_BinaryOperator:
        return inside.count == 2
                   ? rw_holder_in(flow, inside.data[clang_getCursorBinaryOperatorKind(e) ==
                                                    CXBinaryOperator_Comma])
                   : NO_HOLDER;
    case CXCursor_ConditionalOperator: {
        int chosen = inside.count == 3 ? rw_holder_in(flow, inside.data[1]) : NO_HOLDER;
        int other = inside.count == 3 ? rw_holder_in(flow, inside.data[2]) : NO_HOLDER;
        unite(flow, chosen, other);
        return chosen == NO_HOLDER ? other : chosen;
    }
    case CXCursor_InitListExpr: {
        int all = NO_HOLDER;
        for (size_t i = 0; i < inside.count; i++) {
            int one = rw_holder_in(flow, inside.data[i]);
            unite(flow, all, one);
            all = all == NO_HOLDER ? one : all;
        }
        return all;
    }
    default: return inside.count == 1 ? rw_holder_in(flow, inside.data[0]) : NO_HOLDER;
    }
}

/* True for 0, NULL and nullptr, which are no buffers. */
static bool is_null(host_flow *flow, CXCursor expression) {
    long long value;
    CXCursor e = rw_bare(flow->rw->arena, expression);
    while (is_cast(e))
        e = rw_bare(flow->rw->arena, rw_last_child(flow->rw->arena, e));
    return clang_getCursorKind(e) == CXCursor_CXXNullPtrLiteralExpr ||
           clang_getCursorKind(e) == CXCursor_GNUNullExpr ||
           (rw_constant_value(e, &value) && !value);
}

/* What an expression gives a holder. */
static void assign(host_flow *flow, int to, CXCursor value) {
    int from = rw_holder_in(flow, value);
    bool is_list = clang_getCursorKind(rw_bare(flow->rw->arena, value)) == CXCursor_InitListExpr ||
                   clang_getCursorKind(value) == CXCursor_CallExpr;
    if (from != NO_HOLDER)
        unite(flow, to, from);
    else if (!is_null(flow, value) && !is_list)
        rw_refuse(
            flow->rw, value,
            "where this buffer or kernel comes from cannot be followed; keep it in a variable");
}

/* ---- calls ----------------------------------------------------------------------------------------- */

static void pass(host_flow *flow, size_t call, CXCursor argument, CXCursor parameter) {
    int outside = rw_holder_in(flow, argument), inside = holder_of(flow, parameter);
    if (outside == NO_HOLDER) {
        assign(flow, inside, argument);
        return;
    }
    passing p = {outside, inside, flow->calls.data[call].function, call};
    hd_push(flow->rw->arena, &flow->passings, p);
}

/* A function that is defined here. */
static void see_own_call(host_flow *flow, CXCursor call, CXCursor callee, CXCursor function) {
    cursors parameters = rw_parameters(flow->rw->arena, callee);
    size_t number = flow->calls.count;
    hd_push(flow->rw->arena, &flow->calls, (host_call){call, callee, function});
    int count = clang_Cursor_getNumArguments(call);
    for (int a = 0; a < count && (size_t)a < parameters.count; a++) {
        CXCursor argument = clang_Cursor_getArgument(call, (unsigned)a);
        if (is_handle(clang_getCursorType(argument)) &&
            is_handle(clang_getCursorType(parameters.data[a])))
            pass(flow, number, argument, parameters.data[a]);
    }
    if (is_handle(clang_getCursorType(call))) {
        passing p = {holder_of(flow, call), holder_of(flow, callee), function, number};
        hd_push(flow->rw->arena, &flow->passings, p);
    }
}

static const buffer_function *known_function(const char *name) {
    for (size_t f = 0; f < sizeof functions / sizeof *functions; f++)
        if (!strcmp(functions[f].name, name))
            return &functions[f];
    return NULL;
}

/* One of the library's, or of another file. */
static void see_foreign_call(host_flow *flow, CXCursor call, const char *name, CXCursor function) {
    const buffer_function *known = known_function(name);
    buffer_use use = {
        .what = known ? known : &unknown, .name = name, .call = call, .function = function};
    int count = clang_Cursor_getNumArguments(call);
    bool makes_kernel = !strcmp(name, "clCreateKernel");
    for (int a = 0; a < count && !known; a++) {
        CXCursor argument = clang_Cursor_getArgument(call, (unsigned)a);
        int h = rw_holder_in(flow, argument);
        if (h == NO_HOLDER)
            continue;
        flow->holders.data[h].is_filled |= rw_pointer_depth(clang_getCursorType(argument)) > 1;
        if (use.count < 2)
            use.holders[use.count++] = h;
    }
    for (int b = 0; b < 2 && known; b++) {
        CXCursor argument = known->buffers[b]
                                ? clang_Cursor_getArgument(call, known->buffers[b] - 1)
                                : clang_getNullCursor();
        int h = known->buffers[b] ? rw_holder_in(flow, argument) : NO_HOLDER;
        if (h != NO_HOLDER)
            use.holders[use.count++] = h;
        else if (known->buffers[b] && !is_null(flow, argument))
            rw_refuse(flow->rw, argument,
                      "which buffer this is cannot be followed; keep it in a "
                      "variable");
    }
    if (known && known->makes)
        use.holders[use.count++] = holder_of(flow, call);
    if (!makes_kernel && use.count)
        hd_push(flow->rw->arena, &flow->uses, use);
}

/* std::swap(a, b), v.push_back(b): all that meets there is one. */
static void see_library_call(host_flow *flow, CXCursor call, CXCursor callee) {
    int all = NO_HOLDER, met = 0;
    CXCursor last = call;
    if (is_handle(clang_getCursorType(call)))
        all = holder_of_call(flow, call);
    else if (is_method(callee))
        all = rw_holder_in(flow, object_of(flow, call));
    met += all != NO_HOLDER;
    int count = clang_Cursor_getNumArguments(call);
    for (int a = 0; a < count; a++) {
        CXCursor argument = clang_Cursor_getArgument(call, (unsigned)a);
        int one = rw_holder_in(flow, argument);
        if (one == NO_HOLDER)
            continue;
        unite(flow, all, one);
        all = all == NO_HOLDER ? one : all;
        last = argument;
        met++;
    }
    if (met == 1 && !rw_same_expression(last, call) &&
        rw_holds(clang_getCursorType(last), OF_BUFFERS))
        rw_refuse(flow->rw, last,
                  "where '%s' keeps this buffer cannot be followed; keep it in a "
                  "variable",
                  rw_spelling(flow->rw->arena, callee));
}

static void see_call(host_flow *flow, CXCursor call, CXCursor function) {
    hd_arena *arena = flow->rw->arena;
    CXCursor callee = rw_callee(arena, call), null = clang_getNullCursor();
    CXCursor defined = clang_Cursor_isNull(callee) ? null : clang_getCursorDefinition(callee);
    const char *name = rw_spelling(arena, clang_Cursor_isNull(callee) ? call : callee);
    bool is_system = !clang_Cursor_isNull(callee) &&
                     clang_Location_isInSystemHeader(clang_getCursorLocation(callee));
    if (!strcmp(name, "clSetKernelArg")) {
        hd_push(arena, &flow->set_args, call);
        hd_push(arena, &flow->set_functions, function);
    } else if (is_system && strncmp(name, "cl", 2) != 0) {
        see_library_call(flow, call, callee);
    } else if (!clang_Cursor_isNull(defined) && !is_system) {
        see_own_call(flow, call, defined, function);
    } else if (!hd_has_word(neutral, name)) {
        see_foreign_call(flow, call, name, function);
    }
}

/* ---- the walk ---------------------------------------------------------------------------------------- */

/* struct { cl_mem a, b; } s = {x, y}, also {.a = x}. */
static void see_list(host_flow *flow, CXCursor list) {
    hd_arena *arena = flow->rw->arena;
    cursors fields = rw_fields(arena, clang_getCanonicalType(clang_getCursorType(list)));
    cursors inside = rw_children(arena, list);
    for (size_t i = 0; i < inside.count; i++) {
        cursors parts = rw_children(arena, inside.data[i]);
        bool is_named =
            parts.count == 2 && clang_getCursorKind(parts.data[0]) == CXCursor_MemberRef;
        CXCursor field = is_named           ? clang_getCursorReferenced(parts.data[0])
                         : i < fields.count ? fields.data[i]
                                            : clang_getNullCursor();
        if (!clang_Cursor_isNull(field) && is_handle(clang_getCursorType(field)))
            assign(flow, holder_of(flow, field), is_named ? parts.data[1] : inside.data[i]);
    }
}

/* cl_mem all[] = {a, b} */
static void see_array(host_flow *flow, CXCursor array, CXCursor list) {
    cursors inside = rw_children(flow->rw->arena, list);
    for (size_t i = 0; i < inside.count; i++) {
        cursors parts = rw_children(flow->rw->arena, inside.data[i]);
        bool is_named = parts.count == 2 && rw_holder_in(flow, inside.data[i]) == NO_HOLDER;
        assign(flow, is_named ? holder_of(flow, array) : holder_at(flow, array, (long long)i),
               is_named ? parts.data[1] : inside.data[i]);
    }
}

/* Constructor() : member(value) {} */
static void see_members(host_flow *flow, const cursors *inside) {
    for (size_t i = 0; i + 1 < inside->count; i++)
        if (clang_getCursorKind(inside->data[i]) == CXCursor_MemberRef) {
            CXCursor field = clang_getCursorReferenced(inside->data[i]);
            if (is_handle(clang_getCursorType(field)))
                assign(flow, holder_of(flow, field), inside->data[i + 1]);
        }
}

/* Whether a variable is only given to functions that are right for buffers of every kind. */
static bool is_neutral(host_flow *flow, CXCursor at, CXCursor loop_variable) {
    bool is_call = clang_getCursorKind(at) == CXCursor_CallExpr;
    const char *name = is_call ? rw_spelling(flow->rw->arena, at) : "";
    if (is_call && hd_has_word(neutral, name) && strcmp(name, "clSetKernelArg") != 0)
        return true;
    if (clang_getCursorKind(at) == CXCursor_DeclRefExpr)
        return !clang_equalCursors(clang_getCursorReferenced(at), loop_variable);
    cursors inside = rw_children(flow->rw->arena, at);
    for (size_t i = 0; i < inside.count; i++)
        if (!is_neutral(flow, inside.data[i], loop_variable))
            return false;
    return true;
}

/* for (cl_mem one : {a, b}) */
static void see_range(host_flow *flow, const cursors *inside) {
    int one = NO_HOLDER;
    for (size_t i = 0; i < inside->count; i++) {
        CXCursor child = inside->data[i];
        if (clang_getCursorKind(child) == CXCursor_VarDecl) {
            if (!is_handle(clang_getCursorType(child)) ||
                is_neutral(flow, inside->data[inside->count - 1], child))
                return;
            one = holder_of(flow, child);
        } else if (clang_isExpression(clang_getCursorKind(child))) {
            unite(flow, one, rw_holder_in(flow, child));
        }
    }
}

static void see(host_flow *flow, CXCursor at, CXCursor function) {
    hd_arena *arena = flow->rw->arena;
    cursors inside = rw_children(arena, at);
    CXCursor last = inside.count ? inside.data[inside.count - 1] : clang_getNullCursor();
    enum CXCursorKind kind = clang_getCursorKind(at);
    if (rw_is_function(at)) {
        function = at;
        flow->function = clang_getCanonicalCursor(at);
        see_members(flow, &inside);
    }
    if ((kind == CXCursor_VarDecl || kind == CXCursor_FieldDecl) &&
        is_handle(clang_getCursorType(at)) && clang_isExpression(clang_getCursorKind(last)) &&
        !rw_is_array(clang_getCursorType(at)))
        assign(flow, holder_of(flow, at), last);
    else if (kind == CXCursor_VarDecl && rw_is_array(clang_getCursorType(at)) &&
             is_handle(clang_getCursorType(at)) &&
             clang_getCursorKind(last) == CXCursor_InitListExpr)
        see_array(flow, at, last);
    else if (kind == CXCursor_BinaryOperator &&
             clang_getCursorBinaryOperatorKind(at) == CXBinaryOperator_Assign &&
             is_handle(clang_getCursorType(at)))
        assign(flow, rw_holder_in(flow, inside.data[0]), inside.data[1]);
    else if (kind == CXCursor_ReturnStmt && !clang_Cursor_isNull(function) &&
             clang_isExpression(clang_getCursorKind(last)) &&
             is_handle(clang_getCursorResultType(function)))
        assign(flow, holder_of(flow, function), last);
    else if (kind == CXCursor_InitListExpr &&
             clang_getCanonicalType(clang_getCursorType(at)).kind == CXType_Record)
        see_list(flow, at);
    else if (kind == CXCursor_CXXForRangeStmt)
        see_range(flow, &inside);
    else if (kind == CXCursor_CallExpr)
        see_call(flow, at, function);
    for (size_t i = 0; i < inside.count; i++)
        see(flow, inside.data[i], function);
}

static void see_all(host_flow *flow) {
    cursors all = rw_children(flow->rw->arena, clang_getTranslationUnitCursor(flow->rw->src.unit));
    for (size_t i = 0; i < all.count; i++)
        if (clang_isDeclaration(clang_getCursorKind(all.data[i])) &&
            !clang_Location_isInSystemHeader(clang_getCursorLocation(all.data[i])))
            see(flow, all.data[i], clang_getNullCursor());
}

/* ---- kinds ------------------------------------------------------------------------------------------- */

kinds rw_kinds_of(const host_flow *flow, int h) {
    const holder *at = &flow->holders.data[rw_holder(flow, h)];
    return at->demanded ? at->demanded : at->incoming;
}

static bool is_one(kinds set) { return !(set & (set - 1)); }

/* What goes into a function may come out by another way: of a call, all that meets inside is one, and
 * so is what meets a holder that other functions use. */
static void unite_calls(host_flow *flow) {
    for (bool changed = true; changed;) {
        changed = false;
        for (size_t a = 0; a < flow->passings.count; a++) {
            const passing *p = &flow->passings.data[a];
            int inside = rw_holder(flow, p->inside), outside = rw_holder(flow, p->outside);
            if (flow->holders.data[inside].is_shared && inside != outside) {
                unite(flow, outside, inside);
                changed = true;
            }
            for (size_t b = a + 1; b < flow->passings.count; b++) {
                const passing *other = &flow->passings.data[b];
                if (other->call != p->call ||
                    rw_holder(flow, other->inside) != rw_holder(flow, p->inside) ||
                    rw_holder(flow, other->outside) == rw_holder(flow, p->outside))
                    continue;
                unite(flow, p->outside, other->outside);
                changed = true;
            }
        }
    }
}

bool rw_is_generic(const host_flow *flow, int h) {
    const holder *at = &flow->holders.data[rw_holder(flow, h)];
    return !at->demanded && !at->is_shared && !is_one(at->incoming);
}

static bool pass_on(kinds *to, kinds more) {
    kinds before = *to;
    *to |= more;
    return *to != before;
}

/* Demands go out of functions, kinds into them, until nothing changes. */
static void spread(host_flow *flow) {
    for (bool changed = true; changed;) {
        changed = false;
        for (size_t i = 0; i < flow->passings.count; i++) {
            const passing *p = &flow->passings.data[i];
            holder *outside = &flow->holders.data[rw_holder(flow, p->outside)];
            holder *inside = &flow->holders.data[rw_holder(flow, p->inside)];
            kinds given = rw_kinds_of(flow, p->outside);
            if (outside == inside)
                continue;
            changed |= pass_on(&outside->demanded, inside->demanded);
            changed |= pass_on(&inside->incoming, given ? given : KIND_PLAIN);
        }
    }
}

static void refuse_mixed(host_flow *flow) {
    for (size_t i = 0; i < flow->holders.count; i++) {
        const holder *h = &flow->holders.data[i];
        kinds of = rw_kinds_of(flow, (int)i), laid = of & ~KIND_PLAIN;
        if (h->up != (int)i || is_one(of) || !laid || (!h->demanded && !h->is_shared))
            continue;
        const hd_record *record = flow->request->layouts[__builtin_ctzll(laid)].record;
        rw_refuse(flow->rw, h->declaration,
                  "'%s' holds buffers of '%s' and others, as the kernels say that it is given to; "
                  "keep them in variables of their own",
                  rw_spelling(flow->rw->arena, h->declaration), record->name);
    }
}

static bool is_called(const host_flow *flow, CXCursor function) {
    for (size_t c = 0; c < flow->calls.count; c++)
        if (clang_equalCursors(clang_getCanonicalCursor(flow->calls.data[c].callee), function))
            return true;
    return false;
}

/* Parameters of functions that only other files call. */
static void refuse_uncalled(host_flow *flow) {
    for (size_t i = 0; i < flow->holders.count; i++) {
        const holder *h = &flow->holders.data[i];
        kinds laid = rw_kinds_of(flow, (int)i) & ~KIND_PLAIN;
        if (laid && clang_getCursorKind(h->declaration) == CXCursor_ParmDecl &&
            !is_called(flow, h->home))
            rw_refuse(flow->rw, h->declaration,
                      "'%s' gets buffers of '%s', and nothing in this file calls its function; the "
                      "host must be one file with its headers",
                      rw_spelling(flow->rw->arena, h->declaration),
                      flow->request->layouts[__builtin_ctzll(laid)].record->name);
    }
}

static bool is_made(const host_flow *flow, int h) {
    for (size_t i = 0; i < flow->holders.count; i++)
        if (rw_holder(flow, (int)i) == rw_holder(flow, h) &&
            (clang_getCursorKind(flow->holders.data[i].declaration) == CXCursor_CallExpr ||
             flow->holders.data[i].is_filled))
            return true;
    return false;
}

/* Whether something was seen that gives a holder its buffers: what makes them, here or in a function
 * that is given the holder, or calls. */
static bool has_origin(const host_flow *flow, int h) {
    if (is_made(flow, h))
        return true;
    for (size_t p = 0; p < flow->passings.count; p++) {
        const passing *passed = &flow->passings.data[p];
        bool goes_in = rw_holder(flow, passed->inside) == rw_holder(flow, h);
        bool comes_out = rw_holder(flow, passed->outside) == rw_holder(flow, h);
        if (goes_in || (comes_out && is_made(flow, passed->inside)))
            return true;
    }
    return false;
}

/* A buffer that comes from nowhere comes by a way that was not seen. */
static void refuse_unknown(host_flow *flow) {
    for (size_t u = 0; u < flow->uses.count; u++)
        for (uint32_t i = 0; i < flow->uses.data[u].count; i++) {
            const buffer_use *use = &flow->uses.data[u];
            if (rw_holds(clang_getCursorType(flow->holders.data[use->holders[i]].declaration),
                         OF_BUFFERS) &&
                !has_origin(flow, use->holders[i]))
                rw_refuse(flow->rw, use->call,
                          "where the buffer that %s() is given comes from cannot be followed; keep "
                          "it in a variable",
                          use->name);
        }
}

void rw_follow_buffers(host_flow *flow) {
    see_all(flow);
    unite_arrays(flow);
    unite_calls(flow);
    rw_demand_by_kernels(flow);
    unite_arrays(flow); /* kernels may be given elements by any index */
    unite_calls(flow);
    spread(flow);
    refuse_mixed(flow);
    refuse_uncalled(flow);
    refuse_unknown(flow);
}
