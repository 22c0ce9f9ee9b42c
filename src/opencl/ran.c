/*
 * Launches of a driver's queues that run on the machine. What the kernel can reach is read from the
 * device into the memory of buffers and images on the machine, and what it changed is written back; the program's
 * event is that of a marker behind it.
 *
 *     launch ──► the queue is finished ──► buffers read ──► machine ──► buffers written ──► marker
 *
 * What the machine does not run is run by the device, and so are launches that are not sampled.
 *
 * One launch at a time takes this way. While the driver reads or writes, neither the layer's lock nor the
 * machine's is held.
 */
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "opencl/layer.h"
#include "opencl/opencl_machine.h"
#include "opencl/platform.h"

static pthread_mutex_t one_launch = PTHREAD_MUTEX_INITIALIZER;

/* All that follows is under the machine's lock. */
static struct {
    cl_icd_dispatch followed;      /* the driver's calls, with what followed.c does; it stays */
    const cl_icd_dispatch *target; /* the same alone */
    hd_hash_table
        memories; /* of buffers and images on the machine, by layer_whole.address; 0: it is gone */
    hd_hash_table durations; /* ns of launches, by their events; 0: it is gone */
    hd_hash_table rows;      /* of `launches` by program and kernel */
    hd_vec(uint64_t) launches;
} ran;

static machine *enter(void) {
    machine *m = machine_enter();
    ran.memories.arena = ran.durations.arena = ran.rows.arena = m->arena;
    ran.rows.key_bytes = HD_TEXT_KEYS;
    return m;
}

/* ---- buffers --------------------------------------------------------------------------------------- */

/* The platform's have their memory on the machine already. */
static bool find_buffer(cl_mem memory, layer_buffer *buffer) {
    if (platform_has(memory))
        return false;
    layer *l = layer_enter();
    const layer_buffer *found = layer_buffer_of(l, memory);
    if (found)
        *buffer = *found;
    layer_leave(l);
    return found != NULL;
}

static void *memory_of(const layer_buffer *b) {
    const uint64_t found = hd_hash_get(&ran.memories, b->whole->address);
    return found == HD_NO_VALUE ? NULL : (void *)(uintptr_t)found; /* NOLINT: as it was kept */
}

/* For reads of what nobody wrote. Of bytes SIZE_MAX: all of it. */
static void note_written(cl_mem memory, size_t offset, size_t bytes) {
    layer_buffer b;
    if (!find_buffer(memory, &b))
        return;
    machine *m = enter();
    char *at = memory_of(&b);
    if (at && bytes == SIZE_MAX)
        hd_ptx_wrote(m->ptx, at, b.whole->bytes);
    else if (at)
        hd_ptx_wrote(m->ptx, at + b.offset + offset, bytes);
    machine_leave(m);
}

static void note_buffer(cl_mem memory, cl_mem_flags flags) {
    layer_buffer b;
    if (!memory || !find_buffer(memory, &b))
        return;
    machine *m = enter();
    hd_hash_set(&ran.memories, b.whole->address,
                (uint64_t)(uintptr_t)machine_buffer(m, b.whole->bytes, NULL));
    machine_leave(m);
    if (flags & (CL_MEM_COPY_HOST_PTR | CL_MEM_USE_HOST_PTR))
        note_written(memory, 0, SIZE_MAX);
}

static CL_API_ENTRY cl_mem CL_API_CALL create_buffer(cl_context context, cl_mem_flags flags,
                                                     size_t bytes, void *host, cl_int *error) {
    cl_mem memory = ran.followed.clCreateBuffer(context, flags, bytes, host, error);
    note_buffer(memory, flags);
    return memory;
}

static CL_API_ENTRY cl_mem CL_API_CALL create_buffer_with(cl_context context,
                                                          const cl_mem_properties *how,
                                                          cl_mem_flags flags, size_t bytes,
                                                          void *host, cl_int *error) {
    cl_mem memory =
        ran.followed.clCreateBufferWithProperties(context, how, flags, bytes, host, error);
    note_buffer(memory, flags);
    return memory;
}

