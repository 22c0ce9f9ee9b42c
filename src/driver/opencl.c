/*
 * OpenCL as a driver of compute.h. Version 1.2 is enough; shared virtual memory is of 2.0.
 *
 * Every command of a queue waits for the event of the one before it, although the queue is in
 * order: only so is an error of one seen by the next, and in the end by finish().
 */
#include <stdio.h>
#include <stdlib.h>

#include "driver/in_place.h"
#include "driver/opencl_library.h"

_Static_assert(sizeof(cl_mem) == sizeof(hd_compute_memory), "a cl_mem is a number of 64 bits");

typedef struct opencl {
    hd_compute base;
    driver_opencl_library call;
    cl_context context;
    cl_device_id id;
    bool joined; /* the context is not ours */
} opencl;

struct hd_compute_program {
    hd_arena *arena;
    cl_program handle;
    hd_vec(cl_kernel) kernels;
};

static opencl *of(hd_compute *gpu) { return (opencl *)gpu; }
static const driver_opencl_library *call_of(hd_compute *gpu) { return &of(gpu)->call; }
static cl_mem buffer_of(hd_compute_memory memory) { return (cl_mem)(uintptr_t)memory; }

static const char *check(hd_compute *gpu, cl_int error, const char *doing) {
    if (error == CL_SUCCESS)
        return NULL;
    snprintf(gpu->doing, sizeof gpu->doing, "%s", doing);
    return driver_opencl_error(error);
}

/* ---- devices ------------------------------------------------------------------------- */

static const char *device_text(hd_arena *arena, const driver_opencl_library *call, cl_device_id id,
                               cl_device_info what) {
    char text[512] = "";
    if (call->device_info(id, what, sizeof text - 1, text, NULL) != CL_SUCCESS)
        return "unknown";
    return hd_strdup(arena, text);
}

static hd_compute_device describe(hd_arena *arena, const driver_opencl_library *call,
                                  cl_device_id id) {
    cl_device_type type = 0;
    call->device_info(id, CL_DEVICE_TYPE, sizeof type, &type, NULL);
    return (hd_compute_device){.backend = "opencl",
                               .id = "",
                               .platform = "",
                               .name = device_text(arena, call, id, CL_DEVICE_NAME),
                               .driver = device_text(arena, call, id, CL_DRIVER_VERSION),
                               .is_processor = type & CL_DEVICE_TYPE_CPU};
}

typedef hd_vec(hd_compute_device) device_list;
typedef hd_vec(cl_device_id) id_list;

static void find_devices(hd_arena *arena, const driver_opencl_library *call, device_list *devices,
                         id_list *ids) {
    enum { MOST_PLATFORMS = 64, MOST_DEVICES = 256 };
    cl_platform_id platforms[MOST_PLATFORMS];
    cl_device_id found[MOST_DEVICES];
    cl_uint platform_count = 0;
    if (call->get_platforms(MOST_PLATFORMS, platforms, &platform_count) != CL_SUCCESS)
        return;
    for (cl_uint p = 0; p < platform_count && p < MOST_PLATFORMS; p++) {
        cl_uint count = 0;
        char name[512] = "unknown";
        if (call->get_devices(platforms[p], CL_DEVICE_TYPE_ALL, MOST_DEVICES, found, &count) !=
            CL_SUCCESS)
            continue;
        call->platform_info(platforms[p], CL_PLATFORM_NAME, sizeof name - 1, name, NULL);
        for (cl_uint d = 0; d < count && d < MOST_DEVICES; d++) {
            hd_compute_device device = describe(arena, call, found[d]);
            device.id = hd_format(arena, "%u:%u", p, d);
            device.platform = hd_strdup(arena, name);
            hd_push(arena, devices, device);
            hd_push(arena, ids, found[d]);
        }
    }
}

static hd_compute_device *list_devices(hd_arena *arena, uint32_t *count, const char **missing) {
    driver_opencl_library call;
    device_list devices = {0};
    id_list ids = {0};
    *count = 0;
    if (!driver_opencl_open(arena, &call, missing))
        return NULL;
    find_devices(arena, &call, &devices, &ids);
    *count = (uint32_t)devices.count;
    *missing = "install a driver, for the processor the Debian package pocl-opencl-icd";
    return devices.data;
}

/* ---- opening ------------------------------------------------------------------------- */

