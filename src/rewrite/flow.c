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
 */
#include "base/table.h"
#include "internal.h"

enum { NONE = -1 };

typedef struct origin {
    enum { NOTHING, LAID, OTHER } kind;
    pointee what;
    const char *why; /* of what is not laid out: what it is */
    CXCursor at;     /* where it came in */
    CXCursor first;  /* where it began */
} origin;

typedef struct node {
    CXCursor declaration;
    uint64_t same_hash; /* the node before whose declaration has the same hash; or HD_NO_VALUE */
    int parent;         /* in its class; itself: stands for the class */
    pointee what;       /* of the class, at the node that stands for it */
    origin here;
    bool is_reported; /* that two kinds meet here */
} node;

typedef struct move {
    int to, from;
    CXCursor at;
} move;

typedef struct flow {
    hd_arena *arena;
    hd_vec(node) nodes;
    hd_hash_table newest; /* node of each hash of a declaration */
    hd_vec(move) moves;
} flow;

/* ---- nodes ------------------------------------------------------------------------ */

static bool same_pointee(const pointee *a, const pointee *b) {
    return a->of == b->of && a->field == b->field && a->in == b->in;
}

/* NONE: it has not been met. */
static int known_node(const flow *f, CXCursor declaration) {
    uint64_t number = hd_hash_get(&f->newest, clang_hashCursor(declaration));
    while (number != HD_NO_VALUE &&
           !clang_equalCursors(f->nodes.data[number].declaration, declaration))
        number = f->nodes.data[number].same_hash;
    return number == HD_NO_VALUE ? NONE : (int)number;
}

static int new_node(flow *f, CXCursor declaration) {
    int number = (int)f->nodes.count;
    hd_push(f->arena, &f->nodes, (node){.declaration = declaration, .parent = number});
    return number;
}

static int find(const flow *f, int number) {
    while (f->nodes.data[number].parent != number)
        number = f->nodes.data[number].parent;
    return number;
}

static void seed(flow *f, int number, const pointee *what, CXCursor at) {
    node *n = &f->nodes.data[number];
    n->here = (origin){.kind = LAID, .what = *what, .at = at, .first = at};
    f->nodes.data[find(f, number)].what = *what;
}

static int node_of(rewriter *rw, CXCursor declaration) {
    flow *f = rw->flow;
    int number = known_node(f, declaration);
    if (number != NONE)
        return number;
    number = new_node(f, declaration);
    uint32_t hash = clang_hashCursor(declaration);
    f->nodes.data[number].same_hash = hd_hash_get(&f->newest, hash);
    hd_hash_set(&f->newest, hash, (uint64_t)number);
    pointee what;
    if (rw_typed_pointee(rw, rw_held_type(declaration), &what))
        seed(f, number, &what, declaration);
    return number;
}

/* A value that is not laid out. */
static int other_node(flow *f, CXCursor at, const char *why) {
    int number = new_node(f, clang_getNullCursor());
    f->nodes.data[number].here = (origin){.kind = OTHER, .why = why, .at = at, .first = at};
    return number;
}

static void join(flow *f, int a, int b) {
    a = find(f, a), b = find(f, b);
    if (a == b)
        return;
    if (!f->nodes.data[a].what.of)
        f->nodes.data[a].what = f->nodes.data[b].what;
    f->nodes.data[b].parent = a;
}

