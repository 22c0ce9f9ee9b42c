/*
 * CUDA as a driver of compute.h, through the driver's own interface.
 *
 * Streams are such as wait for the default stream, and it for them: a program that launches its
 * kernels there need not wait for them before it lets us use its memory.
 */
#include <stdio.h>
#include <stdlib.h>

#include "driver/cuda_library.h"
#include "driver/in_place.h"

typedef struct cuda {
    hd_compute base;
    hd_cuda_library call;
    hd_nvrtc_library nvrtc;
    int number;
    bool joined; /* the context is not ours */
} cuda;

struct hd_compute_program {
    hd_arena *arena;
    const char *image; /* compiled, */
    void *module;      /* and loaded; or NULL */
    const char **names, **symbols;
    uint32_t name_count;
};

static cuda *of(hd_compute *gpu) { return (cuda *)gpu; }
static const hd_cuda_library *call_of(hd_compute *gpu) { return &of(gpu)->call; }

static const char *check(hd_compute *gpu, int error, const char *doing) {
    if (!error)
        return NULL;
    snprintf(gpu->doing, sizeof gpu->doing, "%s", doing);
    return hd_cuda_error(call_of(gpu), error);
}

/* ---- devices ------------------------------------------------------------------------- */

/* "550.54.15 CUDA 12.4 NVRTC 12.4": all that decides what a kernel becomes. The driver's own
 * version is that of the kernel's module, since its interface tells only of CUDA: the first number
 * with a point in "NVRM version: NVIDIA UNIX x86_64 Kernel Module  550.54.15  Tue ...". */
static const char *driver_text(hd_arena *arena, const hd_cuda_library *driver) {
    int version = 0, major = 0, minor = 0;
    char line[512] = "";
    const char *unused, *digits = "0123456789";
    hd_nvrtc_library nvrtc;
    FILE *file = fopen("/proc/driver/nvidia/version", "r");
    char *at = file ? fgets(line, sizeof line, file) : NULL;
    if (file)
        fclose(file);
    for (at = at ? strpbrk(at, digits) : NULL; at; at = strpbrk(at, digits)) {
        size_t length = strspn(at, "0123456789.");
        if (memchr(at, '.', length)) {
            at[length] = '\0';
            break;
        }
        at += length;
    }
    driver->version(&version);
    const char *text = hd_format(arena, "%s%sCUDA %d.%d", at ? at : "", at ? " " : "",
                                 version / 1000, version % 1000 / 10);
    if (hd_nvrtc_open(arena, &nvrtc, &unused) && nvrtc.version(&major, &minor) == 0)
        text = hd_format(arena, "%s NVRTC %d.%d", text, major, minor);
    return text;
}

static hd_compute_device describe(hd_arena *arena, const hd_cuda_library *call, int number,
                                  const char *id) {
    char name[256] = "unknown";
    call->device_name(name, sizeof name, number);
    return (hd_compute_device){.backend = "cuda",
                               .id = id,
                               .platform = "NVIDIA CUDA",
                               .name = hd_strdup(arena, name),
                               .driver = driver_text(arena, call)};
}

static hd_compute_device *list_devices(hd_arena *arena, uint32_t *count, const char **missing) {
    hd_cuda_library driver;
    int found = 0, number = 0;
    *count = 0;
    if (!hd_cuda_open(arena, &driver, missing))
        return NULL;
    int error = driver.init(0);
    if (!error)
        error = driver.count_devices(&found);
    *missing = hd_format(arena, "NVIDIA's driver finds none (%s); see that 'nvidia-smi' lists one",
                         error ? hd_cuda_error(&driver, error) : "it counts 0");
    if (error)
        return NULL;
    hd_compute_device *devices = hd_new_array(arena, hd_compute_device, found);
    for (int d = 0; d < found && driver.get_device(&number, d) == 0; d++)
        devices[(*count)++] = describe(arena, &driver, number, hd_format(arena, "cuda:%d", d));
    return devices;
}

/* ---- opening ------------------------------------------------------------------------- */

