/* What a program makes: programs, kernels, arguments, buffers, queues. Every call is handed on first; what
 * it gave is then remembered under its handle. A handle that comes again, when what it was of is gone, is
 * that of the new thing. */
#include "opencl/layer.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "job/job.h"

enum { PAGE = 4096 };

static uint64_t key_of(const void *handle) { return (uint64_t)(uintptr_t)handle; }

layer_kernel *layer_kernel_of(const layer *l, cl_kernel kernel) {
    const uint64_t row = hd_hash_get(&l->kernels, key_of(kernel));
    return row == HD_NO_VALUE ? NULL : l->kernel_rows.data[row];
}

const layer_buffer *layer_buffer_of(const layer *l, cl_mem memory) {
    const uint64_t row = hd_hash_get(&l->buffers, key_of(memory));
    return row == HD_NO_VALUE || !l->buffer_rows.data[row].whole ? NULL : &l->buffer_rows.data[row];
}

/* ---- programs ------------------------------------------------------------------------------------ */

static layer_program *program_of(const layer *l, cl_program program) {
    const uint64_t row = hd_hash_get(&l->programs, key_of(program));
    return row == HD_NO_VALUE ? NULL : l->program_rows.data[row];
}

static void remember_program(layer *l, cl_program program, layer_program *p) {
    hd_hash_set(&l->programs, key_of(program), l->program_rows.count);
    hd_push(l->arena, &l->program_rows, p);
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
        p->context = context;
        remember_program(l, program, p);
    }
    layer_leave(l);
    return program;
}

/* Made of something else than source: what had the handle before is gone. */
static cl_program not_followed(layer *l, cl_program program) {
    if (program && program_of(l, program))
        remember_program(l, program, NULL);
    layer_leave(l);
    return program;
}

static CL_API_ENTRY cl_program CL_API_CALL create_of_binary(cl_context context, cl_uint count,
                                                            const cl_device_id *devices,
                                                            const size_t *lengths,
                                                            const unsigned char **binaries,
                                                            cl_int *states, cl_int *error) {
    layer *l = layer_enter();
    return not_followed(l, l->target->clCreateProgramWithBinary(context, count, devices, lengths,
                                                                binaries, states, error));
}

static CL_API_ENTRY cl_program CL_API_CALL create_of_builtin(cl_context context, cl_uint count,
                                                             const cl_device_id *devices,
                                                             const char *names, cl_int *error) {
    layer *l = layer_enter();
    return not_followed(
        l, l->target->clCreateProgramWithBuiltInKernels(context, count, devices, names, error));
}

static CL_API_ENTRY cl_program CL_API_CALL create_of_il(cl_context context, const void *code,
                                                        size_t bytes, cl_int *error) {
    layer *l = layer_enter();
    return not_followed(l, l->target->clCreateProgramWithIL(context, code, bytes, error));
}

static CL_API_ENTRY cl_program CL_API_CALL
link_program(cl_context context, cl_uint count, const cl_device_id *devices, const char *options,
             cl_uint inputs, const cl_program *input, void(CL_CALLBACK *notify)(cl_program, void *),
             void *user, cl_int *error) {
    layer *l = layer_enter();
    return not_followed(l, l->target->clLinkProgram(context, count, devices, options, inputs, input,
                                                    notify, user, error));
}

static bool are_alike(const layer_program *a, const layer_program *b) {
    bool alike = a->is_built == b->is_built && a->context == b->context &&
                 a->devices.count == b->devices.count && !strcmp(a->options, b->options) &&
                 !strcmp(a->text, b->text);
    for (size_t d = 0; d < a->devices.count && alike; d++)
        alike = a->devices.data[d] == b->devices.data[d];
    return alike;
}

/* Folders in the options are meant from the one that the program is in now. */
static const char *placed(hd_arena *arena, const char *options) {
    char *here = getcwd(NULL, 0);
    hd_job job = {.path = hd_format(arena, "%s/options", here ? here : "."),
                  .options = hd_strdup(arena, options)};
    hd_job_place_options(arena, &job);
    free(here);
    return job.options;
}

