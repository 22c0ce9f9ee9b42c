/*
 * Commands that touch buffers. The program's buffers always are what it sees; before a command reads
 * or writes one, what lies in other layouts is brought back (views.c). That and the command are queued
 * in one piece, under the lock; a blocking command is waited for without it.
 */
#include "opencl/layer.h"

cl_int layer_use_buffer(layer *l, const layer_buffer *b, size_t offset, size_t bytes,
                        layer_use use) {
    const cl_int error = l->apply
                             ? layer_views_settle(l, b->whole, b->offset + offset, bytes, use, NULL)
                             : CL_SUCCESS;
    if (use & LAYER_WRITE)
        b->whole->changes++;
    return error;
}

static cl_int use(layer *l, cl_mem memory, size_t offset, size_t bytes, layer_use how) {
    const layer_buffer *b = layer_buffer_of(l, memory);
    return b ? layer_use_buffer(l, b, offset, bytes, how) : CL_SUCCESS;
}

static cl_int use_all(layer *l, cl_mem memory, layer_use how) {
    const layer_buffer *b = layer_buffer_of(l, memory);
    return b ? layer_use_buffer(l, b, 0, b->bytes, how) : CL_SUCCESS;
}

/* A command that may block: its event, where the program asks for none. */
typedef struct waited {
    cl_event own;
    cl_event *event;
} waited;

static void wait_for(cl_bool blocking, cl_event *event, waited *w) {
    *w = (waited){NULL, event};
    if (blocking && !event)
        w->event = &w->own;
}

/* Ends what layer_enter() began. */
static cl_int done(layer *l, cl_int error, cl_bool blocking, waited *w) {
    const cl_icd_dispatch *target = l->target;
    layer_leave(l);
    if (!error && blocking)
        error = target->clWaitForEvents(1, w->event);
    if (w->own)
        target->clReleaseEvent(w->own);
    return error;
}

/* ---- reads and writes of the host ---------------------------------------------------------------- */

static CL_API_ENTRY cl_int CL_API_CALL read_buffer(cl_command_queue queue, cl_mem memory,
                                                   cl_bool blocking, size_t offset, size_t bytes,
                                                   void *to, cl_uint wait_count,
                                                   const cl_event *wait, cl_event *event) {
    layer *l = layer_enter();
    waited w;
    wait_for(blocking, event, &w);
    cl_int error = use(l, memory, offset, bytes, LAYER_READ);
    if (!error)
        error = l->target->clEnqueueReadBuffer(queue, memory, CL_FALSE, offset, bytes, to,
                                               wait_count, wait, w.event);
    return done(l, error, blocking, &w);
}

static CL_API_ENTRY cl_int CL_API_CALL write_buffer(cl_command_queue queue, cl_mem memory,
                                                    cl_bool blocking, size_t offset, size_t bytes,
                                                    const void *from, cl_uint wait_count,
                                                    const cl_event *wait, cl_event *event) {
    layer *l = layer_enter();
    waited w;
    wait_for(blocking, event, &w);
    cl_int error = use(l, memory, offset, bytes, LAYER_WRITE);
    if (!error)
        error = l->target->clEnqueueWriteBuffer(queue, memory, CL_FALSE, offset, bytes, from,
                                                wait_count, wait, w.event);
    return done(l, error, blocking, &w);
}

static CL_API_ENTRY cl_int CL_API_CALL read_rect(cl_command_queue queue, cl_mem memory,
                                                 cl_bool blocking, const size_t *at,
                                                 const size_t *host_at, const size_t *region,
                                                 size_t row, size_t slice, size_t host_row,
                                                 size_t host_slice, void *to, cl_uint wait_count,
                                                 const cl_event *wait, cl_event *event) {
    layer *l = layer_enter();
    waited w;
    wait_for(blocking, event, &w);
    cl_int error = use_all(l, memory, LAYER_READ);
    if (!error)
        error = l->target->clEnqueueReadBufferRect(queue, memory, CL_FALSE, at, host_at, region,
                                                   row, slice, host_row, host_slice, to, wait_count,
                                                   wait, w.event);
    return done(l, error, blocking, &w);
}

