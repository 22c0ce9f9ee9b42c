/*
 * Which buffers of an OpenCL program hold laid-out records. Nothing in a cl_mem says so; the kernels
 * do that are given it. From there it follows what is assigned (pointer_flow.c), backward
 * to clCreateBuffer() and forward to all other uses:
 *
 *     cl_mem d = clCreateBuffer(...);             node d
 *     upload(d, bodies, bytes);                   passes d to the node of a parameter
 *     clSetKernelArg(move, 0, sizeof d, &d);      demands `body` of d
 *
 * What a node in a function demands by itself, the nodes that calls pass it do as well; where it
 * demands nothing, its kinds are those of the calls, and more than one make it generic.
 *
 * What kernels demand of buffers: for each clSetKernelArg() which kernel it is, which argument, and
 * which buffer it gets. Where one of them is a parameter of the function that the call stands in, it
 * is followed to each call of that function:
 *
 *     void set(cl_kernel k, cl_uint i, cl_mem m) { clSetKernelArg(k, i, sizeof m, &m); }
 *     set(move, 0, bodies);                        argument 0 of what `move` holds, `bodies`
 *
 * A kernel is known by its name in clCreateKernel(). Indices may be counted: `i++` from a value that
 * is set in the same block.
 */
#include <ctype.h>

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
    /* of the bindings for C++ */
    {"Buffer", "heddle::create_%s_buffer", NULL, {0, 0}, true},
    {"enqueueReadBuffer", "heddle::read_%s", NULL, {1, 0}, false},
    {"enqueueWriteBuffer", "heddle::write_%s", NULL, {1, 0}, false},
    {"enqueueCopyBuffer", "heddle::copy_%s_buffer", NULL, {1, 2}, false},
    {"enqueueFillBuffer", "heddle::fill_%s", NULL, {1, 0}, false},
    {"enqueueMapBuffer", "heddle::map_%s", NULL, {1, 0}, false},
    {"enqueueUnmapMemObject", "heddle::unmap_%s", NULL, {1, 0}, false},
    {"copy", "heddle::copy_%s", NULL, {0, 0}, false},
    {"createSubBuffer", NULL, "give kernels the whole buffer, and an index", {0, 0}, false},
    {"getInfo", NULL, "keep the size in a variable", {0, 0}, false},
};
/* What they do is right for buffers of every kind. */
static const char neutral[] = "clReleaseMemObject clRetainMemObject "
                              "clSetMemObjectDestructorCallback clEnqueueMigrateMemObjects "
                              "setDestructorCallback";
static const buffer_function unknown = {
    NULL, NULL, "what becomes of it there is not known; do it in this file", {0, 0}, false};

/* Whether a type's text has a class of the bindings, and none whose name begins with its name. */
static bool has_class(const char *type, const char *class) {
    size_t length = strlen(class);
    for (const char *at = type; (at = strstr(at, class)); at += length)
        if (!isalnum((unsigned char)at[length]) && at[length] != '_')
            return true;
    return false;
}

bool rw_holds(CXType type, const char *what) {
    CXType canonical = clang_getCanonicalType(type);
    if (canonical.kind == CXType_FunctionProto || canonical.kind == CXType_FunctionNoProto)
        return false;
    CXString spelling = clang_getTypeSpelling(canonical);
    const char *text = clang_getCString(spelling);
    bool takes = strstr(text, "*)(") || strstr(text, "function<"); /* when it is called */
    bool launches = has_class(text, "cl::KernelFunctor") || has_class(text, "make_kernel");
    bool of_bindings = !strcmp(what, OF_BUFFERS) ? !launches && has_class(text, "cl::Buffer")
                                                 : launches || has_class(text, "cl::Kernel");
    bool found = !takes && (strstr(text, what) || of_bindings);
    clang_disposeString(spelling);
    return found;
}

bool rw_is_handle(CXType type) { return rw_holds(type, OF_BUFFERS) || rw_holds(type, OF_KERNELS); }

bool rw_is_neutral(const rewriter *rw, CXCursor at, CXCursor one) {
    if (clang_getCursorKind(at) == CXCursor_CallExpr &&
        hd_has_word(neutral, rw_spelling(rw->arena, at)))
        return true;
    if (clang_getCursorKind(at) == CXCursor_DeclRefExpr)
        return !clang_equalCursors(clang_getCursorReferenced(at), one);
    hd_cursors inside = hd_cursor_children(rw->arena, at);
    for (size_t i = 0; i < inside.count; i++)
        if (!rw_is_neutral(rw, inside.data[i], one))
            return false;
    return true;
}

/* An array that is used as a whole, or by an index that is not known, is one node after all. */
static void join_arrays(flow *f) {
    for (size_t i = 0; i < f->nodes.count; i++)
        for (size_t k = 0; k < f->nodes.count; k++)
            if (f->nodes.data[i].element == WHOLE && f->nodes.data[k].element != WHOLE &&
                rw_same_expression(f->nodes.data[i].declaration, f->nodes.data[k].declaration))
                rw_join(f, (int)i, (int)k);
}