/* An image has what it was made over. */
static cl_mem note_image(cl_mem image, cl_mem_flags flags, const cl_image_desc *desc) {
    note_buffer(image, flags);
    if (image && desc && desc->mem_object)
        note_written(image, 0, SIZE_MAX);
    return image;
}

static CL_API_ENTRY cl_mem CL_API_CALL create_image(cl_context context, cl_mem_flags flags,
                                                    const cl_image_format *format,
                                                    const cl_image_desc *desc, void *host,
                                                    cl_int *error) {
    return note_image(ran.followed.clCreateImage(context, flags, format, desc, host, error), flags,
                      desc);
}

static CL_API_ENTRY cl_mem CL_API_CALL create_image_with(
    cl_context context, const cl_mem_properties *how, cl_mem_flags flags,
    const cl_image_format *format, const cl_image_desc *desc, void *host, cl_int *error) {
    return note_image(
        ran.followed.clCreateImageWithProperties(context, how, flags, format, desc, host, error),
        flags, desc);
}

static CL_API_ENTRY cl_mem CL_API_CALL create_image_2d(cl_context context, cl_mem_flags flags,
                                                       const cl_image_format *format, size_t width,
                                                       size_t height, size_t pitch, void *host,
                                                       cl_int *error) {
    return note_image(
        ran.followed.clCreateImage2D(context, flags, format, width, height, pitch, host, error),
        flags, NULL);
}

static CL_API_ENTRY cl_mem CL_API_CALL create_image_3d(cl_context context, cl_mem_flags flags,
                                                       const cl_image_format *format, size_t width,
                                                       size_t height, size_t depth, size_t row,
                                                       size_t slice, void *host, cl_int *error) {
    return note_image(ran.followed.clCreateImage3D(context, flags, format, width, height, depth,
                                                   row, slice, host, error),
                      flags, NULL);
}

static bool is_held_once(cl_mem memory) {
    cl_uint held = 0;
    return !ran.followed.clGetMemObjectInfo(memory, CL_MEM_REFERENCE_COUNT, sizeof held, &held,
                                            NULL) &&
           held == 1;
}

/* The last part of a buffer that the program has released before takes it along. */
static CL_API_ENTRY cl_int CL_API_CALL release_memory(cl_mem memory) {
    layer_buffer b;
    if (find_buffer(memory, &b) && is_held_once(memory) &&
        (b.whole->memory == memory || is_held_once(b.whole->memory))) {
        machine *m = enter();
        machine_free(m, memory_of(&b));
        hd_hash_set(&ran.memories, b.whole->address, 0);
        machine_leave(m);
    }
    return ran.followed.clReleaseMemObject(memory);
}

/* ---- what the host writes -------------------------------------------------------------------------- */

static CL_API_ENTRY cl_int CL_API_CALL write_buffer(cl_command_queue queue, cl_mem memory,
                                                    cl_bool blocking, size_t offset, size_t bytes,
                                                    const void *from, cl_uint count,
                                                    const cl_event *wait, cl_event *event) {
    note_written(memory, offset, bytes);
    return ran.followed.clEnqueueWriteBuffer(queue, memory, blocking, offset, bytes, from, count,
                                             wait, event);
}

static CL_API_ENTRY cl_int CL_API_CALL write_rect(cl_command_queue queue, cl_mem memory,
                                                  cl_bool blocking, const size_t *buffer_origin,
                                                  const size_t *host_origin, const size_t *region,
                                                  size_t buffer_row, size_t buffer_slice,
                                                  size_t host_row, size_t host_slice,
                                                  const void *from, cl_uint count,
                                                  const cl_event *wait, cl_event *event) {
    note_written(memory, 0, SIZE_MAX);
    return ran.followed.clEnqueueWriteBufferRect(queue, memory, blocking, buffer_origin,
                                                 host_origin, region, buffer_row, buffer_slice,
                                                 host_row, host_slice, from, count, wait, event);
}

