/*
 * What calls of OpenCL do in host code (host.h): memory, kernels, their arguments, launches.
 *
 *     cl_mem x = clCreateBuffer(context, CL_MEM_READ_WRITE, n * sizeof(cl_float), NULL, NULL);
 *     cl_kernel scale = clCreateKernel(program, "scale", NULL);
 *     clSetKernelArg(scale, 0, sizeof x, &x);
 *     clEnqueueNDRangeKernel(queue, scale, 1, NULL, &global, &local, 0, NULL, NULL);
 */
#include "frontend/clang/host.h"

static CXCursor argument_of(CXCursor call, unsigned number) {
    return clang_Cursor_getArgument(call, number);
}

static hd_host_value create_buffer(front_host *h, CXCursor call) {
    CXCursor bytes = argument_of(call, 2);
    return front_host_memory(h, call, NULL, front_host_value(h, bytes),
                             front_host_source(h, bytes));
}

/* "scale" of a literal; NULL: it is none. */
static const char *literal(front_host *h, CXCursor expression) {
    CXCursor bare = front_host_bare(h, expression);
    hd_cursors inside = front_host_children(h, bare);
    if (clang_getCursorKind(bare) == CXCursor_DeclRefExpr) { /* const char *name = "scale"; */
        bare = clang_getCursorReferenced(bare);
        inside = front_host_children(h, bare);
        bare = inside.count ? front_host_bare(h, inside.data[inside.count - 1]) : bare;
    }
    const char *text = front_host_spelling(h, bare);
    const size_t length = strlen(text);
    return clang_getCursorKind(bare) == CXCursor_StringLiteral && length > 2
               ? hd_strndup(h->arena, text + 1, length - 2)
               : NULL;
}

static hd_host_value create_kernel(front_host *h, CXCursor call) {
    const char *name = literal(h, argument_of(call, 1));
    if (!name)
        return (hd_host_value){0};
    hd_push(h->arena, &h->kernels, (front_kernel){.name = name});
    return (hd_host_value){.kind = HD_HOST_KERNEL, .memory = (uint32_t)h->kernels.count - 1};
}

static front_kernel *kernel_of(front_host *h, CXCursor expression) {
    hd_host_value value = front_host_value(h, expression);
    return value.kind == HD_HOST_KERNEL ? &h->kernels.data[value.memory] : NULL;
}

/* Local memory is a null pointer with its bytes. */
static hd_host_value set_argument(front_host *h, CXCursor call) {
    enum { MOST_ARGUMENTS = 1024 };
    hd_host_value index = front_host_value(h, argument_of(call, 1));
    hd_host_value given = front_host_value(h, argument_of(call, 3));
    CXCursor behind = front_host_behind_address(h, argument_of(call, 3));
    front_kernel *kernel = kernel_of(h, argument_of(call, 0));
    if (!kernel || index.kind != HD_HOST_WHOLE || index.parts[0] < 0 ||
        index.parts[0] >= MOST_ARGUMENTS)
        return (hd_host_value){0};
    bool is_local = given.kind == HD_HOST_WHOLE && !given.parts[0];
    hd_host_value value =
        is_local ? front_host_value(h, argument_of(call, 2)) : front_host_argument(h, behind);
    while (kernel->args.count <= (size_t)index.parts[0])
        hd_push(h->arena, &kernel->args, (hd_host_value){0});
    kernel->args.data[index.parts[0]] = value;
    return (hd_host_value){0};
}

/* `dims` numbers behind a pointer to them: an array, or &n. */
static hd_host_value sizes_behind(front_host *h, CXCursor expression, int64_t dims) {
    CXCursor bare = front_host_bare(h, expression), behind = front_host_behind_address(h, bare);
    hd_host_value sizes = {.kind = HD_HOST_SIZE, .parts = {1, 1, 1}};
    const bool is_address = !clang_equalCursors(bare, behind);
    for (int64_t d = 0; d < dims; d++) {
        int64_t variable =
            is_address ? (d ? -1 : front_host_variable(h, behind)) : front_host_element(h, bare, d);
        hd_host_value part = variable >= 0 ? h->variables.data[variable].value : (hd_host_value){0};
        sizes.parts[d] = part.kind == HD_HOST_WHOLE && part.parts[0] > 0 ? part.parts[0] : 0;
        if (!sizes.parts[d])
            return (hd_host_value){0};
    }
    return sizes;
}

static void launch(front_host *h, CXCursor call, hd_host_value global, hd_host_value local) {
    const front_kernel *kernel = kernel_of(h, argument_of(call, 1));
    if (!kernel)
        return;
    hd_host_launch made = {.kernel = kernel->name,
                           .symbol = kernel->name,
                           .global = global,
                           .threads = local,
                           .shared = front_host_whole(0),
                           .arg_count = (uint32_t)kernel->args.count,
                           .loop = h->loop,
                           .text = front_host_source(h, call),
                           .place = front_host_place(h, call)};
    made.args = hd_new_array(h->arena, hd_host_value, kernel->args.count);
    for (size_t i = 0; i < kernel->args.count; i++)
        made.args[i] = kernel->args.data[i];
    front_host_launch(h, made);
}

