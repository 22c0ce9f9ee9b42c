/*
 * Which declarations hold pointers to laid-out records.
 *
 * Kernels are given laid-out records; from there on, a value that comes from one of their
 * parameters may be handed on by locals, parameters and results of functions. Everything that
 * one value can reach is one class (Steensgaard, "Points-to analysis in almost linear time",
 * POPL 1996): assignments, initialisers, arguments and results join two declarations' classes.
 * A class with a kernel's parameter in it is rewritten whole, so none may also hold something
 * else, be it another field of a record of arrays, or the address of a record in shared memory:
 *
 *     kernel void k(global R *p)  { f(p + 1); }      p, f's r and q are one class
 *     float f(global R *r) { global R *q = r; ... }
 *
 * Classes say what must be rewritten. Messages want the way there, so values are also carried
 * along the assignments, and where two kinds meet, both places are known.
 *
 * In OpenCL C the types of pointers to global records say the same without any flow, and are
 * seeds of their own. In CUDA C, and for arrays of scalars, only kernels' parameters are, and
 * pointers in structs that kernels are given.
 *
 * Where host code is rewritten, too, values come to the kernels from there: from variables, and from
 * members of structs and classes, one for all objects. In a template, what points to `T` is of the
 * class for calls that make `T` the record, and is left out of it for others.
 *
 * In the host of OpenCL kernels (rewriter.follows_handles) what is followed are buffers and kernels. No type
 * says what a cl_mem holds, and functions such as upload() serve buffers of every kind: so calls of
 * functions and what these do stay classes of their own, tied by passings, and opencl_flow.c says
 * which kinds of buffers go along these. There a call and an element of an array, too, are nodes.
 */
#include "pointer_flow.h"

/* ---- nodes ------------------------------------------------------------------------ */

static bool same_pointee(const pointee *a, const pointee *b) {
    return a->of == b->of && a->field == b->field && a->in == b->in;
}

/* Calls, and what instances of a template declare, have no one cursor: their place tells. */
static uint64_t hash_of(const rewriter *rw, CXCursor declaration) {
    unsigned offset;
    if (!rw->follows_handles)
        return clang_hashCursor(declaration);
    clang_getFileLocation(clang_getRangeStart(clang_getCursorExtent(declaration)), NULL, NULL, NULL,
                          &offset);
    return offset;
}

/* NO_NODE: it has not been met. */
static int known_node(const rewriter *rw, CXCursor declaration, long long element) {
    const flow *f = rw->flow;
    uint64_t number = hd_hash_get(&f->newest, hash_of(rw, declaration));
    for (; number != HD_NO_VALUE; number = f->nodes.data[number].same_hash) {
        const node *n = &f->nodes.data[number];
        if (n->element == element &&
            (clang_equalCursors(n->declaration, declaration) ||
             (rw->follows_handles && rw_same_expression(n->declaration, declaration))))
            return (int)number;
    }
    return NO_NODE;
}

static int new_node(flow *f, CXCursor declaration, long long element) {
    int number = (int)f->nodes.count;
    hd_push(f->arena, &f->nodes,
            (node){.declaration = declaration, .element = element, .parent = number});
    return number;
}

int rw_class_of(const flow *f, int number) {
    while (f->nodes.data[number].parent != number)
        number = f->nodes.data[number].parent;
    return number;
}

static void seed(flow *f, int number, const pointee *what, CXCursor at) {
    node *n = &f->nodes.data[number];
    n->here = (origin){.kind = LAID, .what = *what, .at = at, .first = at};
    f->nodes.data[rw_class_of(f, number)].what = *what;
}

int rw_node_at(rewriter *rw, CXCursor declaration, long long element) {
    flow *f = rw->flow;
    if (rw->follows_handles && clang_isDeclaration(clang_getCursorKind(declaration)))
        declaration = clang_getCanonicalCursor(declaration);
    int number = known_node(rw, declaration, element);
    if (number != NO_NODE)
        return number;
    number = new_node(f, declaration, element);
    node *n = &f->nodes.data[number];
    uint64_t hash = hash_of(rw, declaration);
    n->same_hash = hd_hash_get(&f->newest, hash);
    hd_hash_set(&f->newest, hash, (uint64_t)number);
    pointee what;
    if (rw->follows_handles) {
        CXCursor parent = clang_getCursorSemanticParent(declaration);
        n->home = f->function; /* of a call */
        if (rw_is_function(declaration))
            n->home = declaration;
        else if (clang_isDeclaration(clang_getCursorKind(declaration)))
            n->home =
                rw_is_function(parent) && clang_Cursor_getStorageClass(declaration) != CX_SC_Static
                    ? parent
                    : clang_getNullCursor();
        n->is_shared = clang_Cursor_isNull(n->home);
        if (!n->is_shared)
            n->home = clang_getCanonicalCursor(n->home);
    } else if (rw_typed_pointee(rw, rw_held_type(declaration), &what)) {
        seed(f, number, &what, declaration);
    }
    return number;
}

static int node_of(rewriter *rw, CXCursor declaration) {
    return rw_node_at(rw, declaration, WHOLE);
}

void rw_seed(rewriter *rw, CXCursor declaration, const pointee *what) {
    seed(rw->flow, node_of(rw, declaration), what, declaration);
}

/* Whether an expression of which no node is known may give a buffer or kernel. */
static bool gives_unseen(const rewriter *rw, CXCursor value) {
    CXCursor bare = rw_bare(rw->arena, value);
    if (clang_equalLocations(clang_getCursorLocation(value), clang_getNullLocation()))
        return false; /* a default argument: an allocator */
    switch (clang_getCursorKind(bare)) {
    case CXCursor_InitListExpr: return false;
    case CXCursor_CallExpr: /* in a template, of what is not known */
        return rw_is_construction(rw, bare) ? !rw_is_empty(bare)
                                            : rw_is_dependent(clang_getCursorType(bare));
    default: return !rw_is_null(rw, value);
    }
}