static CL_API_ENTRY cl_int CL_API_CALL copy_buffer(cl_command_queue queue, cl_mem from, cl_mem to,
                                                   size_t from_offset, size_t to_offset,
                                                   size_t bytes, cl_uint count,
                                                   const cl_event *wait, cl_event *event) {
    note_written(to, to_offset, bytes);
    return ran.followed.clEnqueueCopyBuffer(queue, from, to, from_offset, to_offset, bytes, count,
                                            wait, event);
}

static CL_API_ENTRY cl_int CL_API_CALL copy_rect(cl_command_queue queue, cl_mem from, cl_mem to,
                                                 const size_t *from_origin, const size_t *to_origin,
                                                 const size_t *region, size_t from_row,
                                                 size_t from_slice, size_t to_row, size_t to_slice,
                                                 cl_uint count, const cl_event *wait,
                                                 cl_event *event) {
    note_written(to, 0, SIZE_MAX);
    return ran.followed.clEnqueueCopyBufferRect(queue, from, to, from_origin, to_origin, region,
                                                from_row, from_slice, to_row, to_slice, count, wait,
                                                event);
}

static CL_API_ENTRY cl_int CL_API_CALL copy_image(cl_command_queue queue, cl_mem image, cl_mem to,
                                                  const size_t *origin, const size_t *region,
                                                  size_t offset, cl_uint count,
                                                  const cl_event *wait, cl_event *event) {
    note_written(to, 0, SIZE_MAX);
    return ran.followed.clEnqueueCopyImageToBuffer(queue, image, to, origin, region, offset, count,
                                                   wait, event);
}

static CL_API_ENTRY cl_int CL_API_CALL fill_buffer(cl_command_queue queue, cl_mem memory,
                                                   const void *pattern, size_t pattern_bytes,
                                                   size_t offset, size_t bytes, cl_uint count,
                                                   const cl_event *wait, cl_event *event) {
    note_written(memory, offset, bytes);
    return ran.followed.clEnqueueFillBuffer(queue, memory, pattern, pattern_bytes, offset, bytes,
                                            count, wait, event);
}

static CL_API_ENTRY void *CL_API_CALL map_buffer(cl_command_queue queue, cl_mem memory,
                                                 cl_bool blocking, cl_map_flags flags,
                                                 size_t offset, size_t bytes, cl_uint count,
                                                 const cl_event *wait, cl_event *event,
                                                 cl_int *error) {
    if (flags & (CL_MAP_WRITE | CL_MAP_WRITE_INVALIDATE_REGION))
        note_written(memory, offset, bytes);
    return ran.followed.clEnqueueMapBuffer(queue, memory, blocking, flags, offset, bytes, count,
                                           wait, event, error);
}

/* Texels are noted image by image: where boxes of an image stand is the driver's. */
static CL_API_ENTRY cl_int CL_API_CALL write_image(cl_command_queue queue, cl_mem image,
                                                   cl_bool blocking, const size_t *origin,
                                                   const size_t *region, size_t row, size_t slice,
                                                   const void *from, cl_uint count,
                                                   const cl_event *wait, cl_event *event) {
    note_written(image, 0, SIZE_MAX);
    return ran.followed.clEnqueueWriteImage(queue, image, blocking, origin, region, row, slice,
                                            from, count, wait, event);
}

static CL_API_ENTRY cl_int CL_API_CALL copy_images(cl_command_queue queue, cl_mem from, cl_mem to,
                                                   const size_t *from_origin,
                                                   const size_t *to_origin, const size_t *region,
                                                   cl_uint count, const cl_event *wait,
                                                   cl_event *event) {
    note_written(to, 0, SIZE_MAX);
    return ran.followed.clEnqueueCopyImage(queue, from, to, from_origin, to_origin, region, count,
                                           wait, event);
}