static void read_limits(hd_compute *gpu) {
    const driver_opencl_library *call = call_of(gpu);
    cl_device_id id = of(gpu)->id;
    cl_bool unified = CL_FALSE;
    cl_ulong most = 0;
    cl_uint units = 1;
    call->device_info(id, CL_DEVICE_HOST_UNIFIED_MEMORY, sizeof unified, &unified, NULL);
    call->device_info(id, CL_DEVICE_MAX_MEM_ALLOC_SIZE, sizeof most, &most, NULL);
    call->device_info(id, CL_DEVICE_MAX_COMPUTE_UNITS, sizeof units, &units, NULL);
    gpu->most_bytes = most;
    gpu->units = units ? units : 1;
    gpu->is_unified = gpu->device.is_processor || unified;
}

static void close_device(hd_compute *gpu) {
    if (!of(gpu)->joined)
        call_of(gpu)->release_context(of(gpu)->context);
    free(gpu->log);
}

static const char *open_device(hd_arena *arena, const char *id, hd_compute **gpu) {
    opencl *cl = hd_new(arena, opencl);
    const char *missing;
    device_list devices = {0};
    id_list ids = {0};
    cl_int error = CL_DEVICE_NOT_FOUND;
    *gpu = NULL;
    cl->base.api = &hd_compute_opencl;
    if (!driver_opencl_open(arena, &cl->call, &missing))
        return missing;
    find_devices(arena, &cl->call, &devices, &ids);
    for (size_t d = 0; d < devices.count && !cl->id; d++)
        if (!strcmp(devices.data[d].id, id)) {
            cl->base.device = devices.data[d];
            cl->id = ids.data[d];
        }
    if (cl->id)
        cl->context = cl->call.make_context(NULL, 1, &cl->id, NULL, NULL, &error);
    if (error != CL_SUCCESS)
        return driver_opencl_error(error);
    read_limits(&cl->base);
    *gpu = &cl->base;
    return NULL;
}

/* A context that was made for a part of a device may have the whole (PoCL's has). */
static cl_device_id whole_of(const driver_opencl_library *call, cl_device_id id) {
    cl_device_id parent = NULL;
    call->device_info(id, CL_DEVICE_PARENT_DEVICE, sizeof parent, &parent, NULL);
    return parent;
}

hd_status hd_compute_join_opencl(hd_arena *arena, const struct _cl_icd_dispatch *calls,
                                 cl_context context, cl_device_id id, hd_compute **gpu,
                                 const char **why) {
    opencl *cl = hd_new(arena, opencl);
    *cl = (opencl){.base.api = &hd_compute_opencl, .context = context, .id = id, .joined = true};
    *gpu = NULL;
    if (calls)
        driver_opencl_take(calls, &cl->call);
    else if (!driver_opencl_open(arena, &cl->call, why))
        return HD_ESYSTEM;
    size_t bytes = 0;
    bool found = false;
    if (context && id &&
        cl->call.context_info(context, CL_CONTEXT_DEVICES, 0, NULL, &bytes) == CL_SUCCESS) {
        cl_device_id *ids = hd_checked(malloc(bytes + 1));
        cl->call.context_info(context, CL_CONTEXT_DEVICES, bytes, ids, NULL);
        for (cl_device_id part = id; part && !found; part = whole_of(&cl->call, part))
            for (size_t d = 0; d < bytes / sizeof *ids; d++)
                found |= ids[d] == part;
        free(ids);
    }
    *why = "the context does not have the device";
    if (!found)
        return HD_EINPUT;
    cl->base.device = describe(arena, &cl->call, id);
    read_limits(&cl->base);
    *gpu = &cl->base;
    return HD_OK;
}

/* A number of four or eight bytes, of the device or of a kernel. */
static uint64_t ask(hd_compute *gpu, void *kernel, hd_compute_figure figure, const char **query) {
    /* NVIDIA's and AMD's are those of cl_nv_device_attribute_query and cl_amd_device_attribute_query.
     * CL_DEVICE_GLOBAL_MEM_CACHE_SIZE is not asked for: by driver it is a cache of a compute unit,
     * all of these, or the last cache before memory. */
    static const struct {
        hd_compute_figure figure;
        cl_uint what;
        bool of_kernel;
        const char *name;
    } queries[] = {
        {HD_COMPUTE_WARP, 0x4003, false, "CL_DEVICE_WARP_SIZE_NV"},
        {HD_COMPUTE_WARP, 0x4043, false, "CL_DEVICE_WAVEFRONT_WIDTH_AMD"},
        {HD_COMPUTE_WARP, CL_KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE, true,
         "CL_KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE"},
        {HD_COMPUTE_GROUP, CL_DEVICE_MAX_WORK_GROUP_SIZE, false, "CL_DEVICE_MAX_WORK_GROUP_SIZE"},
        {HD_COMPUTE_LOCAL, CL_DEVICE_LOCAL_MEM_SIZE, false, "CL_DEVICE_LOCAL_MEM_SIZE"},
        {HD_COMPUTE_REGISTERS, 0x4002, false, "CL_DEVICE_REGISTERS_PER_BLOCK_NV"},
    };
    const driver_opencl_library *call = call_of(gpu);
    for (size_t q = 0; q < sizeof queries / sizeof *queries; q++) {
        uint64_t value = 0;
        *query = queries[q].name;
        if (queries[q].figure != figure || (queries[q].of_kernel && !kernel))
            continue;
        cl_int error =
            queries[q].of_kernel
                ? call->kernel_info(kernel, of(gpu)->id, queries[q].what, sizeof value, &value,
                                    NULL)
                : call->device_info(of(gpu)->id, queries[q].what, sizeof value, &value, NULL);
        if (error == CL_SUCCESS && value)
            return value;
    }
    return 0;
}

