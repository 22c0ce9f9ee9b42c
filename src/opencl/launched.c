/*
 * Kernels that are launched. One that is recorded runs alone: all queues of its context are finished
 * before it, so that memory holds what it will find, and its own after it.
 */
#include "opencl/layer.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "recording/recording.h"

typedef struct layer_recorder {
    layer *layer;
    hd_recording *recording;
    hd_recording_host host;
    cl_command_queue queue; /* of the launch */
    /* What was read last: memory of an address. */
    void *bytes;
    size_t room;
    uint64_t address;
    bool is_read;
} layer_recorder;

static void say(void *user, const char *line) {
    (void)user;
    fprintf(stderr, "heddle: %s\n", line);
}

/* ---- memory -------------------------------------------------------------------------------------- */

static const layer_buffer *memory_at(const layer *l, uint64_t address) {
    for (size_t i = l->buffer_rows.count; i-- > 0;)
        if (l->buffer_rows.data[i].address == address)
            return &l->buffer_rows.data[i];
    return NULL;
}

/* Of memory that the host may not read a copy can be read. */
static cl_int read_copy(const layer_recorder *r, const layer_buffer *memory, size_t bytes) {
    const cl_icd_dispatch *target = r->layer->target;
    cl_context context;
    cl_int error =
        target->clGetMemObjectInfo(memory->of, CL_MEM_CONTEXT, sizeof context, &context, NULL);
    cl_mem copy =
        error ? NULL : target->clCreateBuffer(context, CL_MEM_READ_WRITE, bytes, NULL, &error);
    if (!copy)
        return error;
    error = memory->image ? layer_copy_image(r->layer, r->queue, memory, copy)
                          : target->clEnqueueCopyBuffer(r->queue, memory->of, copy, 0, 0, bytes, 0,
                                                        NULL, NULL);
    if (!error)
        error =
            target->clEnqueueReadBuffer(r->queue, copy, CL_TRUE, 0, bytes, r->bytes, 0, NULL, NULL);
    target->clReleaseMemObject(copy);
    return error;
}

static cl_int read_memory(const layer_recorder *r, const layer_buffer *memory, size_t bytes) {
    return memory->image ? layer_read_image(r->layer, r->queue, memory, r->bytes)
                         : r->layer->target->clEnqueueReadBuffer(r->queue, memory->of, CL_TRUE, 0,
                                                                 bytes, r->bytes, 0, NULL, NULL);
}

static const void *held(void *user, uint64_t address, size_t bytes) {
    layer_recorder *r = user;
    const layer_buffer *memory = memory_at(r->layer, address);
    if (r->is_read && r->address == address)
        return r->bytes;
    if (!memory)
        return NULL;
    if (bytes > r->room) {
        r->bytes = hd_checked(realloc(r->bytes, bytes));
        r->room = bytes;
    }
    r->address = address;
    r->is_read = !read_memory(r, memory, bytes) || !read_copy(r, memory, bytes);
    return r->is_read ? r->bytes : NULL;
}

layer_recorder *layer_recorder_new(layer *l) {
    layer_recorder *r = hd_new(l->arena, layer_recorder);
    r->layer = l;
    r->host = (hd_recording_host){r, say, held, ".cl", false};
    r->recording = hd_recording_open(l->arena, &r->host);
    return r->recording ? r : NULL;
}

void layer_recorder_end(const layer *l) {
    if (l->recorder)
        hd_recording_end(l->recorder->recording);
}

/* ---- arguments ----------------------------------------------------------------------------------- */

typedef enum arg_kind { ARG_VALUE, ARG_BUFFER, ARG_LOCAL, ARG_SAMPLER, ARG_UNKNOWN } arg_kind;

static bool is_sampler(const layer *l, cl_kernel kernel, cl_uint index) {
    char type[16];
    return !l->target->clGetKernelArgInfo(kernel, index, CL_KERNEL_ARG_TYPE_NAME, sizeof type, type,
                                          NULL) &&
           !strcmp(type, "sampler_t");
}