static CL_API_ENTRY cl_int CL_API_CALL copy_to_image(cl_command_queue queue, cl_mem from,
                                                     cl_mem image, size_t offset,
                                                     const size_t *origin, const size_t *region,
                                                     cl_uint count, const cl_event *wait,
                                                     cl_event *event) {
    note_written(image, 0, SIZE_MAX);
    return ran.followed.clEnqueueCopyBufferToImage(queue, from, image, offset, origin, region,
                                                   count, wait, event);
}

static CL_API_ENTRY cl_int CL_API_CALL fill_image(cl_command_queue queue, cl_mem image,
                                                  const void *color, const size_t *origin,
                                                  const size_t *region, cl_uint count,
                                                  const cl_event *wait, cl_event *event) {
    note_written(image, 0, SIZE_MAX);
    return ran.followed.clEnqueueFillImage(queue, image, color, origin, region, count, wait, event);
}

static CL_API_ENTRY void *CL_API_CALL map_image(cl_command_queue queue, cl_mem image,
                                                cl_bool blocking, cl_map_flags flags,
                                                const size_t *origin, const size_t *region,
                                                size_t *row, size_t *slice, cl_uint count,
                                                const cl_event *wait, cl_event *event,
                                                cl_int *error) {
    if (flags & (CL_MAP_WRITE | CL_MAP_WRITE_INVALIDATE_REGION))
        note_written(image, 0, SIZE_MAX);
    return ran.followed.clEnqueueMapImage(queue, image, blocking, flags, origin, region, row, slice,
                                          count, wait, event, error);
}

/* ---- a launch ---------------------------------------------------------------------------------------- */

typedef struct given_arg {
    layer_arg arg;
    bool is_buffer; /* a value that is the handle of one, or of an image; */
    layer_buffer buffer;
    bool is_sampler; /* of a sampler */
    uint32_t sampler;
} given_arg;

/* A whole buffer that the kernel can reach. */
typedef struct reached {
    const layer_whole *whole;
    void *memory;
    XXH64_hash_t before; /* of what it held */
} reached;

typedef struct request {
    hd_arena *arena;
    cl_command_queue queue;
    const char *kernel;
    const char *why; /* it is not for the machine; NULL: it is */
    const layer_program *program;
    given_arg *args;
    size_t arg_count;
    hd_ptx_launch_size size;
    hd_ptx_kernel *found;
    void **values; /* as hd_ptx_launch() takes them */
    hd_vec(reached) reached;
} request;

/* What the layer knows of a launch now, so that other threads may go on. */
static void take_request(request *r, cl_command_queue queue, cl_kernel kernel) {
    layer *l = layer_enter();
    const layer_kernel *k = layer_kernel_of(l, kernel);
    *r = (request){.arena = hd_arena_new(), .queue = queue, .kernel = "?"};
    /* What waits for an event that is not set would never be finished. */
    r->why = l->open_events ? "events of the program that it has not set yet"
             : !k           ? "kernels that are not followed"
             : !k->program  ? "programs that are not made of source in one step"
                            : NULL;
    if (k) {
        r->kernel = k->name;
        r->program = k->program;
        r->arg_count = k->args.count;
        r->args = hd_new_array(r->arena, given_arg, k->args.count + 1);
        for (size_t i = 0; i < k->args.count; i++) {
            given_arg *a = &r->args[i];
            a->arg = k->args.data[i];
            void *copy = hd_alloc(r->arena, a->arg.bytes + 1);
            if (a->arg.value)
                a->arg.value = memcpy(copy, a->arg.value, a->arg.bytes);
            const layer_buffer *b = layer_arg_buffer(l, &k->args.data[i]);
            a->is_buffer = b != NULL;
            a->buffer = b ? *b : (layer_buffer){0};
            const layer_sampler *s = layer_arg_sampler(l, &k->args.data[i]);
            a->is_sampler = s != NULL;
            a->sampler = s ? s->bits : 0;
        }
    }
    layer_leave(l);
}

/* Its memory on the machine; NULL: it has none. */
static char *reach(request *r, const layer_buffer *b) {
    for (size_t i = 0; i < r->reached.count; i++)
        if (r->reached.data[i].whole == b->whole)
            return r->reached.data[i].memory;
    char *memory = memory_of(b);
    if (memory)
        hd_push(r->arena, &r->reached, (reached){.whole = b->whole, .memory = memory});
    return memory;
}

