#include "opencl/platform.h"

#include <stdlib.h>
#include <string.h>

static cl_icd_dispatch table;
struct _cl_platform_id platform_itself = {{&table, PLATFORM_ITSELF, 1}};
struct _cl_device_id platform_device = {{&table, PLATFORM_DEVICE, 1}};
static platform_callback *due, **last_due = &due;

/* ---- objects ------------------------------------------------------------------------------------- */

bool platform_has(const void *object) {
    return object && ((const platform_object *)object)->dispatch == &table;
}

bool platform_is(const void *object, platform_kind kind) {
    return platform_has(object) && ((const platform_object *)object)->kind == kind;
}

void *platform_new(platform_kind kind, size_t bytes) {
    platform_object *object = hd_zeroed(1, bytes);
    *object = (platform_object){&table, kind, 1};
    return object;
}

void *platform_hold(void *object) {
    if (object)
        ((platform_object *)object)->held++;
    return object;
}

void platform_drop(machine *m, void *object) {
    platform_object *o = object;
    if (!o || --o->held)
        return;
    switch (o->kind) {
    case PLATFORM_CONTEXT: free(((cl_context)object)->properties); break;
    case PLATFORM_QUEUE: platform_end_queue(m, object); break;
    case PLATFORM_MEMORY: platform_end_memory(m, object); break;
    case PLATFORM_PROGRAM: platform_end_program(m, object); break;
    case PLATFORM_KERNEL: platform_end_kernel(m, object); break;
    case PLATFORM_EVENT: platform_end_event(m, object); break;
    case PLATFORM_SAMPLER: platform_drop(m, ((cl_sampler)object)->context); break;
    default: break;
    }
    o->kind = PLATFORM_NONE;
    free(o);
}

cl_int platform_hold_call(void *object, platform_kind kind, cl_int error) {
    machine *m = machine_enter();
    const bool is = platform_is(object, kind);
    if (is)
        platform_hold(object);
    return platform_left(m, is ? CL_SUCCESS : error);
}

cl_int platform_drop_call(void *object, platform_kind kind, cl_int error) {
    machine *m = machine_enter();
    const bool is = platform_is(object, kind);
    if (is)
        platform_drop(m, object);
    return platform_left(m, is ? CL_SUCCESS : error);
}

cl_int platform_give(const void *value, size_t bytes, size_t room, void *to, size_t *needs) {
    if (to && room < bytes)
        return CL_INVALID_VALUE;
    if (to && bytes)
        memcpy(to, value, bytes);
    if (needs)
        *needs = bytes;
    return CL_SUCCESS;
}

cl_int platform_give_text(const char *text, size_t room, void *to, size_t *needs) {
    return platform_give(text, strlen(text) + 1, room, to, needs);
}

/* ---- calls back ------------------------------------------------------------------------------------ */

void platform_call_back(platform_callback *callback) {
    callback->next = NULL;
    *last_due = callback;
    last_due = &callback->next;
}

static void call(const platform_callback *c) {
    if (c->event)
        c->event(c->object, c->when, c->user);
    if (c->memory)
        c->memory(c->object, c->user);
    if (c->program)
        c->program(c->object, c->user);
}

/* What a call back asks for is called when it has returned. */
void platform_leave(machine *m) {
    static _Thread_local bool is_calling;
    while (due && !is_calling) {
        platform_callback *c = due;
        due = c->next;
        last_due = due ? last_due : &due;
        machine_leave(m);
        is_calling = true;
        call(c);
        is_calling = false;
        m = machine_enter();
        if (c->event)
            platform_drop(m, c->object);
        free(c);
    }
    machine_leave(m);
}

cl_int platform_left(machine *m, cl_int result) {
    platform_leave(m);
    return result;
}

/* ---- the platform and its device ------------------------------------------------------------------- */

static CL_API_ENTRY cl_int CL_API_CALL get_platforms(cl_uint room, cl_platform_id *platforms,
                                                     cl_uint *count) {
    if ((!platforms && !count) || (platforms && !room))
        return CL_INVALID_VALUE;
    if (platforms)
        *platforms = &platform_itself;
    if (count)
        *count = 1;
    return CL_SUCCESS;
}