void hd_compute_opencl_context(const hd_compute *gpu, cl_context *context, cl_device_id *id) {
    *context = ((const opencl *)gpu)->context;
    *id = ((const opencl *)gpu)->id;
}

/* ---- queues -------------------------------------------------------------------------- */

static const char *make_queue(hd_compute *gpu, bool timed, hd_compute_queue *queue) {
    cl_int error;
    queue->handle = call_of(gpu)->make_queue(of(gpu)->context, of(gpu)->id,
                                             timed ? CL_QUEUE_PROFILING_ENABLE : 0, &error);
    return check(gpu, error, "make a queue");
}

static void forget_last(hd_compute *gpu, hd_compute_queue *queue) {
    if (queue->last)
        call_of(gpu)->release_event(queue->last);
    queue->last = NULL;
}

static void release_queue(hd_compute *gpu, hd_compute_queue *queue) {
    forget_last(gpu, queue);
    if (queue->handle)
        call_of(gpu)->release_queue(queue->handle);
    queue->handle = NULL;
}

/* What the next command is to wait for. */
static cl_uint wait_count(const hd_compute_queue *queue) { return queue->last ? 1 : 0; }
static const cl_event *waits(const hd_compute_queue *queue) {
    return queue->last ? (const cl_event *)&queue->last : NULL;
}

/* The command of `event` was queued, or not. */
static const char *queued(hd_compute *gpu, hd_compute_queue *queue, cl_int error, cl_event event,
                          const char *doing) {
    if (error != CL_SUCCESS)
        return check(gpu, error, doing);
    forget_last(gpu, queue);
    queue->last = event;
    return NULL;
}

static const char *flush(hd_compute *gpu, hd_compute_queue *queue) {
    return check(gpu, call_of(gpu)->flush(queue->handle), "start what is queued");
}

static const char *finish(hd_compute *gpu, hd_compute_queue *queue) {
    if (!queue->last)
        return NULL;
    cl_int error = call_of(gpu)->wait_for_events(1, waits(queue));
    forget_last(gpu, queue);
    return check(gpu, error, "do what is queued");
}

static void settle(hd_compute *gpu, hd_compute_queue *queue) {
    if (queue->handle)
        call_of(gpu)->finish(queue->handle);
    forget_last(gpu, queue);
}

static const char *follow(hd_compute *gpu, hd_compute_queue *queue, const hd_compute_queue *other) {
    cl_event event, both[2] = {queue->last, other->last};
    if (!other->last || queue == other)
        return NULL;
    cl_int error = call_of(gpu)->barrier(queue->handle, queue->last ? 2 : 1,
                                         queue->last ? both : both + 1, &event);
    return queued(gpu, queue, error, event, "let one queue wait for another");
}

/* ---- memory -------------------------------------------------------------------------- */

static const char *make_buffer(hd_compute *gpu, cl_mem_flags flags, uint64_t bytes, void *host,
                               hd_compute_memory *memory) {
    cl_int error;
    cl_mem made = call_of(gpu)->make_buffer(of(gpu)->context, flags, (size_t)bytes, host, &error);
    *memory = error == CL_SUCCESS ? (uintptr_t)made : 0;
    if (error == CL_SUCCESS)
        return NULL;
    snprintf(gpu->doing, sizeof gpu->doing, "allocate %llu bytes", (unsigned long long)bytes);
    return driver_opencl_error(error);
}