static void refuse_unseen(rewriter *rw, CXCursor value) {
    rw_refuse(rw, value,
              "where this buffer or kernel comes from cannot be followed; keep it in a variable");
}

/* A value that is not laid out; buffers have no such value. */
static int other_node(rewriter *rw, CXCursor at, const char *why) {
    if (rw->follows_handles)
        return NO_NODE;
    int number = new_node(rw->flow, clang_getNullCursor(), WHOLE);
    rw->flow->nodes.data[number].here = (origin){.kind = OTHER, .why = why, .at = at, .first = at};
    return number;
}

void rw_join(flow *f, int a, int b) {
    if (a == NO_NODE || b == NO_NODE)
        return;
    a = rw_class_of(f, a), b = rw_class_of(f, b);
    if (a == b)
        return;
    node *to = &f->nodes.data[a], *from = &f->nodes.data[b];
    if (!to->what.of)
        to->what = from->what;
    to->demanded |= from->demanded;
    to->is_shared |= from->is_shared || !clang_equalCursors(to->home, from->home);
    from->parent = a;
}

static void move_value(flow *f, int to, int from, CXCursor at) {
    if (to == NO_NODE || from == NO_NODE)
        return;
    rw_join(f, to, from);
    hd_push(f->arena, &f->moves, (move){to, from, at});
}

/* What an expression gives a node. */
static void assign(rewriter *rw, int to, CXCursor value) {
    int from = rw_node_of_value(rw, value);
    move_value(rw->flow, to, from, value);
    if (rw->follows_handles && from == NO_NODE && gives_unseen(rw, value))
        refuse_unseen(rw, value);
}

/* ---- expressions --------------------------------------------------------------------- */

/* Memory of its own: a record, or an array of records. */
static bool is_storage(CXCursor declaration) {
    CXType t = clang_getCursorType(declaration);
    if (clang_getCursorKind(declaration) == CXCursor_ParmDecl || rw_is_reference(t))
        return rw_pointer_depth(t) == 0 && !rw_is_reference(t);
    for (t = rw_value_type(t); rw_is_array(t);)
        t = clang_getCanonicalType(clang_getArrayElementType(t));
    return t.kind != CXType_Pointer;
}

bool rw_is_other_class(const rewriter *rw, CXType type) {
    CXType inner = rw_innermost(rw_value_type(type));
    const char *text = rw_unscoped(rw_plain_type(rw->arena, rw_type_text(rw->arena, inner)));
    size_t stem = strcspn(text, "<");
    bool is_other = rw_is_dependent(inner) && text[stem] && !strchr(text, '*');
    for (uint32_t r = 0; r < rw->record_count && is_other; r++)
        is_other = strncmp(rw_unscoped(rw->records[r].record->name), text, stem + 1) != 0;
    return is_other;
}

/* Whether a variable, parameter, member or result of a function hands on what is followed. */
static bool is_followed(const rewriter *rw, CXCursor declaration) {
    CXType type = rw_held_type(declaration);
    if (rw_is_other_class(rw, type))
        return false;
    if (rw->follows_handles)
        return rw_is_handle(type);
    if (rw_is_function(declaration))
        return rw_has_pointer(type);
    return !is_storage(declaration) &&
           (clang_getCursorKind(declaration) == CXCursor_FieldDecl ? rw_pointer_depth(type) > 0
                                                                   : rw_has_pointer(type));
}

/* array[number], and the like of it. */
static bool is_own_element(rewriter *rw, CXCursor e, CXCursor *array, long long *element) {
    hd_cursors inside = hd_cursor_children(rw->arena, e);
    if (clang_getCursorKind(e) != CXCursor_ArraySubscriptExpr || inside.count != 2)
        return false;
    CXCursor named = rw_bare(rw->arena, inside.data[0]);
    enum CXCursorKind kind = clang_getCursorKind(named);
    *array = clang_getCursorReferenced(named);
    return (kind == CXCursor_DeclRefExpr || kind == CXCursor_MemberRefExpr) &&
           clang_getCanonicalType(clang_getCursorType(*array)).kind == CXType_ConstantArray &&
           rw_constant_value(inside.data[1], element) && *element >= 0;
}

static bool is_method(CXCursor function) {
    enum CXCursorKind around = clang_getCursorKind(clang_getCursorSemanticParent(function));
    return clang_getCursorKind(function) == CXCursor_CXXMethod ||
           (clang_getCursorKind(function) == CXCursor_FunctionTemplate &&
            around != CXCursor_Namespace && around != CXCursor_TranslationUnit);
}

static bool is_constructor(CXCursor function) {
    return clang_getTemplateCursorKind(function) == CXCursor_Constructor;
}

static bool is_of_system(const rewriter *rw, CXCursor declaration) {
    return !clang_Cursor_isNull(declaration) &&
           (clang_Location_isInSystemHeader(clang_getCursorLocation(declaration)) ||
            (rw->follows_handles && rw_is_of_bindings(rw, declaration)));
}

static const char *returned_by(rewriter *rw, CXCursor function) {
    const char *name = clang_Cursor_isNull(function) ? "" : rw_spelling(rw->arena, function);
    return *name ? hd_format(rw->arena, "what '%s' returns", name) : "what a function returns";
}

