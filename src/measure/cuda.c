/*
 * CUDA as a back end: kernels in CUDA C on NVIDIA's GPUs.
 *
 * A kernel is timed by a pair of events around its launch. Launches are queued in batches
 * without waiting for each other, so that only a batch's first event waits for the processor.
 *
 * A `__device__` variable keeps what kernels write to it, from run to run, too. So where there
 * are some each run starts with the module loaded anew. A variable that a launch has a buffer
 * for is copied from it before the launch, and back to it afterwards.
 */
#include <stdio.h>

#include "measure/cuda.h"

hd_status hd_cuda_check(const hd_session *session, int error, const hd_place *place,
                        const char *doing) {
    if (!error)
        return HD_OK;
    return hd_session_fail(session, place, doing,
                           hd_cuda_error(&hd_cuda_of(session)->driver, error));
}

/* ---- devices ------------------------------------------------------------ */

/* Of the kernel's module, since the driver's interface tells only of CUDA: the first number
 * with a point in "NVRM version: NVIDIA UNIX x86_64 Kernel Module  550.54.15  Tue ...". */
static const char *kernel_driver(hd_arena *arena) {
    char line[512], number[64] = "";
    FILE *file = fopen("/proc/driver/nvidia/version", "r");
    if (!file)
        return "";
    char *at = fgets(line, sizeof line, file);
    fclose(file);
    for (at = at ? strpbrk(at, "0123456789") : NULL; at; at = strpbrk(at, "0123456789")) {
        size_t length = strspn(at, "0123456789.");
        if (memchr(at, '.', length) && length < sizeof number) {
            memcpy(number, at, length);
            return hd_format(arena, "%s ", number);
        }
        at += length;
    }
    return "";
}

/* "550.54.15 CUDA 12.4 NVRTC 12.4": all that decides what a kernel becomes. */
static const char *driver_text(hd_arena *arena, const hd_cuda_library *driver) {
    int version = 0, major = 0, minor = 0;
    const char *unused;
    hd_nvrtc_library nvrtc;
    driver->version(&version);
    const char *text =
        hd_format(arena, "%sCUDA %d.%d", kernel_driver(arena), version / 1000, version % 1000 / 10);
    if (hd_nvrtc_open(arena, &nvrtc, &unused) && nvrtc.version(&major, &minor) == 0)
        text = hd_format(arena, "%s NVRTC %d.%d", text, major, minor);
    return text;
}

static hd_compute_device *list_devices(hd_arena *arena, uint32_t *count, const char **missing) {
    hd_cuda_library driver;
    int found = 0, device = 0;
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
    for (int d = 0; d < found && driver.get_device(&device, d) == 0; d++) {
        char name[256] = "unknown";
        driver.device_name(name, sizeof name, device);
        devices[(*count)++] = (hd_compute_device){.backend = "cuda",
                                                  .id = hd_format(arena, "cuda:%d", d),
                                                  .platform = "NVIDIA CUDA",
                                                  .name = hd_strdup(arena, name),
                                                  .driver = driver_text(arena, &driver)};
    }
    return devices;
}

/* ---- sessions ----------------------------------------------------------- */

static int open_context(hd_cuda_session *cuda, int number) {
    int major = 0, minor = 0;
    int error = cuda->driver.init(0);
    if (!error)
        error = cuda->driver.get_device(&cuda->device, number);
    if (!error)
        error = cuda->driver.device_attribute(&major, HD_CUDA_CAPABILITY_MAJOR, cuda->device);
    if (!error)
        error = cuda->driver.device_attribute(&minor, HD_CUDA_CAPABILITY_MINOR, cuda->device);
    if (!error)
        error = cuda->driver.retain_context(&cuda->context, cuda->device);
    if (!error)
        error = cuda->driver.use_context(cuda->context);
    cuda->major = (uint32_t)major;
    cuda->minor = (uint32_t)minor;
    return error;
}