static const char *lacks(hd_compute *gpu, hd_placement placement) {
    bool is_svm = placement == HD_PLACEMENT_FINE || placement == HD_PLACEMENT_COARSE;
    if (placement == HD_PLACEMENT_DEVICE || placement == HD_PLACEMENT_HOST)
        return NULL;
    if (!is_svm)
        return "managed memory is CUDA's";
    if (!call_of(gpu)->svm_allocate || !call_of(gpu)->set_svm_argument)
        return "the OpenCL loader has no clSVMAlloc";
    cl_bitfield capabilities = 0;
    if (call_of(gpu)->device_info(of(gpu)->id, DRIVER_OPENCL_SVM_CAPABILITIES, sizeof capabilities,
                                  &capabilities, NULL) != CL_SUCCESS ||
        !(capabilities & (DRIVER_OPENCL_SVM_COARSE | DRIVER_OPENCL_SVM_FINE)))
        return "its driver reports no shared virtual memory (CL_DEVICE_SVM_CAPABILITIES)";
    return placement == HD_PLACEMENT_FINE && !(capabilities & DRIVER_OPENCL_SVM_FINE)
               ? "its driver reports no fine-grained shared virtual memory "
                 "(CL_DEVICE_SVM_CAPABILITIES)"
               : NULL;
}

/* The address of shared virtual memory; NULL: it is a buffer. */
static void *svm_of(const hd_compute *gpu, hd_compute_memory memory) {
    const driver_in_place *place = driver_in_place_find(gpu, memory);
    return place && place->placement != HD_PLACEMENT_HOST ? (void *)(uintptr_t)memory : NULL;
}

static const char *allocate_svm(hd_compute *gpu, hd_placement placement, uint64_t bytes,
                                hd_compute_memory *memory) {
    cl_bitfield flags = CL_MEM_READ_WRITE;
    if (placement == HD_PLACEMENT_FINE)
        flags |= DRIVER_OPENCL_SVM_FINE_MEMORY;
    *memory = (uintptr_t)call_of(gpu)->svm_allocate(of(gpu)->context, flags, (size_t)bytes, 0);
    if (*memory)
        return NULL;
    snprintf(gpu->doing, sizeof gpu->doing, "allocate %llu bytes of shared virtual memory",
             (unsigned long long)bytes);
    return "clSVMAlloc gives none"; /* it has no error */
}

static const char *allocate(hd_compute *gpu, hd_placement placement, uint64_t bytes,
                            hd_compute_memory *memory) {
    bool is_svm = placement == HD_PLACEMENT_FINE || placement == HD_PLACEMENT_COARSE;
    bool is_host = placement == HD_PLACEMENT_HOST;
    const char *error =
        is_svm ? allocate_svm(gpu, placement, bytes, memory)
               : make_buffer(gpu, CL_MEM_READ_WRITE | (is_host ? CL_MEM_ALLOC_HOST_PTR : 0), bytes,
                             NULL, memory);
    if (!error && placement != HD_PLACEMENT_DEVICE)
        driver_in_place_add(gpu, placement, *memory, bytes,
                            is_svm ? (void *)(uintptr_t)*memory : NULL);
    return error;
}

/* ---- images ---------------------------------------------------------------------------- */

static const char *make_image(hd_compute *gpu, const hd_compute_image *image,
                              hd_compute_memory *memory) {
    const driver_opencl_library *call = call_of(gpu);
    const cl_image_format format = {image->order, image->type};
    cl_image_desc desc = {.image_type = image->depth ? CL_MEM_OBJECT_IMAGE3D
                                        : image->height && image->layers
                                            ? CL_MEM_OBJECT_IMAGE2D_ARRAY
                                        : image->height       ? CL_MEM_OBJECT_IMAGE2D
                                        : image->layers       ? CL_MEM_OBJECT_IMAGE1D_ARRAY
                                        : image->is_of_buffer ? CL_MEM_OBJECT_IMAGE1D_BUFFER
                                                              : CL_MEM_OBJECT_IMAGE1D,
                          .image_width = (size_t)image->width,
                          .image_height = (size_t)image->height,
                          .image_depth = (size_t)image->depth,
                          .image_array_size = (size_t)image->layers};
    enum { MOST_BYTES = 16 }; /* of a texel */
    hd_compute_memory buffer = 0;
    cl_int error;
    if (desc.image_type == CL_MEM_OBJECT_IMAGE1D_BUFFER) {
        const char *why =
            make_buffer(gpu, CL_MEM_READ_WRITE, image->width * MOST_BYTES, NULL, &buffer);
        if (why)
            return why;
        desc.buffer = buffer_of(buffer);
    }
    cl_mem made =
        call->make_image(of(gpu)->context, CL_MEM_READ_WRITE, &format, &desc, NULL, &error);
    *memory = error == CL_SUCCESS ? (uintptr_t)made : 0;
    if (buffer) /* the image holds it */
        call->release_memory(buffer_of(buffer));
    return check(gpu, error, "make an image of this format");
}

