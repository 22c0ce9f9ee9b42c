/*
 * CUDA as a back end, through the driver's interface; kernels are compiled by NVRTC.
 *
 * Streams are such as wait for the default stream, and it for them: a program that launches its
 * kernels there need not wait for them before it calls the library.
 */
#include <stdlib.h>

#include "driver/cuda_library.h"
#include "remap/device.h"

typedef struct cuda {
    hd_cuda_library call;
    hd_nvrtc_library nvrtc;
    bool has_nvrtc;
    const char *no_nvrtc; /* why not */
    int major, minor;     /* of the device's architecture */
} cuda;

/* A compiled kernel. */
typedef struct program {
    void *module, *function;
} program;

static cuda *of(const hd_remap_device *device) { return device->state; }
static const hd_cuda_library *call_of(const hd_remap_device *device) { return &of(device)->call; }

static hd_status check(const hd_remap_device *device, int error, const char *doing) {
    return !error
               ? HD_OK
               : hd_remap_device_fail(device, hd_cuda_error(call_of(device), error), "%s", doing);
}

/* ---- queues -------------------------------------------------------------------------- */

static hd_status make_queue(hd_remap_device *device, hd_remap_queue *queue) {
    return check(device, call_of(device)->make_stream(&queue->handle, 0), "make a stream");
}

static void release_queue(hd_remap_device *device, hd_remap_queue *queue) {
    if (queue->handle)
        call_of(device)->destroy_stream(queue->handle);
    queue->handle = NULL;
}

/* A stream begins by itself. */
static hd_status flush(hd_remap_device *device, hd_remap_queue *queue) {
    (void)device;
    (void)queue;
    return HD_OK;
}

static hd_status finish(hd_remap_device *device, hd_remap_queue *queue) {
    return check(device, call_of(device)->synchronize_stream(queue->handle), "transfer and remap");
}

static void settle(hd_remap_device *device, hd_remap_queue *queue) {
    if (queue->handle)
        call_of(device)->synchronize_stream(queue->handle);
}

static hd_status follow(hd_remap_device *device, hd_remap_queue *queue,
                        const hd_remap_queue *other) {
    const hd_cuda_library *call = call_of(device);
    void *event;
    int error = call->make_event(&event, HD_CUDA_EVENT_WITHOUT_TIME);
    if (error)
        return check(device, error, "make an event");
    error = call->record_event(event, other->handle);
    if (!error)
        error = call->wait_for_event(queue->handle, event, 0);
    call->destroy_event(event); /* the driver keeps it until it is over */
    return check(device, error, "let one stream wait for another");
}

/* ---- memory -------------------------------------------------------------------------- */

static hd_status allocate(hd_remap_device *device, uint64_t bytes, hd_remap_memory *memory) {
    int error = call_of(device)->allocate(&memory->cuda, (size_t)bytes);
    if (!error)
        return HD_OK;
    return hd_remap_device_fail(device, hd_cuda_error(call_of(device), error),
                                "allocate %llu bytes", (unsigned long long)bytes);
}

static void release(hd_remap_device *device, hd_remap_memory memory) {
    call_of(device)->free(memory.cuda);
}

static uint64_t size_of(hd_remap_device *device, hd_remap_memory memory) {
    uint64_t base = 0;
    size_t bytes = 0;
    if (!memory.cuda || call_of(device)->address_range(&base, &bytes, memory.cuda))
        return 0;
    return bytes - (memory.cuda - base);
}

static hd_status pin(hd_remap_device *device, uint64_t bytes, hd_remap_pinned *pinned) {
    void *data = NULL;
    int error = call_of(device)->allocate_host(&data, (size_t)bytes);
    if (error)
        return hd_remap_device_fail(device, hd_cuda_error(call_of(device), error),
                                    "pin %llu bytes of the host's memory",
                                    (unsigned long long)bytes);
    *pinned = (hd_remap_pinned){.data = data, .bytes = bytes};
    return HD_OK;
}

static void unpin(hd_remap_device *device, hd_remap_pinned *pinned) {
    call_of(device)->free_host(pinned->data);
}