static hd_status open_device(hd_session *session) {
    hd_cuda_session *cuda = hd_new(session->arena, hd_cuda_session);
    const char *missing;
    int number = 0;
    if (!hd_cuda_open(session->arena, &cuda->driver, &missing) ||
        !hd_nvrtc_open(session->arena, &cuda->nvrtc, &missing))
        return hd_session_fail(session, NULL, "run kernels in CUDA C", missing);
    session->state = cuda;
    sscanf(session->device.id, "cuda:%d", &number);
    return hd_cuda_check(session, open_context(cuda, number), NULL, "make a context");
}

static void close_device(hd_session *session) {
    if (hd_cuda_of(session)->context)
        hd_cuda_of(session)->driver.release_context(hd_cuda_of(session)->device);
}

static uint32_t count_units(hd_session *session) {
    int units = 0;
    hd_cuda_of(session)->driver.device_attribute(&units, HD_CUDA_MULTIPROCESSORS,
                                                 hd_cuda_of(session)->device);
    return units > 0 ? (uint32_t)units : 1;
}

/* ---- programs ----------------------------------------------------------- */

static int load_variables(const hd_cuda_library *driver, hd_cuda_program *program) {
    int error = 0;
    for (uint32_t v = 0; v < program->variable_count && !error; v++)
        error = driver->get_variable(&program->variables[v].memory, &program->variables[v].bytes,
                                     program->module, program->variables[v].symbol);
    return error;
}

static int load_program(hd_session *session, hd_cuda_program *program) {
    const hd_cuda_library *driver = &hd_cuda_of(session)->driver;
    int error = driver->load_module(&program->module, program->image);
    if (error)
        program->module = NULL;
    return error ? error : load_variables(driver, program);
}

static hd_status build(hd_session *session, const hd_program_text *text, hd_version *version) {
    hd_cuda_program *program = hd_new(version->arena, hd_cuda_program);
    version->program = program;
    hd_status status = hd_cuda_compile(session, version->arena, text, program);
    if (status != HD_OK)
        return status;
    return hd_cuda_check(session, load_program(session, program), &(hd_place){.file = text->file},
                         "load the compiled kernels");
}

static void release_program(hd_session *session, void *released) {
    hd_cuda_program *program = released;
    if (program->module)
        hd_cuda_of(session)->driver.unload_module(program->module);
    program->module = NULL;
}

/* ---- buffers ------------------------------------------------------------ */

static uint64_t address_of(const void *memory) { return (uint64_t)(uintptr_t)memory; }

static hd_status allocate(hd_session *session, const hd_buffer *buffer, void **memory) {
    uint64_t address = 0, bytes = hd_buffer_bytes(buffer);
    int error = hd_cuda_of(session)->driver.allocate(&address, bytes);
    *memory = (void *)(uintptr_t)address;
    return hd_cuda_check(session, error, &buffer->place,
                         hd_format(session->arena, "allocate %llu bytes for buffer '%s'",
                                   (unsigned long long)bytes, buffer->name));
}

static void release_memory(hd_session *session, void *memory) {
    hd_cuda_of(session)->driver.free(address_of(memory));
}

static hd_status write_buffer(hd_session *session, const hd_buffer *buffer, void *memory,
                              const void *bytes) {
    int error =
        hd_cuda_of(session)->driver.to_device(address_of(memory), bytes, hd_buffer_bytes(buffer));
    return error ? hd_cuda_check(session, error, &buffer->place,
                                 hd_format(session->arena, "write buffer '%s'", buffer->name))
                 : HD_OK;
}

static hd_status read_buffer(hd_session *session, const hd_buffer *buffer, void *memory,
                             void *bytes) {
    int error =
        hd_cuda_of(session)->driver.to_host(bytes, address_of(memory), hd_buffer_bytes(buffer));
    return hd_cuda_check(session, error, &buffer->place,
                         hd_format(session->arena, "read buffer '%s'", buffer->name));
}

/* ---- kernels ------------------------------------------------------------ */

/* A variable that a buffer stands for in a launch. */
typedef struct stand_in {
    const hd_cuda_variable *variable;
    void *memory;
    bool kept; /* kernels may write it */
} stand_in;

