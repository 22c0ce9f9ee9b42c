/* What a program makes: programs, kernels, arguments, buffers, queues. Every call is handed on first; what
 * it gave is then remembered under its handle. A handle that comes again, when what it was of is gone, is
 * that of the new thing. */
#include "opencl/layer.h"

#include <string.h>

enum { PAGE = 4096 };

static uint64_t key_of(const void *handle) { return (uint64_t)(uintptr_t)handle; }

const layer_kernel *layer_kernel_of(const layer *l, cl_kernel kernel) {
    const uint64_t row = hd_hash_get(&l->kernels, key_of(kernel));
    return row == HD_NO_VALUE ? NULL : l->kernel_rows.data[row];
}

const layer_buffer *layer_buffer_of(const layer *l, cl_mem memory) {
    const uint64_t row = hd_hash_get(&l->buffers, key_of(memory));
    return row == HD_NO_VALUE ? NULL : &l->buffer_rows.data[row];
}

/* ---- programs ------------------------------------------------------------------------------------ */

static layer_program *program_of(const layer *l, cl_program program) {
    const uint64_t row = hd_hash_get(&l->programs, key_of(program));
    return row == HD_NO_VALUE ? NULL : l->program_rows.data[row];
}

static const char *joined(hd_arena *arena, cl_uint count, const char **texts,
                          const size_t *lengths) {
    hd_str all = {.arena = arena};
    for (cl_uint i = 0; i < count; i++) {
        const size_t length = lengths && lengths[i] ? lengths[i] : strlen(texts[i]);
        hd_str_printf(&all, "%.*s", (int)length, texts[i]);
    }
    return hd_str_text(&all);
}

static CL_API_ENTRY cl_program CL_API_CALL create_program(cl_context context, cl_uint count,
                                                          const char **texts, const size_t *lengths,
                                                          cl_int *error) {
    layer *l = layer_enter();
    cl_program program =
        l->target->clCreateProgramWithSource(context, count, texts, lengths, error);
    if (program) {
        layer_program *p = hd_new(l->arena, layer_program);
        p->text = joined(l->arena, count, texts, lengths);
        p->options = "";
        hd_hash_set(&l->programs, key_of(program), l->program_rows.count);
        hd_push(l->arena, &l->program_rows, p);
    }
    layer_leave(l);
    return program;
}

/* Built with what tells names and kinds of arguments; it changes no kernel. */
static CL_API_ENTRY cl_int CL_API_CALL build_program(cl_program program, cl_uint count,
                                                     const cl_device_id *devices,
                                                     const char *options,
                                                     void(CL_CALLBACK *notify)(cl_program, void *),
                                                     void *user) {
    static const char kinds[] = "-cl-kernel-arg-info";
    layer *l = layer_enter();
    layer_program *p = program_of(l, program);
    const char *given = options ? options : "", *more = given;
    if (p) {
        p->options = hd_strdup(l->arena, given);
        more = strstr(given, kinds) ? given : hd_format(l->arena, "%s %s", given, kinds);
    }
    const cl_icd_dispatch *target = l->target;
    layer_leave(l);
    return target->clBuildProgram(program, count, devices, p ? more : options, notify, user);
}

/* ---- kernels ----------------------------------------------------------------------------------------- */

static void follow_kernel(layer *l, cl_kernel kernel, cl_program program) {
    char name[1024];
    layer_kernel *k = hd_new(l->arena, layer_kernel);
    if (l->target->clGetKernelInfo(kernel, CL_KERNEL_FUNCTION_NAME, sizeof name, name, NULL))
        return;
    k->program = program_of(l, program);
    k->name = hd_strdup(l->arena, name);
    hd_hash_set(&l->kernels, key_of(kernel), l->kernel_rows.count);
    hd_push(l->arena, &l->kernel_rows, k);
}

static CL_API_ENTRY cl_kernel CL_API_CALL create_kernel(cl_program program, const char *name,
                                                        cl_int *error) {
    layer *l = layer_enter();
    cl_kernel kernel = l->target->clCreateKernel(program, name, error);
    if (kernel)
        follow_kernel(l, kernel, program);
    layer_leave(l);
    return kernel;
}

static CL_API_ENTRY cl_int CL_API_CALL create_kernels(cl_program program, cl_uint room,
                                                      cl_kernel *kernels, cl_uint *made) {
    layer *l = layer_enter();
    cl_uint count = 0;
    const cl_int error = l->target->clCreateKernelsInProgram(program, room, kernels, &count);
    for (cl_uint i = 0; !error && kernels && i < count; i++)
        follow_kernel(l, kernels[i], program);
    if (made)
        *made = count;
    layer_leave(l);
    return error;
}

static CL_API_ENTRY cl_int CL_API_CALL set_arg(cl_kernel kernel, cl_uint index, size_t bytes,
                                               const void *value) {
    layer *l = layer_enter();
    const cl_int error = l->target->clSetKernelArg(kernel, index, bytes, value);
    layer_kernel *k = (layer_kernel *)layer_kernel_of(l, kernel);
    if (k && !error) {
        while (k->args.count <= index)
            hd_push(l->arena, &k->args, (layer_arg){0});
        layer_arg *a = &k->args.data[index];
        void *copy = a->value && a->bytes == bytes ? (void *)a->value : hd_alloc(l->arena, bytes);
        if (value)
            memcpy(copy, value, bytes);
        *a = (layer_arg){true, bytes, value ? copy : NULL};
    }
    layer_leave(l);
    return error;
}

/* ---- buffers ----------------------------------------------------------------------------------------- */