/* ---- uses ----------------------------------------------------------------------------------- */

/* Calls that set arguments of kernels. */
static bool is_setting(const rewriter *rw, CXCursor call, const char *name) {
    return hd_has_word("clSetKernelArg clSetKernelArgSVMPointer", name) ||
           (!strcmp(name, "setArg") && rw_calls_bindings(rw, call)) ||
           rw_is_launch(rw, rw_callee(rw->arena, call));
}

static const buffer_function *function_of(const rewriter *rw, CXCursor call, const char *name) {
    bool is_made = rw_makes_buffer(rw, call);
    bool is_known = is_made || rw_calls_bindings(rw, call) || !strncmp(name, "cl", 2);
    name = is_made ? "Buffer" : name;
    for (size_t f = 0; f < sizeof functions / sizeof *functions && is_known; f++)
        if (!strcmp(functions[f].name, name) && (is_made || strcmp(name, "Buffer") != 0))
            return &functions[f];
    return &unknown;
}

static bool is_buffer(const rewriter *rw, const buffer_use *use, size_t argument, CXCursor given) {
    for (int b = 0; b < 2; b++)
        if (use->what->buffers[b] == argument + 1)
            return true;
    return rw_calls_bindings(rw, use->call) &&
           rw_holds(clang_getCursorType(rw_bare(rw->arena, given)), OF_BUFFERS);
}

static void add_used(buffer_use *use, int number) {
    if (number != NO_NODE && use->count < 2)
        use->nodes[use->count++] = number;
}

/* A template that no other function calls, also not in a template where only its name is known. */
static bool is_never_used(const host *h, CXCursor function) {
    if (clang_getCursorKind(function) != CXCursor_FunctionTemplate)
        return false;
    for (size_t c = 0; c < h->f->calls.count; c++) {
        const flow_call *call = &h->f->calls.data[c];
        bool is_unknown = clang_Cursor_isNull(call->callee);
        if (is_unknown ? !strcmp(call->name, rw_spelling(h->rw->arena, function))
                       : clang_equalCursors(clang_getCanonicalCursor(call->callee),
                                            clang_getCanonicalCursor(function)) &&
                             !clang_equalCursors(call->function, function))
            return false;
    }
    return true;
}

static bool takes_launch(const rewriter *rw, const hd_cursors *given) {
    for (size_t i = 0; i < given->count; i++)
        if (!strcmp(rw_type_text(rw->arena, rw_value_type(clang_getCursorType(given->data[i]))),
                    "cl::EnqueueArgs"))
            return true;
    return false;
}

/* In a template that is used, calls of which a parameter's type hides the buffer or the kernel. */
static void refuse_dependent(host *h, const flow_call *called, const buffer_use *use,
                             const hd_cursors *given) {
    const rewriter *rw = h->rw;
    CXCursor call = called->cursor, object = rw_bare(rw->arena, rw_object_of(rw, call));
    bool in_bindings = rw_calls_bindings(rw, call);
    bool is_open = clang_Cursor_isNull(rw_callee(rw->arena, call));
    bool hides = in_bindings && use->what != &unknown && !strcmp(use->name, "copy") && !use->count;
    bool of_buffers = is_open && !in_bindings && rw_holds(clang_getCursorType(object), OF_BUFFERS);
    for (size_t a = 0; a < given->count && of_buffers; a++)
        hides |= rw_is_dependent(clang_getCursorType(given->data[a]));
    if (is_never_used(h, called->function))
        return;
    if (hides)
        rw_refuse(h->rw, call,
                  "which buffer this is depends on a template's parameter, and cannot be followed; "
                  "write its type");
    if (is_open && use->what == &unknown && takes_launch(rw, given))
        rw_refuse(h->rw, call,
                  "which kernel this launches is not known in a template; give the function a "
                  "cl::KernelFunctor");
}

/* A call of the library's, or of another file. */
static void see_use(host *h, const flow_call *called) {
    rewriter *rw = h->rw;
    CXCursor call = called->cursor, object = rw_bare(rw->arena, rw_object_of(rw, call));
    const char *name = called->name;
    buffer_use use = {.what = function_of(rw, call, name),
                      .name = *name ? name : "the function",
                      .call = call,
                      .function = called->function};
    bool is_known = use.what != &unknown, in_bindings = rw_calls_bindings(rw, call);
    if (hd_has_word(neutral, name) || is_setting(rw, call, name))
        return;
    hd_cursors given = rw_arguments(rw, call);
    for (size_t a = 0; a < given.count; a++) {
        CXCursor argument = given.data[a];
        bool is_given = is_buffer(rw, &use, a, argument);
        int number = is_known && !is_given ? NO_NODE : rw_node_of_value(rw, argument);
        if (number == NO_NODE && is_given && !rw_is_null(rw, argument) &&
            !is_never_used(h, called->function))
            rw_refuse(rw, argument,
                      "which buffer this is cannot be followed; keep it in a variable");
        if (number == NO_NODE)
            continue;
        h->f->nodes.data[number].is_filled |=
            !is_known && rw_pointer_depth(clang_getCursorType(argument)) > !in_bindings;
        add_used(&use, number);
    }
    refuse_dependent(h, called, &use, &given);
    if (in_bindings && !use.what->makes && rw_holds(clang_getCursorType(object), OF_BUFFERS))
        add_used(&use, rw_node_of_value(rw, object));
    h->f->function = called->function;
    if (use.what->makes) {
        int made = rw_node_at(rw, call, WHOLE);
        h->f->nodes.data[made].is_made = true;
        add_used(&use, made);
    }
    if (rw_constructs_in_place(rw, call))
        rw_join(h->f, rw_node_of_value(rw, object), rw_node_at(rw, call, WHOLE));
    if (is_known && use.count == 2) /* what is copied is what the copy holds */
        rw_join(h->f, use.nodes[0], use.nodes[1]);
    if (strcmp(name, "clCreateKernel") != 0 && use.count)
        hd_push(rw->arena, &h->uses, use);
}