/* One launch, ready. */
typedef struct kernel {
    void *function;
    void **params; /* where each argument is */
    stand_in *stand_ins;
    uint32_t stand_in_count;
} kernel;

static void set_arg(const hd_session *session, const hd_version *version, const hd_launch *launch,
                    const hd_arg *arg, kernel *made) {
    const hd_cuda_program *program = version->program;
    if (arg->param != KIR_NONE) {
        made->params[arg->param] = arg->kind == HD_ARG_BUFFER
                                       ? (void *)&version->memories[arg->buffer]
                                       : (void *)arg->value;
        return;
    }
    const hd_launch *original = &session->job->launches[launch - version->placed->job->launches];
    const kir_static *variable = &original->kernel->statics[arg->variable];
    for (uint32_t v = 0; v < program->variable_count; v++)
        if (!strcmp(program->variables[v].name, variable->name))
            made->stand_ins[made->stand_in_count++] =
                (stand_in){&program->variables[v], version->memories[arg->buffer],
                           variable->space == KIR_GLOBAL};
}

static hd_status check_threads(const hd_session *session, const hd_launch *launch,
                               const kernel *made) {
    int limit = 0;
    uint64_t size = launch->local[0] * launch->local[1] * launch->local[2];
    hd_cuda_of(session)->driver.function_attribute(&limit, HD_CUDA_THREADS_OF_FUNCTION,
                                                   made->function);
    if (limit && size > (uint64_t)limit)
        return hd_fail(session->diag, HD_EINPUT, &launch->place,
                       "a block of the launch of '%s' has %llu threads, but %s runs this kernel "
                       "with at most %d; make 'threads' smaller",
                       launch->kernel_name, (unsigned long long)size, session->device.name, limit);
    return HD_OK;
}

/* Shared memory beyond 48 KiB a function gets only on request. */
static hd_status load_kernel(const hd_session *session, const hd_version *version, uint32_t l) {
    const hd_cuda_library *driver = &hd_cuda_of(session)->driver;
    const hd_cuda_program *program = version->program;
    const hd_launch *launch = &version->placed->job->launches[l];
    kernel *made = version->kernels[l];
    int error = driver->get_function(&made->function, program->module, program->symbols[l]);
    if (error || !launch->shared)
        return hd_cuda_check(
            session, error, &launch->place,
            hd_format(session->arena, "make the kernel '%s'", launch->kernel_name));
    error = driver->set_function_attribute(made->function, HD_CUDA_SHARED_OF_FUNCTION,
                                           (int)launch->shared);
    return hd_cuda_check(session, error, &launch->place,
                         hd_format(session->arena, "give '%s' %llu bytes of shared memory",
                                   launch->kernel_name, (unsigned long long)launch->shared));
}

static hd_status make_kernel(hd_session *session, hd_version *version, uint32_t l) {
    const hd_launch *launch = &version->placed->job->launches[l];
    kernel *made = hd_new(version->arena, kernel);
    version->kernels[l] = made;
    made->params = hd_new_array(version->arena, void *, launch->arg_count);
    made->stand_ins = hd_new_array(version->arena, stand_in, launch->arg_count);
    for (uint32_t a = 0; a < launch->arg_count; a++)
        set_arg(session, version, launch, &launch->args[a], made);
    hd_status status = load_kernel(session, version, l);
    return status == HD_OK ? check_threads(session, launch, made) : status;
}

/* All is in the version's arena and in its module. */
static void release_kernel(hd_session *session, void *made) {
    (void)session;
    (void)made;
}

/* ---- a run -------------------------------------------------------------- */

static hd_status reload(hd_session *session, const hd_version *version) {
    hd_place nowhere = {0};
    release_program(session, version->program);
    hd_status status = hd_cuda_check(session, load_program(session, version->program), &nowhere,
                                     "load the compiled kernels");
    for (uint32_t l = 0; l < version->placed->job->launch_count && status == HD_OK; l++)
        status = load_kernel(session, version, l);
    return status;
}

/* Launches that are queued, a pair of events around each. */
enum { HD_BATCH = 256 };
typedef struct batch {
    const hd_cuda_library *driver;
    void *events[HD_BATCH][2];
    uint32_t launches[HD_BATCH];
    uint32_t count;
} batch;

