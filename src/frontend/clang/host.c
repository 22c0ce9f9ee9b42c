/*
 * What host code does, read statement by statement (kernel/host.h). A loop is gone through
 * once; where a condition is not known both ways are, and a variable that has a value keeps it.
 */
#include "frontend/clang/host.h"

#include <unistd.h>

#include "frontend/clang/clang.h"
#include "frontend/clang/internal.h"

enum { MOST_STEPS = 2000000, MOST_DEPTH = 32 };

static void walk(front_host *h, CXCursor cursor);

static void walk_children(front_host *h, CXCursor cursor) {
    front_cursors inside = front_host_children(h, cursor);
    for (size_t i = 0; i < inside.count; i++)
        walk(h, inside.data[i]);
}

/* ---- functions ---------------------------------------------------------------------------------- */

static bool has_child(const front_host *h, CXCursor cursor, enum CXCursorKind kind) {
    front_cursors inside = front_host_children(h, cursor);
    for (size_t i = 0; i < inside.count; i++)
        if (clang_getCursorKind(inside.data[i]) == kind)
            return true;
    return false;
}

/* A function of the user's that runs on the host. */
static bool is_host_function(const front_host *h, CXCursor function) {
    enum CXCursorKind kind = clang_getCursorKind(function);
    if ((kind != CXCursor_FunctionDecl && kind != CXCursor_CXXMethod &&
         kind != CXCursor_Constructor && kind != CXCursor_Destructor) ||
        clang_Location_isInSystemHeader(clang_getCursorLocation(function)))
        return false;
    bool on_device = has_child(h, function, CXCursor_CUDAGlobalAttr) ||
                     (has_child(h, function, CXCursor_CUDADeviceAttr) &&
                      !has_child(h, function, CXCursor_CUDAHostAttr));
    return !on_device;
}

static bool is_followed(const front_host *h, CXCursor function) {
    for (size_t i = 0; i < h->followed.count; i++)
        if (clang_equalCursors(h->followed.data[i], function))
            return true;
    return false;
}

/* The members that a constructor makes, and its body. */
static void walk_function(front_host *h, CXCursor function) {
    front_cursors inside = front_host_children(h, function);
    CXCursor member = clang_getNullCursor();
    if (!is_followed(h, function))
        hd_push(h->arena, &h->followed, function);
    for (size_t i = 0; i < inside.count; i++) {
        enum CXCursorKind kind = clang_getCursorKind(inside.data[i]);
        if (kind == CXCursor_MemberRef) {
            member = clang_getCanonicalCursor(clang_getCursorReferenced(inside.data[i]));
        } else if (clang_isExpression(kind) && !clang_Cursor_isNull(member)) {
            hd_host_value value = front_host_value(h, inside.data[i]);
            size_t number = front_host_declared(h, member);
            h->variables.data[number].value = value;
            member = clang_getNullCursor();
        } else if (clang_isStatement(kind)) {
            walk(h, inside.data[i]);
        }
    }
}

/* What a parameter gets: a value, or another variable that it refers or points to. */
typedef struct given {
    hd_host_value value;
    uint32_t stands_for;
    CXCursor kernel;
} given;

/* The function that an expression names; a null cursor where it names none. */
static CXCursor named_function(front_host *h, CXCursor expression) {
    CXCursor bare = front_host_bare(h, expression);
    front_cursors inside = {0};
    if (clang_getCursorKind(bare) == CXCursor_UnaryOperator)
        inside = front_host_children(h, bare);
    if (inside.count)
        bare = front_host_bare(h, inside.data[0]);
    CXCursor named = clang_getCursorReferenced(bare);
    enum CXCursorKind kind = clang_getCursorKind(named);
    if (kind == CXCursor_ParmDecl) {
        size_t number = front_host_declared(h, clang_getCanonicalCursor(named));
        return h->variables.data[number].kernel;
    }
    return kind == CXCursor_FunctionDecl ? named : clang_getNullCursor();
}