int rw_node_of_value(rewriter *rw, CXCursor e) {
    CXCursor array;
    long long element;
    if (rw->follows_handles) {
        e = rw_bare(rw->arena, e);
        if (!rw_is_cast(e) && !rw_is_handle(clang_getCursorType(e)))
            return NO_NODE;
        if (is_own_element(rw, e, &array, &element))
            return rw_node_at(rw, array, element);
        CXCursor callee = rw_callee(rw->arena, e);
        if (clang_getCursorKind(e) == CXCursor_CallExpr && is_of_system(rw, callee) &&
            is_method(callee) && !is_constructor(callee)) /* v[i] and v.at(i) are one with v */
            return rw_node_of_value(rw, rw_object_of(rw, e));
        if (clang_getCursorKind(e) == CXCursor_CallExpr && rw_is_empty(e))
            return NO_NODE;
        CXCursor copied = rw_copied_handle(rw, e);
        if (!clang_Cursor_isNull(copied))
            return rw_node_of_value(rw, copied);
        if (clang_getCursorKind(e) == CXCursor_CXXNewExpr ||
            (clang_getCursorKind(e) == CXCursor_MemberRefExpr && /* pair.first */
             is_of_system(rw, clang_getCursorReferenced(e))))
            return rw_node_of_value(rw, rw_last_child(rw->arena, e));
    }
    CXCursor holder = rw_holder_of(rw, e), inner = rw_last_child(rw->arena, e);
    enum CXCursorKind kind = clang_getCursorKind(e);
    if (rw->with_host && rw_is_moved(rw, e))
        return rw_node_of_value(rw, clang_Cursor_getArgument(e, 0));
    const laid_record *vectors = rw_unwrapped_record(rw, e);
    if (vectors)
        return node_of(rw, vectors->declaration);
    if (!clang_Cursor_isNull(holder) &&
        (rw_is_of_another(rw, e, holder) || rw_is_other_class(rw, rw_held_type(holder))))
        return NO_NODE;
    if (rw->with_host && kind == CXCursor_CallExpr && is_of_system(rw, holder))
        return other_node(rw, e, returned_by(rw, holder));
    if (!clang_Cursor_isNull(holder))
        return !rw->follows_handles && kind != CXCursor_CallExpr && is_storage(holder) &&
                       !rw_is_named_array(rw, holder)
                   ? other_node(rw, e, "a record in private or shared memory")
                   : node_of(rw, holder);
    if (kind == CXCursor_CallExpr)
        return other_node(rw, e,
                          rw_unwraps_in_template(rw, e)
                              ? "a raw pointer of every type"
                              : returned_by(rw, clang_getCursorReferenced(e)));
    if (kind == CXCursor_MemberRefExpr)
        return other_node(rw, e, "what a struct holds");
    hd_cursors parts = rw_carriers_of(rw, e);
    if (rw_is_cast(e) && !parts.count && !clang_Cursor_isNull(inner) &&
        rw_pointer_depth(clang_getCursorType(inner)) && rw_pointer_depth(clang_getCursorType(e)))
        return other_node(rw, e, "a cast of another pointer");
    int first = NO_NODE;
    bool is_list =
        rw->follows_handles && kind == CXCursor_InitListExpr && rw_is_array(clang_getCursorType(e));
    for (size_t i = 0; i < parts.count; i++) {
        int value = rw_node_of_value(rw, parts.data[i]);
        if (is_list && value == NO_NODE && gives_unseen(rw, parts.data[i]))
            refuse_unseen(rw, parts.data[i]);
        if (first == NO_NODE)
            first = value;
        else
            move_value(rw->flow, first, value, parts.data[i]);
    }
    return first;
}

/* ---- the moves of a file ----------------------------------------------------------------- */

static void read_call(rewriter *rw, CXCursor call);

/* cl_mem all[] = {a, b}: elements are buffers of their own. */
static void read_array(rewriter *rw, CXCursor array, CXCursor list) {
    hd_cursors inside = {0};
    list = rw_bare(rw->arena, list);
    if (clang_getCursorKind(list) == CXCursor_InitListExpr)
        inside = hd_cursor_children(rw->arena, list);
    for (size_t i = 0; i < inside.count; i++) {
        hd_cursors parts = hd_cursor_children(rw->arena, inside.data[i]);
        bool is_named = parts.count == 2 && rw_node_of_value(rw, inside.data[i]) == NO_NODE;
        assign(rw, rw_node_at(rw, array, is_named ? WHOLE : (long long)i),
               is_named ? parts.data[1] : inside.data[i]);
    }
}

/* The value of a variable or member; in a template a list of arguments may stand for the call that
 * makes a cl::Buffer of them. */
static void initialise(rewriter *rw, int number, CXType type, CXCursor value) {
    if (rw->follows_handles && rw_is_buffer_class(rw, type) && rw_is_construction(rw, value) &&
        clang_getCursorKind(value) != CXCursor_CallExpr) {
        read_call(rw, value);
        move_value(rw->flow, number, node_of(rw, value), value);
    } else {
        assign(rw, number, value);
    }
}

/* In std::array<cl::Buffer, 2> no value of the variable, but a child of it. */
static bool is_size(const rewriter *rw, CXCursor value) {
    enum CXTypeKind kind = clang_getCanonicalType(clang_getCursorType(value)).kind;
    return rw->follows_handles && kind >= CXType_FirstBuiltin && kind <= CXType_LastBuiltin &&
           kind != CXType_Dependent && kind != CXType_Void && kind != CXType_NullPtr;
}

static void read_variable(rewriter *rw, CXCursor declared, CXCursor owner) {
    CXType type = clang_getCursorType(declared);
    if (rw_is_named_array(rw, declared)) {
        const pointee what = {rw_laid_record_of(rw, rw_innermost(type)), -1, SPACE_GLOBAL};
        seed(rw->flow, node_of(rw, declared), &what, declared);
        return;
    }
    if (!is_followed(rw, declared) || (rw->with_host && rw_innermost(type).kind == CXType_Void))
        return;
    CXCursor value =
        rw->follows_handles ? rw_last_child(rw->arena, declared) : rw_initializer(rw, declared);
    if (rw->follows_handles && rw_is_array(type)) {
        read_array(rw, declared, value);
        return;
    }
    int number = node_of(rw, declared);
    if (clang_Cursor_isNull(owner) && !rw->with_host)
        move_value(rw->flow, number, other_node(rw, declared, "what lives outside of functions"),
                   declared);
    if (clang_isExpression(clang_getCursorKind(value)) && !is_size(rw, value))
        initialise(rw, number, type, value);
}

