/*
 * OpenCL as a back end. Version 1.2 is enough.
 *
 * Every command of a queue waits for the event of the one before it, although the queue is in
 * order: only so is an error of one seen by the next, and in the end by finish().
 */
#include <stdlib.h>

#include "driver/opencl_library.h"
#include "remap/device.h"

typedef struct opencl {
    hd_opencl_library call;
    cl_context context;
    cl_device_id id;
} opencl;

/* A compiled kernel. */
typedef struct program {
    cl_program program;
    cl_kernel kernel;
} program;

static opencl *of(const hd_remap_device *device) { return device->state; }
static const hd_opencl_library *call_of(const hd_remap_device *device) { return &of(device)->call; }

static hd_status check(const hd_remap_device *device, cl_int error, const char *doing) {
    return error == CL_SUCCESS ? HD_OK
                               : hd_remap_device_fail(device, hd_opencl_error(error), "%s", doing);
}

/* ---- queues ---------------------------------------------------------------------- */

static hd_status make_queue(hd_remap_device *device, hd_remap_queue *queue) {
    cl_int error;
    queue->handle = call_of(device)->make_queue(of(device)->context, of(device)->id, 0, &error);
    return check(device, error, "make a queue");
}

static void forget_last(hd_remap_device *device, hd_remap_queue *queue) {
    if (queue->last)
        call_of(device)->release_event(queue->last);
    queue->last = NULL;
}

static void release_queue(hd_remap_device *device, hd_remap_queue *queue) {
    forget_last(device, queue);
    if (queue->handle)
        call_of(device)->release_queue(queue->handle);
    queue->handle = NULL;
}

/* What the next command is to wait for. */
static cl_uint wait_count(const hd_remap_queue *queue) { return queue->last ? 1 : 0; }
static const cl_event *waits(const hd_remap_queue *queue) {
    return queue->last ? (const cl_event *)&queue->last : NULL;
}

/* The command of `event` was queued, or not. */
static hd_status queued(hd_remap_device *device, hd_remap_queue *queue, cl_int error,
                        cl_event event, const char *doing) {
    if (error != CL_SUCCESS)
        return check(device, error, doing);
    forget_last(device, queue);
    queue->last = event;
    return HD_OK;
}

static hd_status flush(hd_remap_device *device, hd_remap_queue *queue) {
    return check(device, call_of(device)->flush(queue->handle), "start what is queued");
}

static hd_status finish(hd_remap_device *device, hd_remap_queue *queue) {
    if (!queue->last)
        return HD_OK;
    cl_int error = call_of(device)->wait_for_events(1, waits(queue));
    forget_last(device, queue);
    return check(device, error, "transfer and remap");
}

static void settle(hd_remap_device *device, hd_remap_queue *queue) {
    if (queue->handle)
        call_of(device)->finish(queue->handle);
    forget_last(device, queue);
}

static hd_status follow(hd_remap_device *device, hd_remap_queue *queue,
                        const hd_remap_queue *other) {
    cl_event event, both[2] = {queue->last, other->last};
    if (!other->last || queue == other)
        return HD_OK;
    cl_int error = call_of(device)->barrier(queue->handle, queue->last ? 2 : 1,
                                            queue->last ? both : both + 1, &event);
    return queued(device, queue, error, event, "let one queue wait for another");
}

/* ---- memory ---------------------------------------------------------------------- */

static hd_status make_buffer(hd_remap_device *device, cl_mem_flags flags, uint64_t bytes,
                             void *host, cl_mem *memory) {
    cl_int error;
    *memory = call_of(device)->make_buffer(of(device)->context, flags, (size_t)bytes, host, &error);
    if (error == CL_SUCCESS)
        return HD_OK;
    return hd_remap_device_fail(device, hd_opencl_error(error), "allocate %llu bytes",
                                (unsigned long long)bytes);
}