#define NOT_FOLLOWED "arguments that are not followed (pipes, SVM, images of rare formats)"

/* A pointer as the machine takes it; NULL, or what keeps it from that. */
static const char *bind_pointer(request *r, const kir_param *param, const given_arg *a,
                                uint64_t *number) {
    if (param->type.space == KIR_LOCAL) {
        *number = a->arg.bytes;
    } else if (a->is_buffer && (param->object == KIR_IMAGE) == (a->buffer.whole->image != NULL)) {
        char *memory = reach(r, &a->buffer);
        if (!memory)
            return "buffers that the machine has no memory for";
        *number = (uint64_t)(uintptr_t)memory + a->buffer.offset;
    } else if (param->object == KIR_IMAGE || (a->arg.value && *(const cl_mem *)a->arg.value)) {
        return NOT_FOLLOWED;
    }
    return NULL;
}

static const char *bind_arg(request *r, const kir_param *param, size_t index) {
    given_arg *a = &r->args[index];
    if (index >= r->arg_count || !a->arg.is_set || a->arg.is_pointer)
        return NOT_FOLLOWED;
    uint64_t *number = hd_new(r->arena, uint64_t);
    r->values[index] = number;
    if (param->type.kind == KIR_PTR && !param->by_value_struct)
        return bind_pointer(r, param, a, number);
    if (param->object == KIR_SAMPLER) {
        *number = a->sampler;
        return a->is_sampler ? NULL : NOT_FOLLOWED;
    }
    r->values[index] = (void *)a->arg.value;
    return a->arg.value ? NULL : "arguments without a value";
}

static const char *bind_args(request *r) {
    const kir_kernel *kernel = hd_ptx_kernel_ir(r->found);
    const uint32_t given = kir_given_params(kernel);
    const char *why = NULL;
    r->values = hd_new_array(r->arena, void *, kernel->param_count + 1);
    for (uint32_t i = 0; i < given && !why; i++)
        why = bind_arg(r, &kernel->params[i], i);
    for (uint32_t i = given; i < kernel->param_count && !why; i++) {
        uint32_t image, *number = hd_new(r->arena, uint32_t);
        const char *what = kir_asked_of_image(kernel, i, &image);
        *number = kir_image_number(r->args[image].buffer.whole->image, what);
        r->values[i] = number;
    }
    return why;
}

static bool read_all(request *r) {
    bool fine = true;
    for (size_t i = 0; i < r->reached.count && fine; i++) {
        reached *b = &r->reached.data[i];
        fine = !layer_move(ran.target, r->queue, b->whole, b->memory, false);
        b->before = XXH3_64bits(b->memory, b->whole->bytes);
    }
    return fine;
}

static bool write_back(const request *r) {
    bool fine = true;
    for (size_t i = 0; i < r->reached.count; i++) {
        const reached *b = &r->reached.data[i];
        if (XXH3_64bits(b->memory, b->whole->bytes) != b->before)
            fine &= !layer_move(ran.target, r->queue, b->whole, b->memory, true);
    }
    return fine;
}

/* The first of every so many launches of a kernel. */
static bool is_sampled(machine *m, const request *r) {
    const char *key = hd_format(r->arena, "%p %s", (const void *)r->program, r->kernel);
    uint64_t row = hd_hash_get_key(&ran.rows, key);
    if (row == HD_NO_VALUE) {
        row = hd_hash_add_key(&ran.rows, hd_strdup(m->arena, key), ran.launches.count);
        hd_push(m->arena, &ran.launches, 0);
    }
    return ran.launches.data[row]++ % hd_watch_sample(m->watch) == 0;
}