unsigned rw_first_argument(rewriter *rw, CXCursor call, CXCursor callee, size_t parameters) {
    int arguments = clang_Cursor_getNumArguments(call);
    bool takes_object = clang_getCursorKind(callee) == CXCursor_CXXMethod &&
                        !strncmp(rw_spelling(rw->arena, callee), "operator", 8);
    return takes_object && arguments == (int)parameters + 1;
}

/* cudaLaunchKernel(kernel, ..., args, ...), where `args` is an array of addresses. */
static void read_launch(rewriter *rw, CXCursor call) {
    CXCursor kernel = clang_getNullCursor();
    if (clang_Cursor_getNumArguments(call) >= 5 &&
        hd_has_word("cudaLaunchKernel cudaLaunchCooperativeKernel", rw_spelling(rw->arena, call)))
        kernel = rw_named_kernel(rw, clang_Cursor_getArgument(call, 0));
    hd_cursors given = rw_launch_arguments(rw, call), parameters = {0};
    if (!clang_Cursor_isNull(kernel))
        parameters = rw_parameters(rw->arena, kernel);
    for (size_t i = 0; i < parameters.count && i < given.count; i++)
        if (is_followed(rw, parameters.data[i])) {
            int from = rw_node_of_value(rw, given.data[i]);
            if (from != NO_NODE && rw_points_to_bytes(clang_getCursorType(given.data[i])))
                rw->flow->nodes.data[from].is_opened = true; /* the list has no types */
            assign(rw, node_of(rw, parameters.data[i]), given.data[i]);
        }
}

/* cudaMemcpyToSymbol(pointer_in_device_memory, &pointer, sizeof pointer), and back */
static void read_set_by_name(rewriter *rw, CXCursor call) {
    CXCursor pointer, named = rw_set_by_name(rw, call, &pointer);
    if (!clang_Cursor_isNull(named) && is_followed(rw, named))
        move_value(rw->flow, node_of(rw, named), rw_node_of_value(rw, pointer), pointer);
}

/* launch(kernel, blocks, args...) of a template that passes on what it is given: the last arguments
 * are the kernel's. */
static void read_passed_on(rewriter *rw, CXCursor call) {
    int count = clang_Cursor_getNumArguments(call);
    CXCursor kernel = clang_getNullCursor();
    for (int i = 0; i < count && clang_Cursor_isNull(kernel); i++)
        kernel = rw_named_kernel(rw, clang_Cursor_getArgument(call, (unsigned)i));
    hd_cursors parameters = {0};
    if (!clang_Cursor_isNull(kernel))
        parameters = rw_parameters(rw->arena, kernel);
    for (size_t i = 0; i < parameters.count && (int)parameters.count < count; i++) {
        CXCursor argument =
            clang_Cursor_getArgument(call, (unsigned)count - (unsigned)(parameters.count - i));
        CXType type = clang_getCursorType(parameters.data[i]);
        const laid_record *l = rw_laid_record_of(rw, rw_innermost(type));
        if (rw_pointer_depth(type) == 1 && l &&
            rw_laid_record_of(rw, rw_innermost(clang_getCursorType(argument))) == l)
            assign(rw, node_of(rw, parameters.data[i]), argument);
    }
}

/* std::swap(a, b), v.push_back(b): all that meets there is one. */
static void read_library_call(rewriter *rw, CXCursor call, CXCursor callee) {
    int all = NO_NODE, met = 0, count = clang_Cursor_getNumArguments(call);
    CXCursor last = call;
    bool of_buffers = false, of_kernels = false;
    if (rw->follows_handles && rw_is_handle(clang_getCursorType(call)))
        all = rw_node_of_value(rw, call);
    else if (rw->follows_handles && is_method(callee))
        all = rw_node_of_value(rw, rw_object_of(rw, call));
    met += all != NO_NODE;
    for (int i = 0; i < count; i++) {
        CXCursor argument = clang_Cursor_getArgument(call, (unsigned)i);
        int value = rw->follows_handles || rw_pointer_depth(clang_getCursorType(argument))
                        ? rw_node_of_value(rw, argument)
                        : NO_NODE;
        CXCursor bare = rw_bare(rw->arena, argument), named = clang_getCursorReferenced(bare);
        if (rw->follows_handles && clang_getCursorKind(bare) == CXCursor_DeclRefExpr &&
            rw_is_function(named) && rw_holds(clang_getCursorResultType(named), OF_BUFFERS))
            rw_refuse(rw, argument,
                      "where the buffers go that '%s' makes cannot be followed; call it here",
                      rw_spelling(rw->arena, named));
        if (value == NO_NODE && rw->follows_handles &&
            rw_holds(clang_getCursorType(argument), OF_BUFFERS) && gives_unseen(rw, argument))
            refuse_unseen(rw, argument);
        if (value == NO_NODE)
            continue;
        of_buffers |= rw_holds(clang_getCursorType(argument), OF_BUFFERS);
        of_kernels |= rw_holds(clang_getCursorType(argument), OF_KERNELS);
        move_value(rw->flow, all, value, argument);
        all = all == NO_NODE ? value : all;
        last = argument;
        met++;
    }
    if (rw->follows_handles && ((of_buffers && of_kernels) || /* std::bind(kernel, buffer) */
                                (met == 1 && !rw_same_expression(last, call) &&
                                 rw_holds(clang_getCursorType(last), OF_BUFFERS))))
        rw_refuse(rw, last,
                  "where '%s' keeps this buffer cannot be followed; keep it in a "
                  "variable",
                  rw_spelling(rw->arena, callee));
}

/* What goes into a function, and out of it, stays apart from what is inside. */
static void add_passing(flow *f, int outside, int inside) {
    hd_push(f->arena, &f->passings, (passing){outside, inside, f->function, f->calls.count - 1});
}