static CL_API_ENTRY cl_int CL_API_CALL get_devices(cl_platform_id platform, cl_device_type type,
                                                   cl_uint room, cl_device_id *devices,
                                                   cl_uint *count) {
    const cl_device_type known = CL_DEVICE_TYPE_DEFAULT | CL_DEVICE_TYPE_CPU | CL_DEVICE_TYPE_GPU |
                                 CL_DEVICE_TYPE_ACCELERATOR | CL_DEVICE_TYPE_CUSTOM;
    if (!platform_is(platform, PLATFORM_ITSELF))
        return CL_INVALID_PLATFORM;
    if (!type || (type != CL_DEVICE_TYPE_ALL && type & ~known))
        return CL_INVALID_DEVICE_TYPE;
    if ((!devices && !count) || (devices && !room))
        return CL_INVALID_VALUE;
    if (!(type & (CL_DEVICE_TYPE_DEFAULT | CL_DEVICE_TYPE_GPU))) {
        if (count)
            *count = 0;
        return CL_DEVICE_NOT_FOUND;
    }
    if (devices)
        *devices = &platform_device;
    if (count)
        *count = 1;
    return CL_SUCCESS;
}

static CL_API_ENTRY cl_int CL_API_CALL hold_device(cl_device_id device) {
    return platform_is(device, PLATFORM_DEVICE) ? CL_SUCCESS : CL_INVALID_DEVICE;
}

static CL_API_ENTRY cl_int CL_API_CALL divide_device(cl_device_id device,
                                                     const cl_device_partition_property *how,
                                                     cl_uint room, cl_device_id *devices,
                                                     cl_uint *count) {
    (void)how, (void)room, (void)devices, (void)count;
    return platform_is(device, PLATFORM_DEVICE) ? CL_INVALID_VALUE : CL_INVALID_DEVICE;
}

/* ---- contexts -------------------------------------------------------------------------------------- */

static cl_int check_properties(const cl_context_properties *given, size_t *bytes) {
    size_t count = 0;
    for (; given && given[count]; count += 2) {
        if (given[count] == CL_CONTEXT_PLATFORM &&
            !platform_is((const void *)given[count + 1], PLATFORM_ITSELF)) /* NOLINT: a handle */
            return CL_INVALID_PLATFORM;
        if (given[count] != CL_CONTEXT_PLATFORM && given[count] != CL_CONTEXT_INTEROP_USER_SYNC)
            return CL_INVALID_PROPERTY;
    }
    *bytes = given ? (count + 1) * sizeof *given : 0;
    return CL_SUCCESS;
}

typedef void(CL_CALLBACK *context_notify)(const char *, const void *, size_t, void *);

static CL_API_ENTRY cl_context CL_API_CALL create_context(const cl_context_properties *properties,
                                                          cl_uint count,
                                                          const cl_device_id *devices,
                                                          context_notify notify, void *user,
                                                          cl_int *error) {
    size_t bytes;
    const cl_int wrong = check_properties(properties, &bytes);
    if (wrong)
        return platform_fail(wrong, error);
    if (!devices || !count || (!notify && user))
        return platform_fail(CL_INVALID_VALUE, error);
    for (cl_uint i = 0; i < count; i++)
        if (!platform_is(devices[i], PLATFORM_DEVICE))
            return platform_fail(CL_INVALID_DEVICE, error);
    cl_context context = platform_new(PLATFORM_CONTEXT, sizeof *context);
    context->properties_bytes = bytes;
    context->properties = bytes ? memcpy(hd_zeroed(1, bytes), properties, bytes) : NULL;
    platform_fail(CL_SUCCESS, error);
    return context;
}

static CL_API_ENTRY cl_context CL_API_CALL
create_context_of(const cl_context_properties *properties, cl_device_type type,
                  context_notify notify, void *user, cl_int *error) {
    cl_device_id device;
    const cl_int wrong = get_devices(&platform_itself, type, 1, &device, NULL);
    if (wrong)
        return platform_fail(wrong, error);
    return create_context(properties, 1, &device, notify, user, error);
}

PLATFORM_HELD(context, cl_context, PLATFORM_CONTEXT, CL_INVALID_CONTEXT)