static CL_API_ENTRY cl_int CL_API_CALL write_rect(cl_command_queue queue, cl_mem memory,
                                                  cl_bool blocking, const size_t *at,
                                                  const size_t *host_at, const size_t *region,
                                                  size_t row, size_t slice, size_t host_row,
                                                  size_t host_slice, const void *from,
                                                  cl_uint wait_count, const cl_event *wait,
                                                  cl_event *event) {
    layer *l = layer_enter();
    waited w;
    wait_for(blocking, event, &w);
    cl_int error = use_all(l, memory, LAYER_CHANGE);
    if (!error)
        error = l->target->clEnqueueWriteBufferRect(queue, memory, CL_FALSE, at, host_at, region,
                                                    row, slice, host_row, host_slice, from,
                                                    wait_count, wait, w.event);
    return done(l, error, blocking, &w);
}

/* ---- maps ------------------------------------------------------------------------------------------ */

static CL_API_ENTRY void *CL_API_CALL map_buffer(cl_command_queue queue, cl_mem memory,
                                                 cl_bool blocking, cl_map_flags flags,
                                                 size_t offset, size_t bytes, cl_uint wait_count,
                                                 const cl_event *wait, cl_event *event,
                                                 cl_int *result) {
    layer *l = layer_enter();
    waited w;
    wait_for(blocking, event, &w);
    const layer_buffer *b = layer_buffer_of(l, memory);
    const layer_use how = flags & CL_MAP_WRITE_INVALIDATE_REGION ? LAYER_WRITE
                          : flags & CL_MAP_WRITE                 ? LAYER_CHANGE
                                                                 : LAYER_READ;
    void *at = NULL;
    cl_int error = use(l, memory, offset, bytes, how);
    if (!error)
        at = l->target->clEnqueueMapBuffer(queue, memory, CL_FALSE, flags, offset, bytes,
                                           wait_count, wait, w.event, &error);
    if (!error && b)
        b->whole->mapped++;
    error = done(l, error, blocking, &w);
    if (result)
        *result = error;
    return error ? NULL : at;
}

/* What the host has written is there when the command has run. */
static CL_API_ENTRY cl_int CL_API_CALL unmap(cl_command_queue queue, cl_mem memory, void *at,
                                             cl_uint wait_count, const cl_event *wait,
                                             cl_event *event) {
    layer *l = layer_enter();
    const layer_buffer *b = layer_buffer_of(l, memory);
    const cl_int error =
        l->target->clEnqueueUnmapMemObject(queue, memory, at, wait_count, wait, event);
    if (!error && b) {
        b->whole->changes++;
        b->whole->mapped -= b->whole->mapped > 0;
    }
    layer_leave(l);
    return error;
}

/* ---- commands of the device ---------------------------------------------------------------------- */

static CL_API_ENTRY cl_int CL_API_CALL copy_buffer(cl_command_queue queue, cl_mem from, cl_mem to,
                                                   size_t from_offset, size_t to_offset,
                                                   size_t bytes, cl_uint wait_count,
                                                   const cl_event *wait, cl_event *event) {
    layer *l = layer_enter();
    cl_int error = use(l, from, from_offset, bytes, LAYER_READ);
    if (!error)
        error = use(l, to, to_offset, bytes, LAYER_WRITE);
    if (!error)
        error = l->target->clEnqueueCopyBuffer(queue, from, to, from_offset, to_offset, bytes,
                                               wait_count, wait, event);
    layer_leave(l);
    return error;
}

static CL_API_ENTRY cl_int CL_API_CALL copy_rect(cl_command_queue queue, cl_mem from, cl_mem to,
                                                 const size_t *from_at, const size_t *to_at,
                                                 const size_t *region, size_t from_row,
                                                 size_t from_slice, size_t to_row, size_t to_slice,
                                                 cl_uint wait_count, const cl_event *wait,
                                                 cl_event *event) {
    layer *l = layer_enter();
    cl_int error = use_all(l, from, LAYER_READ);
    if (!error)
        error = use_all(l, to, LAYER_CHANGE);
    if (!error)
        error = l->target->clEnqueueCopyBufferRect(queue, from, to, from_at, to_at, region,
                                                   from_row, from_slice, to_row, to_slice,
                                                   wait_count, wait, event);
    layer_leave(l);
    return error;
}