static bool is_of_lambda(const rewriter *rw, CXCursor callee) {
    const char *around = rw_spelling(rw->arena, clang_getCursorSemanticParent(callee));
    return !strncmp(around, "(lambda", 7);
}

/* The lambda that a call names; a null cursor: not known which. */
static CXCursor called_lambda(const rewriter *rw, CXCursor call) {
    CXCursor called = rw_bare(rw->arena, rw_object_of(rw, call));
    if (clang_getCursorKind(called) == CXCursor_DeclRefExpr)
        called = rw_bare(rw->arena, rw_last_child(rw->arena, clang_getCursorReferenced(called)));
    return clang_getCursorKind(called) == CXCursor_LambdaExpr ? called : clang_getNullCursor();
}

/* In a call of a template, two buffers that are one `T` there: std::swap() may make one of them. */
static void join_alike(rewriter *rw, CXCursor call, const hd_cursors *parameters, unsigned skip) {
    int count = clang_Cursor_getNumArguments(call);
    for (unsigned b = 1; b < parameters->count && (int)(b + skip) < count; b++)
        for (unsigned a = 0; a < b; a++) {
            CXType one = clang_getCursorType(parameters->data[a]);
            CXType other = clang_getCursorType(parameters->data[b]);
            CXCursor first = clang_Cursor_getArgument(call, a + skip);
            CXCursor second = clang_Cursor_getArgument(call, b + skip);
            if (rw_is_dependent(one) && clang_equalTypes(one, other) &&
                rw_is_handle(clang_getCursorType(first)))
                rw_join(rw->flow, rw_node_of_value(rw, first), rw_node_of_value(rw, second));
        }
}

static void read_call(rewriter *rw, CXCursor call) {
    flow *f = rw->flow;
    CXCursor callee = rw_callee(rw->arena, call);
    bool is_known = !clang_Cursor_isNull(callee), is_system = is_of_system(rw, callee);
    bool is_library = is_system && !rw_is_opencl(rw, call, callee);
    if (rw->with_host) {
        read_launch(rw, call);
        read_passed_on(rw, call);
        read_set_by_name(rw, call);
    }
    if (rw->follows_handles ? is_library : rw->with_host && rw_is_exchange(rw, call))
        read_library_call(rw, call, callee);
    if (rw->follows_handles && (!is_library || rw_constructs_in_place(rw, call))) {
        const char *name = rw_called_name(rw, call);
        CXCursor defined = is_known ? clang_getCursorDefinition(callee) : callee;
        callee = is_system ? clang_getNullCursor() : defined;
        is_known = !clang_Cursor_isNull(callee);
        hd_push(f->arena, &f->calls, (flow_call){call, callee, f->function, name});
    }
    if (!is_known || is_system || rw_is_plain_copy(rw->arena, call))
        return;
    hd_cursors parameters = rw_parameters(rw->arena, callee);
    bool is_lambda = rw->follows_handles && is_of_lambda(rw, callee); /* which has no versions */
    unsigned skip = rw_first_argument(rw, call, callee, parameters.count);
    if (rw->follows_handles)
        join_alike(rw, call, &parameters, skip);
    int count = clang_Cursor_getNumArguments(call);
    for (unsigned i = 0; i < parameters.count && (int)(i + skip) < count; i++) {
        CXCursor argument = clang_Cursor_getArgument(call, i + skip);
        CXCursor parameter = parameters.data[i];
        /* of a record's own method, which takes a copy of the element (method_text.c: its place) */
        CXType around = clang_getCursorType(clang_getCursorSemanticParent(callee));
        bool is_copied = is_method(callee) && rw_is_reference(clang_getCursorType(parameter)) &&
                         rw_laid_record_of(rw, around);
        for (size_t k = 0; k < rw->copied.count; k++)
            is_copied |= clang_equalCursors(rw->copied.data[k], parameter) != 0;
        if (rw->follows_handles && is_followed(rw, parameter) &&
            rw_is_dependent(clang_getCursorType(argument)))
            rw_refuse(rw, argument,
                      "what this is depends on a template's parameter, and cannot be followed; "
                      "write its type");
        if (!is_followed(rw, parameter) || is_copied ||
            rw_is_given_another(rw, parameter, argument) ||
            (rw->follows_handles && !rw_is_handle(clang_getCursorType(argument))))
            continue;
        int inside = node_of(rw, parameter);
        int outside = rw->follows_handles ? rw_node_of_value(rw, argument) : NO_NODE;
        if (outside == NO_NODE || is_lambda)
            assign(rw, inside, argument);
        else
            add_passing(f, outside, inside);
    }
    if (!rw->follows_handles || !rw_is_handle(clang_getCursorType(call)))
        return;
    CXCursor lambda = is_lambda ? called_lambda(rw, call) : call;
    if (is_lambda && !clang_Cursor_isNull(lambda))
        move_value(f, node_of(rw, call), node_of(rw, lambda), call);
    else if (!is_lambda)
        add_passing(f, node_of(rw, call), node_of(rw, callee));
}

/* scene s = {pointer, 8}, also {.first = pointer} */
static void read_aggregate(rewriter *rw, CXCursor list, const hd_cursors *values) {
    hd_cursors fields = rw_aggregate_fields(rw, list);
    if (rw->follows_handles && fields.count && is_of_system(rw, fields.data[0]))
        return; /* std::array */
    for (size_t i = 0; i < values->count; i++) {
        hd_cursors parts = hd_cursor_children(rw->arena, values->data[i]);
        bool is_named =
            parts.count == 2 && clang_getCursorKind(parts.data[0]) == CXCursor_MemberRef;
        if (!is_named && i >= fields.count)
            continue;
        CXCursor field = is_named ? clang_getCursorReferenced(parts.data[0]) : fields.data[i];
        if (is_followed(rw, field))
            assign(rw, node_of(rw, field), is_named ? parts.data[1] : values->data[i]);
    }
}