static CL_API_ENTRY cl_int CL_API_CALL context_info(cl_context context, cl_context_info what,
                                                    size_t room, void *to, size_t *needs) {
    static const cl_uint one = 1;
    const cl_device_id device = &platform_device;
    if (!platform_is(context, PLATFORM_CONTEXT))
        return CL_INVALID_CONTEXT;
    switch (what) {
    case CL_CONTEXT_REFERENCE_COUNT:
        return platform_give(&context->object.held, sizeof(cl_uint), room, to, needs);
    case CL_CONTEXT_NUM_DEVICES: return platform_give(&one, sizeof one, room, to, needs);
    case CL_CONTEXT_DEVICES: return platform_give(&device, sizeof device, room, to, needs);
    case CL_CONTEXT_PROPERTIES:
        return platform_give(context->properties, context->properties_bytes, room, to, needs);
    default: return CL_INVALID_VALUE;
    }
}

/* ---- what is not there ------------------------------------------------------------------------------- */

/* Pipes, shared virtual memory, kernels of other forms: as the standard has it where
 * no device supports them. Arguments are the caller's business. */
static cl_int not_there(void) { return CL_INVALID_OPERATION; }

static CL_API_ENTRY cl_mem CL_API_CALL create_pipe(cl_context context, cl_mem_flags flags,
                                                   cl_uint packet, cl_uint most,
                                                   const cl_pipe_properties *how, cl_int *error) {
    (void)context, (void)flags, (void)packet, (void)most, (void)how;
    return platform_fail(CL_INVALID_OPERATION, error);
}

static CL_API_ENTRY void *CL_API_CALL allocate_shared(cl_context context, cl_svm_mem_flags flags,
                                                      size_t bytes, cl_uint align) {
    (void)context, (void)flags, (void)bytes, (void)align;
    return NULL;
}

/* ---- what loaders ask for --------------------------------------------------------------------------- */

/* Nothing is there but what a loader asks for. */
static CL_API_ENTRY void *CL_API_CALL function_named(const char *name) {
    if (!strcmp(name, "clIcdGetPlatformIDsKHR"))
        return (void *)(uintptr_t)get_platforms;
    return !strcmp(name, "clGetPlatformInfo") ? (void *)(uintptr_t)table.clGetPlatformInfo : NULL;
}

static CL_API_ENTRY void *CL_API_CALL function_of(cl_platform_id platform, const char *name) {
    return platform_is(platform, PLATFORM_ITSELF) ? function_named(name) : NULL;
}

__attribute__((constructor)) static void fill_table(void) {
    void **calls = (void **)&table;
    table.clGetPlatformIDs = get_platforms;
    table.clGetDeviceIDs = get_devices;
    table.clRetainDevice = table.clReleaseDevice = hold_device;
    table.clCreateSubDevices = divide_device;
    table.clCreateContext = create_context;
    table.clCreateContextFromType = create_context_of;
    table.clRetainContext = hold_context;
    table.clReleaseContext = release_context;
    table.clGetContextInfo = context_info;
    table.clGetExtensionFunctionAddress = function_named;
    table.clGetExtensionFunctionAddressForPlatform = function_of;
    table.clCreatePipe = create_pipe;
    table.clSVMAlloc = allocate_shared;
    platform_infos(&table);
    platform_programs(&table);
    platform_kernels(&table);
    platform_memories(&table);
    platform_images(&table);
    platform_queues(&table);
    platform_enqueues(&table);
    for (size_t i = 0; i < sizeof table / sizeof *calls; i++)
        if (!calls[i])
            calls[i] = (void *)(uintptr_t)not_there;
}

/* Loaders look for these three by name. */
CL_API_ENTRY cl_int CL_API_CALL clIcdGetPlatformIDsKHR(cl_uint room, cl_platform_id *platforms,
                                                       cl_uint *count) {
    return get_platforms(room, platforms, count);
}

CL_API_ENTRY void *CL_API_CALL clGetExtensionFunctionAddress(const char *name) {
    return function_named(name);
}

CL_API_ENTRY cl_int CL_API_CALL clGetPlatformInfo(cl_platform_id platform, cl_platform_info what,
                                                  size_t room, void *to, size_t *needs) {
    return table.clGetPlatformInfo(platform, what, room, to, needs);
}