/* What is asked of the device before the context is made. */
static int read_limits(hd_arena *arena, cuda *c) {
    const char *missing;
    int major = 0, minor = 0, units = 0;
    int error = c->call.device_attribute(&major, HD_CUDA_CAPABILITY_MAJOR, c->number);
    if (!error)
        error = c->call.device_attribute(&minor, HD_CUDA_CAPABILITY_MINOR, c->number);
    if (!error)
        error = c->call.device_attribute(&units, HD_CUDA_MULTIPROCESSORS, c->number);
    c->base.architecture = hd_format(arena, "%d%d", major, minor);
    c->base.units = units > 0 ? (uint32_t)units : 1;
    if (!hd_nvrtc_open(arena, &c->nvrtc, &missing))
        c->base.no_compiler = missing;
    return error;
}

static void close_device(hd_compute *gpu) {
    if (!of(gpu)->joined)
        call_of(gpu)->release_context(of(gpu)->number);
    free(gpu->log);
}

static const char *open_device(hd_arena *arena, const char *id, hd_compute **gpu) {
    cuda *c = hd_new(arena, cuda);
    const char *missing;
    void *context = NULL;
    int number = 0;
    *gpu = NULL;
    c->base.api = &hd_compute_cuda;
    sscanf(id, "cuda:%d", &number);
    if (!hd_cuda_open(arena, &c->call, &missing))
        return missing;
    int error = c->call.init(0);
    if (!error)
        error = c->call.get_device(&c->number, number);
    if (!error)
        error = read_limits(arena, c);
    if (!error)
        error = c->call.retain_context(&context, c->number);
    if (error)
        return hd_cuda_error(&c->call, error);
    error = c->call.use_context(context);
    if (error) {
        c->call.release_context(c->number);
        return hd_cuda_error(&c->call, error);
    }
    c->base.device = describe(arena, &c->call, c->number, hd_strdup(arena, id));
    *gpu = &c->base;
    return NULL;
}

hd_status hd_compute_join_cuda(hd_arena *arena, hd_compute **gpu, const char **why) {
    cuda *c = hd_new(arena, cuda);
    void *context = NULL;
    *gpu = NULL;
    *c = (cuda){.base.api = &hd_compute_cuda, .joined = true};
    if (!hd_cuda_open(arena, &c->call, why))
        return HD_ESYSTEM;
    int error = c->call.current_context(&context);
    *why = "no CUDA context is current in this thread";
    if (!error && !context)
        return HD_EINPUT;
    if (!error)
        error = c->call.current_device(&c->number);
    if (!error)
        error = read_limits(arena, c);
    *why = hd_cuda_error(&c->call, error);
    if (error)
        return HD_ESYSTEM;
    c->base.device = describe(arena, &c->call, c->number, "");
    *gpu = &c->base;
    return HD_OK;
}

static uint64_t ask(hd_compute *gpu, void *kernel, hd_compute_figure figure, const char **query) {
    static const struct {
        int attribute; /* CUdevice_attribute */
        const char *name;
    } queries[HD_COMPUTE_FIGURES] = {
        [HD_COMPUTE_WARP] = {10, "CU_DEVICE_ATTRIBUTE_WARP_SIZE"},
        [HD_COMPUTE_GROUP] = {1, "CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK"},
        [HD_COMPUTE_LOCAL] = {8, "CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK"},
        [HD_COMPUTE_ITEMS] = {39, "CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR"},
        [HD_COMPUTE_GROUPS] = {106, "CU_DEVICE_ATTRIBUTE_MAX_BLOCKS_PER_MULTIPROCESSOR"},
        [HD_COMPUTE_REGISTERS] = {82, "CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_MULTIPROCESSOR"},
        [HD_COMPUTE_L2] = {38, "CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE"}};
    int value = 0;
    (void)kernel;
    *query = queries[figure].name;
    return call_of(gpu)->device_attribute(&value, queries[figure].attribute, of(gpu)->number) ==
                       0 &&
                   value > 0
               ? (uint64_t)value
               : 0;
}

/* ---- queues -------------------------------------------------------------------------- */

static const char *make_queue(hd_compute *gpu, bool timed, hd_compute_queue *queue) {
    (void)timed;
    return check(gpu, call_of(gpu)->make_stream(&queue->handle, 0), "make a stream");
}

static void release_queue(hd_compute *gpu, hd_compute_queue *queue) {
    if (queue->handle)
        call_of(gpu)->destroy_stream(queue->handle);
    queue->handle = NULL;
}