/* The program as it is to be built; kernels that there are, or were, are of what it was before. Some
 * hosts build the same text for each launch: that is one program. */
static layer_program *build_anew(layer *l, cl_program program, cl_uint count,
                                 const cl_device_id *devices, const char *options) {
    const layer_program *before = program_of(l, program);
    if (!before)
        return NULL;
    layer_program *p = hd_new(l->arena, layer_program);
    *p = (layer_program){.text = before->text,
                         .options = placed(l->arena, options),
                         .context = before->context,
                         .is_built = true};
    for (cl_uint d = 0; devices && d < count; d++)
        hd_push(l->arena, &p->devices, devices[d]);
    for (size_t i = 0; i < l->program_rows.count; i++)
        if (l->program_rows.data[i] && are_alike(l->program_rows.data[i], p)) {
            p = l->program_rows.data[i];
            break;
        }
    remember_program(l, program, p);
    return p;
}

/* Built with what tells names and kinds of arguments; it changes no kernel. */
static CL_API_ENTRY cl_int CL_API_CALL build_program(cl_program program, cl_uint count,
                                                     const cl_device_id *devices,
                                                     const char *options,
                                                     void(CL_CALLBACK *notify)(cl_program, void *),
                                                     void *user) {
    static const char kinds[] = "-cl-kernel-arg-info";
    layer *l = layer_enter();
    const char *given = options ? options : "", *more = given;
    layer_program *before = program_of(l, program),
                  *p = build_anew(l, program, count, devices, given);
    if (p)
        more = strstr(given, kinds) ? given : hd_format(l->arena, "%s %s", given, kinds);
    const cl_icd_dispatch *target = l->target;
    layer_leave(l);
    const cl_int error =
        target->clBuildProgram(program, count, devices, p ? more : options, notify, user);
    if (error == CL_INVALID_OPERATION && p) { /* it has kernels, and stays what it was */
        l = layer_enter();
        remember_program(l, program, before);
        layer_leave(l);
    }
    return error;
}

/* ---- kernels ----------------------------------------------------------------------------------------- */

static void remember_kernel(layer *l, cl_kernel kernel, layer_kernel *k) {
    hd_hash_set(&l->kernels, key_of(kernel), l->kernel_rows.count);
    hd_push(l->arena, &l->kernel_rows, k);
}

