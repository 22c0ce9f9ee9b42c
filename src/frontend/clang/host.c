/*
 * What host code does, read statement by statement (kernel/host_code.h). A loop is gone through
 * once; where a condition is not known both ways are, and a variable that has a value keeps it.
 */
#include "frontend/clang/host.h"

#include "kernel/cuda_calls.h"

#include <unistd.h>

#include "frontend/clang/clang.h"
#include "frontend/clang/internal.h"

enum { MOST_STEPS = 2000000, MOST_DEPTH = 32 };

static void walk(front_host *h, CXCursor cursor);

static void walk_children(front_host *h, CXCursor cursor) {
    hd_cursors inside = front_host_children(h, cursor);
    for (size_t i = 0; i < inside.count; i++)
        walk(h, inside.data[i]);
}

/* ---- functions ---------------------------------------------------------------------------------- */

static bool has_child(const front_host *h, CXCursor cursor, enum CXCursorKind kind) {
    hd_cursors inside = front_host_children(h, cursor);
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
    hd_cursors inside = front_host_children(h, function);
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
    hd_cursors inside = {0};
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
    hd_cursors inside = front_host_children(h, bare);
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
    h->returned = frame->returned.kind == HD_HOST_MEMORY ? frame->returned.memory + 1 : 0;
    return frame->returned;
}

/* ---- memory --------------------------------------------------------------------------------------- */

hd_host_value front_host_memory(front_host *h, CXCursor at, const char *name, hd_host_value bytes,
                                const char *text) {
    hd_push(h->arena, &h->memories,
            (hd_host_memory){
                .name = name, .bytes = bytes, .text = text, .place = front_host_place(h, at)});
    return (hd_host_value){.kind = HD_HOST_MEMORY, .memory = (uint32_t)h->memories.count - 1};
}

/* What `&x` or a reference names, without the &. */
CXCursor front_host_behind_address(front_host *h, CXCursor expression) {
    CXCursor target = front_host_bare(h, expression);
    if (clang_getCursorKind(target) == CXCursor_UnaryOperator &&
        clang_getCursorUnaryOperatorKind(target) == CXUnaryOperator_AddrOf) {
        hd_cursors inside = front_host_children(h, target);
        target = inside.count ? inside.data[0] : target;
    }
    return target;
}

static hd_host_value product(hd_host_value a, hd_host_value b) {
    int64_t result;
    bool known = a.kind == HD_HOST_WHOLE && b.kind == HD_HOST_WHOLE &&
                 !__builtin_mul_overflow(a.parts[0], b.parts[0], &result);
    return known ? front_host_whole(result) : (hd_host_value){0};
}

/* cudaMallocPitch(&p, &pitch, width, height): rows of whole 512 bytes, as devices have them. */
static hd_host_value pitched(front_host *h, CXCursor call) {
    enum { ROW = 512 };
    hd_host_value width = front_host_value(h, clang_Cursor_getArgument(call, 2));
    int64_t pitch =
        front_host_variable(h, front_host_behind_address(h, clang_Cursor_getArgument(call, 1)));
    if (width.kind == HD_HOST_WHOLE && width.parts[0] > 0 && width.parts[0] < INT64_MAX - ROW)
        width = front_host_whole((width.parts[0] + ROW - 1) / ROW * ROW);
    if (pitch >= 0)
        h->variables.data[pitch].value = width;
    return product(width, front_host_value(h, clang_Cursor_getArgument(call, 3)));
}

/* cudaMalloc() and its like: what the first argument points to gets memory. */
static void allocate(front_host *h, CXCursor call) {
    CXCursor target = front_host_behind_address(h, clang_Cursor_getArgument(call, 0));
    CXCursor bytes = clang_Cursor_getArgument(call, 1);
    bool in_rows = clang_Cursor_getNumArguments(call) == 4 &&
                   !strcmp(front_host_spelling(h, call), "cudaMallocPitch");
    int64_t variable = front_host_variable(h, target);
    if (variable < 0)
        return;
    const char *name = front_host_spelling(h, h->variables.data[variable].declaration);
    if (h->variables.data[variable].element)
        name = hd_format(h->arena, "%s_%lld", name,
                         (long long)h->variables.data[variable].element - 1);
    hd_host_value value = in_rows ? pitched(h, call) : front_host_value(h, bytes);
    value = front_host_memory(h, call, name, value, front_host_source(h, in_rows ? call : bytes));
    h->variables.data[variable].value = value;
}