/* A stream begins by itself. */
static const char *flush(hd_compute *gpu, hd_compute_queue *queue) {
    (void)gpu;
    (void)queue;
    return NULL;
}

static const char *finish(hd_compute *gpu, hd_compute_queue *queue) {
    return check(gpu, call_of(gpu)->synchronize_stream(queue->handle), "do what is queued");
}

static void settle(hd_compute *gpu, hd_compute_queue *queue) {
    if (queue->handle)
        call_of(gpu)->synchronize_stream(queue->handle);
}

static const char *follow(hd_compute *gpu, hd_compute_queue *queue, const hd_compute_queue *other) {
    const hd_cuda_library *call = call_of(gpu);
    void *event;
    int error = call->make_event(&event, HD_CUDA_EVENT_WITHOUT_TIME);
    if (error)
        return check(gpu, error, "make an event");
    error = call->record_event(event, other->handle);
    if (!error)
        error = call->wait_for_event(queue->handle, event, 0);
    call->destroy_event(event); /* the driver keeps it until it is over */
    return check(gpu, error, "let one stream wait for another");
}

/* ---- memory -------------------------------------------------------------------------- */

/* The error of allocating, with what was to be allocated. */
static const char *check_bytes(hd_compute *gpu, int error, const char *doing, uint64_t bytes) {
    if (error)
        snprintf(gpu->doing, sizeof gpu->doing, doing, (unsigned long long)bytes);
    return error ? hd_cuda_error(call_of(gpu), error) : NULL;
}

static bool has(hd_compute *gpu, int attribute) {
    int value = 0;
    return !call_of(gpu)->device_attribute(&value, attribute, of(gpu)->number) && value;
}

static const char *lacks(hd_compute *gpu, hd_placement placement) {
    switch (placement) {
    case HD_PLACEMENT_HOST:
        return has(gpu, HD_CUDA_MAPS_HOST_MEMORY) ? NULL
                                                  : "it does not map the host's memory "
                                                    "(CU_DEVICE_ATTRIBUTE_CAN_MAP_HOST_MEMORY)";
    case HD_PLACEMENT_MANAGED:
        return has(gpu, HD_CUDA_MANAGED_MEMORY)
                   ? NULL
                   : "it has no managed memory (CU_DEVICE_ATTRIBUTE_MANAGED_MEMORY)";
    case HD_PLACEMENT_HINTED:
        return has(gpu, HD_CUDA_MANAGED_MEMORY) && has(gpu, HD_CUDA_CONCURRENT_MANAGED)
                   ? NULL
                   : "it takes no hints for managed memory "
                     "(CU_DEVICE_ATTRIBUTE_CONCURRENT_MANAGED_ACCESS)";
    case HD_PLACEMENT_FINE:
    case HD_PLACEMENT_COARSE: return "shared virtual memory is OpenCL's";
    default: return NULL;
    }
}

static int allocate_mapped(hd_compute *gpu, uint64_t bytes, hd_compute_memory *memory,
                           void **host) {
    const hd_cuda_library *call = call_of(gpu);
    int error = call->allocate_mapped(host, (size_t)bytes, HD_CUDA_ALLOCATE_MAPPED);
    if (error)
        return error;
    error = call->address_of_host(memory, *host, 0);
    if (error)
        call->free_host(*host);
    return error;
}

static int allocate_managed(hd_compute *gpu, bool hinted, uint64_t bytes, hd_compute_memory *memory,
                            void **host) {
    const hd_cuda_library *call = call_of(gpu);
    int error = call->allocate_managed(memory, (size_t)bytes, HD_CUDA_MANAGED_BY_ALL);
    if (error)
        return error;
    *host = (void *)(uintptr_t)*memory;
    if (hinted)
        error = call->advise(*memory, (size_t)bytes, HD_CUDA_PREFERRED_LOCATION, of(gpu)->number);
    if (error)
        call->free(*memory);
    return error;
}