static void follow_kernel(layer *l, cl_kernel kernel, cl_program program) {
    char name[1024];
    layer_kernel *k = hd_new(l->arena, layer_kernel);
    if (l->target->clGetKernelInfo(kernel, CL_KERNEL_FUNCTION_NAME, sizeof name, name, NULL)) {
        remember_kernel(l, kernel, NULL);
        return;
    }
    k->program = program_of(l, program);
    if (k->program && !k->program->is_built) /* compiled and linked apart */
        k->program = NULL;
    k->name = hd_strdup(l->arena, name);
    remember_kernel(l, kernel, k);
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

static void keep_arg(layer *l, layer_kernel *k, cl_uint index, size_t bytes, const void *value) {
    while (k->args.count <= index)
        hd_push(l->arena, &k->args, (layer_arg){0});
    layer_arg *a = &k->args.data[index];
    void *copy = a->value && a->bytes == bytes ? (void *)a->value : hd_alloc(l->arena, bytes);
    if (value)
        memcpy(copy, value, bytes);
    *a = (layer_arg){true, bytes, value ? copy : NULL};
}

static CL_API_ENTRY cl_int CL_API_CALL set_arg(cl_kernel kernel, cl_uint index, size_t bytes,
                                               const void *value) {
    layer *l = layer_enter();
    const cl_int error = l->target->clSetKernelArg(kernel, index, bytes, value);
    layer_kernel *k = layer_kernel_of(l, kernel);
    if (k && !error)
        keep_arg(l, k, index, bytes, value);
    layer_leave(l);
    return error;
}

/* What shared memory is behind the pointer is not followed. */
static CL_API_ENTRY cl_int CL_API_CALL set_pointer(cl_kernel kernel, cl_uint index,
                                                   const void *pointer) {
    layer *l = layer_enter();
    const cl_int error = l->target->clSetKernelArgSVMPointer(kernel, index, pointer);
    layer_kernel *k = layer_kernel_of(l, kernel);
    if (k && !error) {
        keep_arg(l, k, index, sizeof pointer, &pointer);
        k->args.data[index].is_pointer = true;
    }
    layer_leave(l);
    return error;
}

/* What it says of memory behind pointers is of this kernel alone. */
static CL_API_ENTRY cl_int CL_API_CALL set_info(cl_kernel kernel, cl_kernel_exec_info what,
                                                size_t bytes, const void *value) {
    layer *l = layer_enter();
    const cl_int error = l->target->clSetKernelExecInfo(kernel, what, bytes, value);
    layer_kernel *k = layer_kernel_of(l, kernel);
    if (k && !error)
        k->is_fixed = true;
    layer_leave(l);
    return error;
}

static CL_API_ENTRY cl_kernel CL_API_CALL clone_kernel(cl_kernel from, cl_int *error) {
    layer *l = layer_enter();
    cl_kernel kernel = l->target->clCloneKernel(from, error);
    const layer_kernel *k = layer_kernel_of(l, from);
    if (kernel && k) {
        layer_kernel *copy = hd_new(l->arena, layer_kernel);
        *copy = (layer_kernel){.program = k->program, .name = k->name, .is_fixed = k->is_fixed};
        for (cl_uint i = 0; i < k->args.count; i++) {
            hd_push(l->arena, &copy->args, (layer_arg){0});
            if (k->args.data[i].is_set)
                keep_arg(l, copy, i, k->args.data[i].bytes, k->args.data[i].value);
            copy->args.data[i].is_pointer = k->args.data[i].is_pointer;
        }
        remember_kernel(l, kernel, copy);
    }
    layer_leave(l);
    return kernel;
}

static layer_param ask_param(const layer *l, cl_kernel kernel, cl_uint index) {
    const cl_icd_dispatch *t = l->target;
    cl_kernel_arg_address_qualifier where;
    cl_kernel_arg_type_qualifier how;
    char type[16];
    layer_param p = {.is_known = true, .is_written = true};
    p.has_address = !t->clGetKernelArgInfo(kernel, index, CL_KERNEL_ARG_ADDRESS_QUALIFIER,
                                           sizeof where, &where, NULL);
    p.is_memory = p.has_address && (where == CL_KERNEL_ARG_ADDRESS_GLOBAL ||
                                    where == CL_KERNEL_ARG_ADDRESS_CONSTANT);
    if (p.has_address &&
        !t->clGetKernelArgInfo(kernel, index, CL_KERNEL_ARG_TYPE_QUALIFIER, sizeof how, &how, NULL))
        p.is_written = where != CL_KERNEL_ARG_ADDRESS_CONSTANT && !(how & CL_KERNEL_ARG_TYPE_CONST);
    p.is_sampler =
        !t->clGetKernelArgInfo(kernel, index, CL_KERNEL_ARG_TYPE_NAME, sizeof type, type, NULL) &&
        !strcmp(type, "sampler_t");
    return p;
}

static layer_param param_of(const layer *l, cl_kernel kernel, cl_uint index) {
    layer_kernel *k = layer_kernel_of(l, kernel);
    while (k->params.count <= index)
        hd_push(l->arena, &k->params, (layer_param){0});
    layer_param *p = &k->params.data[index];
    if (!p->is_known)
        *p = ask_param(l, kernel, index);
    return *p;
}

layer_arg_kind layer_arg_kind_of(const layer *l, cl_kernel kernel, cl_uint index,
                                 const layer_arg *a) {
    if (!a->is_set || a->is_pointer)
        return LAYER_ARG_UNKNOWN;
    const layer_param param = param_of(l, kernel, index);
    const layer_buffer *memory = layer_arg_buffer(l, a);
    if (param.has_address ? param.is_memory : memory != NULL)
        return !memory                ? LAYER_ARG_UNKNOWN
               : memory->whole->image ? LAYER_ARG_IMAGE
                                      : LAYER_ARG_BUFFER;
    if (!a->value)
        return LAYER_ARG_LOCAL;
    if (!param.is_sampler)
        return LAYER_ARG_VALUE;
    return layer_sampler_of(l, *(const cl_sampler *)a->value) ? LAYER_ARG_SAMPLER
                                                              : LAYER_ARG_UNKNOWN;
}

const layer_buffer *layer_arg_buffer(const layer *l, const layer_arg *a) {
    return a->value && a->bytes == sizeof(cl_mem) ? layer_buffer_of(l, *(const cl_mem *)a->value)
                                                  : NULL;
}

bool layer_arg_is_written(const layer *l, cl_kernel kernel, cl_uint index) {
    return param_of(l, kernel, index).is_written;
}

/* ---- buffers ----------------------------------------------------------------------------------------- */

static void follow_buffer(layer *l, cl_mem memory, layer_buffer buffer) {
    hd_hash_set(&l->buffers, key_of(memory), l->buffer_rows.count);
    hd_push(l->arena, &l->buffer_rows, buffer);
}

void layer_forget_buffer(layer *l, cl_mem memory) {
    if (memory && layer_buffer_of(l, memory))
        follow_buffer(l, memory, (layer_buffer){0});
}

static void CL_CALLBACK is_gone(cl_mem memory, void *whole) {
    (void)memory;
    __atomic_store_n(&((layer_whole *)whole)->is_gone, true, __ATOMIC_RELEASE);
}

void layer_follow_whole(layer *l, layer_whole whole) {
    layer_whole *w = hd_new(l->arena, layer_whole);
    l->next_address += PAGE;
    *w = whole;
    w->address = l->next_address;
    l->next_address += hd_align_up(w->bytes, PAGE);
    hd_hash_set(&l->by_address, w->address, l->wholes.count);
    hd_push(l->arena, &l->wholes, w);
    l->target->clSetMemObjectDestructorCallback(w->memory, is_gone, w);
    follow_buffer(l, w->memory, (layer_buffer){w, 0, w->bytes});
}

static void follow_whole(layer *l, cl_context context, cl_mem memory, cl_mem_flags flags,
                         size_t bytes) {
    layer_follow_whole(
        l, (layer_whole){.memory = memory, .context = context, .flags = flags, .bytes = bytes});
}

layer_whole *layer_whole_at(const layer *l, uint64_t address) {
    const uint64_t row = hd_hash_get(&l->by_address, address);
    return row == HD_NO_VALUE ? NULL : l->wholes.data[row];
}

static CL_API_ENTRY cl_mem CL_API_CALL create_buffer(cl_context context, cl_mem_flags flags,
                                                     size_t bytes, void *host, cl_int *error) {
    layer *l = layer_enter();
    cl_mem memory = l->target->clCreateBuffer(context, flags, bytes, host, error);
    if (memory)
        follow_whole(l, context, memory, flags, bytes);
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
        follow_whole(l, context, memory, flags, bytes);
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
        follow_buffer(l, memory, (layer_buffer){of->whole, of->offset + r->origin, r->size});
    }
    layer_leave(l);
    return memory;
}