static CL_API_ENTRY cl_int CL_API_CALL copy_to_image(cl_command_queue queue, cl_mem from, cl_mem to,
                                                     size_t offset, const size_t *at,
                                                     const size_t *region, cl_uint wait_count,
                                                     const cl_event *wait, cl_event *event) {
    layer *l = layer_enter();
    cl_int error = use_all(l, from, LAYER_READ);
    if (!error)
        error = l->target->clEnqueueCopyBufferToImage(queue, from, to, offset, at, region,
                                                      wait_count, wait, event);
    layer_leave(l);
    return error;
}

static CL_API_ENTRY cl_int CL_API_CALL copy_from_image(cl_command_queue queue, cl_mem from,
                                                       cl_mem to, const size_t *at,
                                                       const size_t *region, size_t offset,
                                                       cl_uint wait_count, const cl_event *wait,
                                                       cl_event *event) {
    layer *l = layer_enter();
    cl_int error = use_all(l, to, LAYER_CHANGE);
    if (!error)
        error = l->target->clEnqueueCopyImageToBuffer(queue, from, to, at, region, offset,
                                                      wait_count, wait, event);
    layer_leave(l);
    return error;
}

static CL_API_ENTRY cl_int CL_API_CALL fill_buffer(cl_command_queue queue, cl_mem memory,
                                                   const void *pattern, size_t pattern_bytes,
                                                   size_t offset, size_t bytes, cl_uint wait_count,
                                                   const cl_event *wait, cl_event *event) {
    layer *l = layer_enter();
    cl_int error = use(l, memory, offset, bytes, LAYER_WRITE);
    if (!error)
        error = l->target->clEnqueueFillBuffer(queue, memory, pattern, pattern_bytes, offset, bytes,
                                               wait_count, wait, event);
    layer_leave(l);
    return error;
}

/* A function of the host's, which gets buffers as pointers. */
static CL_API_ENTRY cl_int CL_API_CALL call_function(cl_command_queue queue,
                                                     void(CL_CALLBACK *function)(void *),
                                                     void *args, size_t bytes, cl_uint count,
                                                     const cl_mem *memory, const void **places,
                                                     cl_uint wait_count, const cl_event *wait,
                                                     cl_event *event) {
    layer *l = layer_enter();
    cl_int error = CL_SUCCESS;
    for (cl_uint i = 0; i < count && !error; i++)
        error = use_all(l, memory[i], LAYER_CHANGE);
    if (!error)
        error = l->target->clEnqueueNativeKernel(queue, function, args, bytes, count, memory,
                                                 places, wait_count, wait, event);
    layer_leave(l);
    return error;
}

/* ---- what else may touch them ---------------------------------------------------------------------- */

/* An image, whose handle may have been a buffer's. */
static cl_mem not_followed(layer *l, cl_mem memory) {
    layer_forget_buffer(l, memory);
    layer_leave(l);
    return memory;
}

/* An image over a buffer: whoever uses it is not looked at. */
static void share(layer *l, cl_mem memory) {
    const layer_buffer *b = layer_buffer_of(l, memory);
    if (!b)
        return;
    layer_use_buffer(l, b, 0, b->bytes, LAYER_CHANGE);
    b->whole->is_shared = true;
}

static CL_API_ENTRY cl_mem CL_API_CALL create_image(cl_context context, cl_mem_flags flags,
                                                    const cl_image_format *format,
                                                    const cl_image_desc *image, void *host,
                                                    cl_int *error) {
    layer *l = layer_enter();
    if (image && image->mem_object)
        share(l, image->mem_object);
    cl_mem made = l->target->clCreateImage(context, flags, format, image, host, error);
    layer_follow_image(l, context, made, format, image);
    return not_followed(l, made);
}

static CL_API_ENTRY cl_mem CL_API_CALL create_image_with(
    cl_context context, const cl_mem_properties *how, cl_mem_flags flags,
    const cl_image_format *format, const cl_image_desc *image, void *host, cl_int *error) {
    layer *l = layer_enter();
    if (image && image->mem_object)
        share(l, image->mem_object);
    cl_mem made =
        l->target->clCreateImageWithProperties(context, how, flags, format, image, host, error);
    layer_follow_image(l, context, made, format, image);
    return not_followed(l, made);
}