static const char *allocate(hd_compute *gpu, hd_placement placement, uint64_t bytes,
                            hd_compute_memory *memory) {
    void *host = NULL;
    *memory = 0;
    int error = placement == HD_PLACEMENT_DEVICE ? call_of(gpu)->allocate(memory, (size_t)bytes)
                : placement == HD_PLACEMENT_HOST
                    ? allocate_mapped(gpu, bytes, memory, &host)
                    : allocate_managed(gpu, placement == HD_PLACEMENT_HINTED, bytes, memory, &host);
    if (error)
        *memory = 0;
    else if (host)
        driver_in_place_add(gpu, placement, *memory, bytes, host);
    return check_bytes(gpu, error, "allocate %llu bytes", bytes);
}

static void release(hd_compute *gpu, hd_compute_memory memory) {
    driver_in_place *place = driver_in_place_find(gpu, memory);
    if (place && place->placement == HD_PLACEMENT_HOST)
        call_of(gpu)->free_host(place->host);
    else
        call_of(gpu)->free(memory);
    if (place)
        driver_in_place_remove(gpu, place);
}

static const char *to_host(hd_compute *gpu, hd_compute_queue *queue, hd_compute_memory memory,
                           void **host) {
    driver_in_place *place = driver_in_place_find(gpu, memory);
    int error = 0;
    *host = place->host;
    if (place->is_hosts)
        return NULL;
    if (place->placement == HD_PLACEMENT_HINTED)
        error =
            call_of(gpu)->prefetch(memory, (size_t)place->bytes, HD_CUDA_THE_HOST, queue->handle);
    if (place->placement == HD_PLACEMENT_MANAGED)
        error = call_of(gpu)->synchronize_stream(queue->handle);
    /* Pages that the device has go to the host when it touches them, which is what it takes to
     * bring them back. */
    enum { PAGE = 4096 };
    bool is_managed = place->placement == HD_PLACEMENT_MANAGED && !error;
    for (uint64_t byte = 0; is_managed && byte < place->bytes; byte += PAGE)
        (void)((const volatile char *)place->host)[byte];
    place->is_hosts = !error;
    return check(gpu, error, "bring memory to the host");
}

static const char *to_device(hd_compute *gpu, hd_compute_queue *queue, hd_compute_memory memory,
                             bool written) {
    driver_in_place *place = driver_in_place_find(gpu, memory);
    int error = 0;
    if (place->is_hosts && place->placement == HD_PLACEMENT_HINTED) {
        if (place->is_read_mostly == written) /* what is only read may have a copy on each side */
            error = call_of(gpu)->advise(memory, (size_t)place->bytes,
                                         written ? HD_CUDA_NOT_READ_MOSTLY : HD_CUDA_READ_MOSTLY,
                                         of(gpu)->number);
        place->is_read_mostly = !written;
        if (!error)
            error = call_of(gpu)->prefetch(memory, (size_t)place->bytes, of(gpu)->number,
                                           queue->handle);
    }
    place->is_hosts = false;
    return check(gpu, error, "bring memory to the device");
}

static uint64_t size_of(hd_compute *gpu, hd_compute_memory memory) {
    uint64_t base = 0;
    size_t bytes = 0;
    const driver_in_place *place = driver_in_place_find(gpu, memory);
    if (place)
        return place->bytes;
    if (!memory || call_of(gpu)->address_range(&base, &bytes, memory))
        return 0;
    return bytes - (memory - base);
}

static const char *memory_info(hd_compute *gpu, uint64_t *free_bytes, uint64_t *all) {
    size_t free_now = 0, size = 0;
    int error = call_of(gpu)->memory_info(&free_now, &size);
    *free_bytes = free_now;
    *all = size;
    return check(gpu, error, "ask for the size of its memory");
}

static const char *pin(hd_compute *gpu, hd_compute_queue *queue, uint64_t bytes,
                       hd_compute_pinned *pinned) {
    (void)queue;
    void *data = NULL;
    int error = call_of(gpu)->allocate_host(&data, (size_t)bytes);
    if (!error)
        *pinned = (hd_compute_pinned){.data = data, .bytes = bytes};
    return check_bytes(gpu, error, "pin %llu bytes of the host's memory", bytes);
}

static void unpin(hd_compute *gpu, hd_compute_queue *queue, hd_compute_pinned *pinned) {
    (void)queue;
    call_of(gpu)->free_host(pinned->data);
}