static void move_value(flow *f, int to, int from, CXCursor at) {
    if (to == NONE || from == NONE)
        return;
    join(f, to, from);
    hd_push(f->arena, &f->moves, (move){to, from, at});
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

/* The declaration whose class a pointer, or an element, belongs to. */
static int node_of_value(rewriter *rw, CXCursor e) {
    CXCursor holder = rw_holder_of(rw, e), inner = rw_last_child(rw->arena, e);
    enum CXCursorKind kind = clang_getCursorKind(e);
    if (rw->with_host && rw_is_moved(rw, e))
        return node_of_value(rw, clang_Cursor_getArgument(e, 0));
    if (!clang_Cursor_isNull(holder) && rw_is_of_another(rw, e, holder))
        return NONE;
    if (!clang_Cursor_isNull(holder))
        return kind != CXCursor_CallExpr && is_storage(holder)
                   ? other_node(rw->flow, e, "a record in private or shared memory")
                   : node_of(rw, holder);
    if (kind == CXCursor_CallExpr)
        return other_node(rw->flow, e, "what a function returns");
    if (kind == CXCursor_MemberRefExpr)
        return other_node(rw->flow, e, "what a struct holds");
    cursors parts = rw_carriers_of(rw, e);
    bool is_cast = kind == CXCursor_CStyleCastExpr || kind == CXCursor_CXXStaticCastExpr ||
                   kind == CXCursor_CXXReinterpretCastExpr || kind == CXCursor_CXXConstCastExpr;
    if (is_cast && !parts.count && !clang_Cursor_isNull(inner) &&
        rw_pointer_depth(clang_getCursorType(inner)) && rw_pointer_depth(clang_getCursorType(e)))
        return other_node(rw->flow, e, "a cast of another pointer");
    int first = NONE;
    for (size_t i = 0; i < parts.count; i++) {
        int value = node_of_value(rw, parts.data[i]);
        if (first == NONE)
            first = value;
        else
            move_value(rw->flow, first, value, parts.data[i]);
    }
    return first;
}

/* ---- the moves of a file ----------------------------------------------------------------- */

static void read_variable(rewriter *rw, CXCursor declared, CXCursor function) {
    CXType type = clang_getCursorType(declared);
    if (is_storage(declared) || !rw_has_pointer(type) ||
        (rw->with_host && rw_innermost(type).kind == CXType_Void))
        return;
    CXCursor value = rw_initializer(rw, declared);
    int number = node_of(rw, declared);
    if (clang_Cursor_isNull(function) && !rw->with_host)
        move_value(rw->flow, number,
                   other_node(rw->flow, declared, "what lives outside of functions"), declared);
    if (!clang_Cursor_isNull(value))
        move_value(rw->flow, number, node_of_value(rw, value), value);
}

unsigned rw_first_argument(rewriter *rw, CXCursor call, CXCursor callee, size_t parameters) {
    int arguments = clang_Cursor_getNumArguments(call);
    bool takes_object = clang_getCursorKind(callee) == CXCursor_CXXMethod &&
                        !strncmp(rw_spelling(rw->arena, callee), "operator", 8);
    return takes_object && arguments == (int)parameters + 1;
}

static bool is_copied(const rewriter *rw, CXCursor parameter) {
    for (size_t i = 0; i < rw->copied.count; i++)
        if (clang_equalCursors(rw->copied.data[i], parameter))
            return true;
    return false;
}

/* cudaLaunchKernel(kernel, ..., args, ...), where `args` is an array of addresses. */
static void read_launch(rewriter *rw, CXCursor call) {
    CXCursor kernel = rw_launched(rw, call);
    cursors given = rw_launch_arguments(rw, call), parameters = {0};
    if (!clang_Cursor_isNull(kernel))
        parameters = rw_parameters(rw->arena, kernel);
    for (size_t i = 0; i < parameters.count && i < given.count; i++)
        if (rw_has_pointer(clang_getCursorType(parameters.data[i])))
            move_value(rw->flow, node_of(rw, parameters.data[i]), node_of_value(rw, given.data[i]),
                       given.data[i]);
}

/* launch(kernel, blocks, args...) of a template that passes on what it is given: the last arguments
 * are the kernel's. */
static void read_passed_on(rewriter *rw, CXCursor call) {
    int count = clang_Cursor_getNumArguments(call);
    CXCursor kernel = clang_getNullCursor();
    for (int i = 0; i < count && clang_Cursor_isNull(kernel); i++)
        kernel = rw_named_kernel(rw, clang_Cursor_getArgument(call, (unsigned)i));
    cursors parameters = {0};
    if (!clang_Cursor_isNull(kernel))
        parameters = rw_parameters(rw->arena, kernel);
    for (size_t i = 0; i < parameters.count && (int)parameters.count < count; i++) {
        CXCursor argument =
            clang_Cursor_getArgument(call, (unsigned)count - (unsigned)(parameters.count - i));
        CXType type = clang_getCursorType(parameters.data[i]);
        const laid_record *l = rw_laid_record_of(rw, rw_innermost(type));
        if (rw_pointer_depth(type) == 1 && l &&
            rw_laid_record_of(rw, rw_innermost(clang_getCursorType(argument))) == l)
            move_value(rw->flow, node_of(rw, parameters.data[i]), node_of_value(rw, argument),
                       argument);
    }
}

/* std::swap(a, b) */
static void read_exchange(rewriter *rw, CXCursor call) {
    int first = NONE;
    for (int i = 0; i < clang_Cursor_getNumArguments(call); i++) {
        CXCursor argument = clang_Cursor_getArgument(call, (unsigned)i);
        int value =
            rw_pointer_depth(clang_getCursorType(argument)) ? node_of_value(rw, argument) : NONE;
        if (first == NONE)
            first = value;
        else
            move_value(rw->flow, first, value, argument);
    }
}

static void read_call(rewriter *rw, CXCursor call) {
    CXCursor callee = rw_callee(rw->arena, call);
    if (rw->with_host && rw_is_exchange(rw, call))
        read_exchange(rw, call);
    if (rw->with_host) {
        read_launch(rw, call);
        read_passed_on(rw, call);
    }
    if (clang_Cursor_isNull(callee) || rw_is_plain_copy(rw->arena, call) ||
        clang_Location_isInSystemHeader(clang_getCursorLocation(callee)))
        return;
    cursors parameters = rw_parameters(rw->arena, callee);
    unsigned skip = rw_first_argument(rw, call, callee, parameters.count);
    int count = clang_Cursor_getNumArguments(call);
    for (unsigned i = 0; i < parameters.count && (int)(i + skip) < count; i++) {
        CXCursor argument = clang_Cursor_getArgument(call, i + skip);
        if (rw_has_pointer(clang_getCursorType(parameters.data[i])) &&
            !is_copied(rw, parameters.data[i]) &&
            !rw_is_given_another(rw, parameters.data[i], argument))
            move_value(rw->flow, node_of(rw, parameters.data[i]), node_of_value(rw, argument),
                       argument);
    }
}

/* scene s = {pointer, 8}; */
static void read_aggregate(rewriter *rw, const cursors *values, const cursors *fields) {
    for (size_t i = 0; i < values->count && i < fields->count; i++)
        if (!is_storage(fields->data[i]) && rw_pointer_depth(clang_getCursorType(fields->data[i])))
            move_value(rw->flow, node_of(rw, fields->data[i]), node_of_value(rw, values->data[i]),
                       values->data[i]);
}

static void read_code(rewriter *rw, CXCursor cursor, CXCursor function) {
    cursors inside = rw_children(rw->arena, cursor);
    enum CXCursorKind kind = clang_getCursorKind(cursor);
    if (kind == CXCursor_VarDecl || (kind == CXCursor_FieldDecl && rw->with_host)) {
        read_variable(rw, cursor, function);
    } else if (kind == CXCursor_CallExpr) {
        read_call(rw, cursor);
    } else if (kind == CXCursor_InitListExpr && rw->with_host) {
        cursors fields = rw_aggregate_fields(rw, cursor);
        read_aggregate(rw, &inside, &fields);
    } else if (kind == CXCursor_ReturnStmt && inside.count && !clang_Cursor_isNull(function) &&
               rw_has_pointer(clang_getCursorResultType(function))) {
        move_value(rw->flow, node_of(rw, clang_getCanonicalCursor(function)),
                   node_of_value(rw, inside.data[0]), inside.data[0]);
    } else if (clang_getCursorBinaryOperatorKind(cursor) == CXBinaryOperator_Assign &&
               inside.count == 2 && rw_pointer_depth(clang_getCursorType(inside.data[0]))) {
        move_value(rw->flow, node_of_value(rw, inside.data[0]), node_of_value(rw, inside.data[1]),
                   inside.data[1]);
    }
    CXCursor owner = kind == CXCursor_LambdaExpr ? cursor : function;
    for (size_t i = 0; i < inside.count; i++)
        read_code(rw, inside.data[i], owner);
}

/* The record that a kernel's parameter is an array of a field of. */
static bool array_pointee(rewriter *rw, CXCursor kernel, CXCursor parameter, pointee *what) {
    const hd_array_param *a = rw_array_param_of(rw, kernel, parameter);
    bool is_constant = rw_target_is(rw, clang_getCursorType(parameter), "__constant");
    for (uint32_t l = 0; a && l < rw->record_count; l++)
        if (rw->records[l].record == a->record) {
            *what = (pointee){&rw->records[l], (int)a->field,
                              is_constant ? SPACE_CONSTANT : SPACE_GLOBAL};
            return true;
        }
    return false;
}

/* ---- CUDA: what else could lead to laid-out records, unseen --------------------------- */

/* The laid-out records that a field of a struct, or of one in it, points to; NULL: none does. */
static const laid_record *pointed_from(rewriter *rw, CXType type, CXCursor *at) {
    cursors fields = rw_fields(rw->arena, type);
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
    cursors fields = rw_fields(rw->arena, type);
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
    cursors inside = rw_children(rw->arena, constructor);
    for (size_t i = 1; i < inside.count; i++) {
        CXCursor member = clang_getCursorReferenced(inside.data[i - 1]), value = inside.data[i];
        if (clang_getCursorKind(inside.data[i - 1]) != CXCursor_MemberRef ||
            !clang_isExpression(clang_getCursorKind(value)))
            continue;
        if (rw_pointer_depth(clang_getCursorType(member)) && !is_storage(member))
            move_value(rw->flow, node_of(rw, member), node_of_value(rw, value), value);
        read_code(rw, value, constructor);
    }
}

static void read_function(rewriter *rw, CXCursor function) {
    if (!rw->with_host && rw_is_host(rw, function))
        return;
    if (rw->with_host && clang_getCursorKind(function) == CXCursor_Constructor)
        read_members(rw, function);
    cursors parameters = rw_parameters(rw->arena, function);
    CXCursor first = clang_getCanonicalCursor(function);
    cursors same = rw_parameters(rw->arena, first);
    for (size_t i = 0; i < parameters.count && i < same.count; i++)
        if (rw_has_pointer(clang_getCursorType(parameters.data[i])))
            join(rw->flow, node_of(rw, same.data[i]), node_of(rw, parameters.data[i]));
    if (rw_is_kernel(rw->arena, function)) {
        for (size_t i = 0; i < parameters.count; i++) {
            CXCursor parameter = parameters.data[i];
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
            if (array_pointee(rw, function, parameter, &what) || what.of)
                seed(rw->flow, node_of(rw, parameter), &what, parameter);
        }
    }
    CXCursor body = rw_body(rw->arena, function);
    if (!clang_Cursor_isNull(body))
        read_code(rw, body, function);
}

static void read_declarations(rewriter *rw, CXCursor parent) {
    cursors all = rw_children(rw->arena, parent);
    for (size_t i = 0; i < all.count; i++) {
        CXCursor c = all.data[i];
        enum CXCursorKind kind = clang_getCursorKind(c);
        if (clang_isPreprocessing(kind) ||
            clang_Location_isInSystemHeader(clang_getCursorLocation(c)))
            continue;
        if (rw_is_function(c))
            read_function(rw, c);
        else if (kind == CXCursor_VarDecl || kind == CXCursor_FieldDecl)
            read_code(rw, c, clang_getNullCursor());
        else if (clang_isDeclaration(kind))
            read_declarations(rw, c);
    }
}

/* ---- conflicts ----------------------------------------------------------------------------- */

static const char *words_for(rewriter *rw, const origin *c) {
    if (c->kind == OTHER)
        return c->why;
    if (c->what.field >= 0)
        return hd_format(rw->arena, "field '%s' of '%s'",
                         c->what.of->record->fields[c->what.field].name, c->what.of->record->name);
    return hd_format(rw->arena, "laid-out records '%s'", c->what.of->record->name);
}

static hd_place place_of(rewriter *rw, const origin *c) {
    return rw_place_of(&rw->src, clang_getRangeStart(clang_getCursorExtent(c->at)));
}

/* In whole programs values go far: what is wrong is where the one came from. */
static void refuse_stranger(rewriter *rw, const origin *other, const origin *laid) {
    hd_place here = rw_place_of(&rw->src, clang_getRangeStart(clang_getCursorExtent(other->first)));
    hd_place there = place_of(rw, laid);
    rw_refuse_at(
        rw, &here,
        "this is %s, but goes where there are laid-out records '%s' (%s:%u:%u); declare it "
        "'%s *' from the start, or use a variable or function of its own",
        other->why, laid->what.of->record->name, there.file, there.line, there.column,
        laid->what.of->spelling);
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
    if (from->here.kind == NOTHING || to->is_reported || !f->nodes.data[find(f, m->to)].what.of)
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
        if (can_be_copied(rw, to->declaration)) {
            hd_push(rw->arena, &rw->copied, to->declaration);
            return true;
        }
        if (rw->with_host && value.kind != to->here.kind) {
            refuse_stranger(rw, value.kind == OTHER ? &value : &to->here,
                            value.kind == LAID ? &value : &to->here);
            return true;
        }
        hd_place here = place_of(rw, &value), there = place_of(rw, &to->here);
        const char *name =
            clang_Cursor_isNull(to->declaration)
                ? "this"
                : hd_format(rw->arena, "'%s'", rw_spelling(rw->arena, to->declaration));
        rw_refuse_at(rw, &here,
                     "%s holds %s here, and %s (%s:%u:%u); make a second function or variable for "
                     "one of them",
                     name, words_for(rw, &value), words_for(rw, &to->here), there.file, there.line,
                     there.column);
        return true;
    }
    return false;
}