/* The struct is one of the user's, or of CUDA's, that holds numbers. */
static bool is_plain_struct(CXType type) {
    CXCursor declaration = clang_getTypeDeclaration(clang_getCanonicalType(type));
    return clang_getCanonicalType(type).kind == CXType_Record &&
           !clang_Location_isInSystemHeader(clang_getCursorLocation(declaration));
}

/* A pointer that nothing is known of stands for memory of its own. */
hd_host_value front_host_argument(front_host *h, CXCursor expression) {
    hd_host_value value = front_host_value(h, expression);
    CXType type = clang_getCursorType(expression);
    if (value.kind == HD_HOST_UNKNOWN && is_plain_struct(type))
        return front_host_members(h, type);
    bool is_pointer =
        clang_getCanonicalType(clang_getCursorType(expression)).kind == CXType_Pointer;
    int64_t variable =
        value.kind == HD_HOST_UNKNOWN && is_pointer ? front_host_variable(h, expression) : -1;
    if (variable < 0)
        return value;
    CXCursor declaration = h->variables.data[variable].declaration;
    value = front_host_memory(h, declaration, front_host_spelling(h, declaration),
                              (hd_host_value){0}, "");
    h->variables.data[variable].value = value;
    return value;
}

/* ---- launches --------------------------------------------------------------------------------------- */

/* The launch as it stands in the source; behind a macro the line that it is in. */
static const char *launch_text(front_host *h, CXCursor call) {
    const char *text = front_host_source(h, call), *line = front_host_place(h, call).text;
    if (strstr(text, "<<<") || !line)
        return text;
    return line + strspn(line, " \t");
}

static hd_host_launch new_launch(front_host *h, CXCursor call, CXCursor callee) {
    CXCursor function = named_function(h, callee);
    hd_host_launch launch = {
        .loop = h->loop, .text = launch_text(h, call), .place = front_host_place(h, call)};
    launch.kernel = launch.symbol = front_host_spelling(h, callee);
    if (!clang_Cursor_isNull(function)) {
        launch.symbol = hd_clang_text(h->arena, clang_Cursor_getMangling(function));
        launch.kernel = hd_kernel_of_symbol(h->arena, launch.symbol);
    }
    return launch;
}

void front_host_launch(front_host *h, hd_host_launch launch) {
    if (h->launches.count == HD_HOST_MOST_LAUNCHES)
        h->more = true;
    else
        hd_push(h->arena, &h->launches, launch);
}

static void add_launch(front_host *h, hd_host_launch launch, const hd_cursors *args) {
    launch.arg_count = (uint32_t)args->count;
    launch.args = hd_new_array(h->arena, hd_host_value, args->count);
    for (size_t i = 0; i < args->count; i++)
        launch.args[i] = front_host_argument(h, args->data[i]);
    front_host_launch(h, launch);
}

/* Those of a call from `first` on. */
static hd_cursors arguments_from(front_host *h, CXCursor call, int first) {
    hd_cursors args = {0};
    for (int i = first; i < clang_Cursor_getNumArguments(call); i++)
        hd_push(h->arena, &args, clang_Cursor_getArgument(call, (unsigned)i));
    return args;
}

/* kernel<<<blocks, threads, shared>>>(...) */
static bool launches_directly(front_host *h, CXCursor call) {
    hd_cursors inside = front_host_children(h, call), args = arguments_from(h, call, 0);
    if (inside.count < 2 || clang_getCursorKind(inside.data[1]) != CXCursor_CallExpr ||
        !hd_has_word("__cudaPushCallConfiguration cudaConfigureCall",
                     front_host_spelling(h, inside.data[1])))
        return false;
    CXCursor sizes = inside.data[1];
    bool has_shared = clang_Cursor_getNumArguments(sizes) > 2;
    hd_host_launch launch = new_launch(h, call, front_host_bare(h, inside.data[0]));
    launch.blocks = front_host_value(h, clang_Cursor_getArgument(sizes, 0));
    launch.threads = front_host_value(h, clang_Cursor_getArgument(sizes, 1));
    launch.shared = front_host_whole(0);
    if (has_shared && *front_host_source(h, clang_Cursor_getArgument(sizes, 2)))
        launch.shared = front_host_value(h, clang_Cursor_getArgument(sizes, 2));
    add_launch(h, launch, &args);
    return true;
}