static arg_kind kind_of(const layer *l, cl_kernel kernel, cl_uint index, const layer_arg *a) {
    cl_kernel_arg_address_qualifier where;
    if (!a->is_set)
        return ARG_UNKNOWN;
    if (!a->value)
        return ARG_LOCAL;
    const cl_int error = l->target->clGetKernelArgInfo(
        kernel, index, CL_KERNEL_ARG_ADDRESS_QUALIFIER, sizeof where, &where, NULL);
    const bool is_memory =
        error ? a->bytes == sizeof(cl_mem) && layer_buffer_of(l, *(const cl_mem *)a->value)
              : where == CL_KERNEL_ARG_ADDRESS_GLOBAL || where == CL_KERNEL_ARG_ADDRESS_CONSTANT;
    if (!is_memory && is_sampler(l, kernel, index))
        return layer_sampler_of(l, *(const cl_sampler *)a->value) ? ARG_SAMPLER : ARG_UNKNOWN;
    if (!is_memory)
        return ARG_VALUE;
    return layer_buffer_of(l, *(const cl_mem *)a->value) ? ARG_BUFFER : ARG_UNKNOWN;
}

/* PoCL puts "_cl_" before what OpenCL C has a function of ("distance"). */
static const char *name_of(const layer *l, cl_kernel kernel, cl_uint index) {
    static const char by_pocl[] = "_cl_";
    const size_t more = strlen(by_pocl);
    char name[256];
    if (l->target->clGetKernelArgInfo(kernel, index, CL_KERNEL_ARG_NAME, sizeof name, name, NULL))
        return NULL;
    return hd_strdup(l->arena, strncmp(name, by_pocl, more) ? name : name + more);
}

/* NULL, or what keeps it from a recording. */
static const char *add_args(const layer_recorder *r, cl_kernel kernel, const layer_kernel *k) {
    const layer *l = r->layer;
    for (cl_uint i = 0; i < k->args.count; i++) {
        const layer_arg *a = &k->args.data[i];
        const char *name = name_of(l, kernel, i);
        if (!name)
            return "arguments whose names the driver does not tell";
        const arg_kind kind = kind_of(l, kernel, i, a);
        if (kind == ARG_LOCAL) {
            hd_recording_arg_text(r->recording, name, hd_format(l->arena, "local: %zu", a->bytes));
        } else if (kind == ARG_SAMPLER) {
            hd_recording_arg_text(r->recording, name,
                                  layer_sampler_of(l, *(const cl_sampler *)a->value));
        } else if (kind == ARG_BUFFER) {
            const layer_buffer *b = layer_buffer_of(l, *(const cl_mem *)a->value);
            hd_recording_arg_memory(r->recording, name, b->address + b->offset);
        } else {
            hd_recording_arg_bytes(r->recording, name, a->value, a->bytes);
        }
    }
    return NULL;
}

/* NULL, or what is not followed. */
static const char *see_args(const layer_recorder *r, cl_kernel kernel, const layer_kernel *k) {
    for (cl_uint i = 0; i < k->args.count; i++) {
        const layer_arg *a = &k->args.data[i];
        const arg_kind kind = kind_of(r->layer, kernel, i, a);
        if (kind == ARG_UNKNOWN)
            return "arguments that are not followed (pipes, SVM, images of rare formats)";
        if (kind != ARG_BUFFER)
            continue;
        const layer_buffer *b = layer_buffer_of(r->layer, *(const cl_mem *)a->value);
        hd_recording_see(r->recording, b->address, b->bytes, b->image);
    }
    return NULL;
}

/* ---- launches -------------------------------------------------------------------------------------- */

/* What the driver would choose is not told; a size that divides the threads is as good. */
static void choose_local(size_t global, size_t most, size_t *local) {
    *local = 1;
    for (size_t s = most < global ? most : global; s > 1 && *local == 1; s--)
        if (global % s == 0)
            *local = s;
}

static void choose_sizes(const layer *l, cl_command_queue queue, cl_kernel kernel, cl_uint dims,
                         const size_t *global, size_t local[3]) {
    enum { USUAL = 256 };
    size_t most = 0;
    cl_device_id device;
    if (l->target->clGetCommandQueueInfo(queue, CL_QUEUE_DEVICE, sizeof device, &device, NULL) ||
        l->target->clGetKernelWorkGroupInfo(kernel, device, CL_KERNEL_WORK_GROUP_SIZE, sizeof most,
                                            &most, NULL) ||
        !most)
        most = 1;
    most = most < USUAL ? most : USUAL;
    for (cl_uint d = 0; d < dims; d++) {
        choose_local(global[d], most, &local[d]);
        most /= local[d];
    }
}