static given give(front_host *h, CXType type, CXCursor argument) {
    CXCursor bare = front_host_bare(h, argument);
    bool is_reference = clang_getCanonicalType(type).kind == CXType_LValueReference;
    bool is_address = clang_getCursorKind(bare) == CXCursor_UnaryOperator &&
                      clang_getCursorUnaryOperatorKind(bare) == CXUnaryOperator_AddrOf;
    front_cursors inside = front_host_children(h, bare);
    int64_t variable = is_address && inside.count ? front_host_variable(h, inside.data[0])
                       : is_reference             ? front_host_variable(h, bare)
                                                  : -1;
    CXCursor kernel = named_function(h, argument);
    if (variable >= 0)
        return (given){.stands_for = (uint32_t)variable + 1, .kernel = kernel};
    return (given){.value = front_host_value(h, argument), .kernel = kernel};
}

/* Goes through a function of the user's; the value that it returns. */
static hd_host_value follow_call(front_host *h, CXCursor call) {
    hd_host_value none = {0};
    CXCursor function = clang_getCursorDefinition(clang_getCursorReferenced(call));
    int count = clang_Cursor_getNumArguments(call);
    bool is_new = !clang_Cursor_isNull(function) && is_host_function(h, function);
    for (const front_frame *f = h->frame; f && is_new; f = f->caller)
        is_new = !clang_equalCursors(f->function, function);
    if (!is_new || count > 4096 || (h->frame && h->frame->depth == MOST_DEPTH)) {
        walk_children(h, call);
        return none;
    }
    given *all = hd_new_array(h->arena, given, count > 0 ? count : 0);
    int params = clang_Cursor_getNumArguments(function);
    for (int i = 0; i < count && i < params; i++)
        all[i] = give(h, clang_getCursorType(clang_Cursor_getArgument(function, (unsigned)i)),
                      clang_Cursor_getArgument(call, (unsigned)i));
    front_frame *frame = hd_new(h->arena, front_frame);
    *frame = (front_frame){
        .caller = h->frame, .function = function, .depth = h->frame ? h->frame->depth + 1 : 0};
    h->frame = frame;
    for (int i = 0; i < count && i < params; i++) {
        CXCursor param = clang_getCanonicalCursor(clang_Cursor_getArgument(function, (unsigned)i));
        size_t number = front_host_declared(h, param);
        front_variable *variable = &h->variables.data[number];
        variable->value = all[i].value;
        variable->stands_for = all[i].stands_for;
        variable->kernel = all[i].kernel;
    }
    walk_function(h, function);
    h->frame = frame->caller;
    return frame->returned;
}

/* ---- memory --------------------------------------------------------------------------------------- */

static hd_host_value new_memory(front_host *h, CXCursor at, const char *name, hd_host_value bytes,
                                const char *text) {
    hd_push(h->arena, &h->memories,
            (hd_host_memory){
                .name = name, .bytes = bytes, .text = text, .place = front_host_place(h, at)});
    return (hd_host_value){.kind = HD_HOST_MEMORY, .memory = (uint32_t)h->memories.count - 1};
}

/* cudaMalloc() and its like: what the first argument points to gets memory. */
static bool allocates(front_host *h, CXCursor call) {
    static const char names[] =
        "cudaMalloc cudaMallocManaged cudaMallocAsync cudaMallocHost cudaHostAlloc";
    if (clang_Cursor_getNumArguments(call) < 2 || !hd_has_word(names, front_host_spelling(h, call)))
        return false;
    CXCursor target = front_host_bare(h, clang_Cursor_getArgument(call, 0));
    CXCursor bytes = clang_Cursor_getArgument(call, 1);
    if (clang_getCursorKind(target) == CXCursor_UnaryOperator &&
        clang_getCursorUnaryOperatorKind(target) == CXUnaryOperator_AddrOf) {
        front_cursors inside = front_host_children(h, target);
        target = inside.count ? inside.data[0] : target;
    }
    int64_t variable = front_host_variable(h, target);
    if (variable < 0)
        return true;
    const char *name = front_host_spelling(h, h->variables.data[variable].declaration);
    hd_host_value value = front_host_value(h, bytes);
    value = new_memory(h, call, name, value, front_host_source(h, bytes));
    h->variables.data[variable].value = value;
    return true;
}