static hd_status allocate(hd_remap_device *device, uint64_t bytes, hd_remap_memory *memory) {
    return make_buffer(device, CL_MEM_READ_WRITE, bytes, NULL, &memory->opencl);
}

static void release(hd_remap_device *device, hd_remap_memory memory) {
    call_of(device)->release_memory(memory.opencl);
}

static uint64_t size_of(hd_remap_device *device, hd_remap_memory memory) {
    cl_context context = NULL;
    size_t bytes = 0;
    if (!memory.opencl ||
        call_of(device)->memory_info(memory.opencl, CL_MEM_CONTEXT, sizeof context, &context,
                                     NULL) != CL_SUCCESS ||
        context != of(device)->context)
        return 0;
    call_of(device)->memory_info(memory.opencl, CL_MEM_SIZE, sizeof bytes, &bytes, NULL);
    return bytes;
}

/* Memory that the driver allocates for itself and that stays mapped: on all known drivers of GPUs
 * it is pinned. */
static hd_status pin(hd_remap_device *device, uint64_t bytes, hd_remap_pinned *pinned) {
    cl_mem memory;
    cl_int error;
    hd_status status =
        make_buffer(device, CL_MEM_READ_WRITE | CL_MEM_ALLOC_HOST_PTR, bytes, NULL, &memory);
    if (status != HD_OK)
        return status;
    void *data =
        call_of(device)->map(device->slots[0].queue.handle, memory, CL_TRUE,
                             CL_MAP_READ | CL_MAP_WRITE, 0, (size_t)bytes, 0, NULL, NULL, &error);
    if (error != CL_SUCCESS) {
        release(device, (hd_remap_memory){.opencl = memory});
        return check(device, error, "pin memory of the host");
    }
    *pinned = (hd_remap_pinned){data, bytes, memory};
    return HD_OK;
}

static void unpin(hd_remap_device *device, hd_remap_pinned *pinned) {
    cl_command_queue queue = device->slots[0].queue.handle;
    call_of(device)->unmap(queue, pinned->handle, pinned->data, 0, NULL, NULL);
    call_of(device)->finish(queue);
    call_of(device)->release_memory(pinned->handle);
}

/* OpenCL has no way to ask. */
static bool is_pinned(hd_remap_device *device, const void *host) {
    (void)host;
    return device->is_unified;
}

static hd_status share_host(hd_remap_device *device, void *host, uint64_t bytes, bool written,
                            hd_remap_shared *shared) {
    *shared = (hd_remap_shared){.host = host, .bytes = bytes, .written = written};
    return make_buffer(device,
                       (written ? CL_MEM_READ_WRITE : CL_MEM_READ_ONLY) | CL_MEM_USE_HOST_PTR,
                       bytes, host, &shared->memory.opencl);
}

/* Mapping is what makes a driver that worked on a copy bring it back. */
static hd_status unshare_host(hd_remap_device *device, hd_remap_queue *queue, bool failed,
                              hd_remap_shared *shared) {
    cl_mem memory = shared->memory.opencl;
    cl_int error = CL_SUCCESS;
    if (shared->written && !failed) {
        void *data = call_of(device)->map(queue->handle, memory, CL_TRUE, CL_MAP_READ, 0,
                                          (size_t)shared->bytes, 0, NULL, NULL, &error);
        if (error == CL_SUCCESS)
            error = call_of(device)->unmap(queue->handle, memory, data, 0, NULL, NULL);
        if (error == CL_SUCCESS)
            error = call_of(device)->finish(queue->handle);
    }
    call_of(device)->release_memory(memory);
    return check(device, error, "bring back memory that was shared");
}

/* ---- transfers ------------------------------------------------------------------- */

static hd_status write(hd_remap_device *device, hd_remap_queue *queue, hd_remap_memory to,
                       const void *from, uint64_t bytes) {
    cl_event event;
    cl_int error = call_of(device)->write(queue->handle, to.opencl, CL_FALSE, 0, (size_t)bytes,
                                          from, wait_count(queue), waits(queue), &event);
    return queued(device, queue, error, event, "write to the device's memory");
}

