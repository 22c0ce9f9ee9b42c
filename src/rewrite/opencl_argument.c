/*
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
#include "opencl_host.h"

enum { MOST_CALLS = 8 }; /* one in the other */

/* A function and the call that leads to it. */
typedef struct call_chain {
    const host_call *call; /* NULL: not entered by a known call */
    CXCursor function;
    const struct call_chain *up;
    int depth;
} call_chain;

/* An expression, and where its parameters get their values. */
typedef struct chained {
    CXCursor expression;
    const call_chain *in;
} chained;

static CXCursor bare_value(hd_arena *arena, CXCursor e) {
    for (;;) {
        e = rw_bare(arena, e);
        enum CXCursorKind kind = clang_getCursorKind(e);
        bool is_cast = kind == CXCursor_CStyleCastExpr || kind == CXCursor_CXXStaticCastExpr ||
                       kind == CXCursor_CXXReinterpretCastExpr;
        bool is_address = kind == CXCursor_UnaryOperator &&
                          clang_getCursorUnaryOperatorKind(e) == CXUnaryOperator_AddrOf;
        if (!is_cast && !is_address)
            return e;
        CXCursor inside = rw_last_child(arena, e);
        if (clang_Cursor_isNull(inside))
            return e;
        e = inside;
    }
}

/* The number of the parameter of `function` that an expression names; -1: it is none. */
static int parameter_number(hd_arena *arena, CXCursor function, CXCursor e) {
    CXCursor declaration = clang_getCursorReferenced(bare_value(arena, e));
    if (clang_Cursor_isNull(function) || clang_getCursorKind(declaration) != CXCursor_ParmDecl)
        return -1;
    cursors parameters = rw_parameters(arena, function);
    for (size_t p = 0; p < parameters.count; p++)
        if (clang_equalCursors(parameters.data[p], declaration))
            return (int)p;
    return -1;
}

/* Parameters as what calls give them, as far as calls are known. */
static chained followed(hd_arena *arena, chained c) {
    while (c.in && c.in->call) {
        int p = parameter_number(arena, c.in->function, c.expression);
        if (p < 0 || p >= clang_Cursor_getNumArguments(c.in->call->cursor))
            break;
        c.expression = clang_Cursor_getArgument(c.in->call->cursor, (unsigned)p);
        c.in = c.in->up;
    }
    return c;
}

static bool is_open(hd_arena *arena, chained c) {
    c = followed(arena, c);
    return c.in && !c.in->call && parameter_number(arena, c.in->function, c.expression) >= 0;
}

/* ---- names of kernels ------------------------------------------------------------------------- */

/* What a string literal says; NULL: it is none. */
static const char *text_of(hd_arena *arena, CXCursor e) {
    CXCursor literal = rw_bare(arena, e);
    const char *text = rw_spelling(arena, literal);
    size_t length = strlen(text);
    bool is_literal = clang_getCursorKind(literal) == CXCursor_StringLiteral && length >= 2;
    return is_literal ? hd_strndup(arena, text + 1, length - 2) : NULL;
}

typedef struct name_list {
    const char **data;
    size_t count, capacity;
    bool is_open; /* there may be others */
} name_list;

static void add_names(host_flow *flow, CXCursor e, const call_chain *in, name_list *names);

/* Names of the kernels that a call gives. */
static void names_of_call(host_flow *flow, CXCursor call, const call_chain *in, name_list *names) {
    hd_arena *arena = flow->rw->arena;
    CXCursor callee = rw_callee(arena, call);
    if (!strcmp(rw_spelling(arena, callee), "clCreateKernel")) {
        chained name = followed(arena, (chained){clang_Cursor_getArgument(call, 1), in});
        const char *text = text_of(arena, name.expression);
        if (text)
            hd_push(arena, names, text);
        names->is_open |= !text;
        return;
    }
    for (size_t c = 0; c < flow->calls.count; c++) {
        const host_call *own = &flow->calls.data[c];
        if (!rw_same_expression(own->cursor, call) || (in && in->depth >= MOST_CALLS))
            continue;
        const call_chain inner = {own, own->callee, in, in ? in->depth + 1 : 1};
        for (size_t h = 0; h < flow->holders.count; h++) { /* what the result is one with */
            CXCursor made = flow->holders.data[h].declaration;
            bool is_call = clang_getCursorKind(made) == CXCursor_CallExpr;
            for (size_t p = 0; is_call && p < flow->passings.count; p++)
                if (flow->passings.data[p].call == c &&
                    rw_holder(flow, flow->passings.data[p].inside) == rw_holder(flow, (int)h))
                    names_of_call(flow, made, &inner, names);
        }
    }
}