static bool is_pinned(hd_compute *gpu, const void *host) {
    unsigned type = 0;
    return call_of(gpu)->pointer_attribute(&type, HD_CUDA_MEMORY_TYPE, (uint64_t)(uintptr_t)host) ==
               0 &&
           type == HD_CUDA_MEMORY_OF_HOST;
}

/* Memory that the program has pinned is seen by the device already. */
static const char *share(hd_compute *gpu, void *host, uint64_t bytes, bool written,
                         hd_compute_shared *shared) {
    const hd_cuda_library *call = call_of(gpu);
    int error = 0;
    *shared = (hd_compute_shared){.host = host, .bytes = bytes, .written = written};
    if (!is_pinned(gpu, host)) {
        error = call->register_host(host, (size_t)bytes, HD_CUDA_REGISTER_MAPPED);
        shared->registered = !error;
    }
    if (!error)
        error = call->address_of_host(&shared->memory, host, 0);
    if (error && shared->registered)
        call->unregister_host(host);
    return check(gpu, error, "share the host's memory");
}

static const char *unshare(hd_compute *gpu, hd_compute_queue *queue, bool failed,
                           hd_compute_shared *shared) {
    (void)queue;
    int error = shared->registered ? call_of(gpu)->unregister_host(shared->host) : 0;
    return failed ? NULL : check(gpu, error, "let go of the host's memory");
}

static const char *write_memory(hd_compute *gpu, hd_compute_queue *queue, hd_compute_memory to,
                                uint64_t first, const void *from, uint64_t bytes) {
    return check(gpu, call_of(gpu)->to_device_async(to + first, from, (size_t)bytes, queue->handle),
                 "write to the device's memory");
}

static const char *read_memory(hd_compute *gpu, hd_compute_queue *queue, void *to,
                               hd_compute_memory from, uint64_t first, uint64_t bytes) {
    return check(gpu, call_of(gpu)->to_host_async(to, from + first, (size_t)bytes, queue->handle),
                 "read the device's memory");
}

static const char *copy(hd_compute *gpu, hd_compute_queue *queue, hd_compute_memory to,
                        hd_compute_memory from, uint64_t bytes) {
    return check(gpu, call_of(gpu)->copy(to, from, (size_t)bytes, queue->handle),
                 "copy within the device's memory");
}

/* ---- programs ------------------------------------------------------------------------ */

static void unload(hd_compute *gpu, hd_compute_program *program) {
    if (program->module)
        call_of(gpu)->unload_module(program->module);
    program->module = NULL;
}

static void release_program(hd_compute *gpu, hd_compute_program *program) {
    unload(gpu, program);
    hd_arena_free(program->arena);
}

static const char *build(hd_compute *gpu, const hd_compute_source *source,
                         hd_compute_program **program) {
    *program = NULL;
    free(gpu->log);
    gpu->log = NULL;
    snprintf(gpu->doing, sizeof gpu->doing, "compile");
    if (gpu->no_compiler)
        return gpu->no_compiler;
    hd_arena *arena = hd_arena_new();
    hd_compute_program *made = hd_new(arena, hd_compute_program);
    const char *log;
    made->arena = arena;
    made->name_count = source->name_count;
    made->names = hd_new_array(arena, const char *, source->name_count);
    made->symbols = hd_new_array(arena, const char *, source->name_count);
    for (uint32_t n = 0; n < source->name_count; n++)
        made->names[n] = hd_strdup(arena, source->names[n]);
    int error = hd_nvrtc_compile(&of(gpu)->nvrtc, arena, gpu->architecture, source, &made->image,
                                 made->symbols, &log);
    if (!error) {
        *program = made;
        return NULL;
    }
    gpu->log = log ? hd_checked(strdup(log)) : NULL;
    hd_arena_free(arena);
    return hd_nvrtc_error(&of(gpu)->nvrtc, error);
}

static const char *load(hd_compute *gpu, hd_compute_program *program) {
    unload(gpu, program);
    int error = call_of(gpu)->load_module(&program->module, program->image);
    if (error)
        program->module = NULL;
    return check(gpu, error, "load the compiled kernels");
}

static const char *symbol_of(const hd_compute_program *program, const char *name) {
    for (uint32_t n = 0; n < program->name_count; n++)
        if (!strcmp(program->names[n], name))
            return program->symbols[n];
    return name;
}

