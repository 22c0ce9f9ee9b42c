/*
 * OpenCL as a back end.
 *
 * Version 1.2 of the host interface is enough, and every device has it. Errors
 * carry OpenCL's own names, since those are what its documentation explains.
 */
#include <CL/cl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

#include "driver/opencl_library.h"
#include "measure/opencl.h"

/* ---- errors ------------------------------------------------------------- */

hd_status hd_opencl_fail(const hd_session *session, cl_int error, const hd_place *place,
                         const char *doing) {
    return hd_session_fail(session, place, doing, hd_opencl_error(error));
}

/* ---- devices ------------------------------------------------------------ */

static const char *device_text(hd_arena *arena, cl_device_id device, cl_device_info what) {
    char text[512] = "";
    if (clGetDeviceInfo(device, what, sizeof text - 1, text, NULL) != CL_SUCCESS)
        return "unknown";
    return hd_strdup(arena, text);
}

static bool is_processor(cl_device_id device) {
    cl_device_type type = 0;
    return clGetDeviceInfo(device, CL_DEVICE_TYPE, sizeof type, &type, NULL) == CL_SUCCESS &&
           (type & CL_DEVICE_TYPE_CPU);
}

static const char *platform_name(hd_arena *arena, cl_platform_id platform) {
    char text[512] = "";
    if (clGetPlatformInfo(platform, CL_PLATFORM_NAME, sizeof text - 1, text, NULL) != CL_SUCCESS)
        return "unknown";
    return hd_strdup(arena, text);
}

typedef hd_vec(hd_compute_device) device_list;
typedef hd_vec(cl_device_id) id_list;

static void add_platform(hd_arena *arena, cl_platform_id platform, uint32_t index,
                         device_list *devices, id_list *ids) {
    cl_uint count = 0;
    if (clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 0, NULL, &count) != CL_SUCCESS || !count)
        return;
    cl_device_id *found = hd_new_array(arena, cl_device_id, count);
    if (clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, count, found, NULL) != CL_SUCCESS)
        return;
    const char *name = platform_name(arena, platform);
    for (cl_uint d = 0; d < count; d++) {
        hd_compute_device device = {.backend = "opencl",
                                    .id = hd_format(arena, "%u:%u", index, d),
                                    .platform = name,
                                    .name = device_text(arena, found[d], CL_DEVICE_NAME),
                                    .driver = device_text(arena, found[d], CL_DRIVER_VERSION),
                                    .is_processor = is_processor(found[d])};
        hd_push(arena, devices, device);
        hd_push(arena, ids, found[d]);
    }
}

static void find_devices(hd_arena *arena, device_list *devices, id_list *ids) {
    cl_uint count = 0;
    if (clGetPlatformIDs(0, NULL, &count) != CL_SUCCESS || !count)
        return;
    cl_platform_id *platforms = hd_new_array(arena, cl_platform_id, count);
    if (clGetPlatformIDs(count, platforms, NULL) != CL_SUCCESS)
        return;
    for (cl_uint p = 0; p < count; p++)
        add_platform(arena, platforms[p], p, devices, ids);
}

static hd_compute_device *list_devices(hd_arena *arena, uint32_t *count, const char **missing) {
    device_list devices = {0};
    id_list ids = {0};
    find_devices(arena, &devices, &ids);
    *count = (uint32_t)devices.count;
    *missing = "install a driver, for the processor the Debian package pocl-opencl-icd";
    return devices.data;
}

/* ---- sessions ----------------------------------------------------------- */

typedef struct opencl {
    cl_device_id device;
    cl_context context;
    cl_command_queue queue; /* keeps times */
} opencl;

static opencl *of(const hd_session *session) { return session->state; }

static cl_device_id find_device(hd_session *session) {
    device_list devices = {0};
    id_list ids = {0};
    find_devices(session->arena, &devices, &ids);
    for (size_t d = 0; d < devices.count; d++)
        if (!strcmp(devices.data[d].id, session->device.id))
            return ids.data[d];
    return NULL;
}

static hd_status open_device(hd_session *session) {
    opencl *cl = hd_new(session->arena, opencl);
    cl_int error = CL_DEVICE_NOT_FOUND;
    session->state = cl;
    cl->device = find_device(session);
    if (cl->device)
        cl->context = clCreateContext(NULL, 1, &cl->device, NULL, NULL, &error);
    if (error != CL_SUCCESS)
        return hd_opencl_fail(session, error, NULL, "make a context");
    cl->queue = clCreateCommandQueue(cl->context, cl->device, CL_QUEUE_PROFILING_ENABLE, &error);
    if (error != CL_SUCCESS)
        return hd_opencl_fail(session, error, NULL, "make a queue that keeps times");
    return HD_OK;
}

static void close_device(hd_session *session) {
    if (of(session)->queue)
        clReleaseCommandQueue(of(session)->queue);
    if (of(session)->context)
        clReleaseContext(of(session)->context);
}

static uint32_t count_units(hd_session *session) {
    cl_uint units = 1;
    clGetDeviceInfo(of(session)->device, CL_DEVICE_MAX_COMPUTE_UNITS, sizeof units, &units, NULL);
    return units ? units : 1;
}