static void finish_all(const layer *l, cl_command_queue queue) {
    cl_context context = NULL;
    l->target->clGetCommandQueueInfo(queue, CL_QUEUE_CONTEXT, sizeof(cl_context), &context, NULL);
    for (size_t i = 0; i < l->queues.count; i++)
        if (l->queues.data[i].context == context)
            l->target->clFinish(l->queues.data[i].queue);
}

/* The launch is a recorded one, if it is asked for and all it needs is known. */
static void begin(layer_recorder *r, cl_command_queue queue, cl_kernel kernel,
                  const layer_kernel *k, cl_uint wait_count, const cl_event *wait) {
    const layer *l = r->layer;
    if (!hd_recording_asks(r->recording, k->name, k->name))
        return;
    /* What waits for an event that is not set would never be finished. */
    const char *why = l->open_events ? "events of the program that it has not set yet"
                      : k->program   ? NULL
                                     : "programs that are not made of source in one step";
    if (!why) {
        if (wait_count)
            l->target->clWaitForEvents(wait_count, wait);
        finish_all(l, queue);
        r->queue = queue;
        r->is_read = false;
        hd_recording_begin(r->recording, k->program, k->program->text, k->program->options);
        why = see_args(r, kernel, k);
        if (!why && hd_recording_before(r->recording))
            why = add_args(r, kernel, k);
    }
    if (why)
        hd_recording_leave_out(r->recording, why);
}

static void end(layer_recorder *r, const layer_kernel *k, cl_uint dims, const size_t *offset,
                const size_t *global, const size_t *local, bool fine) {
    hd_recorded_launch launch = {k->name, dims, {1, 1, 1}, {1, 1, 1}, .offset = {0}};
    for (cl_uint d = 0; d < dims; d++) {
        launch.grid[d] = global[d];
        launch.block[d] = local[d];
        launch.offset[d] = offset ? offset[d] : 0;
    }
    r->is_read = false;
    hd_recording_after(r->recording, &launch, fine);
}

static CL_API_ENTRY cl_int CL_API_CALL launch(cl_command_queue queue, cl_kernel kernel,
                                              cl_uint dims, const size_t *offset,
                                              const size_t *global, const size_t *local,
                                              cl_uint wait_count, const cl_event *wait,
                                              cl_event *event) {
    layer *l = layer_enter();
    layer_recorder *r = l->recorder;
    const layer_kernel *k = layer_kernel_of(l, kernel);
    size_t chosen[3] = {1, 1, 1};
    if (!k || !global || dims < 1 || dims > 3) {
        layer_leave(l);
        return l->target->clEnqueueNDRangeKernel(queue, kernel, dims, offset, global, local,
                                                 wait_count, wait, event);
    }
    begin(r, queue, kernel, k, wait_count, wait);
    if (!local && hd_recording_is_on(r->recording)) {
        choose_sizes(l, queue, kernel, dims, global, chosen);
        local = chosen;
    }
    cl_int error = l->target->clEnqueueNDRangeKernel(queue, kernel, dims, offset, global, local,
                                                     wait_count, wait, event);
    if (hd_recording_is_on(r->recording)) {
        const bool fine = !error && !l->target->clFinish(queue);
        end(r, k, dims, offset, global, local, fine);
    }
    layer_leave(l);
    return error;
}

/* A launch of one thread. */
static CL_API_ENTRY cl_int CL_API_CALL launch_task(cl_command_queue queue, cl_kernel kernel,
                                                   cl_uint wait_count, const cl_event *wait,
                                                   cl_event *event) {
    const size_t one = 1;
    return launch(queue, kernel, 1, NULL, &one, &one, wait_count, wait, event);
}

void layer_launches(cl_icd_dispatch *table) {
    table->clEnqueueNDRangeKernel = launch;
    table->clEnqueueTask = launch_task;
}
