/*
 * The device and its contexts. All contexts share what there is on the device; it goes with the
 * last of them.
 */
#include "cuda/driver/driver.h"

#include <stdio.h>

enum { VERSION = 13000, DEPTH = 64, LIMITS = 7, CONTEXT_API = 3020 };

typedef struct context {
    unsigned flags;
} context;

static bool initialised;
static context *primary; /* once made it keeps its handle, which is one while it is in use */
static unsigned primary_uses, primary_flags, contexts; /* under the process's lock */
static size_t limits[LIMITS] = {1024, 1 << 20, 8 << 20, 2, 2048, 128, 0};

static __thread context *stack[DEPTH]; /* the current one is the last */
static __thread unsigned depth;

/* ---- contexts, and the beginning of calls --------------------------------------------------------------------- */

static bool is_context(const cuda_process *p, const void *handle) {
    return cuda_handle_is(p, handle, CUDA_CONTEXT) && (handle != primary || primary_uses);
}

dr_handle dr_context(void) { return depth ? stack[depth - 1] : NULL; }

static context *make(cuda_process *p, unsigned flags) {
    context *made = cuda_handle_new(p, CUDA_CONTEXT, sizeof *made);
    made->flags = flags;
    return made;
}

/* One context less. */
static void end(cuda_process *p) {
    if (!--contexts)
        cuda_reset(p);
}

static cuda_error push(context *c) {
    if (depth == DEPTH)
        return CUDA_INVALID_VALUE;
    stack[depth++] = c;
    return CUDA_SUCCESS;
}

static cuda_error retain(cuda_process *p, dr_handle *result) {
    if (!primary)
        primary = make(p, primary_flags);
    contexts += !primary_uses++;
    *result = primary;
    return CUDA_SUCCESS;
}
/* What the runtime works in is current where nothing else is. */
static void take_runtimes(cuda_process *p) {
    if (depth || !p->is_runtimes)
        return;
    dr_handle handle;
    retain(p, &handle);
    push(handle);
}

cuda_error dr_begin_anywhere(cuda_process **p) {
    *p = cuda_enter();
    initialised |= (*p)->is_runtimes;
    if (!initialised)
        return (cuda_error)NOT_INITIALIZED;
    cuda_error error = (*p)->sticky;
    return error ? error : cuda_need_machine(*p);
}

cuda_error dr_begin(cuda_process **p) {
    cuda_error error = dr_begin_anywhere(p);
    if (error == (cuda_error)NOT_INITIALIZED)
        return error;
    take_runtimes(*p);
    return is_context(*p, dr_context()) ? error : (cuda_error)INVALID_CONTEXT;
}

int dr_end(cuda_process *p, cuda_error error) {
    cuda_leave(p);
    return (int)error;
}

int dr_submit(dr_handle stream, const cuda_work *work) { RUN(cuda_submit(p, stream, work)); }

API cuInit(unsigned flags) {
    if (flags)
        return CUDA_INVALID_VALUE;
    cuda_process *p = cuda_enter();
    initialised = true;
    return dr_end(p, CUDA_SUCCESS);
}

API cuDriverGetVersion(int *version) {
    if (!version)
        return CUDA_INVALID_VALUE;
    *version = VERSION;
    return CUDA_SUCCESS;
}

API cuGetErrorName(int error, const char **name) {
    if (!name)
        return CUDA_INVALID_VALUE;
    *name = cuda_error_driver_name(error);
    return *name ? CUDA_SUCCESS : CUDA_INVALID_VALUE;
}
API cuGetErrorString(int error, const char **text) {
    if (!text)
        return CUDA_INVALID_VALUE;
    *text = cuda_error_driver_name(error) ? cuda_error_text(error) : NULL;
    return *text ? CUDA_SUCCESS : CUDA_INVALID_VALUE;
}

/* ---- the device ------------------------------------------------------------------------------------ */

/* Calls that need no context: what is wrong with one of this device, into this result. */
static cuda_error check(int device, const void *result) {
    return !initialised ? (cuda_error)NOT_INITIALIZED
           : !result    ? CUDA_INVALID_VALUE
           : device     ? CUDA_INVALID_DEVICE
                        : CUDA_SUCCESS;
}

#define OF_DEVICE(device, result, expression)      \
    cuda_process *p = cuda_enter();                \
    cuda_error error = check((device), (result));  \
    return dr_end(p, error ? error : (expression))