/* A pointer that nothing is known of stands for memory of its own. */
static hd_host_value argument(front_host *h, CXCursor expression) {
    hd_host_value value = front_host_value(h, expression);
    bool is_pointer =
        clang_getCanonicalType(clang_getCursorType(expression)).kind == CXType_Pointer;
    int64_t variable =
        value.kind == HD_HOST_UNKNOWN && is_pointer ? front_host_variable(h, expression) : -1;
    if (variable < 0)
        return value;
    CXCursor declaration = h->variables.data[variable].declaration;
    value = new_memory(h, declaration, front_host_spelling(h, declaration), (hd_host_value){0}, "");
    h->variables.data[variable].value = value;
    return value;
}

/* ---- launches --------------------------------------------------------------------------------------- */

static void name_kernel(front_host *h, CXCursor callee, hd_host_launch *launch) {
    CXCursor function = named_function(h, callee);
    launch->kernel = front_host_spelling(h, callee);
    launch->symbol = launch->kernel;
    if (clang_Cursor_isNull(function))
        return;
    launch->symbol = front_host_text(h, clang_Cursor_getMangling(function));
    launch->kernel = front_instance_of_symbol(h->arena, launch->symbol);
}

/* The launch as it stands in the source; behind a macro the line that it is in. */
static const char *launch_text(front_host *h, CXCursor call) {
    const char *text = front_host_source(h, call), *line = front_host_place(h, call).text;
    if (strstr(text, "<<<") || !line)
        return text;
    return line + strspn(line, " \t");
}

static void add_launch(front_host *h, hd_host_launch launch) {
    if (h->launches.count == HD_HOST_MOST_LAUNCHES)
        h->more = true;
    else
        hd_push(h->arena, &h->launches, launch);
}

/* kernel<<<blocks, threads, shared>>>(...) */
static bool launches_directly(front_host *h, CXCursor call) {
    front_cursors inside = front_host_children(h, call);
    if (inside.count < 2 || clang_getCursorKind(inside.data[1]) != CXCursor_CallExpr ||
        !hd_has_word("__cudaPushCallConfiguration cudaConfigureCall",
                     front_host_spelling(h, inside.data[1])))
        return false;
    CXCursor sizes = inside.data[1];
    int count = clang_Cursor_getNumArguments(call), said = clang_Cursor_getNumArguments(sizes);
    hd_host_launch launch = {.loop = h->loop,
                             .text = launch_text(h, call),
                             .place = front_host_place(h, call),
                             .shared = front_host_whole(0)};
    name_kernel(h, front_host_bare(h, inside.data[0]), &launch);
    launch.blocks = front_host_value(h, clang_Cursor_getArgument(sizes, 0));
    launch.threads = front_host_value(h, clang_Cursor_getArgument(sizes, 1));
    CXCursor shared = said > 2 ? clang_Cursor_getArgument(sizes, 2) : clang_getNullCursor();
    if (said > 2 && *front_host_source(h, shared))
        launch.shared = front_host_value(h, shared);
    launch.arg_count = count > 0 ? (uint32_t)count : 0;
    launch.args = hd_new_array(h->arena, hd_host_value, launch.arg_count);
    for (uint32_t i = 0; i < launch.arg_count; i++)
        launch.args[i] = argument(h, clang_Cursor_getArgument(call, i));
    add_launch(h, launch);
    return true;
}