/* for (cl_mem one : {a, b}) */
static void read_range(rewriter *rw, const hd_cursors *inside) {
    int one = NO_NODE;
    for (size_t i = 0; i < inside->count; i++) {
        CXCursor child = inside->data[i];
        if (clang_getCursorKind(child) == CXCursor_VarDecl) {
            if (!is_followed(rw, child) ||
                rw_is_neutral(rw, inside->data[inside->count - 1], child))
                return;
            one = node_of(rw, child);
        } else if (clang_isExpression(clang_getCursorKind(child))) {
            rw_join(rw->flow, one, rw_node_of_value(rw, child));
        }
    }
}

static void read_function(rewriter *rw, CXCursor function);

/* (R *)bytes: what is declared as bytes holds records, in a kernel those that it is given. */
static void read_cast(rewriter *rw, CXCursor cast) {
    CXCursor bytes = rw_opened_bytes(rw, cast);
    if (clang_Cursor_isNull(bytes))
        return;
    int number = node_of(rw, bytes);
    rw->flow->nodes.data[number].is_opened = true;
    if (clang_getCursorKind(bytes) == CXCursor_ParmDecl) {
        const pointee what = {rw_laid_record_of(rw, rw_innermost(clang_getCursorType(cast))), -1,
                              SPACE_GLOBAL};
        seed(rw->flow, number, &what, bytes);
    }
}

static void read_code(rewriter *rw, CXCursor cursor, CXCursor owner) {
    hd_cursors inside = hd_cursor_children(rw->arena, cursor);
    enum CXCursorKind kind = clang_getCursorKind(cursor);
    bool has_members = rw->with_host || rw->follows_handles;
    if (rw_is_function(cursor)) { /* of a class in a function */
        read_function(rw, cursor);
        return;
    }
    if (kind == CXCursor_VarDecl || (kind == CXCursor_FieldDecl && has_members)) {
        read_variable(rw, cursor, owner);
    } else if (kind == CXCursor_CallExpr) {
        read_call(rw, cursor);
    } else if (kind == CXCursor_InitListExpr && has_members) {
        read_aggregate(rw, cursor, &inside);
    } else if (kind == CXCursor_CXXForRangeStmt && rw->follows_handles) {
        read_range(rw, &inside);
    } else if (kind == CXCursor_ReturnStmt && inside.count &&
               clang_getCursorKind(owner) == CXCursor_LambdaExpr && rw->follows_handles) {
        if (rw_is_handle(clang_getCursorType(inside.data[0])))
            assign(rw, node_of(rw, owner), inside.data[0]);
    } else if (kind == CXCursor_ReturnStmt && inside.count && !clang_Cursor_isNull(owner) &&
               is_followed(rw, owner)) {
        assign(rw, node_of(rw, clang_getCanonicalCursor(owner)), inside.data[0]);
    } else if (clang_getCursorBinaryOperatorKind(cursor) == CXBinaryOperator_Assign &&
               inside.count == 2) {
        CXType type = clang_getCursorType(inside.data[0]);
        if (rw->follows_handles ? rw_is_handle(type) : rw_pointer_depth(type) > 0)
            assign(rw, rw_node_of_value(rw, inside.data[0]), inside.data[1]);
    }
    if (rw_is_cast(cursor))
        read_cast(rw, cursor);
    if (kind == CXCursor_LambdaExpr)
        owner = cursor;
    for (size_t i = 0; i < inside.count; i++)
        read_code(rw, inside.data[i], owner);
}

/* ---- CUDA: what else could lead to laid-out records, unseen --------------------------- */

/* The laid-out records that a field of a struct, or of one in it, points to; NULL: none does. */
static const laid_record *pointed_from(rewriter *rw, CXType type, CXCursor *at) {
    hd_cursors fields = hd_type_fields(rw->arena, type);
    const laid_record *found = NULL;
    for (size_t i = 0; i < fields.count && !found; i++) {
        CXType field = clang_getCursorType(fields.data[i]), inner = rw_innermost(field);
        *at = fields.data[i];
        if (rw_pointer_depth(field))
            found = rw_laid_record_of(rw, inner);
        if (!found && inner.kind == CXType_Record && !rw_is_pointer(field))
            found = pointed_from(rw, inner, at);
    }
    return found;
}

/* The pointers to laid-out records in a struct that a kernel is given. */
static void seed_fields(rewriter *rw, CXType type) {
    hd_cursors fields = hd_type_fields(rw->arena, type);
    for (size_t i = 0; i < fields.count; i++) {
        CXType field = clang_getCursorType(fields.data[i]), inner = rw_innermost(field);
        pointee what = {.of = rw_laid_record_of(rw, inner), .field = -1};
        bool points = !is_storage(fields.data[i]) && rw_pointer_depth(field);
        if (points && what.of)
            seed(rw->flow, node_of(rw, fields.data[i]), &what, fields.data[i]);
        else if (inner.kind == CXType_Record && !what.of && !rw_is_pointer(field))
            seed_fields(rw, inner);
    }
}

/* A kernel's parameter that is no pointer, or a pointer to pointers. */
static void read_unseen(rewriter *rw, CXCursor parameter) {
    CXType type = rw_value_type(clang_getCursorType(parameter));
    CXCursor at;
    if (rw->with_host && !rw_pointer_depth(type)) {
        seed_fields(rw, type);
        return;
    }
    const laid_record *found = rw_pointer_depth(type) ? rw_laid_record_of(rw, rw_innermost(type))
                                                      : pointed_from(rw, type, &at);
    if (found)
        rw_refuse(rw, parameter,
                  "'%s' brings pointers to '%s' to the kernel; pass one pointer for each array",
                  rw_spelling(rw->arena, parameter), found->record->name);
}

/* ---- kernels and other functions ------------------------------------------------------ */