/* The launch as the machine takes it; NULL, or what keeps it from that. */
static const char *prepare(machine *m, request *r, cl_uint dims, const size_t *offset,
                           const size_t *global, const size_t *local) {
    const char *why = NULL;
    if (!is_sampled(m, r))
        return hd_format(r->arena, "--sample %llu", (unsigned long long)hd_watch_sample(m->watch));
    const machine_program *program = machine_compile(m, r->program->text, r->program->options);
    if (!(r->found = machine_kernel(m, program, r->kernel, &why)))
        return why ? why : "what the machine does not know of it";
    if (!local && hd_ptx_facts(r->found).required_threads[0]) /* some drivers refuse that */
        return "a size of work-groups that the kernel asks for and the launch does not give";
    why = machine_size(r->found, dims, offset, global, local, &r->size);
    return why ? why : bind_args(r);
}

/* The launch on the machine; NULL, or what keeps it from there, and then nothing has happened. */
static const char *run(request *r, cl_uint dims, const size_t *offset, const size_t *global,
                       const size_t *local, hd_ptx_counts *counts, cl_int *error) {
    machine *m = enter();
    const char *why = prepare(m, r, dims, offset, global, local);
    machine_leave(m);
    if (why)
        return why;
    if (!read_all(r))
        return "buffers that cannot be read";
    m = enter();
    const hd_status status = machine_launch(m, r->found, &r->size, r->values, counts);
    machine_leave(m);
    *error = write_back(r) && !status ? CL_SUCCESS : CL_OUT_OF_RESOURCES;
    return NULL;
}

static void note_event(cl_event event, double seconds) {
    machine *m = enter();
    hd_hash_set(&ran.durations, (uint64_t)(uintptr_t)event, (uint64_t)(seconds * 1e9) + 1);
    machine_leave(m);
}

static cl_int run_on_device(const request *r, cl_kernel kernel, cl_uint dims, const size_t *offset,
                            const size_t *global, const size_t *local, cl_uint count,
                            const cl_event *wait, cl_event *event) {
    const cl_int error = ran.followed.clEnqueueNDRangeKernel(r->queue, kernel, dims, offset, global,
                                                             local, count, wait, event);
    if (error)
        return error;
    machine *m = enter();
    hd_watch_left_out(m->watch, r->kernel, r->why);
    machine_leave(m);
    for (size_t i = 0; i < r->arg_count; i++)
        if (r->args[i].is_buffer)
            note_written(r->args[i].buffer.whole->memory, 0, SIZE_MAX);
    return CL_SUCCESS;
}

static cl_int launch_request(request *r, cl_kernel kernel, cl_uint dims, const size_t *offset,
                             const size_t *global, const size_t *local, cl_uint count,
                             const cl_event *wait, cl_event *event) {
    hd_ptx_counts counts = {0};
    cl_int error = CL_SUCCESS;
    if (!r->why) {
        if (count && (error = ran.followed.clWaitForEvents(count, wait)))
            return error;
        ran.followed.clFinish(r->queue);
        pthread_mutex_lock(&one_launch);
        r->why = run(r, dims, offset, global, local, &counts, &error);
        pthread_mutex_unlock(&one_launch);
    }
    if (r->why)
        return run_on_device(r, kernel, dims, offset, global, local, count, wait, event);
    if (!error && event) {
        error = ran.followed.clEnqueueMarkerWithWaitList(r->queue, 0, NULL, event);
        if (!error)
            note_event(*event, counts.seconds);
    }
    return error;
}

static CL_API_ENTRY cl_int CL_API_CALL launch(cl_command_queue queue, cl_kernel kernel,
                                              cl_uint dims, const size_t *offset,
                                              const size_t *global, const size_t *local,
                                              cl_uint count, const cl_event *wait,
                                              cl_event *event) {
    request r;
    /* The platform's own run on the machine already; what is wrong the driver says. */
    if (!queue || platform_has(queue) || !global || dims < 1 || dims > 3)
        return ran.followed.clEnqueueNDRangeKernel(queue, kernel, dims, offset, global, local,
                                                   count, wait, event);
    take_request(&r, queue, kernel);
    const cl_int error =
        launch_request(&r, kernel, dims, offset, global, local, count, wait, event);
    hd_arena_free(r.arena);
    return error;
}