/* The expressions of `void *args[] = {&x, &n}`. */
static front_cursors pointed_arguments(front_host *h, CXCursor list) {
    CXCursor variable =
        clang_getCursorDefinition(clang_getCursorReferenced(front_host_bare(h, list)));
    front_cursors inside = front_host_children(h, variable), found = {0};
    for (size_t i = 0; i < inside.count; i++) {
        if (clang_getCursorKind(inside.data[i]) != CXCursor_InitListExpr)
            continue;
        front_cursors entries = front_host_children(h, inside.data[i]);
        for (size_t e = 0; e < entries.count; e++) {
            front_cursors behind = front_host_children(h, front_host_bare(h, entries.data[e]));
            if (behind.count)
                hd_push(h->arena, &found, behind.data[0]);
        }
    }
    return found;
}

static bool launches_by_pointers(front_host *h, CXCursor call) {
    if (clang_Cursor_getNumArguments(call) < 5 ||
        !hd_has_word("cudaLaunchKernel cudaLaunchCooperativeKernel", front_host_spelling(h, call)))
        return false;
    CXCursor callee = front_host_bare(h, clang_Cursor_getArgument(call, 0));
    if (clang_getCursorKind(callee) == CXCursor_UnaryOperator) {
        front_cursors inside = front_host_children(h, callee);
        callee = inside.count ? front_host_bare(h, inside.data[0]) : callee;
    }
    hd_host_launch launch = {
        .loop = h->loop, .text = front_host_source(h, call), .place = front_host_place(h, call)};
    name_kernel(h, callee, &launch);
    launch.blocks = front_host_value(h, clang_Cursor_getArgument(call, 1));
    launch.threads = front_host_value(h, clang_Cursor_getArgument(call, 2));
    launch.shared = front_host_value(h, clang_Cursor_getArgument(call, 4));
    front_cursors args = pointed_arguments(h, clang_Cursor_getArgument(call, 3));
    launch.arg_count = (uint32_t)args.count;
    launch.args = hd_new_array(h->arena, hd_host_value, args.count);
    for (uint32_t i = 0; i < launch.arg_count; i++)
        launch.args[i] = argument(h, args.data[i]);
    add_launch(h, launch);
    return true;
}

/* ---- statements -------------------------------------------------------------------------------------- */

static enum CXChildVisitResult find_call(CXCursor cursor, CXCursor parent, CXClientData found) {
    (void)parent;
    *(bool *)found |= clang_getCursorKind(cursor) == CXCursor_CallExpr;
    return *(bool *)found ? CXChildVisit_Break : CXChildVisit_Recurse;
}

/* Something that holds a call is gone through once, so its value is not asked for. */
static bool has_call(CXCursor cursor) {
    bool found = clang_getCursorKind(cursor) == CXCursor_CallExpr;
    if (!found)
        clang_visitChildren(cursor, find_call, &found);
    return found;
}

static void assign(front_host *h, int64_t variable, hd_host_value value) {
    if (variable < 0)
        return;
    hd_host_value *held = &h->variables.data[variable].value;
    if (!h->conditions || held->kind == HD_HOST_UNKNOWN)
        *held = value;
}

static void walk_assignment(front_host *h, CXCursor cursor) {
    front_cursors sides = front_host_children(h, cursor);
    if (sides.count != 2) {
        walk_children(h, cursor);
        return;
    }
    hd_host_value value = front_host_value(h, sides.data[1]);
    CXCursor left = front_host_bare(h, sides.data[0]);
    front_cursors inside = front_host_children(h, left);
    int64_t variable = front_host_variable(h, left);
    int64_t whole = clang_getCursorKind(left) == CXCursor_MemberRefExpr && inside.count
                        ? front_host_variable(h, inside.data[0])
                        : -1;
    int which = front_host_spelling(h, left)[0] - 'x';
    if (whole >= 0 && h->variables.data[whole].value.kind == HD_HOST_SIZE && which >= 0 &&
        which < 3)
        h->variables.data[whole].value.parts[which] =
            value.kind == HD_HOST_WHOLE && value.parts[0] > 0 ? value.parts[0] : 0;
    else
        assign(h, variable, value);
}