static bool is_pinned(hd_remap_device *device, const void *host) {
    unsigned type = 0;
    return call_of(device)->pointer_attribute(&type, HD_CUDA_MEMORY_TYPE,
                                              (uint64_t)(uintptr_t)host) == 0 &&
           type == HD_CUDA_MEMORY_OF_HOST;
}

/* Memory that the program has pinned is seen by the device already. */
static hd_status share_host(hd_remap_device *device, void *host, uint64_t bytes, bool written,
                            hd_remap_shared *shared) {
    const hd_cuda_library *call = call_of(device);
    int error = 0;
    *shared = (hd_remap_shared){.host = host, .bytes = bytes, .written = written};
    if (!is_pinned(device, host)) {
        error = call->register_host(host, (size_t)bytes, HD_CUDA_REGISTER_MAPPED);
        shared->registered = !error;
    }
    if (!error)
        error = call->address_of_host(&shared->memory.cuda, host, 0);
    if (error && shared->registered)
        call->unregister_host(host);
    return check(device, error, "share the host's memory");
}

static hd_status unshare_host(hd_remap_device *device, hd_remap_queue *queue, bool failed,
                              hd_remap_shared *shared) {
    (void)queue;
    int error = shared->registered ? call_of(device)->unregister_host(shared->host) : 0;
    return failed ? HD_OK : check(device, error, "let go of the host's memory");
}

/* ---- transfers ------------------------------------------------------------------------- */

static hd_status write(hd_remap_device *device, hd_remap_queue *queue, hd_remap_memory to,
                       const void *from, uint64_t bytes) {
    return check(device,
                 call_of(device)->to_device_async(to.cuda, from, (size_t)bytes, queue->handle),
                 "write to the device's memory");
}

static hd_status read(hd_remap_device *device, hd_remap_queue *queue, void *to,
                      hd_remap_memory from, uint64_t bytes) {
    return check(device,
                 call_of(device)->to_host_async(to, from.cuda, (size_t)bytes, queue->handle),
                 "read the device's memory");
}

static hd_status copy(hd_remap_device *device, hd_remap_queue *queue, hd_remap_memory to,
                      hd_remap_memory from, uint64_t bytes) {
    return check(device, call_of(device)->copy(to.cuda, from.cuda, (size_t)bytes, queue->handle),
                 "copy within the device's memory");
}

/* ---- kernels --------------------------------------------------------------------------- */

static hd_status fail_compile(hd_remap_device *device, int error, void *handle) {
    const hd_nvrtc_library *nvrtc = &of(device)->nvrtc;
    size_t size = 0;
    if (handle)
        nvrtc->log_size(handle, &size);
    char *log = hd_zeroed(1, size + 1);
    if (size)
        nvrtc->log(handle, log);
    hd_status status =
        hd_remap_device_fail(device, hd_nvrtc_error(nvrtc, error),
                             "compile the remapping kernel%s%s", *log ? ":\n" : "", log);
    free(log);
    return status;
}

/* Compiles for the device. *image is to be freed; *symbol is the program's. */
static int compile(hd_remap_device *device, void *handle, char **image, const char **symbol) {
    const hd_nvrtc_library *nvrtc = &of(device)->nvrtc;
    hd_arena *arena = hd_arena_new();
    const char *option =
        hd_format(arena, "--gpu-architecture=sm_%d%d", of(device)->major, of(device)->minor);
    size_t size = 0;
    int error = nvrtc->add_name(handle, HD_REMAP_KERNEL);
    if (!error)
        error = nvrtc->compile(handle, 1, &option);
    if (!error)
        error = nvrtc->symbol(handle, HD_REMAP_KERNEL, symbol);
    if (!error)
        error = nvrtc->image_size(handle, &size);
    if (!error) {
        *image = hd_checked(malloc(size + 1));
        error = nvrtc->image(handle, *image);
    }
    hd_arena_free(arena);
    return error;
}

static hd_status load(hd_remap_device *device, const char *image, const char *symbol,
                      program *built) {
    const hd_cuda_library *call = call_of(device);
    int error = call->load_module(&built->module, image);
    if (error)
        return check(device, error, "load the remapping kernel");
    error = call->get_function(&built->function, built->module, symbol);
    if (error)
        call->unload_module(built->module);
    return check(device, error, "find the remapping kernel");
}