/* Shared memory beyond 48 KiB a function gets only on request. */
static const char *get_kernel(hd_compute *gpu, hd_compute_program *program, const char *name,
                              uint32_t shared, void **kernel) {
    int error = call_of(gpu)->get_function(kernel, program->module, symbol_of(program, name));
    if (error || !shared)
        return check(gpu, error, "find the kernel");
    return check_bytes(
        gpu, call_of(gpu)->set_function_attribute(*kernel, HD_CUDA_SHARED_OF_FUNCTION, (int)shared),
        "give the kernel %llu bytes of shared memory", shared);
}

static const char *get_variable(hd_compute *gpu, hd_compute_program *program, const char *name,
                                hd_compute_memory *memory, uint64_t *bytes) {
    size_t size = 0;
    int error =
        call_of(gpu)->get_variable(memory, &size, program->module, symbol_of(program, name));
    *bytes = size;
    return check(gpu, error, "find a variable");
}

static uint64_t most_items(hd_compute *gpu, void *kernel) {
    int most = 0;
    call_of(gpu)->function_attribute(&most, HD_CUDA_THREADS_OF_FUNCTION, kernel);
    return most > 0 ? (uint64_t)most : 0;
}

/* ---- launches ------------------------------------------------------------------------ */

/* A pair of events around the launch, which the processor is not in between. */
static const char *launch(hd_compute *gpu, hd_compute_queue *queue, void *kernel,
                          const hd_compute_launch *given, const hd_compute_argument *arguments,
                          uint32_t argument_count, hd_compute_timer *timer) {
    const hd_cuda_library *call = call_of(gpu);
    void **values = hd_checked(malloc((argument_count + 1) * sizeof *values));
    unsigned blocks[3] = {1, 1, 1}, threads[3] = {1, 1, 1};
    int error = 0;
    for (uint32_t a = 0; a < argument_count; a++)
        values[a] = (void *)arguments[a].value;
    for (uint32_t d = 0; d < given->dims; d++) {
        threads[d] = (unsigned)given->local[d];
        blocks[d] = (unsigned)(given->global[d] / given->local[d]);
    }
    for (uint32_t e = 0; e < 2 && timer && !error; e++)
        error = call->make_event(&timer->events[e], 0);
    if (timer && !error)
        error = call->record_event(timer->events[0], queue->handle);
    if (!error)
        error = call->launch(kernel, blocks[0], blocks[1], blocks[2], threads[0], threads[1],
                             threads[2], given->shared, queue->handle, values, NULL);
    if (timer && !error)
        error = call->record_event(timer->events[1], queue->handle);
    free(values);
    return check(gpu, error, "launch the kernel");
}

static const char *elapsed(hd_compute *gpu, const hd_compute_timer *timer, double *seconds) {
    float milliseconds = 0;
    int error = call_of(gpu)->elapsed(&milliseconds, timer->events[0], timer->events[1]);
    *seconds = error ? 0 : milliseconds * 1e-3;
    return check(gpu, error, "time the kernel");
}

static void release_timer(hd_compute *gpu, hd_compute_timer *timer) {
    for (uint32_t e = 0; e < 2; e++)
        if (timer->events[e])
            call_of(gpu)->destroy_event(timer->events[e]);
    *timer = (hd_compute_timer){0};
}

/* ---- what OpenCL alone has --------------------------------------------------------------- */

static const char *make_image(hd_compute *gpu, const hd_compute_image *image,
                              hd_compute_memory *memory) {
    (void)image;
    *memory = 0;
    snprintf(gpu->doing, sizeof gpu->doing, "make an image");
    return "images are OpenCL's";
}

static const char *make_sampler(hd_compute *gpu, const hd_compute_sampler *sampler, void **handle) {
    (void)sampler;
    *handle = NULL;
    snprintf(gpu->doing, sizeof gpu->doing, "make a sampler");
    return "samplers are OpenCL's";
}

static void release_sampler(hd_compute *gpu, void *handle) {
    (void)gpu;
    (void)handle;
}

const hd_compute_api hd_compute_cuda = HD_COMPUTE_API("cuda", "CUDA");