/* The expressions of `void *args[] = {&x, &n}`. */
static hd_cursors pointed_arguments(front_host *h, CXCursor list) {
    CXCursor variable =
        clang_getCursorDefinition(clang_getCursorReferenced(front_host_bare(h, list)));
    hd_cursors inside = front_host_children(h, variable), found = {0};
    for (size_t i = 0; i < inside.count; i++) {
        if (clang_getCursorKind(inside.data[i]) != CXCursor_InitListExpr)
            continue;
        hd_cursors entries = front_host_children(h, inside.data[i]);
        for (size_t e = 0; e < entries.count; e++) {
            hd_cursors behind = front_host_children(h, front_host_bare(h, entries.data[e]));
            if (behind.count)
                hd_push(h->arena, &found, behind.data[0]);
        }
    }
    return found;
}

static void launch_by_pointers(front_host *h, CXCursor call) {
    CXCursor callee = front_host_bare(h, clang_Cursor_getArgument(call, 0));
    if (clang_getCursorKind(callee) == CXCursor_UnaryOperator) {
        hd_cursors inside = front_host_children(h, callee);
        callee = inside.count ? front_host_bare(h, inside.data[0]) : callee;
    }
    hd_host_launch launch = new_launch(h, call, callee);
    launch.blocks = front_host_value(h, clang_Cursor_getArgument(call, 1));
    launch.threads = front_host_value(h, clang_Cursor_getArgument(call, 2));
    launch.shared = front_host_value(h, clang_Cursor_getArgument(call, 4));
    hd_cursors args = pointed_arguments(h, clang_Cursor_getArgument(call, 3));
    add_launch(h, launch, &args);
}

/* cudaLaunchKernelEx(&config, kernel, ...): the sizes are members of the configuration. */
static void launch_by_configuration(front_host *h, CXCursor call) {
    CXType type = clang_getCanonicalType(clang_getPointeeType(
        clang_getCanonicalType(clang_getCursorType(clang_Cursor_getArgument(call, 0)))));
    hd_host_launch launch =
        new_launch(h, call, front_host_bare(h, clang_Cursor_getArgument(call, 1)));
    hd_cursors members = front_host_children(h, clang_getTypeDeclaration(type));
    hd_cursors args = arguments_from(h, call, 2);
    for (size_t i = 0; i < members.count; i++) {
        const char *name = front_host_spelling(h, members.data[i]);
        hd_host_value *to = !strcmp(name, "gridDim")            ? &launch.blocks
                            : !strcmp(name, "blockDim")         ? &launch.threads
                            : !strcmp(name, "dynamicSmemBytes") ? &launch.shared
                                                                : NULL;
        if (!to || clang_getCursorKind(members.data[i]) != CXCursor_FieldDecl)
            continue;
        size_t member = front_host_declared(h, clang_getCanonicalCursor(members.data[i]));
        *to = h->variables.data[member].value;
    }
    add_launch(h, launch, &args);
}

/* ---- what is written between launches ------------------------------------------------------------------ */

void front_host_write(front_host *h, CXCursor call, hd_host_write write) {
    write.loop = h->loop;
    write.launches = (uint32_t)h->launches.count;
    write.place = front_host_place(h, call);
    if (!h->conditions && h->writes.count < HD_HOST_MOST_LAUNCHES)
        hd_push(h->arena, &h->writes, write);
}

/* The number that a variable of the host holds, behind `&x`. */
hd_host_value front_host_number_behind(front_host *h, CXCursor expression, int64_t *variable) {
    CXCursor behind = front_host_behind_address(h, expression);
    bool is_address = !clang_equalCursors(behind, front_host_bare(h, expression));
    *variable = is_address ? front_host_variable(h, behind) : -1;
    return *variable < 0 ? (hd_host_value){0} : h->variables.data[*variable].value;
}

/* cudaMemcpy() and its like, by what is known of both sides: a copy between buffers, a number that
 * goes to the device, or one that comes back. */
static void copy(front_host *h, CXCursor call) {
    int64_t variable;
    hd_host_value to = front_host_value(h, clang_Cursor_getArgument(call, 0));
    hd_host_value from = front_host_value(h, clang_Cursor_getArgument(call, 1));
    hd_host_value bytes = front_host_value(h, clang_Cursor_getArgument(call, 2));
    if (to.kind == HD_HOST_MEMORY && from.kind == HD_HOST_MEMORY) {
        front_host_write(h, call,
                         (hd_host_write){.to = to.memory, .from = from.memory, .bytes = bytes});
    } else if (to.kind == HD_HOST_MEMORY) {
        hd_host_value number =
            front_host_number_behind(h, clang_Cursor_getArgument(call, 1), &variable);
        if (number.kind == HD_HOST_WHOLE || number.kind == HD_HOST_REAL)
            front_host_write(h, call,
                             (hd_host_write){.to = to.memory,
                                             .from = HD_HOST_NO_MEMORY,
                                             .value = number,
                                             .bytes = bytes,
                                             .first_only = true});
    } else if (from.kind == HD_HOST_MEMORY) {
        front_host_number_behind(h, clang_Cursor_getArgument(call, 0), &variable);
        if (variable >= 0)
            hd_push(h->arena, &h->read_backs, (front_read_back){variable, from.memory, h->loop});
    }
}