enum { MOST_CALLS = 8 }; /* one in the other */

/* An expression in a function, and the calls that lead there, from the outermost on: they give its
 * parameters their values. */
typedef struct chained {
    CXCursor expression, function;
    const flow_call *calls[MOST_CALLS];
    int count;
    int in_pack; /* of a parameter `values...`, which of the arguments */
} chained;

/* Inside of conversions, casts, & and std::forward(). */
static CXCursor bare_value(const rewriter *rw, CXCursor e) {
    for (;;) {
        e = rw_bare(rw->arena, e);
        CXCursor inside = rw_last_child(rw->arena, e);
        bool is_address = clang_getCursorUnaryOperatorKind(e) == CXUnaryOperator_AddrOf;
        bool is_passed =
            clang_getCursorKind(e) == CXCursor_PackExpansionExpr || rw_passes_on(rw, e);
        if ((!rw_is_cast(e) && !is_address && !is_passed) || clang_Cursor_isNull(inside))
            return e;
        e = inside;
    }
}

/* The number of the parameter of `function` that an expression names; -1: it is none. */
static int parameter_number(const rewriter *rw, CXCursor function, CXCursor e) {
    CXCursor declaration = clang_getCursorReferenced(bare_value(rw, e));
    if (clang_Cursor_isNull(function) || clang_getCursorKind(declaration) != CXCursor_ParmDecl)
        return -1;
    hd_cursors parameters = rw_parameters(rw->arena, function);
    for (size_t p = 0; p < parameters.count; p++)
        if (clang_equalCursors(parameters.data[p], declaration))
            return (int)p;
    return -1;
}

static bool is_pack(const rewriter *rw, CXCursor function, int parameter) {
    hd_cursors parameters = rw_parameters(rw->arena, function);
    const char *type = rw_type_text(rw->arena, clang_getCursorType(parameters.data[parameter]));
    return strstr(type, "...") != NULL && parameter + 1 == (int)parameters.count;
}

/* Parameters as what calls give them, as far as calls are known. */
static chained followed(const rewriter *rw, chained c) {
    while (c.count) {
        const flow_call *call = c.calls[c.count - 1];
        int p = parameter_number(rw, c.function, c.expression);
        p += p >= 0 && is_pack(rw, c.function, p) ? c.in_pack : 0;
        if (p < 0 || p >= clang_Cursor_getNumArguments(call->cursor))
            break;
        c.expression = clang_Cursor_getArgument(call->cursor, (unsigned)p);
        c.function = call->function;
        c.count--;
    }
    return c;
}

/* ---- names of kernels ------------------------------------------------------------------------- */

typedef struct name_list {
    const char **data;
    size_t count, capacity;
    bool is_open; /* there may be others */
} name_list;

static bool is_constant(CXType type) {
    CXType element = clang_getArrayElementType(type);
    return clang_isConstQualifiedType(type) ||
           (element.kind != CXType_Invalid && clang_isConstQualifiedType(element));
}

/* The text in a std::string that is made of it, in `name.c_str()`, and in a constant. */
static CXCursor inside_string(const rewriter *rw, CXCursor e) {
    e = rw_bare(rw->arena, e);
    const char *name = rw_called_name(rw, e);
    if (clang_getCursorKind(e) == CXCursor_CallExpr && hd_has_word("c_str data", name))
        return rw_bare(rw->arena, rw_object_of(rw, e));
    if (clang_getCursorKind(e) == CXCursor_CallExpr && !strcmp(name, "basic_string") &&
        rw_arguments(rw, e).count)
        return inside_string(rw, rw_arguments(rw, e).data[0]);
    if (clang_getCursorKind(e) == CXCursor_CXXFunctionalCastExpr)
        return inside_string(rw, rw_last_child(rw->arena, e));
    CXCursor named = clang_getCursorReferenced(e);
    if (clang_getCursorKind(e) == CXCursor_DeclRefExpr &&
        clang_getCursorKind(named) == CXCursor_VarDecl && is_constant(clang_getCursorType(named)))
        return inside_string(rw, rw_initializer(rw, named));
    return e;
}