/* ---- queues ------------------------------------------------------------------------------------------ */

/* Of a context; or, NULL, those that the program has left. What one queue waits for may be in another
 * one, which nobody has flushed yet. */
static void finish_queues(layer *l, cl_context context) {
    for (size_t i = 0; i < l->queues.count; i++)
        l->target->clFlush(l->queues.data[i].queue);
    for (size_t i = l->queues.count; i-- > 0;) {
        const layer_queue q = l->queues.data[i];
        if (context ? q.context != context : q.holds > 0)
            continue;
        l->target->clFinish(q.queue);
        if (q.holds)
            continue;
        l->queues.data[i] = l->queues.data[--l->queues.count];
        l->target->clReleaseCommandQueue(q.queue);
    }
}

void layer_finish_all(layer *l, cl_context context) { finish_queues(l, context); }

static void follow_queue(layer *l, cl_command_queue queue, cl_context context) {
    if (!queue)
        return;
    if (!l->open_events)
        finish_queues(l, NULL);
    hd_push(l->arena, &l->queues, (layer_queue){queue, context, 1});
}

static CL_API_ENTRY cl_command_queue CL_API_CALL create_queue(cl_context context,
                                                              cl_device_id device,
                                                              cl_command_queue_properties how,
                                                              cl_int *error) {
    layer *l = layer_enter();
    cl_command_queue queue = l->target->clCreateCommandQueue(context, device, how, error);
    follow_queue(l, queue, context);
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
    follow_queue(l, queue, context);
    layer_leave(l);
    return queue;
}