/* cudaMemcpyToSymbol(): a variable gets memory of its own, a buffer of the job. */
static void write_symbol(front_host *h, CXCursor call) {
    CXCursor symbol = front_host_behind_address(h, clang_Cursor_getArgument(call, 0));
    CXCursor variable = clang_getCursorReferenced(front_host_bare(h, symbol));
    const char *name = front_host_spelling(h, variable);
    for (size_t m = 0; m < h->memories.count; m++)
        if (h->memories.data[m].symbol && !strcmp(h->memories.data[m].symbol, name))
            return;
    CXType type = clang_getCanonicalType(clang_getCursorType(variable));
    while (type.kind == CXType_ConstantArray)
        type = clang_getCanonicalType(clang_getArrayElementType(type));
    if (!*name)
        return;
    front_host_memory(h, call, name, (hd_host_value){0}, front_host_source(h, call));
    hd_host_memory *memory = &h->memories.data[h->memories.count - 1];
    memory->symbol = name;
    memory->element =
        hd_clang_text(h->arena, clang_getTypeSpelling(clang_getUnqualifiedType(type)));
}

static void fill(front_host *h, CXCursor call) {
    hd_host_value to = front_host_value(h, clang_Cursor_getArgument(call, 0));
    hd_host_value value = front_host_value(h, clang_Cursor_getArgument(call, 1));
    if (to.kind == HD_HOST_MEMORY && value.kind == HD_HOST_WHOLE)
        front_host_write(
            h, call,
            (hd_host_write){.to = to.memory,
                            .from = HD_HOST_NO_MEMORY,
                            .value = value,
                            .bytes = front_host_value(h, clang_Cursor_getArgument(call, 2))});
}

/* ---- statements -------------------------------------------------------------------------------------- */

/* Something that holds a call is gone through once, so its value is not asked for. */
static bool has_call(const front_host *h, CXCursor cursor) {
    hd_cursors inside = front_host_children(h, cursor);
    bool found = clang_getCursorKind(cursor) == CXCursor_CallExpr;
    for (size_t i = 0; i < inside.count && !found; i++)
        found = has_call(h, inside.data[i]);
    return found;
}

/* Memory that a call returns is named by the variable that gets it. */
static void name_memory(front_host *h, size_t variable, hd_host_value value) {
    if (value.kind == HD_HOST_MEMORY &&
        (!h->memories.data[value.memory].name || h->returned == value.memory + 1))
        h->memories.data[value.memory].name =
            front_host_spelling(h, h->variables.data[variable].declaration);
}

static void assign(front_host *h, int64_t variable, hd_host_value value) {
    if (variable < 0)
        return;
    name_memory(h, (size_t)variable, value);
    hd_host_value *held = &h->variables.data[variable].value;
    if (!h->conditions || held->kind == HD_HOST_UNKNOWN)
        *held = value;
}

static void walk_assignment(front_host *h, CXCursor cursor) {
    hd_cursors sides = front_host_children(h, cursor);
    if (sides.count != 2) {
        walk_children(h, cursor);
        return;
    }
    hd_host_value value = front_host_value(h, sides.data[1]);
    CXCursor left = front_host_bare(h, sides.data[0]);
    hd_cursors inside = front_host_children(h, left);
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
    hd_cursors sides = front_host_children(h, cursor);
    int64_t variable = sides.count ? front_host_variable(h, sides.data[0]) : -1;
    hd_host_value by = front_host_whole(1);
    if (sides.count > 1)
        by = front_host_value(h, sides.data[1]);
    if (variable < 0)
        return;
    hd_host_value *counted = &h->variables.data[variable].value;
    int64_t next = counted->parts[0];
    if (counted->counts && (int32_t)counted->counts - 1 == h->loop && !h->conditions &&
        !__builtin_mul_overflow(next, counted->factor, &next) &&
        !__builtin_add_overflow(next, counted->step, &next))
        counted->parts[0] = next; /* launches behind this have it one round further */
    if (h->conditions || h->loop >= 0)
        return;
    h->variables.data[variable].value =
        front_host_changed(cursor, h->variables.data[variable].value, by);
}

