/*
 * OpenCL devices by name, and programs with located build errors.
 *
 * Version 1.2 of the host interface is enough, and every device has it. Errors
 * carry OpenCL's own names, since those are what its documentation explains.
 */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>

#include "measure/session.h"

/* ---- errors ------------------------------------------------------------- */

const char *hd_opencl_error(cl_int error) {
#define NAME(code)                                                                                 \
    case code:                                                                                     \
        return #code;
    switch (error) {
        NAME(CL_SUCCESS)
        NAME(CL_DEVICE_NOT_FOUND)
        NAME(CL_DEVICE_NOT_AVAILABLE)
        NAME(CL_COMPILER_NOT_AVAILABLE)
        NAME(CL_MEM_OBJECT_ALLOCATION_FAILURE)
        NAME(CL_OUT_OF_RESOURCES)
        NAME(CL_OUT_OF_HOST_MEMORY)
        NAME(CL_PROFILING_INFO_NOT_AVAILABLE)
        NAME(CL_MEM_COPY_OVERLAP)
        NAME(CL_BUILD_PROGRAM_FAILURE)
        NAME(CL_MAP_FAILURE)
        NAME(CL_MISALIGNED_SUB_BUFFER_OFFSET)
        NAME(CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST)
        NAME(CL_COMPILE_PROGRAM_FAILURE)
        NAME(CL_LINKER_NOT_AVAILABLE)
        NAME(CL_LINK_PROGRAM_FAILURE)
        NAME(CL_KERNEL_ARG_INFO_NOT_AVAILABLE)
        NAME(CL_INVALID_VALUE)
        NAME(CL_INVALID_DEVICE_TYPE)
        NAME(CL_INVALID_PLATFORM)
        NAME(CL_INVALID_DEVICE)
        NAME(CL_INVALID_CONTEXT)
        NAME(CL_INVALID_QUEUE_PROPERTIES)
        NAME(CL_INVALID_COMMAND_QUEUE)
        NAME(CL_INVALID_HOST_PTR)
        NAME(CL_INVALID_MEM_OBJECT)
        NAME(CL_INVALID_BINARY)
        NAME(CL_INVALID_BUILD_OPTIONS)
        NAME(CL_INVALID_PROGRAM)
        NAME(CL_INVALID_PROGRAM_EXECUTABLE)
        NAME(CL_INVALID_KERNEL_NAME)
        NAME(CL_INVALID_KERNEL_DEFINITION)
        NAME(CL_INVALID_KERNEL)
        NAME(CL_INVALID_ARG_INDEX)
        NAME(CL_INVALID_ARG_VALUE)
        NAME(CL_INVALID_ARG_SIZE)
        NAME(CL_INVALID_KERNEL_ARGS)
        NAME(CL_INVALID_WORK_DIMENSION)
        NAME(CL_INVALID_WORK_GROUP_SIZE)
        NAME(CL_INVALID_WORK_ITEM_SIZE)
        NAME(CL_INVALID_GLOBAL_OFFSET)
        NAME(CL_INVALID_EVENT_WAIT_LIST)
        NAME(CL_INVALID_EVENT)
        NAME(CL_INVALID_OPERATION)
        NAME(CL_INVALID_BUFFER_SIZE)
        NAME(CL_INVALID_GLOBAL_WORK_SIZE)
        NAME(CL_INVALID_PROPERTY)
        NAME(CL_INVALID_COMPILER_OPTIONS)
        NAME(CL_INVALID_LINKER_OPTIONS)
    case -1001:
        return "CL_PLATFORM_NOT_FOUND_KHR";
    default:
        return "an unknown OpenCL error";
    }
#undef NAME
}

static hd_place job_place(const hd_job *job) {
    return (hd_place){.file = job->path ? job->path : job->kernel_path};
}

hd_status hd_opencl_fail(const hd_session *session, cl_int error, const hd_place *place,
                         const char *doing) {
    hd_place at = place && place->file ? *place : job_place(session->job);
    return hd_fail(session->diag, HD_ESYSTEM, &at, "cannot %s on %s: %s", doing,
                   session->device_name, hd_opencl_error(error));
}

/* ---- devices ------------------------------------------------------------ */

static const char *device_text(hd_arena *arena, cl_device_id device, cl_device_info what) {
    char text[512] = "";
    if (clGetDeviceInfo(device, what, sizeof text - 1, text, NULL) != CL_SUCCESS)
        return "unknown";
    return hd_strdup(arena, text);
}

static const char *platform_name(hd_arena *arena, cl_platform_id platform) {
    char text[512] = "";
    if (clGetPlatformInfo(platform, CL_PLATFORM_NAME, sizeof text - 1, text, NULL) != CL_SUCCESS)
        return "unknown";
    return hd_strdup(arena, text);
}

typedef hd_vec(hd_opencl_device) device_list;
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
        hd_opencl_device device = {.platform = name,
                                   .name = device_text(arena, found[d], CL_DEVICE_NAME),
                                   .driver = device_text(arena, found[d], CL_DRIVER_VERSION),
                                   .platform_index = index,
                                   .device_index = d};
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

hd_status hd_measure_devices(hd_arena *arena, const hd_diag *diag, hd_opencl_device **devices,
                             uint32_t *count) {
    (void)diag;
    device_list list = {0};
    id_list ids = {0};
    find_devices(arena, &list, &ids);
    *devices = list.data;
    *count = (uint32_t)list.count;
    return HD_OK;
}