static const char *make_sampler(hd_compute *gpu, const hd_compute_sampler *sampler, void **handle) {
    static const cl_addressing_mode modes[] = {CL_ADDRESS_NONE, CL_ADDRESS_CLAMP_TO_EDGE,
                                               CL_ADDRESS_CLAMP, CL_ADDRESS_REPEAT,
                                               CL_ADDRESS_MIRRORED_REPEAT};
    cl_int error;
    *handle = call_of(gpu)->make_sampler(
        of(gpu)->context, sampler->is_normalized, modes[sampler->mode],
        sampler->is_linear ? CL_FILTER_LINEAR : CL_FILTER_NEAREST, &error);
    return check(gpu, error, "make a sampler");
}

static void release_sampler(hd_compute *gpu, void *handle) {
    call_of(gpu)->release_sampler(handle);
}

/* Bytes of an image from `first` on, as texels: all of it, or some of a row. False: it is a buffer. */
typedef struct texels {
    size_t origin[3], region[3];
} texels;
static bool find_texels(hd_compute *gpu, hd_compute_memory memory, uint64_t first, uint64_t bytes,
                        texels *found) {
    static const cl_image_info sizes[] = {CL_IMAGE_WIDTH, CL_IMAGE_HEIGHT, CL_IMAGE_DEPTH};
    const driver_opencl_library *call = call_of(gpu);
    cl_mem image = buffer_of(memory);
    cl_mem_object_type type = CL_MEM_OBJECT_BUFFER;
    size_t layers = 0, each = 1, *all = found->region;
    call->memory_info(image, CL_MEM_TYPE, sizeof type, &type, NULL);
    if (type == CL_MEM_OBJECT_BUFFER)
        return false;
    for (int d = 0; d < 3; d++) {
        found->origin[d] = all[d] = 0;
        call->image_info(image, sizes[d], sizeof *all, &all[d], NULL);
        all[d] += !all[d];
    }
    call->image_info(image, CL_IMAGE_ARRAY_SIZE, sizeof layers, &layers, NULL);
    call->image_info(image, CL_IMAGE_ELEMENT_SIZE, sizeof each, &each, NULL);
    if (layers)
        all[type == CL_MEM_OBJECT_IMAGE1D_ARRAY ? 1 : 2] = layers;
    if (!first && bytes == each * all[0] * all[1] * all[2])
        return true;
    const size_t texel = (size_t)first / each;
    found->origin[0] = texel % all[0];
    found->origin[1] = texel / all[0] % all[1];
    found->origin[2] = texel / all[0] / all[1];
    all[0] = (size_t)bytes / each;
    all[1] = all[2] = 1;
    return true;
}

static void release(hd_compute *gpu, hd_compute_memory memory) {
    void *svm = svm_of(gpu, memory);
    driver_in_place *place = driver_in_place_find(gpu, memory);
    if (svm)
        call_of(gpu)->svm_free(of(gpu)->context, svm);
    else
        call_of(gpu)->release_memory(buffer_of(memory));
    if (place)
        driver_in_place_remove(gpu, place);
}

static const char *to_host(hd_compute *gpu, hd_compute_queue *queue, hd_compute_memory memory,
                           void **host) {
    const driver_opencl_library *call = call_of(gpu);
    driver_in_place *place = driver_in_place_find(gpu, memory);
    cl_map_flags both = CL_MAP_READ | CL_MAP_WRITE;
    cl_event event = NULL;
    cl_int error = CL_SUCCESS;
    if (!place->is_hosts && place->placement == HD_PLACEMENT_HOST)
        place->host =
            call->map(queue->handle, buffer_of(memory), CL_FALSE, both, 0, (size_t)place->bytes,
                      wait_count(queue), waits(queue), &event, &error);
    else if (!place->is_hosts && place->placement == HD_PLACEMENT_COARSE)
        error = call->svm_map(queue->handle, CL_FALSE, both, place->host, (size_t)place->bytes,
                              wait_count(queue), waits(queue), &event);
    *host = place->host;
    place->is_hosts = error == CL_SUCCESS;
    return event || error ? queued(gpu, queue, error, event, "map memory for the host") : NULL;
}

static const char *to_device(hd_compute *gpu, hd_compute_queue *queue, hd_compute_memory memory,
                             bool written) {
    (void)written;
    const driver_opencl_library *call = call_of(gpu);
    driver_in_place *place = driver_in_place_find(gpu, memory);
    cl_event event = NULL;
    cl_int error = CL_SUCCESS;
    if (place->is_hosts && place->placement == HD_PLACEMENT_HOST)
        error = call->unmap(queue->handle, buffer_of(memory), place->host, wait_count(queue),
                            waits(queue), &event);
    else if (place->is_hosts && place->placement == HD_PLACEMENT_COARSE)
        error =
            call->svm_unmap(queue->handle, place->host, wait_count(queue), waits(queue), &event);
    place->is_hosts = false;
    return event || error ? queued(gpu, queue, error, event, "unmap memory for the device") : NULL;
}