/* What no way leads to, but is in the class all the same. */
static void refuse_mixed(rewriter *rw) {
    flow *f = rw->flow;
    size_t before = rw->refusals.count;
    for (size_t i = 0; i < f->nodes.count && rw->refusals.count == before; i++) {
        node *n = &f->nodes.data[i];
        const pointee *what = &f->nodes.data[find(f, (int)i)].what;
        bool is_mixed =
            n->here.kind == OTHER || (n->here.kind == LAID && !same_pointee(&n->here.what, what));
        if (!what->of || !is_mixed || n->is_reported)
            continue;
        hd_place here = place_of(rw, &n->here);
        rw_refuse_at(rw, &here,
                     "this is mixed with laid-out records '%s', which are reached in another way; "
                     "use a variable or function of its own",
                     what->of->record->name);
    }
}

static void run_once(rewriter *rw) {
    rw->flow = hd_new(rw->arena, flow);
    rw->flow->arena = rw->arena;
    rw->flow->newest.arena = rw->arena;
    rw->launch_arguments.count = 0;
    read_declarations(rw, clang_getTranslationUnitCursor(rw->src.unit));
    for (uint32_t i = 0; rw->is_cuda && i < rw->record_count; i++) {
        const laid_record *l = &rw->records[i], *found = NULL;
        CXCursor at;
        if (!l->record->of_arrays)
            found = pointed_from(rw, clang_getCursorType(l->declaration), &at);
        if (found)
            rw_refuse(rw, at, "'%s' keeps a pointer to '%s' in a struct; keep an index",
                      rw_spelling(rw->arena, at), found->record->name);
    }
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

/* ---- what is known afterwards -------------------------------------------------------- */

/* A `void *` that is given laid-out records does not hold them as such. */
static bool can_hold(const rewriter *rw, CXType type, const pointee *what) {
    CXType t = rw_innermost(type);
    if (rw_is_dependent(type) || t.kind == CXType_Auto)
        return true;
    if (what->field < 0)
        return rw_laid_record_of(rw, t) == what->of;
    return clang_Type_getSizeOf(t) == (long long)what->of->record->fields[what->field].size;
}

pointee rw_pointee_of(const rewriter *rw, CXCursor declaration) {
    int number = known_node(rw->flow, declaration);
    if (number == NONE || clang_Cursor_isNull(declaration))
        return (pointee){.field = -1};
    pointee what = rw->flow->nodes.data[find(rw->flow, number)].what;
    if (what.of && !can_hold(rw, rw_held_type(declaration), &what))
        what.of = NULL;
    return what;
}

pointee rw_pointee_of_result(const rewriter *rw, CXCursor function) {
    return rw_pointee_of(rw, clang_getCanonicalCursor(function));
}