cl_command_queue hd_opencl_queue(const hd_session *session) { return of(session)->queue; }

/* ---- programs ----------------------------------------------------------- */

/* Drivers have no way to quote a '"' in a folder's name; such a one is not searched. */
static const char *include_option(hd_arena *arena, const char *folder) {
    const char *quote = strchr(folder, ' ') ? "\"" : "";
    return strchr(folder, '"') ? "" : hd_format(arena, "-I %s%s%s ", quote, folder, quote);
}

/* The job's options, and for a text with headers their folders. Others are named none: drivers that
 * keep what they compiled know it again by text and options, and folders may be temporary. */
static const char *build_options(const hd_session *session, const hd_program_text *text) {
    hd_arena *arena = session->arena;
    const char *options = session->job->options ? session->job->options : "";
    if (hd_text_is_alone(text->text) && hd_text_is_alone(options))
        return options;
    return hd_format(arena, "%s%s%s", text->folder ? include_option(arena, text->folder) : "",
                     include_option(arena, hd_session_folder(session)), options);
}

static const char *build_log(const hd_session *session, cl_program program) {
    size_t size = 0;
    cl_device_id device = of(session)->device;
    clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, 0, NULL, &size);
    char *log = hd_alloc(session->arena, size + 1);
    clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, size, log, NULL);
    return log;
}

/* A compiler that is given a text looks for "header.h" in the process's folder first, so a text
 * that includes anything comes from its file. */
static const char *source_of(hd_session *session, const hd_program_text *text) {
    char path[PATH_MAX];
    if (!text->path || hd_text_is_alone(text->text) || !realpath(text->path, path) ||
        strpbrk(path, "\"\\"))
        return text->text;
    return hd_format(session->arena, "#include \"%s\"\n", path);
}

static hd_status build(hd_session *session, const hd_program_text *text, hd_version *version) {
    cl_int error;
    const char *source = source_of(session, text);
    cl_program program = clCreateProgramWithSource(of(session)->context, 1, &source, NULL, &error);
    version->program = program;
    if (error != CL_SUCCESS)
        return hd_opencl_fail(session, error, &(hd_place){.file = text->file}, "make a program");
    error =
        clBuildProgram(program, 1, &of(session)->device, build_options(session, text), NULL, NULL);
    if (error == CL_SUCCESS)
        return HD_OK;
    return hd_session_fail_build(session, text, hd_opencl_error(error),
                                 build_log(session, program));
}

/* ---- buffers ------------------------------------------------------------ */

static hd_status allocate(hd_session *session, const hd_buffer *buffer, void **memory) {
    cl_ulong limit = 0;
    uint64_t bytes = hd_buffer_bytes(buffer);
    clGetDeviceInfo(of(session)->device, CL_DEVICE_MAX_MEM_ALLOC_SIZE, sizeof limit, &limit, NULL);
    if (limit && bytes > limit)
        return hd_fail(session->diag, HD_EINPUT, &buffer->place,
                       "buffer '%s' takes %llu bytes, but %s allocates at most %llu; give it fewer "
                       "elements, or smaller tiles",
                       buffer->name, (unsigned long long)bytes, session->device.name,
                       (unsigned long long)limit);
    cl_int error;
    *memory = clCreateBuffer(of(session)->context, CL_MEM_READ_WRITE, bytes, NULL, &error);
    if (error != CL_SUCCESS)
        return hd_opencl_fail(session, error, &buffer->place,
                              hd_format(session->arena, "allocate %llu bytes for buffer '%s'",
                                        (unsigned long long)bytes, buffer->name));
    return HD_OK;
}

static hd_status write_buffer(hd_session *session, const hd_buffer *buffer, void *memory,
                              const void *bytes) {
    cl_int error = clEnqueueWriteBuffer(of(session)->queue, memory, CL_TRUE, 0,
                                        hd_buffer_bytes(buffer), bytes, 0, NULL, NULL);
    if (error == CL_SUCCESS)
        return HD_OK;
    return hd_opencl_fail(session, error, &buffer->place,
                          hd_format(session->arena, "write buffer '%s'", buffer->name));
}

static hd_status read_buffer(hd_session *session, const hd_buffer *buffer, void *memory,
                             void *bytes) {
    cl_int error = clEnqueueReadBuffer(of(session)->queue, memory, CL_TRUE, 0,
                                       hd_buffer_bytes(buffer), bytes, 0, NULL, NULL);
    if (error == CL_SUCCESS)
        return HD_OK;
    return hd_opencl_fail(session, error, &buffer->place,
                          hd_format(session->arena, "read buffer '%s'", buffer->name));
}

/* ---- kernels ------------------------------------------------------------ */