static hd_status read(hd_remap_device *device, hd_remap_queue *queue, void *to,
                      hd_remap_memory from, uint64_t bytes) {
    cl_event event;
    cl_int error = call_of(device)->read(queue->handle, from.opencl, CL_FALSE, 0, (size_t)bytes, to,
                                         wait_count(queue), waits(queue), &event);
    return queued(device, queue, error, event, "read the device's memory");
}

static hd_status copy(hd_remap_device *device, hd_remap_queue *queue, hd_remap_memory to,
                      hd_remap_memory from, uint64_t bytes) {
    cl_event event;
    cl_int error = call_of(device)->copy(queue->handle, from.opencl, to.opencl, 0, 0, (size_t)bytes,
                                         wait_count(queue), waits(queue), &event);
    return queued(device, queue, error, event, "copy within the device's memory");
}

/* ---- kernels --------------------------------------------------------------------- */

static hd_status fail_build(hd_remap_device *device, cl_int error, cl_program failed) {
    size_t bytes = 0;
    if (error == CL_BUILD_PROGRAM_FAILURE)
        call_of(device)->build_info(failed, of(device)->id, CL_PROGRAM_BUILD_LOG, 0, NULL, &bytes);
    char *log = hd_zeroed(1, bytes + 1);
    if (bytes)
        call_of(device)->build_info(failed, of(device)->id, CL_PROGRAM_BUILD_LOG, bytes, log, NULL);
    hd_status status = hd_remap_device_fail(
        device, hd_opencl_error(error), "compile the remapping kernel%s%s", *log ? ":\n" : "", log);
    free(log);
    return status;
}

static void release_kernel(hd_remap_device *device, void *kernel) {
    program *built = kernel;
    if (built->kernel)
        call_of(device)->release_kernel(built->kernel);
    if (built->program)
        call_of(device)->release_program(built->program);
    free(built);
}

static hd_status build(hd_remap_device *device, const char *text, void **kernel) {
    program *built = hd_zeroed(1, sizeof *built);
    cl_int error;
    built->program = call_of(device)->make_program(of(device)->context, 1, &text, NULL, &error);
    if (error == CL_SUCCESS)
        error = call_of(device)->build(built->program, 1, &of(device)->id, "", NULL, NULL);
    if (error == CL_SUCCESS)
        built->kernel = call_of(device)->make_kernel(built->program, HD_REMAP_KERNEL, &error);
    *kernel = built;
    if (error == CL_SUCCESS)
        return HD_OK;
    hd_status status = fail_build(device, error, built->program);
    release_kernel(device, built);
    return status;
}

static cl_int set_arguments(hd_remap_device *device, cl_kernel kernel,
                            const hd_remap_arguments *arguments) {
    const hd_opencl_library *call = call_of(device);
    cl_ulong numbers[2] = {arguments->first, arguments->count};
    cl_int error = CL_SUCCESS;
    cl_uint a = 0;
    for (uint32_t p = 0; p < arguments->part_count && error == CL_SUCCESS; p++)
        error = call->set_argument(kernel, a++, sizeof(cl_mem), &arguments->parts[p].opencl);
    if (error == CL_SUCCESS)
        error = call->set_argument(kernel, a++, sizeof(cl_mem), &arguments->staging.opencl);
    if (error == CL_SUCCESS && arguments->numbers)
        error = call->set_argument(kernel, a++, sizeof(cl_mem), &arguments->numbers->opencl);
    for (int n = 0; n < 2 && error == CL_SUCCESS; n++)
        error = call->set_argument(kernel, a++, sizeof(cl_ulong), &numbers[n]);
    return error;
}