/* The expression that a kernel's name is, by the calls that are known. */
static CXCursor name_of(const rewriter *rw, chained name) {
    for (int before = name.count + 1; before != name.count;) {
        before = name.count;
        name.expression = inside_string(rw, name.expression);
        name = followed(rw, name);
    }
    return inside_string(rw, name.expression);
}

/* Names of the kernels that the call `made` gives. */
static void names_of_call(host *h, chained made, name_list *names) {
    hd_arena *arena = h->rw->arena;
    flow *f = h->f;
    CXCursor call = made.expression, callee = rw_callee(arena, call);
    hd_cursors given = rw_arguments(h->rw, call);
    bool is_made =
        !strcmp(rw_spelling(arena, callee), "clCreateKernel") || rw_is_construction(h->rw, call);
    if (is_made && given.count > 1) {
        made.expression = given.data[1];
        CXCursor literal = name_of(h->rw, made);
        const char *text = rw_spelling(arena, literal);
        bool is_known = clang_getCursorKind(literal) == CXCursor_StringLiteral && strlen(text) >= 2;
        if (is_known)
            hd_push(arena, names, hd_strndup(arena, text + 1, strlen(text) - 2));
        names->is_open |= !is_known;
        return;
    }
    for (size_t p = 0; p < f->passings.count && made.count < MOST_CALLS; p++) {
        const flow_call *own = &f->calls.data[f->passings.data[p].call];
        if (!rw_same_expression(own->cursor, call))
            continue;
        for (size_t n = 0; n < f->nodes.count; n++) { /* what the result is one with */
            chained inner = made;
            inner.expression = f->nodes.data[n].declaration;
            inner.function = own->callee;
            inner.calls[inner.count++] = own;
            if (clang_getCursorKind(inner.expression) == CXCursor_CallExpr &&
                rw_class_of(f, f->passings.data[p].inside) == rw_class_of(f, (int)n))
                names_of_call(h, inner, names);
        }
    }
}

/* Names of all kernels that the node of an expression may have. */
static void add_names(host *h, chained e, name_list *names) {
    int to = rw_node_of_value(h->rw, e.expression);
    for (size_t n = 0; to != NO_NODE && n < h->f->nodes.count; n++) {
        const node *one = &h->f->nodes.data[n];
        if (rw_class_of(h->f, (int)n) != rw_class_of(h->f, to))
            continue;
        names->is_open |= one->is_filled;
        e.expression = one->declaration;
        if (clang_getCursorKind(e.expression) == CXCursor_CallExpr)
            names_of_call(h, e, names);
    }
}

/* ---- numbers of arguments ------------------------------------------------------------------------ */

/* A counter on the way through a function: its value, and how deep in branches and loops that was
 * set; a value that is changed elsewhere is not known. */
typedef struct counting {
    hd_arena *arena;
    CXCursor counter, wanted;
    bool is_known, is_found;
    long long value, found;
    int set_at;
} counting;

static void count(counting *c, CXCursor at, int depth) {
    enum CXCursorKind kind = clang_getCursorKind(at);
    hd_cursors inside = hd_cursor_children(c->arena, at);
    bool is_branch = kind == CXCursor_IfStmt || kind == CXCursor_ForStmt ||
                     kind == CXCursor_WhileStmt || kind == CXCursor_DoStmt ||
                     kind == CXCursor_SwitchStmt || kind == CXCursor_ConditionalOperator ||
                     kind == CXCursor_LambdaExpr || kind == CXCursor_CXXForRangeStmt;
    for (size_t i = 0; i < inside.count; i++)
        count(c, inside.data[i], depth + is_branch);
    bool declares = kind == CXCursor_VarDecl && clang_equalCursors(at, c->counter);
    bool names = (kind == CXCursor_BinaryOperator || kind == CXCursor_CompoundAssignOperator ||
                  kind == CXCursor_UnaryOperator) &&
                 inside.count &&
                 clang_equalCursors(clang_getCursorReferenced(rw_bare(c->arena, inside.data[0])),
                                    c->counter);
    enum CXUnaryOperatorKind change =
        kind == CXCursor_UnaryOperator ? clang_getCursorUnaryOperatorKind(at) : 0;
    bool is_step = names && (change == CXUnaryOperator_PostInc || change == CXUnaryOperator_PreInc);
    bool is_set = declares || (names && kind == CXCursor_BinaryOperator &&
                               clang_getCursorBinaryOperatorKind(at) == CXBinaryOperator_Assign);
    if (is_step) {
        c->is_known &= depth == c->set_at;
        if (rw_same_expression(at, c->wanted)) {
            c->is_found = c->is_known;
            c->found = c->value + (change == CXUnaryOperator_PreInc);
        }
        c->value++;
    } else if (is_set) {
        c->is_known = inside.count && rw_constant_value(inside.data[inside.count - 1], &c->value);
        c->set_at = depth;
    } else if (names &&
               (kind == CXCursor_CompoundAssignOperator || change == CXUnaryOperator_PostDec ||
                change == CXUnaryOperator_PreDec || change == CXUnaryOperator_AddrOf)) {
        c->is_known = false;
    }
}