static uint64_t size_of(hd_compute *gpu, hd_compute_memory memory) {
    const driver_opencl_library *call = call_of(gpu);
    cl_context context = NULL;
    size_t bytes = 0;
    if (svm_of(gpu, memory))
        return driver_in_place_find(gpu, memory)->bytes;
    if (!memory ||
        call->memory_info(buffer_of(memory), CL_MEM_CONTEXT, sizeof context, &context, NULL) !=
            CL_SUCCESS ||
        context != of(gpu)->context)
        return 0;
    call->memory_info(buffer_of(memory), CL_MEM_SIZE, sizeof bytes, &bytes, NULL);
    return bytes;
}

static const char *memory_info(hd_compute *gpu, uint64_t *free_bytes, uint64_t *all) {
    cl_ulong bytes = 0;
    cl_int error = call_of(gpu)->device_info(of(gpu)->id, CL_DEVICE_GLOBAL_MEM_SIZE, sizeof bytes,
                                             &bytes, NULL);
    *free_bytes = *all = bytes;
    return check(gpu, error, "ask for the size of its memory");
}

/* Memory that the driver allocates for itself and that stays mapped: on all known drivers of GPUs
 * it is pinned. */
static const char *pin(hd_compute *gpu, hd_compute_queue *queue, uint64_t bytes,
                       hd_compute_pinned *pinned) {
    hd_compute_memory memory;
    cl_int error;
    const char *failed =
        make_buffer(gpu, CL_MEM_READ_WRITE | CL_MEM_ALLOC_HOST_PTR, bytes, NULL, &memory);
    if (failed)
        return failed;
    void *data =
        call_of(gpu)->map(queue->handle, buffer_of(memory), CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, 0,
                          (size_t)bytes, 0, NULL, NULL, &error);
    if (error == CL_SUCCESS)
        *pinned = (hd_compute_pinned){data, bytes, buffer_of(memory)};
    else
        release(gpu, memory);
    return check(gpu, error, "pin memory of the host");
}

static void unpin(hd_compute *gpu, hd_compute_queue *queue, hd_compute_pinned *pinned) {
    call_of(gpu)->unmap(queue->handle, pinned->handle, pinned->data, 0, NULL, NULL);
    call_of(gpu)->finish(queue->handle);
    call_of(gpu)->release_memory(pinned->handle);
}

/* OpenCL has no way to ask. */
static bool is_pinned(hd_compute *gpu, const void *host) {
    (void)host;
    return gpu->is_unified;
}

static const char *share(hd_compute *gpu, void *host, uint64_t bytes, bool written,
                         hd_compute_shared *shared) {
    *shared = (hd_compute_shared){.host = host, .bytes = bytes, .written = written};
    return make_buffer(gpu, (written ? CL_MEM_READ_WRITE : CL_MEM_READ_ONLY) | CL_MEM_USE_HOST_PTR,
                       bytes, host, &shared->memory);
}

/* Mapping is what makes a driver that worked on a copy bring it back. */
static const char *unshare(hd_compute *gpu, hd_compute_queue *queue, bool failed,
                           hd_compute_shared *shared) {
    const driver_opencl_library *call = call_of(gpu);
    cl_mem memory = buffer_of(shared->memory);
    cl_int error = CL_SUCCESS;
    if (shared->written && !failed) {
        void *data = call->map(queue->handle, memory, CL_TRUE, CL_MAP_READ, 0,
                               (size_t)shared->bytes, 0, NULL, NULL, &error);
        if (error == CL_SUCCESS)
            error = call->unmap(queue->handle, memory, data, 0, NULL, NULL);
        if (error == CL_SUCCESS)
            error = call->finish(queue->handle);
    }
    call->release_memory(memory);
    return check(gpu, error, "bring back memory that was shared");
}

/* Commands take shared virtual memory by its address, and everything else as a buffer. */
static const char *write_memory(hd_compute *gpu, hd_compute_queue *queue, hd_compute_memory to,
                                uint64_t first, const void *from, uint64_t bytes) {
    char *svm = svm_of(gpu, to);
    texels at;
    cl_event event;
    cl_int error =
        !svm && find_texels(gpu, to, first, bytes, &at)
            ? call_of(gpu)->write_image(queue->handle, buffer_of(to), CL_FALSE, at.origin,
                                        at.region, 0, 0, from, wait_count(queue), waits(queue),
                                        &event)
        : svm ? call_of(gpu)->svm_copy(queue->handle, CL_FALSE, svm + first, from, (size_t)bytes,
                                       wait_count(queue), waits(queue), &event)
              : call_of(gpu)->write(queue->handle, buffer_of(to), CL_FALSE, (size_t)first,
                                    (size_t)bytes, from, wait_count(queue), waits(queue), &event);
    return queued(gpu, queue, error, event, "write to the device's memory");
}