/* A launch of one thread. */
static CL_API_ENTRY cl_int CL_API_CALL launch_task(cl_command_queue queue, cl_kernel kernel,
                                                   cl_uint count, const cl_event *wait,
                                                   cl_event *event) {
    const size_t one = 1;
    return launch(queue, kernel, 1, NULL, &one, &one, count, wait, event);
}

/* ---- events of launches ------------------------------------------------------------------------------ */

/* 0: it is none of them, else the duration of its launch and 1 ns. */
static uint64_t duration_of(cl_event event) {
    machine *m = enter();
    const uint64_t found = hd_hash_get(&ran.durations, (uint64_t)(uintptr_t)event);
    machine_leave(m);
    return found == HD_NO_VALUE ? 0 : found;
}

static CL_API_ENTRY cl_int CL_API_CALL event_info(cl_event event, cl_event_info what, size_t room,
                                                  void *to, size_t *needs) {
    const cl_int error = ran.followed.clGetEventInfo(event, what, room, to, needs);
    if (!error && to && what == CL_EVENT_COMMAND_TYPE && duration_of(event))
        *(cl_command_type *)to = CL_COMMAND_NDRANGE_KERNEL;
    return error;
}

/* The launch ended when its marker did. */
static CL_API_ENTRY cl_int CL_API_CALL event_times(cl_event event, cl_profiling_info what,
                                                   size_t room, void *to, size_t *needs) {
    const uint64_t duration = duration_of(event);
    const bool is_before_end = duration && what != CL_PROFILING_COMMAND_COMPLETE;
    const cl_int error = ran.followed.clGetEventProfilingInfo(
        event, is_before_end ? CL_PROFILING_COMMAND_END : what, room, to, needs);
    if (!error && to && is_before_end && what != CL_PROFILING_COMMAND_END)
        *(cl_ulong *)to -= duration;
    return error;
}

static CL_API_ENTRY cl_int CL_API_CALL release_event(cl_event event) {
    cl_uint held = 0;
    if (duration_of(event) &&
        !ran.followed.clGetEventInfo(event, CL_EVENT_REFERENCE_COUNT, sizeof held, &held, NULL) &&
        held == 1) {
        machine *m = enter();
        hd_hash_set(&ran.durations, (uint64_t)(uintptr_t)event, 0);
        machine_leave(m);
    }
    return ran.followed.clReleaseEvent(event);
}

void layer_runs(cl_icd_dispatch *table) {
    layer *l = layer_enter();
    ran.followed = *table;
    ran.target = l->target;
    layer_leave(l);
    machine_leave(enter());
    table->clCreateBuffer = create_buffer;
    table->clCreateBufferWithProperties = create_buffer_with;
    table->clCreateImage = create_image;
    if (table->clCreateImageWithProperties)
        table->clCreateImageWithProperties = create_image_with;
    table->clCreateImage2D = create_image_2d;
    table->clCreateImage3D = create_image_3d;
    table->clReleaseMemObject = release_memory;
    table->clEnqueueWriteBuffer = write_buffer;
    table->clEnqueueWriteBufferRect = write_rect;
    table->clEnqueueCopyBuffer = copy_buffer;
    table->clEnqueueCopyBufferRect = copy_rect;
    table->clEnqueueCopyImageToBuffer = copy_image;
    table->clEnqueueWriteImage = write_image;
    table->clEnqueueCopyImage = copy_images;
    table->clEnqueueCopyBufferToImage = copy_to_image;
    table->clEnqueueFillImage = fill_image;
    table->clEnqueueMapImage = map_image;
    table->clEnqueueFillBuffer = fill_buffer;
    table->clEnqueueMapBuffer = map_buffer;
    table->clEnqueueNDRangeKernel = launch;
    table->clEnqueueTask = launch_task;
    table->clGetEventInfo = event_info;
    table->clGetEventProfilingInfo = event_times;
    table->clReleaseEvent = release_event;
}