API cuDeviceGetCount(int *count) { OF_DEVICE(0, count, (*count = 1, CUDA_SUCCESS)); }
API cuDeviceGet(int *device, int number) { OF_DEVICE(number, device, (*device = 0, CUDA_SUCCESS)); }
API cuDeviceGetName(char *name, int length, int device) {
    OF_DEVICE(device, name,
              length < 1 ? CUDA_INVALID_VALUE
                         : (snprintf(name, (size_t)length, "%s", cuda_device_name(&p->device)),
                            CUDA_SUCCESS));
}
API cuDeviceGetUuid(char *uuid, int device) {
    OF_DEVICE(device, uuid, (cuda_device_uuid(&p->device, uuid), CUDA_SUCCESS));
}
API cuDeviceGetUuid_v2(char *uuid, int device) { return cuDeviceGetUuid(uuid, device); }
API cuDeviceTotalMem_v2(size_t *bytes, int device) {
    OF_DEVICE(device, bytes, (*bytes = (size_t)p->device.memory, CUDA_SUCCESS));
}
API cuDeviceGetAttribute(int *value, int attribute, int device) {
    OF_DEVICE(device, value,
              cuda_device_attribute(&p->device, attribute, value) ? CUDA_SUCCESS
                                                                  : CUDA_INVALID_VALUE);
}
API cuDeviceComputeCapability(int *major, int *minor, int device) {
    OF_DEVICE(device, minor ? major : NULL,
              (*major = (int)p->device.major, *minor = (int)p->device.minor, CUDA_SUCCESS));
}
API cuDeviceGetPCIBusId(char *text, int length, int device) {
    OF_DEVICE(device, text,
              length < 13 ? CUDA_INVALID_VALUE
                          : (snprintf(text, (size_t)length, "0000:01:00.0"), CUDA_SUCCESS));
}
API cuDeviceCanAccessPeer(int *can, int device, int peer) {
    OF_DEVICE(device || peer, can, (*can = 0, CUDA_SUCCESS));
}
API cuDeviceGetP2PAttribute(int *value, int attribute, int device, int peer) {
    (void)attribute, (void)peer; /* there is no second device, and a device is no peer of its own */
    OF_DEVICE(device, value, CUDA_INVALID_DEVICE);
}
API cuDeviceGetByPCIBusId(int *device, const char *text) {
    OF_DEVICE(0, text ? device : NULL,
              strstr(text, "01:00") ? (*device = 0, CUDA_SUCCESS) : CUDA_INVALID_DEVICE);
}

/* ---- which context is current ----------------------------------------------------------------------------------------- */

static cuda_error create(cuda_process *p, dr_handle *result, unsigned flags) {
    context *made = make(p, flags);
    contexts++;
    *result = made;
    return push(made);
}

API cuCtxCreate_v2(dr_handle *result, unsigned flags, int device) {
    OF_DEVICE(device, result, create(p, result, flags));
}
API cuCtxCreate_v3(dr_handle *result, const void *params, int count, unsigned flags, int device) {
    (void)params, (void)count; /* of partitions of a device */
    OF_DEVICE(device, result, create(p, result, flags));
}
API cuCtxCreate_v4(dr_handle *result, const void *params, unsigned flags, int device) {
    (void)params; /* of partitions of a device */
    OF_DEVICE(device, result, create(p, result, flags));
}

static cuda_error destroy(cuda_process *p, dr_handle handle) {
    if (!is_context(p, handle) || handle == primary)
        return (cuda_error)INVALID_CONTEXT;
    if (handle == dr_context())
        depth--;
    cuda_handle_free(p, handle);
    end(p);
    return CUDA_SUCCESS;
}
API cuCtxDestroy_v2(dr_handle handle) { OF_DEVICE(0, "", destroy(p, handle)); }

API cuCtxPushCurrent_v2(dr_handle handle) {
    OF_DEVICE(0, "", is_context(p, handle) ? push(handle) : (cuda_error)INVALID_CONTEXT);
}
API cuCtxPopCurrent_v2(dr_handle *result) {
    if (!depth)
        return INVALID_CONTEXT;
    depth--;
    if (result)
        *result = stack[depth];
    return CUDA_SUCCESS;
}
API cuCtxGetCurrent(dr_handle *result) {
    OF_DEVICE(0, result, (take_runtimes(p), *result = dr_context(), CUDA_SUCCESS));
}

static cuda_error set_current(cuda_process *p, dr_handle handle) {
    if (handle && !is_context(p, handle))
        return (cuda_error)INVALID_CONTEXT;
    if (depth)
        depth--;
    return handle ? push(handle) : CUDA_SUCCESS;
}
API cuCtxSetCurrent(dr_handle handle) { OF_DEVICE(0, "", set_current(p, handle)); }