/* n /= 2, n++. In a loop, and where it is not sure to be done, the variable keeps its value. */
static void walk_change(front_host *h, CXCursor cursor) {
    front_cursors sides = front_host_children(h, cursor);
    int64_t variable = sides.count ? front_host_variable(h, sides.data[0]) : -1;
    hd_host_value by = front_host_whole(1);
    if (sides.count > 1)
        by = front_host_value(h, sides.data[1]);
    if (variable < 0 || h->conditions || h->loop >= 0)
        return;
    h->variables.data[variable].value =
        front_host_changed(cursor, h->variables.data[variable].value, by);
}

static void walk_variable(front_host *h, CXCursor declaration) {
    front_cursors inside = front_host_children(h, declaration);
    enum CXTypeKind kind = clang_getCanonicalType(clang_getCursorType(declaration)).kind;
    CXCursor last = inside.count ? inside.data[inside.count - 1] : clang_getNullCursor();
    if (!inside.count || !clang_isExpression(clang_getCursorKind(last)) ||
        kind == CXType_ConstantArray || kind == CXType_IncompleteArray) {
        walk_children(h, declaration);
        return;
    }
    size_t number = front_host_declared(h, clang_getCanonicalCursor(declaration));
    if (kind == CXType_LValueReference) {
        h->variables.data[number].stands_for = (uint32_t)(front_host_variable(h, last) + 1);
        return;
    }
    hd_host_value value = front_host_value(h, last);
    h->variables.data[number].value = value;
    if (value.kind == HD_HOST_UNKNOWN && kind == CXType_Record &&
        clang_getCursorKind(front_host_bare(h, last)) != CXCursor_CallExpr)
        walk_children(h, last); /* a lambda */
}

static void walk_if(front_host *h, CXCursor statement) {
    front_cursors parts = front_host_children(h, statement);
    if (!parts.count)
        return;
    hd_host_value condition = {0};
    if (has_call(parts.data[0]) || clang_isDeclaration(clang_getCursorKind(parts.data[0])))
        walk(h, parts.data[0]);
    else
        condition = front_host_value(h, parts.data[0]);
    bool known = condition.kind == HD_HOST_WHOLE && parts.count <= 3;
    for (size_t i = 1; i < parts.count; i++) {
        if (known && (condition.parts[0] != 0) != (i == 1))
            continue;
        h->conditions += !known;
        walk(h, parts.data[i]);
        h->conditions -= !known;
    }
}

/* How often `for (int i = a; i < b; i += c)` runs; 0: not known. */
static uint64_t trips_of(front_host *h, const front_cursors *parts) {
    if (parts->count != 4 || has_call(parts->data[1]))
        return 0;
    CXCursor test = front_host_bare(h, parts->data[1]), step = front_host_bare(h, parts->data[2]);
    front_cursors sides = front_host_children(h, test), change = front_host_children(h, step);
    int64_t variable = sides.count == 2 ? front_host_variable(h, sides.data[0]) : -1;
    if (variable < 0 || !change.count || front_host_variable(h, change.data[0]) != variable)
        return 0;
    hd_host_value from = h->variables.data[variable].value;
    hd_host_value to = front_host_value(h, sides.data[1]), by = front_host_whole(1);
    if (clang_getCursorKind(step) == CXCursor_CompoundAssignOperator && change.count == 2 &&
        clang_getCursorBinaryOperatorKind(step) == CXBinaryOperator_AddAssign)
        by = front_host_value(h, change.data[1]);
    else if (clang_getCursorUnaryOperatorKind(step) != CXUnaryOperator_PreInc &&
             clang_getCursorUnaryOperatorKind(step) != CXUnaryOperator_PostInc)
        return 0;
    enum CXBinaryOperatorKind op = clang_getCursorBinaryOperatorKind(test);
    if (from.kind != HD_HOST_WHOLE || to.kind != HD_HOST_WHOLE || by.kind != HD_HOST_WHOLE ||
        by.parts[0] < 1 ||
        (op != CXBinaryOperator_LT && op != CXBinaryOperator_LE && op != CXBinaryOperator_NE))
        return 0;
    int64_t end = to.parts[0] + (op == CXBinaryOperator_LE);
    return end > from.parts[0] ? (uint64_t)((end - from.parts[0] + by.parts[0] - 1) / by.parts[0])
                               : 0;
}