static const char *read_memory(hd_compute *gpu, hd_compute_queue *queue, void *to,
                               hd_compute_memory from, uint64_t first, uint64_t bytes) {
    const char *svm = svm_of(gpu, from);
    texels at;
    cl_event event;
    cl_int error =
        !svm && find_texels(gpu, from, first, bytes, &at)
            ? call_of(gpu)->read_image(queue->handle, buffer_of(from), CL_FALSE, at.origin,
                                       at.region, 0, 0, to, wait_count(queue), waits(queue), &event)
        : svm ? call_of(gpu)->svm_copy(queue->handle, CL_FALSE, to, svm + first, (size_t)bytes,
                                       wait_count(queue), waits(queue), &event)
              : call_of(gpu)->read(queue->handle, buffer_of(from), CL_FALSE, (size_t)first,
                                   (size_t)bytes, to, wait_count(queue), waits(queue), &event);
    return queued(gpu, queue, error, event, "read the device's memory");
}

/* Between shared virtual memory and a buffer, by way of the host, which it is handed to. */
static const char *copy_across(hd_compute *gpu, hd_compute_queue *queue, hd_compute_memory to,
                               hd_compute_memory from, uint64_t bytes) {
    hd_compute_memory shared = svm_of(gpu, to) ? to : from;
    void *host;
    const char *error = to_host(gpu, queue, shared, &host);
    if (!error)
        error = shared == to ? read_memory(gpu, queue, host, from, 0, bytes)
                             : write_memory(gpu, queue, to, 0, host, bytes);
    return error ? error : to_device(gpu, queue, shared, true);
}

/* Where one is an image or both are, by way of the host: not every driver copies all kinds. */
static const char *copy_image(hd_compute *gpu, hd_compute_queue *queue, hd_compute_memory to,
                              hd_compute_memory from, uint64_t bytes) {
    void *host = hd_checked(malloc((size_t)bytes));
    const char *error = read_memory(gpu, queue, host, from, 0, bytes);
    if (!error)
        error = write_memory(gpu, queue, to, 0, host, bytes);
    if (!error)
        error = finish(gpu, queue);
    free(host);
    return error;
}

static const char *copy(hd_compute *gpu, hd_compute_queue *queue, hd_compute_memory to,
                        hd_compute_memory from, uint64_t bytes) {
    void *to_svm = svm_of(gpu, to);
    const void *from_svm = svm_of(gpu, from);
    cl_event event;
    if (!to_svm != !from_svm)
        return copy_across(gpu, queue, to, from, bytes);
    texels at;
    if (!to_svm && (find_texels(gpu, to, 0, bytes, &at) || find_texels(gpu, from, 0, bytes, &at)))
        return copy_image(gpu, queue, to, from, bytes);
    cl_int error =
        to_svm ? call_of(gpu)->svm_copy(queue->handle, CL_FALSE, to_svm, from_svm, (size_t)bytes,
                                        wait_count(queue), waits(queue), &event)
               : call_of(gpu)->copy(queue->handle, buffer_of(from), buffer_of(to), 0, 0,
                                    (size_t)bytes, wait_count(queue), waits(queue), &event);
    return queued(gpu, queue, error, event, "copy within the device's memory");
}

/* ---- programs ------------------------------------------------------------------------ */

static void release_kernels(hd_compute *gpu, hd_compute_program *program) {
    for (size_t k = 0; k < program->kernels.count; k++)
        call_of(gpu)->release_kernel(program->kernels.data[k]);
    program->kernels.count = 0;
}

static void release_program(hd_compute *gpu, hd_compute_program *program) {
    release_kernels(gpu, program);
    if (program->handle)
        call_of(gpu)->release_program(program->handle);
    hd_arena_free(program->arena);
}