static hd_status set_arg(const hd_session *session, const hd_version *version,
                         const hd_launch *launch, const hd_arg *arg, cl_kernel kernel) {
    size_t size = arg->kind == HD_ARG_LOCAL    ? arg->local_bytes
                  : arg->kind == HD_ARG_BUFFER ? sizeof(cl_mem)
                                               : arg->value_bytes;
    const void *value = arg->kind == HD_ARG_LOCAL    ? NULL
                        : arg->kind == HD_ARG_BUFFER ? (const void *)&version->memories[arg->buffer]
                                                     : arg->value;
    cl_int error = clSetKernelArg(kernel, arg->param, size, value);
    if (error == CL_SUCCESS)
        return HD_OK;
    return hd_opencl_fail(session, error, &arg->place,
                          hd_format(session->arena, "set argument '%s' of kernel '%s'", arg->name,
                                    launch->kernel_name));
}

static hd_status check_local_size(const hd_session *session, const hd_launch *launch,
                                  cl_kernel kernel) {
    size_t limit = 0;
    uint64_t size = launch->local[0] * launch->local[1] * launch->local[2];
    clGetKernelWorkGroupInfo(kernel, of(session)->device, CL_KERNEL_WORK_GROUP_SIZE, sizeof limit,
                             &limit, NULL);
    if (limit && size > limit)
        return hd_fail(session->diag, HD_EINPUT, &launch->place,
                       "the local size of the launch of '%s' is %llu, but %s runs this kernel with "
                       "at most %zu work-items in a group; make 'local' smaller",
                       launch->kernel_name, (unsigned long long)size, session->device.name, limit);
    return HD_OK;
}

static hd_status make_kernel(hd_session *session, hd_version *version, uint32_t l) {
    cl_int error;
    const hd_launch *launch = &version->placed->job->launches[l];
    cl_kernel kernel = clCreateKernel(version->program, launch->kernel_name, &error);
    version->kernels[l] = kernel;
    if (error != CL_SUCCESS)
        return hd_opencl_fail(
            session, error, &launch->place,
            hd_format(session->arena, "make the kernel '%s'", launch->kernel_name));
    hd_status status = check_local_size(session, launch, kernel);
    for (uint32_t a = 0; a < launch->arg_count && status == HD_OK; a++)
        status = set_arg(session, version, launch, &launch->args[a], kernel);
    return status;
}

/* ---- a run -------------------------------------------------------------- */

static cl_int add_time(cl_event event, double *seconds) {
    cl_ulong start, end;
    cl_int status = CL_COMPLETE;
    cl_int error =
        clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL);
    if (error == CL_SUCCESS && status < 0)
        error = status;
    if (error == CL_SUCCESS)
        error =
            clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_START, sizeof start, &start, NULL);
    if (error == CL_SUCCESS)
        error = clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_END, sizeof end, &end, NULL);
    if (error == CL_SUCCESS)
        *seconds += (double)(end - start) * 1e-9;
    return error;
}

/* Runs `times` repetitions of a launch, at most HD_BATCH. */
enum { HD_BATCH = 256 };
static cl_int run_batch(const hd_session *session, const hd_launch *launch, cl_kernel kernel,
                        uint64_t times, double *seconds) {
    cl_event events[HD_BATCH];
    size_t global[3], local[3], offset[3];
    cl_uint queued = 0;
    cl_int error = CL_SUCCESS;
    for (uint32_t d = 0; d < 3; d++) {
        global[d] = launch->global[d];
        local[d] = launch->local[d];
        offset[d] = launch->offset[d];
    }
    for (uint64_t t = 0; t < times && error == CL_SUCCESS; t++) {
        error = clEnqueueNDRangeKernel(of(session)->queue, kernel, launch->dims, offset, global,
                                       local, 0, NULL, &events[queued]);
        queued += error == CL_SUCCESS;
    }
    cl_int finished = clFinish(of(session)->queue);
    if (error == CL_SUCCESS)
        error = finished;
    for (cl_uint e = 0; e < queued; e++) {
        if (error == CL_SUCCESS)
            error = add_time(events[e], seconds);
        clReleaseEvent(events[e]);
    }
    return error;
}

static hd_status run(hd_session *session, const hd_version *version, double *seconds) {
    const hd_job *job = version->placed->job;
    for (uint32_t l = 0; l < job->launch_count; l++) {
        const hd_launch *launch = &job->launches[l];
        for (uint64_t done = 0; done < launch->repeat; done += HD_BATCH) {
            uint64_t times = launch->repeat - done < HD_BATCH ? launch->repeat - done : HD_BATCH;
            cl_int error = run_batch(session, launch, version->kernels[l], times, &seconds[l]);
            if (error != CL_SUCCESS)
                return hd_opencl_fail(
                    session, error, &launch->place,
                    hd_format(session->arena, "run kernel '%s'", launch->kernel_name));
        }
    }
    return HD_OK;
}

static void release_memory(hd_session *session, void *memory) {
    (void)session;
    clReleaseMemObject(memory);
}

static void release_kernel(hd_session *session, void *kernel) {
    (void)session;
    clReleaseKernel(kernel);
}

static void release_program(hd_session *session, void *program) {
    (void)session;
    clReleaseProgram(program);
}

const hd_backend hd_opencl = {
    .name = "opencl",
    .title = "OpenCL",
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