static bool index_of(host *h, chained number, long long *index) {
    hd_arena *arena = h->rw->arena;
    CXCursor e = rw_bare(arena, number.expression), in = number.function;
    if (rw_constant_value(e, index))
        return true;
    CXCursor counter = clang_getCursorReferenced(rw_bare(arena, rw_last_child(arena, e)));
    if (clang_getCursorKind(e) != CXCursor_UnaryOperator || clang_Cursor_isNull(in))
        return false;
    counting c = {.arena = arena, .counter = counter, .wanted = e};
    count(&c, in, 0);
    *index = c.found;
    return c.is_found;
}

/* for (i = 0; i < 3; i++): the values of a counter; false: not this. */
static bool counts_in_loop(const rewriter *rw, CXCursor at, CXCursor counter, long long *first,
                           long long *last) {
    hd_cursors inside = hd_cursor_children(rw->arena, at), limits = {0};
    for (size_t i = 0; i < inside.count; i++)
        if (counts_in_loop(rw, inside.data[i], counter, first, last))
            return true;
    if (clang_getCursorKind(at) != CXCursor_ForStmt || inside.count != 4)
        return false;
    CXCursor declared = rw_only_child(rw->arena, inside.data[0]);
    CXCursor stepped = rw_bare(rw->arena, rw_last_child(rw->arena, inside.data[2]));
    enum CXUnaryOperatorKind step = clang_getCursorUnaryOperatorKind(inside.data[2]);
    limits = hd_cursor_children(rw->arena, inside.data[1]);
    bool counts = clang_equalCursors(declared, counter) &&
                  clang_equalCursors(clang_getCursorReferenced(stepped), counter) &&
                  (step == CXUnaryOperator_PostInc || step == CXUnaryOperator_PreInc) &&
                  limits.count == 2 &&
                  clang_getCursorBinaryOperatorKind(inside.data[1]) == CXBinaryOperator_LT &&
                  rw_constant_value(rw_last_child(rw->arena, declared), first) &&
                  rw_constant_value(limits.data[1], last);
    *last -= counts;
    return counts && *first <= *last && *last < 1024;
}

/* The numbers of arguments that a call sets, from `first` to `last`; -1: they are not known. */
static void indices_of(host *h, chained number, long long *first, long long *last) {
    CXCursor counter = clang_getCursorReferenced(rw_bare(h->rw->arena, number.expression));
    if (index_of(h, number, first))
        *last = *first;
    else if (clang_Cursor_isNull(number.function) ||
             !counts_in_loop(h->rw, number.function, counter, first, last))
        *first = *last = -1;
}

/* ---- demands ---------------------------------------------------------------------------------------- */

/* What argument `index` of a kernel is, or all of them are (-1). */
static kinds kinds_in_kernel(const host *h, const kir_kernel *kernel, long long index) {
    const hd_rewritten *kernels = h->request->kernels;
    kinds found = 0;
    for (uint32_t p = 0; p < kernel->param_count; p++) {
        kinds one = KIND_PLAIN;
        for (uint32_t i = 0; i < kernels->laid_param_count; i++)
            if (!strcmp(kernels->laid_params[i].kernel, kernel->name) &&
                kernels->laid_params[i].param == p)
                one = (kinds)1 << kernels->laid_params[i].layout;
        found |= index < 0 || p == index ? one : 0;
    }
    return found;
}

/* The same of the kernels of these names; of all of the file, where not all names are known. */
static kinds kinds_of_argument(const host *h, const name_list *names, long long index) {
    const kir_module *module = h->request->module;
    bool any = !names->count || names->is_open;
    kinds found = 0;
    for (uint32_t k = 0; k < module->kernel_count && any; k++)
        found |= kinds_in_kernel(h, module->kernels[k], index);
    for (size_t n = 0; n < names->count && !any; n++) {
        kinds one = 0;
        for (uint32_t k = 0; k < module->kernel_count; k++)
            if (!strcmp(module->kernels[k]->name, names->data[n]))
                one = kinds_in_kernel(h, module->kernels[k], index);
        found |= one ? one : KIND_PLAIN; /* of another file */
    }
    return found ? found : KIND_PLAIN;
}

/* A call that sets an argument of a kernel, or one of the arguments that it sets. */
typedef struct setting {
    CXCursor call, kernel, index, value;
    long long number; /* of an argument that has no index there; -1 */
    bool is_typed;    /* the value is given as it is, and not its address */
} setting;

/* Whether what is given may be a buffer that the flow has not seen. */
static bool is_hidden(const host *h, CXCursor what, bool is_typed) {
    CXType type = clang_getCanonicalType(clang_getCursorType(what));
    long long number;
    bool is_class = is_typed && type.kind == CXType_Record &&
                    strcmp(rw_type_text(h->rw->arena, type), "cl::LocalSpaceArg") != 0;
    return !(rw_constant_value(what, &number) && !number) &&
           (type.kind == CXType_Pointer || is_class || rw_is_dependent(type) ||
            rw_holds(type, OF_BUFFERS));
}