static hd_status build(hd_remap_device *device, const char *text, void **kernel) {
    const hd_nvrtc_library *nvrtc = &of(device)->nvrtc;
    program *built = hd_zeroed(1, sizeof *built);
    void *handle = NULL;
    char *image = NULL;
    const char *symbol;
    if (!of(device)->has_nvrtc) {
        free(built);
        return hd_remap_device_fail(device, of(device)->no_nvrtc, "compile the remapping kernel");
    }
    int error = nvrtc->create(&handle, text, "remap.cu", 0, NULL, NULL);
    if (!error)
        error = compile(device, handle, &image, &symbol);
    hd_status status =
        error ? fail_compile(device, error, handle) : load(device, image, symbol, built);
    if (handle)
        nvrtc->destroy(&handle);
    free(image);
    *kernel = status == HD_OK ? built : NULL;
    if (status != HD_OK)
        free(built);
    return status;
}

static void release_kernel(hd_remap_device *device, void *kernel) {
    program *built = kernel;
    call_of(device)->unload_module(built->module);
    free(built);
}

static hd_status launch(hd_remap_device *device, hd_remap_queue *queue, void *kernel,
                        const hd_remap_launch *shape, const hd_remap_arguments *arguments) {
    const program *built = kernel;
    void **params = hd_checked(malloc((arguments->part_count + 4) * sizeof *params));
    uint32_t count = 0;
    for (uint32_t p = 0; p < arguments->part_count; p++)
        params[count++] = (void *)&arguments->parts[p];
    params[count++] = (void *)&arguments->staging;
    if (arguments->numbers)
        params[count++] = (void *)arguments->numbers;
    params[count++] = (void *)&arguments->first;
    params[count++] = (void *)&arguments->count;
    int error = call_of(device)->launch(built->function, (unsigned)shape->groups[0],
                                        (unsigned)shape->groups[1], (unsigned)shape->groups[2],
                                        shape->items[0], shape->items[1], shape->items[2], 0,
                                        queue->handle, params, NULL);
    free(params);
    return check(device, error, "launch the remapping kernel");
}

/* ---- opening ------------------------------------------------------------------------------ */

static const hd_remap_backend backend = {
    .dialect = HD_REMAP_CUDA_C,
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

static int describe(hd_remap_device *device) {
    cuda *c = of(device);
    char name[256] = "a CUDA device";
    int number = 0, version = 0;
    int error = c->call.current_device(&number);
    if (!error)
        error = c->call.device_attribute(&c->major, HD_CUDA_CAPABILITY_MAJOR, number);
    if (!error)
        error = c->call.device_attribute(&c->minor, HD_CUDA_CAPABILITY_MINOR, number);
    if (!error)
        error = c->call.device_name(name, sizeof name, number);
    if (!error)
        error = c->call.version(&version);
    device->name = hd_strdup(device->arena, name);
    device->driver = hd_format(device->arena, "CUDA %d.%d", version / 1000, version % 1000 / 10);
    return error;
}

static hd_status open_current(const hd_diag *diag, hd_remap_device *device) {
    cuda *c = of(device);
    const char *missing;
    void *context = NULL;
    if (!hd_cuda_open(device->arena, &c->call, &missing))
        return hd_fail(diag, HD_ESYSTEM, NULL, "cannot open a CUDA device: %s", missing);
    c->has_nvrtc = hd_nvrtc_open(device->arena, &c->nvrtc, &c->no_nvrtc);
    int error = c->call.current_context(&context);
    if (!error && !context)
        return hd_fail(diag, HD_EINPUT, NULL,
                       "no CUDA context is current in this thread; make one before "
                       "hd_remap_open_cuda(), with cudaFree(0) for example");
    return check(device, error ? error : describe(device), "open it");
}

hd_status hd_remap_open_cuda(const hd_diag *diag, hd_remap_device **result) {
    if (hd_remap_needs(diag, result, "place for the device") != HD_OK)
        return HD_EINPUT;
    hd_remap_device *device = hd_remap_device_new(diag, &backend);
    device->state = hd_new(device->arena, cuda);
    return hd_remap_device_finish(device, open_current(diag, device), result);
}