static const char *build(hd_compute *gpu, const hd_compute_source *source,
                         hd_compute_program **program) {
    hd_arena *arena = hd_arena_new();
    hd_compute_program *made = hd_new(arena, hd_compute_program);
    hd_str options = {.arena = arena};
    cl_int error;
    made->arena = arena;
    free(gpu->log);
    gpu->log = NULL;
    *program = NULL;
    for (uint32_t o = 0; o < source->option_count; o++)
        hd_str_printf(&options, "%s%s", o ? " " : "", source->options[o]);
    const driver_opencl_library *call = call_of(gpu);
    made->handle =
        call->make_program(of(gpu)->context, 1, (const char **)&source->text, NULL, &error);
    if (error != CL_SUCCESS)
        made->handle = NULL;
    else
        error = call->build(made->handle, 1, &of(gpu)->id, hd_str_text(&options), NULL, NULL);
    if (error == CL_BUILD_PROGRAM_FAILURE) {
        size_t size = 0;
        call->build_info(made->handle, of(gpu)->id, CL_PROGRAM_BUILD_LOG, 0, NULL, &size);
        gpu->log = hd_zeroed(1, size + 1);
        call->build_info(made->handle, of(gpu)->id, CL_PROGRAM_BUILD_LOG, size, gpu->log, NULL);
    }
    if (error != CL_SUCCESS)
        release_program(gpu, made);
    else
        *program = made;
    return check(gpu, error, "compile");
}

/* What was built is ready. */
static const char *load(hd_compute *gpu, hd_compute_program *program) {
    release_kernels(gpu, program);
    return NULL;
}

static const char *get_kernel(hd_compute *gpu, hd_compute_program *program, const char *name,
                              uint32_t shared, void **kernel) {
    cl_int error;
    (void)shared;
    cl_kernel made = call_of(gpu)->make_kernel(program->handle, name, &error);
    if (error == CL_SUCCESS)
        hd_push(program->arena, &program->kernels, made);
    *kernel = made;
    return check(gpu, error, "make the kernel");
}

static const char *get_variable(hd_compute *gpu, hd_compute_program *program, const char *name,
                                hd_compute_memory *memory, uint64_t *bytes) {
    (void)program;
    (void)name;
    *memory = *bytes = 0;
    return check(gpu, CL_INVALID_OPERATION, "find a variable");
}

static uint64_t most_items(hd_compute *gpu, void *kernel) {
    size_t most = 0;
    call_of(gpu)->kernel_info(kernel, of(gpu)->id, CL_KERNEL_WORK_GROUP_SIZE, sizeof most, &most,
                              NULL);
    return most;
}

/* ---- launches ------------------------------------------------------------------------ */

static const char *launch(hd_compute *gpu, hd_compute_queue *queue, void *kernel,
                          const hd_compute_launch *given, const hd_compute_argument *arguments,
                          uint32_t argument_count, hd_compute_timer *timer) {
    const driver_opencl_library *call = call_of(gpu);
    size_t offset[3], global[3], local[3];
    cl_event event = NULL;
    cl_int error;
    for (uint32_t d = 0; d < 3; d++) {
        offset[d] = given->offset[d];
        global[d] = given->global[d];
        local[d] = given->local[d];
    }
    for (uint32_t a = 0; a < argument_count; a++) {
        const hd_compute_argument *argument = &arguments[a];
        const void *svm =
            argument->is_memory ? svm_of(gpu, *(const hd_compute_memory *)argument->value) : NULL;
        error = svm ? call->set_svm_argument(kernel, a, svm)
                    : call->set_argument(kernel, a, argument->bytes, argument->value);
        if (error != CL_SUCCESS) {
            snprintf(gpu->doing, sizeof gpu->doing, "set the kernel's argument %u", a);
            return driver_opencl_error(error);
        }
    }
    error = call->launch(queue->handle, kernel, given->dims, offset, global, local,
                         wait_count(queue), waits(queue), &event);
    if (error == CL_SUCCESS && timer) {
        call->retain_event(event);
        timer->events[0] = event;
    }
    return queued(gpu, queue, error, event, "launch the kernel");
}

static const char *elapsed(hd_compute *gpu, const hd_compute_timer *timer, double *seconds) {
    const driver_opencl_library *call = call_of(gpu);
    cl_event event = timer->events[0];
    cl_ulong start = 0, end = 0;
    cl_int status = CL_COMPLETE;
    cl_int error =
        call->event_info(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL);
    if (error == CL_SUCCESS && status < 0)
        error = status;
    if (error == CL_SUCCESS)
        error = call->event_times(event, CL_PROFILING_COMMAND_START, sizeof start, &start, NULL);
    if (error == CL_SUCCESS)
        error = call->event_times(event, CL_PROFILING_COMMAND_END, sizeof end, &end, NULL);
    *seconds = error == CL_SUCCESS ? (double)(end - start) * 1e-9 : 0;
    return check(gpu, error, "run the kernel");
}

static void release_timer(hd_compute *gpu, hd_compute_timer *timer) {
    if (timer->events[0])
        call_of(gpu)->release_event(timer->events[0]);
    timer->events[0] = NULL;
}

const hd_compute_api hd_compute_opencl = HD_COMPUTE_API("opencl", "OpenCL");