static void demand(host *h, const setting *set, const chained given[3]) {
    hd_arena *arena = h->rw->arena;
    CXCursor value = given[2].expression, what = bare_value(h->rw, value);
    CXType type = clang_getCanonicalType(clang_getCursorType(what));
    name_list names = {0};
    long long first = set->number, last = first;
    kinds wanted = 0;
    add_names(h, given[0], &names);
    if (first < 0)
        indices_of(h, given[1], &first, &last);
    for (long long index = first; index <= last; index++)
        wanted |= kinds_of_argument(h, &names, index);
    bool is_one = !(wanted & (wanted - 1));
    int held = rw_holds(type, OF_BUFFERS) ? rw_node_of_value(h->rw, what) : NO_NODE;
    bool hides = held == NO_NODE && is_hidden(h, what, set->is_typed);
    if (rw_sets_shared_memory(h->rw, set->call) && kinds_of_argument(h, &names, -1) != KIND_PLAIN) {
        rw_refuse(h->rw, set->call,
                  "memory that host and device share (SVM) is given to a kernel that is given "
                  "laid-out records, too, whose arguments move; use a buffer");
        return;
    }
    if ((held == NO_NODE && !hides) || (hides && wanted == KIND_PLAIN))
        return;
    if (held != NO_NODE && is_one) {
        h->f->nodes.data[rw_class_of(h->f, held)].demanded |= wanted;
        hd_push(arena, &h->given, (buffer_given){value, held});
    } else if (hides)
        rw_refuse(h->rw, value,
                  "this may be a buffer of laid-out records, and which one cannot be followed; "
                  "give %s",
                  set->is_typed ? "the kernel a cl::Buffer that is a variable"
                                : "clSetKernelArg() the address of a cl_mem variable");
    else if (first < 0 || first < last)
        rw_refuse(h->rw, given[1].expression,
                  "which argument of the kernel this sets is not known; write its number");
    else
        rw_refuse(
            h->rw, given[0].expression,
            "which kernel this is is not known, and argument %lld is laid out in some of them "
            "only; keep each kernel in a variable of its own",
            first);
}

static void follow(host *h, const setting *set, const chained *way);

/* k.setArg(i++, values) of a parameter `values...`: one setting for each argument that `call` has. */
static void follow_pack(host *h, const setting *set, const chained *way, const chained *index,
                        int first) {
    CXCursor call = way->calls[0]->cursor;
    setting one = *set;
    chained each = *way;
    if (one.number < 0 && !index_of(h, *index, &one.number)) {
        rw_refuse(h->rw, index->expression,
                  "which argument of the kernel this sets is not known; count it by i++ from a "
                  "number");
        return;
    }
    hd_cursors given = rw_arguments(h->rw, call);
    for (size_t a = (size_t)first; a < given.count; a++, one.number++) {
        each.in_pack = (int)a - first;
        hd_push(h->rw->arena, &h->packed, given.data[a]);
        follow(h, &one, &each);
    }
}

/* One setting, by each way to its call: one that is known, and all that lead to that. */
static void follow(host *h, const setting *set, const chained *way) {
    const CXCursor parts[3] = {set->kernel, set->index, set->value};
    CXCursor outermost = way->count ? way->calls[0]->function : way->function;
    chained given[3];
    int open[3];
    bool is_open = false, is_called = false;
    for (int i = 0; i < 3; i++) {
        given[i] = *way;
        given[i].expression = parts[i];
        given[i] = followed(h->rw, given[i]);
        open[i] = given[i].count ? -1 : parameter_number(h->rw, outermost, given[i].expression);
        is_open |= open[i] >= 0;
    }
    for (size_t c = 0; c < h->f->calls.count && is_open && way->count < MOST_CALLS; c++) {
        const flow_call *call = &h->f->calls.data[c];
        chained more = *way;
        if (!clang_equalCursors(clang_getCanonicalCursor(call->callee),
                                clang_getCanonicalCursor(outermost)))
            continue;
        is_called = true;
        memmove(more.calls + 1, way->calls, (size_t)way->count * sizeof *way->calls);
        more.calls[0] = call;
        more.function = more.count++ ? way->function : call->callee;
        if (open[2] >= 0 && is_pack(h->rw, outermost, open[2]))
            follow_pack(h, set, &more, &given[1], open[2]);
        else
            follow(h, set, &more);
    }
    if (!is_called)
        demand(h, set, given);
}