static layer_queue *queue_of(const layer *l, cl_command_queue queue) {
    for (size_t i = 0; i < l->queues.count; i++)
        if (l->queues.data[i].queue == queue)
            return &l->queues.data[i];
    return NULL;
}

static CL_API_ENTRY cl_int CL_API_CALL retain_queue(cl_command_queue queue) {
    layer *l = layer_enter();
    const cl_int error = l->target->clRetainCommandQueue(queue);
    layer_queue *q = queue_of(l, queue);
    if (q && !error)
        q->holds++;
    layer_leave(l);
    return error;
}

/* A queue that the program has left may have commands that still run: it stays the layer's until they
 * are done. How often a driver holds a queue says nothing, since events hold it, too. */
static CL_API_ENTRY cl_int CL_API_CALL release_queue(cl_command_queue queue) {
    layer *l = layer_enter();
    layer_queue *q = queue_of(l, queue);
    const bool stays = q && q->holds == 1;
    if (q && q->holds)
        q->holds--;
    const cl_int error =
        stays ? l->target->clFlush(queue) : l->target->clReleaseCommandQueue(queue);
    layer_leave(l);
    return error;
}

/* ---- events of the program ----------------------------------------------------------------------------- */

static CL_API_ENTRY cl_event CL_API_CALL create_event(cl_context context, cl_int *error) {
    layer *l = layer_enter();
    /* What waits for it could not be finished: nothing may be left to convert while it is open. */
    if (l->apply && !l->open_events)
        layer_views_return(l);
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
    table->clCreateProgramWithBinary = create_of_binary;
    table->clCreateProgramWithBuiltInKernels = create_of_builtin;
    if (table->clCreateProgramWithIL)
        table->clCreateProgramWithIL = create_of_il;
    table->clLinkProgram = link_program;
    table->clBuildProgram = build_program;
    table->clCreateKernel = create_kernel;
    table->clCreateKernelsInProgram = create_kernels;
    table->clSetKernelArg = set_arg;
    if (table->clSetKernelArgSVMPointer)
        table->clSetKernelArgSVMPointer = set_pointer;
    if (table->clSetKernelExecInfo)
        table->clSetKernelExecInfo = set_info;
    if (table->clCloneKernel)
        table->clCloneKernel = clone_kernel;
    table->clCreateBuffer = create_buffer;
    table->clCreateBufferWithProperties = create_buffer_with;
    table->clCreateSubBuffer = create_part;
    table->clCreateCommandQueue = create_queue;
    table->clCreateCommandQueueWithProperties = create_queue_with;
    table->clRetainCommandQueue = retain_queue;
    table->clReleaseCommandQueue = release_queue;
}