/* "0:1" is device 1 of platform 0; anything else is part of a name. */
static bool device_matches(const hd_opencl_device *device, const char *wanted) {
    unsigned platform, index;
    char rest;
    if (!wanted || !*wanted)
        return true;
    if (isdigit((unsigned char)*wanted) && sscanf(wanted, "%u:%u%c", &platform, &index, &rest) == 2)
        return platform == device->platform_index && index == device->device_index;
    return strcasestr(device->name, wanted) || strcasestr(device->platform, wanted);
}

static hd_status choose_device(hd_session *session, const char *wanted) {
    device_list devices = {0};
    id_list ids = {0};
    find_devices(session->arena, &devices, &ids);
    hd_place place = job_place(session->job);
    if (!devices.count)
        return hd_fail(session->diag, HD_ESYSTEM, &place,
                       "there is no OpenCL device to run on; install a driver, for the processor "
                       "the Debian package pocl-opencl-icd");
    hd_str names = {.arena = session->arena};
    for (size_t d = 0; d < devices.count; d++) {
        const hd_opencl_device *device = &devices.data[d];
        if (device_matches(device, wanted)) {
            session->device = ids.data[d];
            session->device_name = device->name;
            session->driver = hd_format(session->arena, "%s %s", device->platform, device->driver);
            return HD_OK;
        }
        hd_str_printf(&names, "%s%u:%u %s (%s)", d ? ", " : "", device->platform_index,
                      device->device_index, device->name, device->platform);
    }
    return hd_fail(session->diag, HD_EINPUT, &place,
                   "no OpenCL device is called '%s'; there are: %s", wanted, hd_str_text(&names));
}

hd_status hd_session_open(hd_arena *arena, const hd_diag *diag, const hd_job *job,
                          const char *device, hd_session *session) {
    *session = (hd_session){.arena = arena, .diag = diag, .job = job};
    hd_status status = choose_device(session, device);
    if (status != HD_OK)
        return status;
    cl_int error;
    session->context = clCreateContext(NULL, 1, &session->device, NULL, NULL, &error);
    if (error != CL_SUCCESS)
        return hd_opencl_fail(session, error, NULL, "make a context");
    session->queue =
        clCreateCommandQueue(session->context, session->device, CL_QUEUE_PROFILING_ENABLE, &error);
    if (error != CL_SUCCESS)
        return hd_opencl_fail(session, error, NULL, "make a queue that keeps times");
    return HD_OK;
}

void hd_session_close(hd_session *session) {
    if (session->queue)
        clReleaseCommandQueue(session->queue);
    if (session->context)
        clReleaseContext(session->context);
    session->queue = NULL;
    session->context = NULL;
}

/* ---- programs ----------------------------------------------------------- */

/* Drivers have no way to quote a '"' in a folder's name; such a one is not searched. */
static const char *include_option(hd_arena *arena, const char *folder) {
    const char *quote = strchr(folder, ' ') ? "\"" : "";
    return strchr(folder, '"') ? "" : hd_format(arena, "-I %s%s%s ", quote, folder, quote);
}

static const char *folder_of(hd_arena *arena, const char *path) {
    const char *slash = strrchr(path, '/');
    return !slash ? "." : slash == path ? "/" : hd_strndup(arena, path, (size_t)(slash - path));
}

/* The job's options, `folder` and the kernel's own for its headers. */
static const char *build_options(const hd_session *session, const char *folder) {
    hd_arena *arena = session->arena;
    const hd_job *job = session->job;
    return hd_format(arena, "%s%s%s", folder ? include_option(arena, folder) : "",
                     include_option(arena, folder_of(arena, job->kernel_path)),
                     job->options ? job->options : "");
}

/* The place of the log's first error in the program itself, as all drivers that are made
 * of clang write it: "NAME:LINE:COLUMN: error: ...", where NAME is no header's. */
static hd_place place_in_log(hd_arena *arena, const char *log, const char *file,
                             const char *source) {
    hd_place place = {.file = file};
    for (const char *line = log; *line; line += strcspn(line, "\n"), line += *line == '\n') {
        size_t length = strcspn(line, "\n");
        const char *end = line + length, *at = line;
        if (!memmem(line, length, "error", 5))
            continue;
        unsigned row, column;
        int used = 0;
        while (at < end && !(*at == ':' && sscanf(at, ":%u:%u%n", &row, &column, &used) == 2))
            at++;
        if (at == end || (at - line > 2 && !strncmp(at - 2, ".h", 2)))
            continue;
        place.line = row;
        place.column = column;
        place.text = hd_line_of(arena, source, row);
        break;
    }
    return place;
}

static const char *build_log(const hd_session *session, cl_program program) {
    size_t size = 0;
    clGetProgramBuildInfo(program, session->device, CL_PROGRAM_BUILD_LOG, 0, NULL, &size);
    char *log = hd_alloc(session->arena, size + 1);
    clGetProgramBuildInfo(program, session->device, CL_PROGRAM_BUILD_LOG, size, log, NULL);
    for (size_t length = strlen(log); length && isspace((unsigned char)log[length - 1]);)
        log[--length] = '\0';
    return log;
}

hd_status hd_session_build(hd_session *session, const char *file, const char *source,
                           const char *folder, cl_program *program) {
    cl_int error;
    *program = clCreateProgramWithSource(session->context, 1, &source, NULL, &error);
    if (error != CL_SUCCESS)
        return hd_opencl_fail(session, error, &(hd_place){.file = file}, "make a program");
    error =
        clBuildProgram(*program, 1, &session->device, build_options(session, folder), NULL, NULL);
    if (error == CL_SUCCESS)
        return HD_OK;
    const char *log = build_log(session, *program);
    hd_place place = place_in_log(session->arena, log, file, source);
    return hd_fail(session->diag, HD_EINPUT, &place, "%s does not compile it (%s)%s%s",
                   session->device_name, hd_opencl_error(error), *log ? ":\n" : "", log);
}