static CL_API_ENTRY cl_mem CL_API_CALL create_image_2d(cl_context context, cl_mem_flags flags,
                                                       const cl_image_format *format, size_t width,
                                                       size_t height, size_t row, void *host,
                                                       cl_int *error) {
    layer *l = layer_enter();
    const cl_image_desc desc = {
        .image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = width, .image_height = height};
    cl_mem made =
        l->target->clCreateImage2D(context, flags, format, width, height, row, host, error);
    layer_follow_image(l, context, made, format, &desc);
    return not_followed(l, made);
}

static CL_API_ENTRY cl_mem CL_API_CALL create_image_3d(cl_context context, cl_mem_flags flags,
                                                       const cl_image_format *format, size_t width,
                                                       size_t height, size_t depth, size_t row,
                                                       size_t slice, void *host, cl_int *error) {
    layer *l = layer_enter();
    const cl_image_desc desc = {.image_type = CL_MEM_OBJECT_IMAGE3D,
                                .image_width = width,
                                .image_height = height,
                                .image_depth = depth};
    cl_mem made = l->target->clCreateImage3D(context, flags, format, width, height, depth, row,
                                             slice, host, error);
    layer_follow_image(l, context, made, format, &desc);
    return not_followed(l, made);
}

static CL_API_ENTRY cl_mem CL_API_CALL create_pipe(cl_context context, cl_mem_flags flags,
                                                   cl_uint bytes, cl_uint most,
                                                   const cl_pipe_properties *how, cl_int *error) {
    layer *l = layer_enter();
    return not_followed(l, l->target->clCreatePipe(context, flags, bytes, most, how, error));
}

/* Functions of extensions do not come by here, and some of them use buffers. */
static void note_extension(layer *l, const char *name, const void *function) {
    static const char *const beginnings[] = {"clEnqueue", "clCommand", "clCreateCommandBuffer",
                                             "clSetKernelArg", "clCreateBuffer"};
    for (size_t i = 0; function && l->apply && i < sizeof beginnings / sizeof *beginnings; i++)
        if (!strncmp(name, beginnings[i], strlen(beginnings[i])))
            layer_apply_off(l, hd_format(l->arena, "the program uses an extension (%s)", name));
}

static CL_API_ENTRY void *CL_API_CALL extension(const char *name) {
    layer *l = layer_enter();
    void *function = l->target->clGetExtensionFunctionAddress(name);
    note_extension(l, name, function);
    layer_leave(l);
    return function;
}

static CL_API_ENTRY void *CL_API_CALL extension_of(cl_platform_id platform, const char *name) {
    layer *l = layer_enter();
    void *function = l->target->clGetExtensionFunctionAddressForPlatform(platform, name);
    note_extension(l, name, function);
    layer_leave(l);
    return function;
}

void layer_uses(cl_icd_dispatch *table) {
    table->clEnqueueReadBuffer = read_buffer;
    table->clEnqueueWriteBuffer = write_buffer;
    table->clEnqueueReadBufferRect = read_rect;
    table->clEnqueueWriteBufferRect = write_rect;
    table->clEnqueueMapBuffer = map_buffer;
    table->clEnqueueUnmapMemObject = unmap;
    table->clEnqueueCopyBuffer = copy_buffer;
    table->clEnqueueCopyBufferRect = copy_rect;
    table->clEnqueueCopyBufferToImage = copy_to_image;
    table->clEnqueueCopyImageToBuffer = copy_from_image;
    table->clEnqueueFillBuffer = fill_buffer;
    table->clEnqueueNativeKernel = call_function;
    table->clCreateImage2D = create_image_2d;
    table->clCreateImage3D = create_image_3d;
    table->clCreateImage = create_image;
    if (table->clCreatePipe)
        table->clCreatePipe = create_pipe;
    if (table->clCreateImageWithProperties)
        table->clCreateImageWithProperties = create_image_with;
    table->clGetExtensionFunctionAddress = extension;
    table->clGetExtensionFunctionAddressForPlatform = extension_of;
}