/* The members that a constructor makes of its arguments. */
static void read_members(rewriter *rw, CXCursor constructor) {
    hd_cursors inside = hd_cursor_children(rw->arena, constructor);
    for (size_t i = 1; i < inside.count; i++) {
        CXCursor member = clang_getCursorReferenced(inside.data[i - 1]), value = inside.data[i];
        if (clang_getCursorKind(inside.data[i - 1]) != CXCursor_MemberRef ||
            !clang_isExpression(clang_getCursorKind(value)))
            continue;
        if (is_followed(rw, member))
            initialise(rw, node_of(rw, member), clang_getCursorType(member), value);
        read_code(rw, value, constructor);
    }
}

/* The parameters of a kernel that bring laid-out records. */
static void read_kernel(rewriter *rw, CXCursor kernel, const hd_cursors *parameters) {
    for (size_t i = 0; i < parameters->count; i++) {
        CXCursor parameter = parameters->data[i];
        CXType type = rw_value_type(clang_getCursorType(parameter));
        pointee what = {.field = -1};
        if (rw_pointer_depth(type) != 1) {
            if (rw->is_cuda)
                read_unseen(rw, parameter);
            continue;
        }
        if (rw->is_cuda)
            what.of = rw_laid_record_of(rw, rw_target_of(type));
        if (rw->with_host && !what.of)
            seed_fields(rw, rw_target_of(type));
        const hd_array_param *a = rw_array_param_of(rw, kernel, parameter);
        for (uint32_t l = 0; a && l < rw->record_count;
             l++) /* of a field of which it is an array */
            if (hd_record_declared(rw->records[l].record) == a->record)
                what =
                    (pointee){&rw->records[l], (int)a->field,
                              rw_target_is(rw, type, "__constant") ? SPACE_CONSTANT : SPACE_GLOBAL};
        if (what.of)
            seed(rw->flow, node_of(rw, parameter), &what, parameter);
    }
}

static void read_function(rewriter *rw, CXCursor function) {
    CXCursor body = rw_body(rw->arena, function), around = rw->flow->function;
    if (!rw->with_host && rw_is_host(rw, function))
        return;
    rw->flow->function = function;
    if ((rw->with_host || rw->follows_handles) &&
        clang_getCursorKind(function) == CXCursor_Constructor)
        read_members(rw, function);
    hd_cursors parameters = rw_parameters(rw->arena, function);
    hd_cursors same = rw_parameters(rw->arena, clang_getCanonicalCursor(function));
    for (size_t i = 0; i < parameters.count && i < same.count; i++)
        if (is_followed(rw, parameters.data[i]))
            rw_join(rw->flow, node_of(rw, same.data[i]), node_of(rw, parameters.data[i]));
    if (!rw->follows_handles && rw_is_kernel(rw->arena, function))
        read_kernel(rw, function, &parameters);
    if (!clang_Cursor_isNull(body))
        read_code(rw, body, function);
    rw->flow->function = around;
}

static void read_declarations(rewriter *rw, CXCursor parent) {
    hd_cursors all = hd_cursor_children(rw->arena, parent);
    for (size_t i = 0; i < all.count; i++) {
        CXCursor c = all.data[i];
        enum CXCursorKind kind = clang_getCursorKind(c);
        if (clang_isPreprocessing(kind) || is_of_system(rw, c))
            continue;
        if (rw_is_function(c))
            read_function(rw, c);
        else if (kind == CXCursor_VarDecl || kind == CXCursor_FieldDecl)
            read_code(rw, c, clang_getNullCursor());
        else if (clang_isDeclaration(kind))
            read_declarations(rw, c);
    }
}

void rw_flow_read(rewriter *rw) {
    rw->flow = hd_new(rw->arena, flow);
    rw->flow->arena = rw->arena;
    rw->flow->newest.arena = rw->arena;
    rw->flow->function = clang_getNullCursor();
    read_declarations(rw, clang_getTranslationUnitCursor(rw->src.unit));
    if (rw->is_cuda && !rw->follows_handles)
        rw_seed_instances(rw);
}

/* ---- conflicts ----------------------------------------------------------------------------- */

static const char *words_for(rewriter *rw, const origin *c) {
    if (c->kind == OTHER)
        return c->why;
    if (rw_are_numbers(&c->what))
        return hd_format(rw->arena, "numbers of '%s'", c->what.of->record->name);
    if (c->what.field >= 0)
        return hd_format(rw->arena, "field '%s' of '%s'",
                         c->what.of->record->fields[c->what.field].name, c->what.of->record->name);
    return hd_format(rw->arena, "laid-out records '%s'", c->what.of->record->name);
}

static hd_place place_of(rewriter *rw, const origin *c) {
    return rw_place_of(&rw->src, clang_getRangeStart(clang_getCursorExtent(c->at)));
}

/* `const R &` of a function that host code calls with C structs, and kernels with elements: those
 * are given as copies, where the function returns nothing that leads into one. */
static bool can_be_copied(const rewriter *rw, CXCursor declared) {
    CXType type = clang_getCanonicalType(clang_getCursorType(declared));
    return rw->with_host && clang_getCursorKind(declared) == CXCursor_ParmDecl &&
           type.kind == CXType_LValueReference &&
           clang_isConstQualifiedType(clang_getPointeeType(type)) &&
           rw_laid_record_of(rw, clang_getPointeeType(type)) &&
           !rw_has_pointer(clang_getCursorResultType(clang_getCursorSemanticParent(declared)));
}