static void walk_variable(front_host *h, CXCursor declaration) {
    hd_cursors inside = front_host_children(h, declaration);
    enum CXTypeKind kind = clang_getCanonicalType(clang_getCursorType(declaration)).kind;
    CXCursor last = inside.count ? inside.data[inside.count - 1] : clang_getNullCursor();
    if (!inside.count || !clang_isExpression(clang_getCursorKind(last)) ||
        kind == CXType_ConstantArray || kind == CXType_IncompleteArray) {
        walk_children(h, declaration);
        return;
    }
    size_t number = front_host_declared(h, clang_getCanonicalCursor(declaration));
    int64_t elements, each;
    bool on_device;
    if (kind == CXType_Record && front_host_vector(h, declaration, &elements, &each, &on_device)) {
        hd_host_value count = {.kind = HD_HOST_LIST, .parts = {elements}}, memory;
        if (on_device) {
            memory = front_host_memory(h, declaration, front_host_spelling(h, declaration),
                                       product(front_host_whole(elements), front_host_whole(each)),
                                       front_host_source(h, declaration));
            h->memories.data[memory.memory].count = count;
            count = memory;
        }
        h->variables.data[number].value = count;
        return;
    }
    if (kind == CXType_LValueReference) {
        h->variables.data[number].stands_for = (uint32_t)(front_host_variable(h, last) + 1);
        return;
    }
    hd_host_value value = front_host_value(h, last);
    h->variables.data[number].value = value;
    name_memory(h, number, value);
    if (value.kind == HD_HOST_UNKNOWN && kind == CXType_Record &&
        clang_getCursorKind(front_host_bare(h, last)) != CXCursor_CallExpr)
        walk_children(h, last); /* a lambda */
}