static hd_host_value enqueue_range(front_host *h, CXCursor call) {
    hd_host_value dims = front_host_value(h, argument_of(call, 2));
    if (dims.kind == HD_HOST_WHOLE && dims.parts[0] >= 1 && dims.parts[0] <= 3)
        launch(h, call, sizes_behind(h, argument_of(call, 4), dims.parts[0]),
               sizes_behind(h, argument_of(call, 5), dims.parts[0]));
    return (hd_host_value){0};
}

static hd_host_value enqueue_task(front_host *h, CXCursor call) {
    const hd_host_value one = {.kind = HD_HOST_SIZE, .parts = {1, 1, 1}};
    launch(h, call, one, one);
    return (hd_host_value){0};
}

/* clEnqueueCopyBuffer(queue, from, to, from_offset, to_offset, bytes, ...) */
static hd_host_value enqueue_copy(front_host *h, CXCursor call) {
    hd_host_value from = front_host_value(h, argument_of(call, 1)),
                  to = front_host_value(h, argument_of(call, 2));
    if (from.kind == HD_HOST_MEMORY && to.kind == HD_HOST_MEMORY)
        front_host_write(h, call,
                         (hd_host_write){.to = to.memory,
                                         .from = from.memory,
                                         .bytes = front_host_value(h, argument_of(call, 5))});
    return (hd_host_value){0};
}

/* clEnqueueFillBuffer(queue, buffer, &pattern, pattern_bytes, offset, bytes, ...), of zeros or bytes */
static hd_host_value enqueue_fill(front_host *h, CXCursor call) {
    int64_t variable;
    hd_host_value to = front_host_value(h, argument_of(call, 1)),
                  pattern = front_host_number_behind(h, argument_of(call, 2), &variable),
                  each = front_host_value(h, argument_of(call, 3));
    if (pattern.kind == HD_HOST_REAL && pattern.real == 0)
        pattern = front_host_whole(0);
    bool is_bytes = pattern.kind == HD_HOST_WHOLE &&
                    (!pattern.parts[0] || (each.kind == HD_HOST_WHOLE && each.parts[0] == 1));
    if (to.kind == HD_HOST_MEMORY && is_bytes)
        front_host_write(h, call,
                         (hd_host_write){.to = to.memory,
                                         .from = HD_HOST_NO_MEMORY,
                                         .value = pattern,
                                         .bytes = front_host_value(h, argument_of(call, 5))});
    return (hd_host_value){0};
}

/* clEnqueueWriteBuffer(queue, buffer, blocking, offset, bytes, &number, ...) */
static hd_host_value enqueue_write(front_host *h, CXCursor call) {
    int64_t variable;
    hd_host_value to = front_host_value(h, argument_of(call, 1)),
                  number = front_host_number_behind(h, argument_of(call, 5), &variable);
    if (to.kind == HD_HOST_MEMORY && (number.kind == HD_HOST_WHOLE || number.kind == HD_HOST_REAL))
        front_host_write(h, call,
                         (hd_host_write){.to = to.memory,
                                         .from = HD_HOST_NO_MEMORY,
                                         .value = number,
                                         .bytes = front_host_value(h, argument_of(call, 4)),
                                         .first_only = true});
    return (hd_host_value){0};
}

/* clEnqueueReadBuffer(queue, buffer, blocking, offset, bytes, &number, ...) */
static hd_host_value enqueue_read(front_host *h, CXCursor call) {
    int64_t variable;
    hd_host_value from = front_host_value(h, argument_of(call, 1));
    front_host_number_behind(h, argument_of(call, 5), &variable);
    if (from.kind == HD_HOST_MEMORY && variable >= 0)
        hd_push(h->arena, &h->read_backs, (front_read_back){variable, from.memory, h->loop});
    return (hd_host_value){0};
}

bool front_host_opencl_call(front_host *h, CXCursor call, hd_host_value *value) {
    static const struct {
        const char *name;
        int least; /* arguments */
        hd_host_value (*read)(front_host *h, CXCursor call);
    } calls[] = {
        {"clCreateBuffer", 3, create_buffer},     {"clCreateKernel", 2, create_kernel},
        {"clSetKernelArg", 4, set_argument},      {"clEnqueueNDRangeKernel", 6, enqueue_range},
        {"clEnqueueTask", 2, enqueue_task},       {"clEnqueueCopyBuffer", 6, enqueue_copy},
        {"clEnqueueFillBuffer", 6, enqueue_fill}, {"clEnqueueWriteBuffer", 6, enqueue_write},
        {"clEnqueueReadBuffer", 6, enqueue_read},
    };
    const char *name = front_host_spelling(h, call);
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++)
        if (!strcmp(name, calls[i].name) && clang_Cursor_getNumArguments(call) >= calls[i].least) {
            *value = calls[i].read(h, call);
            return true;
        }
    return false;
}