/* There are no peers. */
API cuCtxEnablePeerAccess(dr_handle peer, unsigned flags) {
    (void)flags;
    RUN(is_context(p, peer) ? CUDA_PEER_ACCESS_UNSUPPORTED : (cuda_error)INVALID_CONTEXT);
}
API cuCtxDisablePeerAccess(dr_handle peer) {
    RUN(is_context(p, peer) ? CUDA_PEER_ACCESS_NOT_ENABLED : (cuda_error)INVALID_CONTEXT);
}

API cuDevicePrimaryCtxRetain(dr_handle *result, int device) {
    OF_DEVICE(device, result, retain(p, result));
}

static cuda_error release(cuda_process *p) {
    if (!primary_uses)
        return (cuda_error)INVALID_CONTEXT;
    if (!--primary_uses)
        end(p);
    return CUDA_SUCCESS;
}
API cuDevicePrimaryCtxRelease_v2(int device) { OF_DEVICE(device, "", release(p)); }
/* What there is on the device goes; who has retained the context has it still. */
API cuDevicePrimaryCtxReset_v2(int device) { OF_DEVICE(device, "", (cuda_reset(p), CUDA_SUCCESS)); }
API cuDevicePrimaryCtxSetFlags_v2(int device, unsigned flags) {
    OF_DEVICE(device, "", (primary_flags = flags, CUDA_SUCCESS));
}
API cuDevicePrimaryCtxGetState(int device, unsigned *flags, int *active) {
    OF_DEVICE(device, active ? flags : NULL,
              (*flags = primary_flags, *active = primary_uses > 0, CUDA_SUCCESS));
}

API cuCtxGetDevice(int *device) { RUN(device ? (*device = 0, CUDA_SUCCESS) : CUDA_INVALID_VALUE); }
API cuCtxSynchronize(void) { RUN(cuda_not_captured(p)); }
/* Of a context that need not be the current one; all are of the one device. */
API cuCtxGetDevice_v2(int *device, dr_handle of) {
    (void)of;
    return cuCtxGetDevice(device);
}
API cuCtxSynchronize_v2(dr_handle of) {
    (void)of;
    return cuCtxSynchronize();
}
API cuCtxGetId(dr_handle of, unsigned long long *id) {
    RUN(id ? (*id = (uintptr_t)(of ? of : dr_context()), CUDA_SUCCESS) : CUDA_INVALID_VALUE);
}
API cuCtxGetFlags(unsigned *flags) {
    RUN(flags ? (*flags = ((context *)dr_context())->flags, CUDA_SUCCESS) : CUDA_INVALID_VALUE);
}
API cuCtxGetApiVersion(dr_handle handle, unsigned *version) {
    RUN(!version || (handle && !is_context(p, handle)) ? CUDA_INVALID_VALUE
                                                       : (*version = CONTEXT_API, CUDA_SUCCESS));
}
API cuCtxGetStreamPriorityRange(int *least, int *greatest) {
    RUN(((least ? *least = 0 : 0), (greatest ? *greatest = -5 : 0), CUDA_SUCCESS));
}
API cuCtxSetLimit(int limit, size_t value) {
    RUN(limit < 0 || limit >= LIMITS ? CUDA_UNSUPPORTED_LIMIT
                                     : (limits[limit] = value, CUDA_SUCCESS));
}
API cuCtxGetLimit(size_t *value, int limit) {
    RUN(!value                         ? CUDA_INVALID_VALUE
        : limit < 0 || limit >= LIMITS ? CUDA_UNSUPPORTED_LIMIT
                                       : (*value = limits[limit], CUDA_SUCCESS));
}
/* Hints, which are kept and change nothing. */
static int cache_config, shared_config;
API cuCtxSetCacheConfig(int config) {
    RUN(config < 0 || config > 3 ? CUDA_INVALID_VALUE : (cache_config = config, CUDA_SUCCESS));
}
API cuCtxGetCacheConfig(int *config) {
    RUN(config ? (*config = cache_config, CUDA_SUCCESS) : CUDA_INVALID_VALUE);
}
API cuCtxSetSharedMemConfig(int config) {
    RUN(config < 0 || config > 2 ? CUDA_INVALID_VALUE : (shared_config = config, CUDA_SUCCESS));
}
API cuCtxGetSharedMemConfig(int *config) {
    RUN(config ? (*config = shared_config, CUDA_SUCCESS) : CUDA_INVALID_VALUE);
}
API cuCtxResetPersistingL2Cache(void) { RUN(CUDA_SUCCESS); }

/* A profiler would start here; there is none to tell. */
API cuProfilerStart(void) { return CUDA_SUCCESS; }
API cuProfilerStop(void) { return CUDA_SUCCESS; }