/* Names of all kernels that the holder of an expression may have. */
static void add_names(host_flow *flow, CXCursor e, const call_chain *in, name_list *names) {
    int to = rw_holder_in(flow, e);
    for (size_t h = 0; to != NO_HOLDER && h < flow->holders.count; h++) {
        CXCursor made = flow->holders.data[h].declaration;
        if (rw_holder(flow, (int)h) != rw_holder(flow, to))
            continue;
        names->is_open |= flow->holders.data[h].is_filled;
        if (clang_getCursorKind(made) == CXCursor_CallExpr)
            names_of_call(flow, made, in, names);
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
    cursors inside = rw_children(c->arena, at);
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

static bool index_of(host_flow *flow, chained number, long long *index) {
    hd_arena *arena = flow->rw->arena;
    CXCursor e = rw_bare(arena, number.expression);
    if (rw_constant_value(e, index))
        return true;
    CXCursor in = number.in ? number.in->function : clang_getNullCursor();
    CXCursor counter = clang_getCursorReferenced(rw_bare(arena, rw_last_child(arena, e)));
    if (clang_getCursorKind(e) != CXCursor_UnaryOperator || clang_Cursor_isNull(in))
        return false;
    counting c = {.arena = arena, .counter = counter, .wanted = e};
    count(&c, in, 0);
    *index = c.found;
    return c.is_found;
}

/* ---- demands ---------------------------------------------------------------------------------------- */

static kinds kind_of_parameter(const host_flow *flow, const char *kernel, uint32_t number) {
    const hd_rewritten *kernels = flow->request->kernels;
    for (uint32_t i = 0; i < kernels->laid_param_count; i++)
        if (!strcmp(kernels->laid_params[i].kernel, kernel) &&
            kernels->laid_params[i].param == number)
            return (kinds)1 << kernels->laid_params[i].layout;
    return KIND_PLAIN;
}

/* What argument `index` of a kernel is, or all of them are (-1). */
static kinds kinds_in_kernel(const host_flow *flow, const kir_kernel *kernel, long long index) {
    kinds found = 0;
    for (uint32_t p = 0; p < kernel->param_count; p++)
        if (index < 0 || p == index)
            found |= kind_of_parameter(flow, kernel->name, p);
    return found;
}

/* The same of the kernels of these names; of all of the file, where not all names are known. */
static kinds kinds_of_argument(const host_flow *flow, const name_list *names, long long index) {
    const kir_module *module = flow->request->module;
    bool any = !names->count || names->is_open;
    kinds found = 0;
    for (uint32_t k = 0; k < module->kernel_count && any; k++)
        found |= kinds_in_kernel(flow, module->kernels[k], index);
    for (size_t n = 0; n < names->count && !any; n++) {
        kinds one = 0;
        for (uint32_t k = 0; k < module->kernel_count; k++)
            if (!strcmp(module->kernels[k]->name, names->data[n]))
                one = kinds_in_kernel(flow, module->kernels[k], index);
        found |= one ? one : KIND_PLAIN; /* of another file */
    }
    return found ? found : KIND_PLAIN;
}

static void demand(host_flow *flow, const chained given[3]) {
    hd_arena *arena = flow->rw->arena;
    CXCursor value = given[2].expression, what = bare_value(arena, value);
    CXType type = clang_getCanonicalType(clang_getCursorType(what));
    name_list names = {0};
    long long index;
    long long number;
    add_names(flow, given[0].expression, given[0].in, &names);
    bool has_index = index_of(flow, given[1], &index);
    kinds wanted = kinds_of_argument(flow, &names, has_index ? index : -1);
    bool is_one = !(wanted & (wanted - 1));
    int h = rw_holds(type, OF_BUFFERS) ? rw_holder_in(flow, what) : NO_HOLDER;
    bool is_hidden = h == NO_HOLDER && !(rw_constant_value(what, &number) && !number) &&
                     (type.kind == CXType_Pointer || rw_holds(type, OF_BUFFERS));
    if ((h == NO_HOLDER && !is_hidden) || (is_hidden && wanted == KIND_PLAIN))
        return;
    if (h != NO_HOLDER && is_one)
        flow->holders.data[rw_holder(flow, h)].demanded |= wanted;
    else if (is_hidden)
        rw_refuse(
            flow->rw, value,
            "this may be a buffer of laid-out records, and which one cannot be followed; give "
            "clSetKernelArg() the address of a cl_mem variable");
    else if (!has_index)
        rw_refuse(flow->rw, given[1].expression,
                  "which argument of the kernel this sets is not known; write its number");
    else
        rw_refuse(
            flow->rw, given[0].expression,
            "which kernel this is is not known, and argument %lld is laid out in some of them "
            "only; keep each kernel in a variable of its own",
            index);
}

/* One call of clSetKernelArg(), by each way to it. */
static void follow(host_flow *flow, CXCursor set, const call_chain *in) {
    hd_arena *arena = flow->rw->arena;
    static const unsigned numbers[3] = {0, 1, 3};
    chained given[3];
    bool open = false;
    const call_chain *outermost = in;
    while (outermost->call)
        outermost = outermost->up;
    for (int i = 0; i < 3; i++) {
        given[i] = followed(arena, (chained){clang_Cursor_getArgument(set, numbers[i]), in});
        open |= is_open(arena, given[i]);
    }
    bool is_called = false;
    if (open && in->depth < MOST_CALLS) {
        for (size_t c = 0; c < flow->calls.count; c++) {
            const host_call *call = &flow->calls.data[c];
            if (!clang_equalCursors(clang_getCanonicalCursor(call->callee),
                                    clang_getCanonicalCursor(outermost->function)))
                continue;
            is_called = true;
            call_chain caller = {NULL, call->function, NULL, in->depth + 1};
            call_chain chain[MOST_CALLS + 1];
            /* the way that was known, now entered by this call */
            int length = 0;
            for (const call_chain *at = in; at; at = at->up)
                chain[length++] = *at;
            for (int i = 0; i < length; i++) {
                chain[i].depth = in->depth + 1;
                chain[i].up = i + 1 < length ? &chain[i + 1] : &caller;
            }
            chain[length - 1].call = call;
            chain[length - 1].function = call->callee;
            follow(flow, set, &chain[0]);
        }
    }
    if (!is_called)
        demand(flow, given);
}

void rw_demand_by_kernels(host_flow *flow) {
    for (size_t i = 0; i < flow->set_args.count; i++) {
        const call_chain in = {NULL, flow->set_functions.data[i], NULL, 0};
        follow(flow, flow->set_args.data[i], &in);
    }
}