static void walk_loop(front_host *h, CXCursor statement) {
    front_cursors parts = front_host_children(h, statement);
    bool is_for = clang_getCursorKind(statement) == CXCursor_ForStmt;
    bool is_do = clang_getCursorKind(statement) == CXCursor_DoStmt && parts.count == 2;
    if (is_do && !has_call(parts.data[1])) { /* do { ... } while (0), as macros have it */
        hd_host_value again = front_host_value(h, parts.data[1]);
        if (again.kind == HD_HOST_WHOLE && !again.parts[0]) {
            walk(h, parts.data[0]);
            return;
        }
    }
    size_t first = 0;
    uint64_t trips = 0;
    if (is_for && parts.count == 4) {
        walk(h, parts.data[first++]);
        trips = trips_of(h, &parts);
    }
    hd_push(
        h->arena, &h->loops,
        (hd_host_loop){.place = front_host_place(h, statement), .outer = h->loop, .trips = trips});
    int32_t outer = h->loop;
    h->loop = (int32_t)h->loops.count - 1;
    if (is_for && parts.count == 4)
        walk(h, parts.data[3]);
    for (size_t i = first; i < parts.count; i++)
        if (!is_for || parts.count != 4 || i != 3)
            walk(h, parts.data[i]);
    h->loop = outer;
}

/* std::swap(a, b) */
static bool swaps(front_host *h, CXCursor call) {
    if (clang_Cursor_getNumArguments(call) != 2 ||
        strcmp(front_host_spelling(h, call), "swap") != 0)
        return false;
    int64_t a = front_host_variable(h, clang_Cursor_getArgument(call, 0));
    int64_t b = front_host_variable(h, clang_Cursor_getArgument(call, 1));
    if (a < 0 || b < 0)
        return false;
    hd_host_value held = h->variables.data[a].value;
    h->variables.data[a].value = h->variables.data[b].value;
    h->variables.data[b].value = held;
    return true;
}

hd_host_value front_host_call(front_host *h, CXCursor call) {
    if (launches_directly(h, call) || launches_by_pointers(h, call) || allocates(h, call) ||
        swaps(h, call))
        return (hd_host_value){0};
    return follow_call(h, call);
}

static void walk_return(front_host *h, CXCursor statement) {
    front_cursors inside = front_host_children(h, statement);
    hd_host_value value = {0};
    if (inside.count)
        value = front_host_value(h, inside.data[0]);
    if (!h->frame)
        return;
    if (h->frame->returned.kind == HD_HOST_UNKNOWN)
        h->frame->returned = value;
    h->frame->has_returned |= !h->conditions;
}