static int launch_once(batch *b, const hd_job *job, uint32_t l, const kernel *made) {
    const hd_cuda_library *driver = b->driver;
    const hd_launch *launch = &job->launches[l];
    hd_grid grid = hd_grid_of(launch->dims, launch->global, launch->local);
    unsigned blocks[3], threads[3];
    int error = 0;
    for (uint32_t d = 0; d < 3; d++) {
        threads[d] = (unsigned)grid.local[d];
        blocks[d] = (unsigned)grid.groups[d];
    }
    void **events = b->events[b->count];
    b->launches[b->count++] = l;
    for (uint32_t e = 0; e < 2 && !error; e++)
        error = driver->make_event(&events[e], 0);
    for (uint32_t s = 0; s < made->stand_in_count && !error; s++)
        error =
            driver->copy(made->stand_ins[s].variable->memory, address_of(made->stand_ins[s].memory),
                         made->stand_ins[s].variable->bytes, NULL);
    if (!error)
        error = driver->record_event(events[0], NULL);
    if (!error)
        error =
            driver->launch(made->function, blocks[0], blocks[1], blocks[2], threads[0], threads[1],
                           threads[2], (unsigned)launch->shared, NULL, made->params, NULL);
    if (!error)
        error = driver->record_event(events[1], NULL);
    for (uint32_t s = 0; s < made->stand_in_count && !error; s++)
        if (made->stand_ins[s].kept)
            error = driver->copy(address_of(made->stand_ins[s].memory),
                                 made->stand_ins[s].variable->memory,
                                 made->stand_ins[s].variable->bytes, NULL);
    return error;
}

/* Waits for all that is queued and adds its times to those of the launches; `error` is that of
 * queueing. */
static int end_batch(batch *b, int error, double *seconds) {
    int finished = b->driver->synchronize();
    if (!error)
        error = finished;
    for (uint32_t i = 0; i < b->count; i++) {
        float milliseconds = 0;
        if (!error)
            error = b->driver->elapsed(&milliseconds, b->events[i][0], b->events[i][1]);
        seconds[b->launches[i]] += milliseconds * 1e-3;
        for (uint32_t e = 0; e < 2; e++)
            if (b->events[i][e])
                b->driver->destroy_event(b->events[i][e]);
    }
    *b = (batch){.driver = b->driver};
    return error;
}

static int run_launches(const hd_job *job, const hd_version *version, batch *b, double *seconds,
                        const hd_launch **launch) {
    int error = 0;
    for (uint32_t l = 0; l < job->launch_count && !error; l++) {
        *launch = &job->launches[l];
        for (uint64_t t = 0; t < job->launches[l].repeat && !error; t++) {
            error = launch_once(b, job, l, version->kernels[l]);
            if (b->count == HD_BATCH)
                error = end_batch(b, error, seconds);
        }
    }
    return end_batch(b, error, seconds);
}

static hd_status run(hd_session *session, const hd_version *version, double *seconds) {
    const hd_job *job = version->placed->job;
    const hd_cuda_program *program = version->program;
    const hd_launch *launch = job->launches; /* the last one that was started */
    batch b = {.driver = &hd_cuda_of(session)->driver};
    hd_status status = program->keeps_state ? reload(session, version) : HD_OK;
    if (status != HD_OK)
        return status;
    int error = run_launches(job, version, &b, seconds, &launch);
    return error ? hd_cuda_check(session, error, &launch->place,
                                 hd_format(session->arena, "run kernel '%s'", launch->kernel_name))
                 : HD_OK;
}

const hd_backend hd_cuda = {
    .name = "cuda",
    .title = "CUDA",
    .list = list_devices,
    .open = open_device,
    .close = close_device,
    .units = count_units,
    .build = build,
    .allocate = allocate,
    .write = write_buffer,
    .read = read_buffer,
    .make_kernel = make_kernel,
    .run = run,
    .release_memory = release_memory,
    .release_kernel = release_kernel,
    .release_program = release_program,
};