static hd_status launch(hd_remap_device *device, hd_remap_queue *queue, void *kernel,
                        const hd_remap_launch *shape, const hd_remap_arguments *arguments) {
    const program *built = kernel;
    size_t global[3], local[3];
    cl_event event = NULL;
    for (int d = 0; d < 3; d++) {
        local[d] = shape->items[d];
        global[d] = (size_t)shape->groups[d] * shape->items[d];
    }
    cl_int error = set_arguments(device, built->kernel, arguments);
    if (error == CL_SUCCESS)
        error = call_of(device)->launch(queue->handle, built->kernel, 3, NULL, global, local,
                                        wait_count(queue), waits(queue), &event);
    return queued(device, queue, error, event, "launch the remapping kernel");
}

/* ---- opening ----------------------------------------------------------------------- */

static const hd_remap_backend backend = {
    .dialect = HD_REMAP_OPENCL_C,
    .make_queue = make_queue,
    .release_queue = release_queue,
    .flush = flush,
    .finish = finish,
    .settle = settle,
    .follow = follow,
    .allocate = allocate,
    .release = release,
    .size_of = size_of,
    .pin = pin,
    .unpin = unpin,
    .is_pinned = is_pinned,
    .share = share_host,
    .unshare = unshare_host,
    .write = write,
    .read = read,
    .copy = copy,
    .build = build,
    .release_kernel = release_kernel,
    .launch = launch,
};

static bool has_device(const opencl *cl) {
    size_t bytes = 0;
    bool found = false;
    if (cl->call.context_info(cl->context, CL_CONTEXT_DEVICES, 0, NULL, &bytes) != CL_SUCCESS)
        return false;
    cl_device_id *ids = hd_checked(malloc(bytes + 1));
    cl->call.context_info(cl->context, CL_CONTEXT_DEVICES, bytes, ids, NULL);
    for (size_t d = 0; d < bytes / sizeof *ids; d++)
        found |= ids[d] == cl->id;
    free(ids);
    return found;
}

static const char *device_text(const hd_remap_device *device, cl_device_info what) {
    char text[512] = "";
    if (call_of(device)->device_info(of(device)->id, what, sizeof text - 1, text, NULL) !=
        CL_SUCCESS)
        return "an OpenCL device";
    return hd_strdup(device->arena, text);
}

static void describe(hd_remap_device *device) {
    cl_device_type type = 0;
    cl_bool unified = CL_FALSE;
    cl_ulong most = 0;
    device->name = device_text(device, CL_DEVICE_NAME);
    device->driver = device_text(device, CL_DRIVER_VERSION);
    call_of(device)->device_info(of(device)->id, CL_DEVICE_TYPE, sizeof type, &type, NULL);
    call_of(device)->device_info(of(device)->id, CL_DEVICE_HOST_UNIFIED_MEMORY, sizeof unified,
                                 &unified, NULL);
    call_of(device)->device_info(of(device)->id, CL_DEVICE_MAX_MEM_ALLOC_SIZE, sizeof most, &most,
                                 NULL);
    device->most_bytes = most;
    device->is_processor = type & CL_DEVICE_TYPE_CPU;
    device->is_unified = device->is_processor || unified;
}

hd_status hd_remap_open_opencl(const hd_diag *diag, struct _cl_context *context,
                               struct _cl_device_id *id, hd_remap_device **result) {
    if (hd_remap_needs(diag, result, "place for the device") != HD_OK)
        return HD_EINPUT;
    hd_remap_device *device = hd_remap_device_new(diag, &backend);
    opencl *cl = hd_new(device->arena, opencl);
    const char *missing;
    hd_status status = HD_OK;
    device->state = cl;
    cl->context = context;
    cl->id = id;
    if (!hd_opencl_open(device->arena, &cl->call, &missing))
        status = hd_fail(diag, HD_ESYSTEM, NULL, "cannot open an OpenCL device: %s", missing);
    else if (!context || !id || !has_device(cl))
        status = hd_fail(diag, HD_EINPUT, NULL,
                         "the OpenCL context does not have the device; give one that was made "
                         "for it");
    else
        describe(device);
    return hd_remap_device_finish(device, status, result);
}