static void walk_if(front_host *h, CXCursor statement) {
    hd_cursors parts = front_host_children(h, statement);
    if (!parts.count)
        return;
    hd_host_value condition = {0};
    if (has_call(h, parts.data[0]) || clang_isDeclaration(clang_getCursorKind(parts.data[0])))
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

/* A variable that a loop counts: `for (int i = a; i < b; i += c)`. */
typedef struct counter {
    int64_t variable; /* -1: there is none */
    int64_t step, factor;
    uint64_t trips; /* 0: not known */
} counter;

/* The change of a loop as `factor` and `step`; false: it is another. */
static bool change_of(front_host *h, CXCursor step, counter *c) {
    hd_cursors change = front_host_children(h, step);
    enum CXUnaryOperatorKind unary = clang_getCursorUnaryOperatorKind(step);
    hd_host_value by = front_host_whole(1);
    bool is_compound = clang_getCursorKind(step) == CXCursor_CompoundAssignOperator;
    if (!change.count)
        return false;
    *c = (counter){.variable = front_host_variable(h, change.data[0]), .factor = 1};
    if (is_compound && change.count == 2)
        by = front_host_value(h, change.data[1]);
    bool is_step = unary >= CXUnaryOperator_PostInc && unary <= CXUnaryOperator_PreDec;
    if (by.kind != HD_HOST_WHOLE || !(is_compound || is_step))
        return false;
    /* What becomes of 0 and of 1 tells both. */
    hd_host_value none = front_host_changed(step, front_host_whole(0), by);
    hd_host_value one = front_host_changed(step, front_host_whole(1), by);
    enum CXBinaryOperatorKind op = clang_getCursorBinaryOperatorKind(step);
    if (none.kind != HD_HOST_WHOLE || one.kind != HD_HOST_WHOLE ||
        (is_compound && (op == CXBinaryOperator_DivAssign || op == CXBinaryOperator_ShrAssign)))
        return false;
    c->step = none.parts[0];
    c->factor = one.parts[0] - none.parts[0];
    return true;
}

/* It goes on with this value. */
static bool goes_on(enum CXBinaryOperatorKind op, int64_t value, int64_t to) {
    return op == CXBinaryOperator_LT   ? value < to
           : op == CXBinaryOperator_LE ? value <= to
           : op == CXBinaryOperator_GT ? value > to
           : op == CXBinaryOperator_GE ? value >= to
                                       : op == CXBinaryOperator_NE && value != to;
}

/* How often a test of the counted variable lets a loop go on; 0: not known. */
static uint64_t trips_of(front_host *h, CXCursor condition, const counter *c) {
    enum { MOST_TRIPS = 1000000 };
    CXCursor test = front_host_bare(h, condition);
    hd_cursors sides = front_host_children(h, test);
    enum CXBinaryOperatorKind op = clang_getCursorBinaryOperatorKind(test);
    if (sides.count != 2 || has_call(h, condition))
        return 0;
    if (op == CXBinaryOperator_LAnd) {
        uint64_t first = trips_of(h, sides.data[0], c);
        return first ? first : trips_of(h, sides.data[1], c);
    }
    if (front_host_variable(h, sides.data[0]) != c->variable)
        return 0;
    hd_host_value from = h->variables.data[c->variable].value;
    hd_host_value to = front_host_value(h, sides.data[1]);
    if (from.kind != HD_HOST_WHOLE || to.kind != HD_HOST_WHOLE)
        return 0;
    uint64_t trips = 0;
    for (int64_t v = from.parts[0]; trips <= MOST_TRIPS && goes_on(op, v, to.parts[0]); trips++)
        if (__builtin_mul_overflow(v, c->factor, &v) || __builtin_add_overflow(v, c->step, &v))
            return 0;
    return trips <= MOST_TRIPS ? trips : 0;
}

/* What `for (...; condition; step)` counts, or a statement of a body as `round++`. */
static counter counter_of(front_host *h, CXCursor condition, CXCursor step) {
    counter c = {.variable = -1}, none = c;
    if (!change_of(h, front_host_bare(h, step), &c) || c.variable < 0 ||
        h->variables.data[c.variable].value.kind != HD_HOST_WHOLE)
        return none;
    c.trips = trips_of(h, condition, &c);
    return c;
}

/* Of `while` and `do`: the first variable that the body counts, or the one that the condition is
 * about. */
static counter counter_in_body(front_host *h, CXCursor condition, CXCursor body) {
    counter found = {.variable = -1};
    hd_cursors statements = front_host_children(h, body);
    for (size_t i = 0; i < statements.count; i++) {
        enum CXCursorKind kind = clang_getCursorKind(statements.data[i]);
        if (kind != CXCursor_UnaryOperator && kind != CXCursor_CompoundAssignOperator)
            continue;
        counter c = counter_of(h, condition, statements.data[i]);
        if (c.variable >= 0 && (found.variable < 0 || c.trips))
            found = c;
    }
    return found;
}

/* The variable that a condition looks at, and the value that ends it: `while (changed)`,
 * `while (!done)`, `while (left != 0)`. */
static int64_t ended_by(front_host *h, CXCursor condition, hd_host_value *end) {
    CXCursor bare = front_host_bare(h, condition);
    hd_cursors sides = front_host_children(h, bare);
    enum CXCursorKind kind = clang_getCursorKind(bare);
    *end = front_host_whole(0);
    if (kind == CXCursor_UnaryOperator && sides.count &&
        clang_getCursorUnaryOperatorKind(bare) == CXUnaryOperator_LNot) {
        *end = front_host_whole(1);
        return front_host_variable(h, sides.data[0]);
    }
    if (kind != CXCursor_BinaryOperator || sides.count != 2)
        return front_host_variable(h, bare);
    enum CXBinaryOperatorKind op = clang_getCursorBinaryOperatorKind(bare);
    hd_host_value to = front_host_value(h, sides.data[1]);
    if (op == CXBinaryOperator_NE || op == CXBinaryOperator_GT)
        *end = to;
    else if (op == CXBinaryOperator_EQ && to.kind == HD_HOST_WHOLE)
        *end = front_host_whole(to.parts[0] ? 0 : 1);
    else
        return -1;
    return end->kind == HD_HOST_WHOLE ? front_host_variable(h, sides.data[0]) : -1;
}

/* The loop ends by a number that was copied from the device inside of it. */
static void find_end(front_host *h, CXCursor condition, uint32_t number) {
    hd_host_value end;
    CXCursor bare = front_host_bare(h, condition);
    hd_cursors sides = front_host_children(h, bare);
    if (clang_getCursorBinaryOperatorKind(bare) == CXBinaryOperator_LAnd && sides.count == 2) {
        find_end(h, sides.data[0], number);
        if (!h->loops.data[number].has_end)
            find_end(h, sides.data[1], number);
        return;
    }
    int64_t variable = has_call(h, condition) ? -1 : ended_by(h, condition, &end);
    hd_host_loop *loop = &h->loops.data[number];
    for (size_t i = 0; i < h->read_backs.count && variable >= 0; i++)
        if (h->read_backs.data[i].variable == variable &&
            h->read_backs.data[i].loop == (int32_t)number) {
            loop->has_end = true;
            loop->memory = h->read_backs.data[i].memory;
            loop->end = end;
        }
}

/* What pointers point to, in order of the variables. */
static hd_host_value *pointers_now(front_host *h, size_t *count) {
    hd_host_value *now = hd_new_array(h->arena, hd_host_value, h->variables.count);
    *count = h->variables.count;
    for (size_t v = 0; v < *count; v++)
        now[v] = h->variables.data[v].value;
    return now;
}

static bool has_moved(const front_host *h, const hd_host_value *before, size_t count) {
    for (size_t v = 0; v < count; v++) {
        const hd_host_value *now = &h->variables.data[v].value;
        if (before[v].kind == HD_HOST_MEMORY && now->kind == HD_HOST_MEMORY &&
            before[v].memory != now->memory)
            return true;
    }
    return false;
}

/* The body once; twice where pointers are swapped, so that the second round has them the other way. */
static void walk_rounds(front_host *h, const hd_cursors *parts, size_t first, size_t body,
                        uint32_t number) {
    size_t count;
    const hd_host_value *before = pointers_now(h, &count);
    for (uint32_t round = 1; round <= 2; round++) {
        h->loops.data[number].rounds = round;
        walk(h, parts->data[body]);
        for (size_t i = first; i < parts->count; i++)
            if (i != body)
                walk(h, parts->data[i]);
        if (!has_moved(h, before, count) || (h->frame && h->frame->has_returned))
            return;
    }
}

static void walk_loop(front_host *h, CXCursor statement) {
    hd_cursors parts = front_host_children(h, statement);
    enum CXCursorKind kind = clang_getCursorKind(statement);
    bool is_for = kind == CXCursor_ForStmt && parts.count == 4;
    bool is_do = kind == CXCursor_DoStmt && parts.count == 2;
    bool is_while = kind == CXCursor_WhileStmt && parts.count == 2;
    if (is_do && !has_call(h, parts.data[1])) { /* do { ... } while (0), as macros have it */
        hd_host_value again = front_host_value(h, parts.data[1]);
        if (again.kind == HD_HOST_WHOLE && !again.parts[0] &&
            front_host_variable(h, parts.data[1]) < 0) {
            walk(h, parts.data[0]);
            return;
        }
    }
    counter c = {.variable = -1};
    if (is_for) {
        walk(h, parts.data[0]);
        c = counter_of(h, parts.data[1], parts.data[2]);
    } else if (is_while || is_do) {
        c = counter_in_body(h, parts.data[is_do ? 1 : 0], parts.data[is_do ? 0 : 1]);
    }
    hd_push(h->arena, &h->loops,
            (hd_host_loop){
                .place = front_host_place(h, statement), .outer = h->loop, .trips = c.trips});
    int32_t outer = h->loop;
    uint32_t number = (uint32_t)h->loops.count - 1;
    h->loop = (int32_t)number;
    hd_host_value before = {0};
    if (c.variable >= 0) {
        hd_host_value *value = &h->variables.data[c.variable].value;
        before = *value;
        value->counts = number + 1;
        value->step = c.step;
        value->factor = c.factor;
    }
    if (parts.count)
        walk_rounds(h, &parts, is_for ? 1 : 0,
                    is_for     ? 3
                    : is_while ? 1
                    : is_do    ? 0
                               : parts.count - 1,
                    number);
    if (is_while || is_do || is_for)
        find_end(h, parts.data[is_do || is_for ? 1 : 0], number);
    if (c.variable >= 0)
        h->variables.data[c.variable].value = before;
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

/* blocks = dim3(n), which is a call of an operator of the struct. */
static bool assigns(front_host *h, CXCursor call) {
    if (clang_Cursor_getNumArguments(call) != 2 ||
        strcmp(front_host_spelling(h, call), "operator=") != 0)
        return false;
    int64_t to = front_host_variable(h, clang_Cursor_getArgument(call, 0));
    if (to < 0)
        return false;
    hd_host_value value = front_host_value(h, clang_Cursor_getArgument(call, 1));
    assign(h, to, value);
    return true;
}

hd_host_value front_host_call(front_host *h, CXCursor call) {
    static const struct {
        const char *roles; /* kernel/cuda_calls.def */
        int least;         /* arguments */
        void (*read)(front_host *h, CXCursor call);
    } calls[] = {
        {"KL", 5, launch_by_pointers},
        {"CK", 2, launch_by_configuration},
        {"A", 2, allocate},
        {"AN", 2, allocate},
        {"PP", 3, copy},
        {"PV", 3, fill},
        {"SP", 3, write_symbol},
    };
    const char *roles = hd_cuda_call_roles(front_host_spelling(h, call));
    int count = clang_Cursor_getNumArguments(call);
    if (launches_directly(h, call))
        return (hd_host_value){0};
    for (size_t i = 0; roles && i < sizeof calls / sizeof *calls; i++)
        if (count >= calls[i].least && !strcmp(calls[i].roles, roles)) {
            calls[i].read(h, call);
            return (hd_host_value){0};
        }
    hd_host_value value = {0};
    if (front_host_opencl_call(h, call, &value) || swaps(h, call) || assigns(h, call))
        return value;
    return follow_call(h, call);
}

static void walk_return(front_host *h, CXCursor statement) {
    hd_cursors inside = front_host_children(h, statement);
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

static void find_functions(front_host *h, CXCursor around, hd_cursors *functions) {
    hd_cursors inside = front_host_children(h, around);
    for (size_t i = 0; i < inside.count; i++) {
        CXCursor cursor = inside.data[i];
        enum CXCursorKind kind = clang_getCursorKind(cursor);
        if (clang_Location_isInSystemHeader(clang_getCursorLocation(cursor)))
            continue;
        if (clang_isCursorDefinition(cursor) && is_host_function(h, cursor))
            hd_push(h->arena, functions, cursor);
        if (kind == CXCursor_Namespace || kind == CXCursor_StructDecl ||
            kind == CXCursor_ClassDecl || kind == CXCursor_LinkageSpec)
            find_functions(h, cursor, functions);
    }
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
    hd_cursors functions = {0};
    find_functions(h, clang_getTranslationUnitCursor(h->unit), &functions);
    for (int after = 0; after < 2; after++)
        for (size_t i = 0; i < functions.count; i++) {
            bool is_main = !strcmp(front_host_spelling(h, functions.data[i]), "main");
            if (is_main == !after && !is_followed(h, functions.data[i]))
                follow(h, functions.data[i]);
        }
}

/* Reads the file as these words say; `is_whole`: what does not compile there is an error. */
static hd_status read_file(hd_arena *arena, const hd_diag *diag, const char *path,
                           const hd_parse_command *command, bool is_whole, hd_host *host) {
    front_host h = {.arena = arena, .loop = -1, .steps = MOST_STEPS};
    CXIndex index = clang_createIndex(0, 0);
    enum CXErrorCode code = clang_parseTranslationUnit2(
        index, path, command->words, command->word_count, NULL, 0, CXTranslationUnit_None, &h.unit);
    hd_status status = HD_OK;
    if (code != CXError_Success)
        status = hd_fail(diag, HD_ESYSTEM, &(hd_place){.file = path},
                         "libclang cannot read the host code (%d)", (int)code);
    for (unsigned d = 0; !status && is_whole && d < clang_getNumDiagnostics(h.unit); d++) {
        CXDiagnostic found = clang_getDiagnostic(h.unit, d);
        if (clang_getDiagnosticSeverity(found) == CXDiagnostic_Fatal)
            status = hd_fail(diag, HD_EINPUT, &(hd_place){.file = path},
                             "%s; --options '-I DIR' "
                             "says where headers are",
                             hd_clang_text(arena, clang_getDiagnosticSpelling(found)));
        clang_disposeDiagnostic(found);
    }
    if (!status)
        read_unit(&h);
    if (code == CXError_Success)
        clang_disposeTranslationUnit(h.unit);
    clang_disposeIndex(index);
    for (size_t m = 0; m < h.memories.count; m++)
        if (!h.memories.data[m].name)
            h.memories.data[m].name = "memory";
    *host = (hd_host){.memories = h.memories.data,
                      .memory_count = (uint32_t)h.memories.count,
                      .loops = h.loops.data,
                      .loop_count = (uint32_t)h.loops.count,
                      .launches = h.launches.data,
                      .launch_count = (uint32_t)h.launches.count,
                      .writes = h.writes.data,
                      .write_count = (uint32_t)h.writes.count,
                      .more = h.more};
    return status;
}

hd_status front_clang_host(hd_arena *arena, const hd_diag *diag, const char *path,
                           const char *options, const char *device, hd_host *host) {
    hd_parse_command command;
    hd_status status = front_clang_parse(arena, diag, path, options, device, &command);
    if (!status && command.is_cuda)
        status = read_file(arena, diag, path, &command, false, host);
    hd_parse_command_end(&command);
    return status;
}

hd_status hd_host_read_opencl(hd_arena *arena, const hd_diag *diag, const char *path,
                              const char *options, hd_host *host) {
    hd_parse_command command;
    char *text;
    size_t length;
    *host = (hd_host){0};
    hd_status status = hd_read_file(arena, diag, path, &text, &length);
    if (!status)
        status = hd_host_command_make(arena, diag, path, options, &command);
    if (status)
        return status;
    status = read_file(arena, diag, path, &command, true, host);
    hd_parse_command_end(&command);
    return status;
}