static void follow_setting(host *h, const flow_call *call) {
    rewriter *rw = h->rw;
    hd_cursors given = rw_arguments(rw, call->cursor);
    const chained way = {.function = call->function};
    CXCursor none = clang_getNullCursor(), object = rw_object_of(rw, call->cursor);
    if (!is_setting(rw, call->cursor, call->name) || is_never_used(h, call->function))
        return;
    if (rw_is_launch(rw, rw_callee(rw->arena, call->cursor))) {
        for (size_t a = 2; a < given.count; a++) /* behind the functor itself and EnqueueArgs */
            follow(h,
                   &(setting){call->cursor, given.data[0], none, given.data[a], (long long)a - 2,
                              true},
                   &way);
    } else if (!strncmp(call->name, "cl", 2) && given.count >= 3) {
        CXCursor value = given.data[given.count - 1];
        follow(h, &(setting){call->cursor, given.data[0], given.data[1], value, -1, false}, &way);
    } else if (given.count >= 2) {
        CXCursor value = given.data[given.count - 1];
        follow(h, &(setting){call->cursor, object, given.data[0], value, -1, given.count == 2},
               &way);
    }
}

/* ---- kinds ------------------------------------------------------------------------------------ */

kinds rw_kinds_of(const host *h, int number) {
    const node *at = &h->f->nodes.data[rw_class_of(h->f, number)];
    return at->demanded ? at->demanded : at->incoming;
}

static bool is_one(kinds set) { return !(set & (set - 1)); }

bool rw_is_generic(const host *h, int number) {
    const node *at = &h->f->nodes.data[rw_class_of(h->f, number)];
    return !at->demanded && !at->is_shared && !is_one(at->incoming);
}

/* What goes into a function may come out by another way: of a call, all that meets inside is one, and
 * so is what meets a node that other functions use. */
static void join_calls(flow *f) {
    for (bool changed = true; changed;) {
        changed = false;
        for (size_t a = 0; a < f->passings.count; a++) {
            const passing *p = &f->passings.data[a];
            int inside = rw_class_of(f, p->inside);
            if (f->nodes.data[inside].is_shared && inside != rw_class_of(f, p->outside)) {
                rw_join(f, p->outside, inside);
                changed = true;
            }
            for (size_t b = a + 1; b < f->passings.count; b++) {
                const passing *other = &f->passings.data[b];
                if (other->call != p->call ||
                    rw_class_of(f, other->inside) != rw_class_of(f, p->inside) ||
                    rw_class_of(f, other->outside) == rw_class_of(f, p->outside))
                    continue;
                rw_join(f, p->outside, other->outside);
                changed = true;
            }
        }
    }
}

static bool pass_on(kinds *to, kinds more) {
    kinds before = *to;
    *to |= more;
    return *to != before;
}

/* Demands go out of functions, kinds into them, until nothing changes. */
static void spread(host *h) {
    flow *f = h->f;
    for (bool changed = true; changed;) {
        changed = false;
        for (size_t i = 0; i < f->passings.count; i++) {
            const passing *p = &f->passings.data[i];
            node *outside = &f->nodes.data[rw_class_of(f, p->outside)];
            node *inside = &f->nodes.data[rw_class_of(f, p->inside)];
            kinds given = rw_kinds_of(h, p->outside);
            if (outside == inside)
                continue;
            changed |= pass_on(&outside->demanded, inside->demanded);
            changed |= pass_on(&inside->incoming, given ? given : KIND_PLAIN);
        }
    }
}

/* ---- refusals ---------------------------------------------------------------------------------- */

/* Nodes of several kinds, and parameters of functions that only other files call. */
static void refuse_nodes(host *h) {
    for (size_t i = 0; i < h->f->nodes.count; i++) {
        const node *n = &h->f->nodes.data[i];
        kinds of = rw_kinds_of(h, (int)i), laid = of & ~KIND_PLAIN;
        const char *name = rw_spelling(h->rw->arena, n->declaration);
        if (!laid)
            continue;
        const char *record = h->request->layouts[__builtin_ctzll(laid)].record->name;
        if (n->parent == (int)i && !is_one(of) && (n->demanded || n->is_shared))
            rw_refuse(h->rw, n->declaration,
                      "'%s' holds buffers of '%s' and others, as the kernels say that it is given "
                      "to; keep them in variables of their own",
                      name, record);
        bool is_called = false;
        for (size_t c = 0; c < h->f->calls.count; c++)
            is_called |= clang_equalCursors(clang_getCanonicalCursor(h->f->calls.data[c].callee),
                                            n->home) != 0;
        if (clang_getCursorKind(n->declaration) == CXCursor_ParmDecl && !is_called)
            rw_refuse(h->rw, n->declaration,
                      "'%s' gets buffers of '%s', and nothing in this file calls its function; the "
                      "host must be one file with its headers",
                      name, record);
    }
}

static bool is_made(const flow *f, int number) {
    for (size_t i = 0; i < f->nodes.count; i++)
        if (rw_class_of(f, (int)i) == rw_class_of(f, number) &&
            (f->nodes.data[i].is_made || f->nodes.data[i].is_filled))
            return true;
    return false;
}

/* Whether something was seen that gives a node its buffers: what makes them, here or in a function
 * that is given the node, or calls. */