/* Carries values along one move; true when that changed something. */
static bool carry(rewriter *rw, const move *m) {
    flow *f = rw->flow;
    node *to = &f->nodes.data[m->to];
    const node *from = &f->nodes.data[m->from];
    bool was_reported = to->is_reported;
    if (from->here.kind == NOTHING || (was_reported && from->here.kind != OTHER) ||
        !f->nodes.data[rw_class_of(f, m->to)].what.of)
        return false;
    origin value = from->here;
    value.at = m->at;
    if (to->here.kind == NOTHING) {
        to->here = value;
        return true;
    }
    if (to->here.kind != value.kind ||
        (value.kind == LAID && !same_pointee(&to->here.what, &value.what))) {
        to->is_reported = true;
        if (was_reported && !rw->with_host)
            return false;
        if (!was_reported && can_be_copied(rw, to->declaration)) {
            hd_push(rw->arena, &rw->copied, to->declaration);
            return true;
        }
        hd_place here = place_of(rw, &value), there = place_of(rw, &to->here);
        if (rw->with_host && value.kind != to->here.kind) {
            /* in whole programs values go far: what is wrong is where the one came from */
            const origin *other = value.kind == OTHER ? &value : &to->here;
            const origin *laid = value.kind == LAID ? &value : &to->here;
            here = rw_place_of(&rw->src, clang_getRangeStart(clang_getCursorExtent(other->first)));
            there = place_of(rw, laid);
            bool is_returned = !strncmp(other->why, "what ", 5) && strstr(other->why, "returns");
            rw_refuse_at(
                rw, &here,
                "this is %s, but goes where there are laid-out records '%s' (%s:%u:%u); %s",
                other->why, laid->what.of->record->name, there.file, there.line, there.column,
                is_returned ? "allocate the array with cudaMalloc(), and hand on that pointer"
                : strstr(other->why, "every type")
                    ? "give the template a parameter 'thrust::device_vector<T> &'"
                : strstr(other->why, "cast")
                    ? hd_format(rw->arena,
                                "declare that pointer '%s *' from the start; a function that makes "
                                "memory for every type can be a template <class T> that returns "
                                "'T *'",
                                laid->what.of->spelling)
                    : hd_format(rw->arena,
                                "declare it '%s *' from the start, or use a variable or function "
                                "of its own",
                                laid->what.of->spelling));
            return !was_reported;
        }
        const char *name =
            clang_Cursor_isNull(to->declaration)
                ? "this"
                : hd_format(rw->arena, "'%s'", rw_spelling(rw->arena, to->declaration));
        return rw_refuse_at(
            rw, &here,
            "%s holds %s here, and %s (%s:%u:%u); make a second function or variable for "
            "one of them",
            name, words_for(rw, &value), words_for(rw, &to->here), there.file, there.line,
            there.column);
    }
    return false;
}

/* A kernel that opens the bytes that it is given opens the variables that they come from. */
static void open_arguments(flow *f) {
    for (bool again = true; again;) {
        again = false;
        for (size_t i = 0; i < f->moves.count; i++) {
            node *from = &f->nodes.data[f->moves.data[i].from];
            if (!f->nodes.data[f->moves.data[i].to].is_opened || from->is_opened ||
                clang_Cursor_isNull(from->declaration) ||
                !rw_points_to_bytes(clang_getCursorType(from->declaration)))
                continue;
            from->is_opened = again = true;
        }
    }
}

/* What no way leads to, but is in the class all the same. */
static void refuse_mixed(rewriter *rw) {
    flow *f = rw->flow;
    size_t before = rw->refusals.count;
    for (size_t i = 0; i < f->nodes.count && rw->refusals.count == before; i++) {
        node *n = &f->nodes.data[i];
        const pointee *what = &f->nodes.data[rw_class_of(f, (int)i)].what;
        bool is_mixed =
            n->here.kind == OTHER || (n->here.kind == LAID && !same_pointee(&n->here.what, what));
        if (!what->of || !is_mixed || n->is_reported)
            continue;
        hd_place here = place_of(rw, &n->here);
        rw_refuse_at(rw, &here,
                     "this is %smixed with laid-out records '%s', which are reached in another "
                     "way; use a variable or function of its own",
                     n->here.why ? hd_format(rw->arena, "%s, and ", n->here.why) : "",
                     what->of->record->name);
    }
}

static void run_once(rewriter *rw) {
    rw->launch_arguments.count = 0;
    rw_flow_read(rw);
    for (uint32_t i = 0; rw->is_cuda && i < rw->record_count; i++) {
        const laid_record *l = &rw->records[i], *found = NULL;
        CXCursor at;
        if (!clang_Cursor_isNull(l->declaration))
            found = pointed_from(rw, clang_getCursorType(l->declaration), &at);
        if (found)
            rw_refuse(rw, at, "'%s' keeps a pointer to '%s' in a struct; keep an index",
                      rw_spelling(rw->arena, at), found->record->name);
    }
    open_arguments(rw->flow);
    size_t before = rw->refusals.count, copied = rw->copied.count;
    for (bool again = true; again;) {
        again = false;
        for (size_t i = 0; i < rw->flow->moves.count; i++)
            again |= carry(rw, &rw->flow->moves.data[i]);
    }
    if (rw->refusals.count == before && rw->copied.count == copied)
        refuse_mixed(rw);
    rw->has_conflicts = rw->refusals.count > before;
}

void rw_flow_run(rewriter *rw) {
    size_t refused = rw->refusals.count, copied;
    rw->copied.count = 0;
    do { /* without what is given as copies */
        copied = rw->copied.count;
        rw->refusals.count = refused;
        run_once(rw);
    } while (rw->copied.count > copied);
}

pointee rw_pointee_of(const rewriter *rw, CXCursor declaration) {
    int number = clang_Cursor_isNull(declaration) ? NO_NODE : known_node(rw, declaration, WHOLE);
    if (number == NO_NODE)
        return (pointee){.field = -1};
    pointee what = rw->flow->nodes.data[rw_class_of(rw->flow, number)].what;
    CXType type = rw_held_type(declaration), inner = rw_innermost(type);
    if (!what.of || rw_is_dependent(type) || inner.kind == CXType_Auto)
        return what;
    /* A `void *` that is given laid-out records does not hold them as such. */
    bool can_hold = rw->flow->nodes.data[number].is_opened ? true
                    : what.field < 0                       ? rw_laid_record_of(rw, inner) == what.of
                                                           : clang_Type_getSizeOf(inner) ==
                                           (long long)what.of->record->fields[what.field].size;
    if (!can_hold)
        what.of = NULL;
    return what;
}