static void walk(front_host *h, CXCursor cursor) {
    if (!h->steps || (h->frame && h->frame->has_returned))
        return;
    h->steps--;
    switch (clang_getCursorKind(cursor)) {
    case CXCursor_CallExpr: front_host_call(h, cursor); break;
    case CXCursor_VarDecl: walk_variable(h, cursor); break;
    case CXCursor_IfStmt: walk_if(h, cursor); break;
    case CXCursor_ForStmt:
    case CXCursor_WhileStmt:
    case CXCursor_DoStmt:
    case CXCursor_CXXForRangeStmt: walk_loop(h, cursor); break;
    case CXCursor_ReturnStmt: walk_return(h, cursor); break;
    case CXCursor_CompoundAssignOperator: walk_change(h, cursor); break;
    case CXCursor_BinaryOperator:
        if (clang_getCursorBinaryOperatorKind(cursor) == CXBinaryOperator_Assign)
            walk_assignment(h, cursor);
        else
            walk_children(h, cursor);
        break;
    case CXCursor_UnaryOperator: {
        enum CXUnaryOperatorKind op = clang_getCursorUnaryOperatorKind(cursor);
        if (op >= CXUnaryOperator_PostInc && op <= CXUnaryOperator_PreDec)
            walk_change(h, cursor);
        else
            walk_children(h, cursor);
        break;
    }
    case CXCursor_SwitchStmt:
    case CXCursor_LambdaExpr:
        h->conditions++;
        walk_children(h, cursor);
        h->conditions--;
        break;
    default: walk_children(h, cursor);
    }
}

/* ---- a file ----------------------------------------------------------------------------------------- */

typedef struct finder {
    front_host *h;
    front_cursors functions;
} finder;

static enum CXChildVisitResult find_function(CXCursor cursor, CXCursor parent, CXClientData data) {
    (void)parent;
    finder *f = data;
    enum CXCursorKind kind = clang_getCursorKind(cursor);
    if (clang_Location_isInSystemHeader(clang_getCursorLocation(cursor)))
        return CXChildVisit_Continue;
    if (clang_isCursorDefinition(cursor) && is_host_function(f->h, cursor))
        hd_push(f->h->arena, &f->functions, cursor);
    bool holds_functions = kind == CXCursor_Namespace || kind == CXCursor_StructDecl ||
                           kind == CXCursor_ClassDecl || kind == CXCursor_LinkageSpec;
    return holds_functions ? CXChildVisit_Recurse : CXChildVisit_Continue;
}

static void follow(front_host *h, CXCursor function) {
    front_frame *frame = hd_new(h->arena, front_frame);
    *frame = (front_frame){.function = function};
    h->frame = frame;
    h->conditions = 0;
    h->loop = -1;
    walk_function(h, function);
    h->frame = NULL;
}

/* main() first, and then what it does not call. */
static void read_unit(front_host *h) {
    finder f = {.h = h};
    clang_visitChildren(clang_getTranslationUnitCursor(h->unit), find_function, &f);
    for (int after = 0; after < 2; after++)
        for (size_t i = 0; i < f.functions.count; i++) {
            bool is_main = !strcmp(front_host_spelling(h, f.functions.data[i]), "main");
            if (is_main == !after && !is_followed(h, f.functions.data[i]))
                follow(h, f.functions.data[i]);
        }
}

hd_status front_clang_host(hd_arena *arena, const hd_diag *diag, const char *path,
                           const char *options, const char *device, hd_host *host) {
    hd_parse_command command;
    front_host h = {.arena = arena, .loop = -1, .steps = MOST_STEPS};
    hd_status status = front_clang_parse(arena, diag, path, options, device, &command);
    if (status || !command.is_cuda) {
        hd_parse_command_end(&command);
        return status;
    }
    CXIndex index = clang_createIndex(0, 0);
    enum CXErrorCode code = clang_parseTranslationUnit2(
        index, path, command.words, command.word_count, NULL, 0, CXTranslationUnit_None, &h.unit);
    if (code == CXError_Success) {
        read_unit(&h);
        clang_disposeTranslationUnit(h.unit);
    } else {
        status = hd_fail(diag, HD_ESYSTEM, &(hd_place){.file = path},
                         "libclang cannot read the host code (%d)", (int)code);
    }
    clang_disposeIndex(index);
    hd_parse_command_end(&command);
    *host = (hd_host){
        h.memories.data, (uint32_t)h.memories.count, h.loops.data, (uint32_t)h.loops.count,
        h.launches.data, (uint32_t)h.launches.count, h.more};
    return status;
}