static bool has_origin(const flow *f, int number) {
    if (is_made(f, number))
        return true;
    for (size_t p = 0; p < f->passings.count; p++) {
        const passing *passed = &f->passings.data[p];
        bool goes_in = rw_class_of(f, passed->inside) == rw_class_of(f, number);
        bool comes_out = rw_class_of(f, passed->outside) == rw_class_of(f, number);
        if (goes_in || (comes_out && is_made(f, passed->inside)))
            return true;
    }
    return false;
}

/* Buffers in lists of arguments of any number that go elsewhere than to setArg(i++, values). */
static void refuse_packs(host *h) {
    for (size_t c = 0; c < h->f->calls.count; c++) {
        const flow_call *call = &h->f->calls.data[c];
        hd_cursors parameters = {0};
        if (!clang_Cursor_isNull(call->callee))
            parameters = rw_parameters(h->rw->arena, call->callee);
        size_t last = parameters.count - 1;
        if (!parameters.count || !is_pack(h->rw, call->callee, (int)last))
            continue;
        hd_cursors given = rw_arguments(h->rw, call->cursor);
        for (size_t a = last; a < given.count; a++) {
            bool is_followed = !rw_holds(clang_getCursorType(given.data[a]), OF_BUFFERS);
            for (size_t p = 0; p < h->packed.count && !is_followed; p++)
                is_followed = clang_equalCursors(h->packed.data[p], given.data[a]) != 0;
            if (!is_followed)
                rw_refuse(h->rw, given.data[a],
                          "what becomes of this buffer in a list of arguments of any number "
                          "cannot be followed; set the kernel's arguments one by one");
        }
    }
}

/* Whether a call that gives a buffer is one of those that are followed. */
static bool is_followed_call(const host *h, int number) {
    const flow *f = h->f;
    CXCursor call = f->nodes.data[number].declaration, callee = rw_callee(h->rw->arena, call);
    for (size_t p = 0; p < f->passings.count; p++)
        if (f->passings.data[p].outside == number && has_origin(f, f->passings.data[p].inside))
            return true;
    for (size_t m = 0; m < f->moves.count; m++) /* of a lambda; what a library hands on */
        if (f->moves.data[m].to == number)
            return true;
    return f->nodes.data[number].is_made ||
           clang_Location_isInSystemHeader(clang_getCursorLocation(callee));
}

/* Laid-out buffers that calls give, and lambdas whose buffers go nobody knows where. */
static void refuse_calls(host *h) {
    for (size_t i = 0; i < h->f->nodes.count; i++) {
        CXCursor declared = h->f->nodes.data[i].declaration;
        enum CXCursorKind kind = clang_getCursorKind(declared);
        bool is_laid = rw_kinds_of(h, (int)i) & ~KIND_PLAIN;
        bool is_called = kind != CXCursor_LambdaExpr;
        for (size_t m = 0; m < h->f->moves.count && !is_called; m++)
            is_called = h->f->moves.data[m].from == (int)i;
        if (kind == CXCursor_CallExpr && is_laid && !is_followed_call(h, (int)i))
            rw_refuse(h->rw, declared,
                      "where this buffer of laid-out records comes from cannot be followed; make "
                      "it in this file");
        else if (!is_called && is_made(h->f, (int)i))
            rw_refuse(h->rw, declared,
                      "where the buffers go that this makes cannot be followed; call it by its "
                      "name");
    }
}

/* A buffer that comes from nowhere comes by a way that was not seen. */
static void refuse_unknown(host *h) {
    for (size_t u = 0; u < h->uses.count; u++)
        for (uint32_t i = 0; i < h->uses.data[u].count; i++) {
            const buffer_use *use = &h->uses.data[u];
            if (rw_holds(clang_getCursorType(h->f->nodes.data[use->nodes[i]].declaration),
                         OF_BUFFERS) &&
                !has_origin(h->f, use->nodes[i]) && !is_never_used(h, use->function))
                rw_refuse(h->rw, use->call,
                          "where the buffer that %s() is given comes from cannot be followed; keep "
                          "it in a variable",
                          use->name);
        }
    for (size_t g = 0; g < h->given.count; g++)
        if (rw_kinds_of(h, h->given.data[g].node) & ~KIND_PLAIN &&
            !has_origin(h->f, h->given.data[g].node))
            rw_refuse(h->rw, h->given.data[g].value,
                      "where the buffer that the kernel is given comes from cannot be followed; "
                      "keep it in a variable");
}

void rw_follow_buffers(host *h) {
    h->rw->follows_handles = true;
    rw_flow_read(h->rw);
    h->f = h->rw->flow;
    for (size_t c = 0; c < h->f->calls.count; c++)
        if (clang_Cursor_isNull(h->f->calls.data[c].callee))
            see_use(h, &h->f->calls.data[c]);
    join_arrays(h->f);
    join_calls(h->f);
    for (size_t i = 0; i < h->f->calls.count; i++)
        follow_setting(h, &h->f->calls.data[i]);
    join_arrays(h->f); /* kernels may be given elements by any index */
    join_calls(h->f);
    spread(h);
    refuse_nodes(h);
    refuse_unknown(h);
    refuse_packs(h);
    refuse_calls(h);
}