static void follow_buffer(layer *l, cl_mem memory, layer_buffer buffer) {
    hd_hash_set(&l->buffers, key_of(memory), l->buffer_rows.count);
    hd_push(l->arena, &l->buffer_rows, buffer);
}

void layer_follow_whole(layer *l, cl_mem memory, layer_buffer buffer) {
    l->next_address += PAGE;
    buffer.address = l->next_address;
    follow_buffer(l, memory, buffer);
    l->next_address += hd_align_up(buffer.bytes, PAGE);
}

static void follow_whole(layer *l, cl_mem memory, size_t bytes) {
    layer_follow_whole(l, memory, (layer_buffer){.of = memory, .bytes = bytes});
}

static CL_API_ENTRY cl_mem CL_API_CALL create_buffer(cl_context context, cl_mem_flags flags,
                                                     size_t bytes, void *host, cl_int *error) {
    layer *l = layer_enter();
    cl_mem memory = l->target->clCreateBuffer(context, flags, bytes, host, error);
    if (memory)
        follow_whole(l, memory, bytes);
    layer_leave(l);
    return memory;
}

static CL_API_ENTRY cl_mem CL_API_CALL create_buffer_with(cl_context context,
                                                          const cl_mem_properties *how,
                                                          cl_mem_flags flags, size_t bytes,
                                                          void *host, cl_int *error) {
    layer *l = layer_enter();
    cl_mem memory =
        l->target->clCreateBufferWithProperties(context, how, flags, bytes, host, error);
    if (memory)
        follow_whole(l, memory, bytes);
    layer_leave(l);
    return memory;
}

static CL_API_ENTRY cl_mem CL_API_CALL create_part(cl_mem whole, cl_mem_flags flags,
                                                   cl_buffer_create_type type, const void *region,
                                                   cl_int *error) {
    layer *l = layer_enter();
    cl_mem memory = l->target->clCreateSubBuffer(whole, flags, type, region, error);
    const layer_buffer *of = layer_buffer_of(l, whole);
    if (memory && of && type == CL_BUFFER_CREATE_TYPE_REGION) {
        const cl_buffer_region *r = region;
        follow_buffer(l, memory,
                      (layer_buffer){.of = of->of,
                                     .bytes = of->bytes,
                                     .offset = of->offset + r->origin,
                                     .address = of->address});
    }
    layer_leave(l);
    return memory;
}

/* ---- queues ------------------------------------------------------------------------------------------ */

static CL_API_ENTRY cl_command_queue CL_API_CALL create_queue(cl_context context,
                                                              cl_device_id device,
                                                              cl_command_queue_properties how,
                                                              cl_int *error) {
    layer *l = layer_enter();
    cl_command_queue queue = l->target->clCreateCommandQueue(context, device, how, error);
    if (queue)
        hd_push(l->arena, &l->queues, (layer_queue){queue, context});
    layer_leave(l);
    return queue;
}

static CL_API_ENTRY cl_command_queue CL_API_CALL create_queue_with(cl_context context,
                                                                   cl_device_id device,
                                                                   const cl_queue_properties *how,
                                                                   cl_int *error) {
    layer *l = layer_enter();
    cl_command_queue queue =
        l->target->clCreateCommandQueueWithProperties(context, device, how, error);
    if (queue)
        hd_push(l->arena, &l->queues, (layer_queue){queue, context});
    layer_leave(l);
    return queue;
}

/* The program may use the handle still, where it holds it more than once; a handle that is there when it
 * should not be would be used by launches. */
static CL_API_ENTRY cl_int CL_API_CALL release_queue(cl_command_queue queue) {
    layer *l = layer_enter();
    cl_uint held = 0;
    if (!l->target->clGetCommandQueueInfo(queue, CL_QUEUE_REFERENCE_COUNT, sizeof held, &held,
                                          NULL) &&
        held == 1)
        for (size_t i = 0; i < l->queues.count; i++)
            if (l->queues.data[i].queue == queue)
                l->queues.data[i] = l->queues.data[--l->queues.count];
    const cl_icd_dispatch *target = l->target;
    layer_leave(l);
    return target->clReleaseCommandQueue(queue);
}

/* ---- events of the program ----------------------------------------------------------------------------- */

static CL_API_ENTRY cl_event CL_API_CALL create_event(cl_context context, cl_int *error) {
    layer *l = layer_enter();
    cl_event event = l->target->clCreateUserEvent(context, error);
    l->open_events += event != NULL;
    layer_leave(l);
    return event;
}

static CL_API_ENTRY cl_int CL_API_CALL set_event(cl_event event, cl_int status) {
    layer *l = layer_enter();
    const cl_icd_dispatch *target = l->target;
    layer_leave(l);
    const cl_int error = target->clSetUserEventStatus(event, status);
    l = layer_enter();
    l->open_events -= !error && l->open_events;
    layer_leave(l);
    return error;
}

void layer_follow(cl_icd_dispatch *table) {
    table->clCreateUserEvent = create_event;
    table->clSetUserEventStatus = set_event;
    table->clCreateProgramWithSource = create_program;
    table->clBuildProgram = build_program;
    table->clCreateKernel = create_kernel;
    table->clCreateKernelsInProgram = create_kernels;
    table->clSetKernelArg = set_arg;
    table->clCreateBuffer = create_buffer;
    table->clCreateBufferWithProperties = create_buffer_with;
    table->clCreateSubBuffer = create_part;
    table->clCreateCommandQueue = create_queue;
    table->clCreateCommandQueueWithProperties = create_queue_with;
    table->clReleaseCommandQueue = release_queue;
}
